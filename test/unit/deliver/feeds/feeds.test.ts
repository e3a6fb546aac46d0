import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressAt,
  FEED_KINDS,
  type FeedItem,
  type FeedKind,
  type FeedOptions,
  feedRows,
} from '../../../../src/deliver/feeds/feeds.ts';
import { altText } from '../../../../src/deliver/making/alt-text.ts';
import { configurationId } from '../../../../src/model/configuration-id.ts';
import type { CatalogueLine } from '../../../../src/run/lists/manifest-line.ts';
import { anyText } from '../../../helpers/any-text.ts';

const OPTIONS: FeedOptions = {
  baseUrl: 'https://cdn.example/3d/',
  productUrl: 'https://shop.example/{manufacturer}/{finalarticlenumber}?id={id}',
  availability: 'in_stock',
};
const DIGEST = 'a'.repeat(64);
const LAMP: CatalogueLine = {
  manufacturer: 'AULI',
  program: 'LUMO',
  manufacturername: 'Aulis Light',
  programname: 'Lumo',
  basearticlenumber: 'LM-DOM 16"',
  finalarticlenumber: 'LM-DOM 16";METALL=MS',
  reinitstring: 'LM-DOM 16"/METALL: Messing;::',
  metareinitstring: '',
  shorttext: 'Pendant dome, 16 inch',
  longtext: 'Pendant dome\n</script><b>"dimmable"</b>',
  varianttext: 'Metal: Brushed brass',
  price: 300,
  currency: 'EUR',
  pricecomponents: [],
  properties: [
    { class: 'O', name: 'METALL', text: 'Metal', value: 'MS', valueText: 'Brushed brass' },
  ],
  complete: true,
  missing: [],
  sizeMillimetres: { width: 406, depth: 406.4, height: 1239 },
  glb: 'articles/AULI/LUMO/LM-DOM-16-METALL-MS~516fba5b/default.glb',
  sha256: DIGEST,
};
const FOLDER = 'AULI/LUMO/LM-DOM-16-METALL-MS~516fba5b/default';
const file = (delivery: string, name: string) => ({
  delivery,
  path: `${delivery}/${FOLDER}/${name}`,
  sha256: DIGEST,
});
const FILES = [
  file('pictures', 'LM-DOM-16-front-1024.jpg'),
  file('pictures', 'front.jpg'),
  file('pictures', 'LM-DOM-16-hero-1024.jpg'),
  file('pictures', 'hero.jpg'),
  file('pictures', 'LM-DOM-16-hero-400.jpg'),
  file('pictures', 'LM-DOM-16-top.jpg'),
  file('pictures', 'turn-01.jpg'),
  file('google', 'model.glb'),
  file('ar-ios', 'model.usdz'),
];
const LANGUAGES = {
  en: LAMP,
  de: { ...LAMP, shorttext: 'Pendelleuchte', varianttext: 'Metall: Messing\nZuleitung: schwarz' },
};
const ITEM: FeedItem = { line: LAMP, languages: LANGUAGES, files: FILES };
const BARE: FeedItem = {
  line: { ...LAMP, price: null, sizeMillimetres: null, glb: null, sha256: null },
  languages: {},
  files: [],
};

/** A feed as a parser of its format reads it. */
function read(kind: FeedKind, items: FeedItem[], options = OPTIONS): Record<string, string>[] {
  const text = [...feedRows(kind, items, options)].map((row) => `${row}\n`).join('');
  const delimiter = kind === 'google' ? '\t' : ',';
  return parse(text, { columns: true, delimiter });
}
const productsOf = (items: FeedItem[], options = OPTIONS) =>
  [...feedRows('jsonld', items, options)].map((row) => JSON.parse(row));

describe('the schema.org feed', () => {
  it('has a product with its price, picture and models', () => {
    const [product] = productsOf([ITEM]);
    expect(product).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'Product',
      mpn: LAMP.finalarticlenumber,
      description: `${LAMP.longtext}\n${LAMP.varianttext}`,
      image: addressAt(OPTIONS.baseUrl, `pictures/${FOLDER}/LM-DOM-16-hero-1024.jpg`),
      width: { value: 406, unitCode: 'MMT' },
      offers: { price: 300, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
      additionalProperty: [{ name: 'Metal', value: 'Brushed brass' }],
      subjectOf: { '@type': '3DModel' },
    });
    const { encoding } = product.subjectOf;
    const types = encoding.map((each: { encodingFormat: string }) => each.encodingFormat);
    const glb = 'model/gltf-binary';
    expect(types).toEqual([glb, glb, 'model/vnd.usdz+zip']);
    expect(encoding[0].contentUrl).toBe(`https://cdn.example/3d/${LAMP.glb}`);
  });

  it('can stand in a page as it is', () => {
    expect([...feedRows('jsonld', [ITEM], OPTIONS)].join()).not.toContain('<');
  });

  it('has no model, size or offer where there is none', () => {
    const [product] = productsOf([BARE], { ...OPTIONS, productUrl: undefined });
    for (const key of ['offers', 'subjectOf', 'width', 'image', 'url'])
      expect(product).not.toHaveProperty(key);
  });
});

describe('the feed of Google', () => {
  it('has what Google requires, and the model that was made for it', () => {
    const [row] = read('google', [ITEM]);
    expect(row).toEqual({
      id: expect.stringMatching(/^[\w~.-]{1,50}$/),
      title: 'Pendant dome, 16 inch',
      description: 'Pendant dome </script><b>"dimmable"</b> Metal: Brushed brass',
      link: `https://shop.example/AULI/LM-DOM%2016%22%3BMETALL%3DMS?id=${row!.id}`,
      image_link: `https://cdn.example/3d/pictures/${FOLDER}/LM-DOM-16-hero-1024.jpg`,
      availability: 'in_stock',
      price: '300.00 EUR',
      brand: 'AULI',
      mpn: 'LM-DOM 16";METALL=MS',
      condition: 'new',
      item_group_id: expect.stringMatching(/^[\w~.-]{1,50}$/),
      product_type: 'AULI > LUMO',
      product_width: '40.6 cm',
      product_length: '40.64 cm',
      product_height: '123.9 cm',
      virtual_model_link: `https://cdn.example/3d/google/${FOLDER}/model.glb`,
    });
  });

  it('has the first frame of a turn where no camera takes a picture', () => {
    const files = [file('pictures', 'turn-01.jpg'), file('pictures', 'turn-02.jpg')];
    const [row] = read('google', [{ ...ITEM, files }]);
    expect(row!.image_link).toBe(`https://cdn.example/3d/pictures/${FOLDER}/turn-01.jpg`);
  });

  it('leaves out what it would refuse, and counts it', () => {
    const leftOut = new Map<string, number>();
    const items = [
      { ...ITEM, line: { ...LAMP, price: null } },
      { ...ITEM, line: { ...LAMP, price: 0 } },
      // A price of 0.00 would be shown.
      { ...ITEM, line: { ...LAMP, price: 0.004 } },
      { ...ITEM, line: { ...LAMP, currency: '' } },
      { ...ITEM, files: [] },
      ITEM,
    ];
    expect([...feedRows('google', items, OPTIONS, leftOut)]).toHaveLength(2);
    expect(Object.fromEntries(leftOut)).toEqual({ 'a price': 4, 'a picture': 1 });
  });

  it('encodes the address of the output folder once', () => {
    const path = 'pictures/A B/50%.jpg';
    const address = 'https://cdn.example/my%20range/3d/pictures/A%20B/50%25.jpg';
    for (const base of ['https://cdn.example/my range/3d', 'https://CDN.example/my%20range/3d//'])
      expect(addressAt(base, path)).toBe(address);
  });

  it('keeps to its limits of characters', () => {
    const long = { ...LAMP, shorttext: '😀'.repeat(200), longtext: 'x'.repeat(9000) };
    const [row] = read('google', [{ ...ITEM, line: long }]);
    expect(row!.title).toBe(`${'😀'.repeat(74)}…`);
    expect(row!.description).toHaveLength(5000);
  });
});

describe('the feed of Shopify', () => {
  it('has a draft of each configuration with its picture and the address of its model', () => {
    expect(read('shopify', [ITEM])).toMatchObject([
      {
        Handle: expect.stringMatching(/^[a-z0-9-]+$/),
        Title: 'Pendant dome, 16 inch',
        'Body (HTML)':
          'Pendant dome<br>&lt;/script&gt;&lt;b&gt;&quot;dimmable&quot;&lt;/b&gt;<br>Metal: Brushed brass',
        'Option1 Name': 'Title',
        'Option1 Value': 'Default Title',
        'Variant SKU': 'LM-DOM 16";METALL=MS',
        'Variant Price': '300.00',
        'Image Src': `https://cdn.example/3d/pictures/${FOLDER}/LM-DOM-16-hero-1024.jpg`,
        'Image Alt Text': 'Pendant dome, 16 inch, Metal: Brushed brass',
        '3D model (product.metafields.custom.model_3d)': `https://cdn.example/3d/${LAMP.glb}`,
        Status: 'draft',
      },
    ]);
  });
});

describe('the feed for an ERP', () => {
  it('has numbers, texts, price, millimetres and paths', () => {
    expect(read('csv', [ITEM])).toMatchObject([
      {
        finalarticlenumber: LAMP.finalarticlenumber,
        longtext: LAMP.longtext,
        price: '300',
        currency: 'EUR',
        depthMillimetres: '406.4',
        picture: `pictures/${FOLDER}/LM-DOM-16-hero-1024.jpg`,
        glb: LAMP.glb,
        models: `${LAMP.glb} google/${FOLDER}/model.glb ar-ios/${FOLDER}/model.usdz`,
      },
    ]);
  });

  it('has what has neither price nor model too', () => {
    const [row] = read('csv', [BARE]);
    const empty = { price: '', widthMillimetres: '', glb: '', picture: '', glbUrl: '' };
    expect(row).toMatchObject(empty);
  });
});

describe('the feed of pictures', () => {
  it('has each view in all widths, and what it shows in each language', () => {
    const rows = [...feedRows('pictures', [BARE, ITEM], OPTIONS)].map((row) => JSON.parse(row));
    const picture = (name: string) => ({
      path: `pictures/${FOLDER}/${name}`,
      url: `https://cdn.example/3d/pictures/${FOLDER}/${name}`,
      sha256: DIGEST,
    });
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[\w~.-]{1,50}$/),
        ...configurationId(LAMP),
        alt: {
          en: 'Pendant dome, 16 inch, Metal: Brushed brass',
          de: 'Pendelleuchte, Metall: Messing, Zuleitung: schwarz',
        },
        pictures: [
          { camera: 'front', width: 1024, ...picture('LM-DOM-16-front-1024.jpg') },
          { camera: 'hero', width: 1024, ...picture('LM-DOM-16-hero-1024.jpg') },
          { camera: 'hero', width: 400, ...picture('LM-DOM-16-hero-400.jpg') },
          { camera: 'top', ...picture('LM-DOM-16-top.jpg') },
        ],
      },
    ]);
  });
});

describe('the text for a picture', () => {
  it('is one line, with as much of the variant text as fits', () => {
    const variant = `Finish: Walnut veneer\r\n\nFrame: Silver\n${'x'.repeat(200)}\nCastors: soft`;
    expect(altText({ name: 'Desk\n1600', variant })).toBe(
      'Desk 1600, Finish: Walnut veneer, Frame: Silver',
    );
  });

  it('is the name where nothing else fits, however long that is', () => {
    const name = 'Desk '.repeat(60).trim();
    expect(altText({ name, variant: 'Frame: Silver' })).toBe(name);
  });
});

const text = anyText({ maxLength: 60 });
const anyLine = fc.record({
  manufacturer: text,
  basearticlenumber: text,
  finalarticlenumber: text,
  reinitstring: text,
  shorttext: text,
  longtext: text,
  price: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
});

it('every feed has one row of all its columns for each line, whatever its texts are', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 5 }), (lines) => {
      const items = lines.map((line) => ({ ...ITEM, line: { ...LAMP, ...line } }));
      expect(productsOf(items)).toHaveLength(lines.length);
      expect(read('csv', items)).toHaveLength(lines.length);
      const sold = lines.filter(({ price }) => Number(price?.toFixed(2)) > 0).length;
      expect(read('google', items)).toHaveLength(sold);
      expect(read('shopify', items)).toHaveLength(sold);
    }),
  );
});

it('identifiers differ where configurations do, and stay otherwise', () => {
  fc.assert(
    fc.property(anyLine, anyLine, (a, b) => {
      const lines = [a, b].map((line) => ({ ...LAMP, ...line }));
      const [first, second] = productsOf(lines.map((line) => ({ ...BARE, line })));
      const [one, other] = lines.map((line) =>
        JSON.stringify([
          line.manufacturer.toUpperCase(),
          ...[line.basearticlenumber, line.finalarticlenumber, line.reinitstring],
        ]),
      );
      expect(first.productID === second.productID).toBe(one === other);
    }),
  );
});

it('a feed of 5,000 lines is written row by row', () => {
  const many = function* () {
    for (let i = 0; i < 5_000; i++) yield { ...ITEM, line: { ...LAMP, reinitstring: `${i}` } };
  };
  for (const kind of FEED_KINDS) {
    const rows = feedRows(kind, many(), OPTIONS)[Symbol.iterator]();
    for (let i = 0; i < 3; i++) expect(rows.next().done).toBe(false);
  }
  let count = 0;
  for (const _ of feedRows('csv', many(), OPTIONS)) count++;
  expect(count).toBe(5_001);
});
