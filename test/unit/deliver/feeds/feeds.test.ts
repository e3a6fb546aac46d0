import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  effectTexts,
  FEED_KINDS,
  type FeedKind,
  type FeedOptions,
  feedRows,
  noFindings,
} from '../../../../src/deliver/feeds/feeds.ts';
import { addressAt, type FeedItem } from '../../../../src/deliver/feeds/product.ts';
import { altText } from '../../../../src/deliver/making/alt-text.ts';
import {
  compareConfigurations,
  configurationId,
  configurationKey,
} from '../../../../src/model/configuration-id.ts';
import type { CatalogueLine } from '../../../../src/run/lists/manifest-line.ts';
import { anyText } from '../../../helpers/any-text.ts';
import {
  googleBreaches,
  shopifyBreaches,
  structuredDataBreaches,
} from '../../../helpers/evaluator/platforms.ts';
import { samples } from '../../../helpers/samples.ts';

const OPTIONS: FeedOptions = {
  baseUrl: 'https://cdn.example/3d/',
  productUrl: 'https://shop.example/{manufacturer}/{finalarticlenumber}?id={id}',
  availability: 'in_stock',
};
const DIGEST = 'a'.repeat(64);
const LAMP: CatalogueLine = {
  manufacturer: 'AULI',
  program: 'LUMO',
  manufacturername: 'Aulis Licht',
  programname: 'Lumo',
  category: 'Pendant lamps',
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

type Property = CatalogueLine['properties'][number];
const property = (name: string, text: string, valueText: string): Property => ({
  ...{ class: 'O', name, text, valueText, value: valueText.toUpperCase() },
});
/** Configurations of one article, by what is chosen. */
const variants = (...chosen: Property[][]): FeedItem[] =>
  chosen.map((properties, at) => {
    const number = `LM-${at}`;
    const line = { ...LAMP, finalarticlenumber: number, reinitstring: number, properties };
    return { ...ITEM, line, files: [file('pictures', `LM-${at}-hero-800.jpg`)] };
  });

/** A feed as a parser of its format reads it. */
function read(
  kind: FeedKind,
  items: FeedItem[],
  options = OPTIONS,
  findings = noFindings(),
): Record<string, string>[] {
  const text = [...feedRows(kind, items, options, findings)].map((row) => `${row}\n`).join('');
  const delimiter = kind === 'google' ? '\t' : ',';
  return parse(text, { columns: true, delimiter });
}
const groupsOf = (items: FeedItem[], options = OPTIONS) =>
  [...feedRows('jsonld', items, options)].map((row) => JSON.parse(row));
const productsOf = (items: FeedItem[], options = OPTIONS) =>
  groupsOf(items, options).flatMap(({ hasVariant }) => hasVariant);

describe('the schema.org feed', () => {
  it('has a product with its price, picture and models', () => {
    const [group] = groupsOf([ITEM]);
    const [product] = group.hasVariant;
    expect(group).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'ProductGroup',
      productGroupID: product.inProductGroupWithID,
      name: LAMP.shorttext,
      description: LAMP.longtext,
      brand: { name: 'Aulis Licht' },
      category: 'Pendant lamps',
    });
    expect(product).toMatchObject({
      '@type': 'Product',
      mpn: LAMP.finalarticlenumber,
      category: 'Pendant lamps',
      description: `${LAMP.longtext}\n${LAMP.varianttext}`,
      image: ['hero-1024', 'front-1024', 'top'].map((name) =>
        addressAt(OPTIONS.baseUrl, `pictures/${FOLDER}/LM-DOM-16-${name}.jpg`),
      ),
      material: 'Brushed brass',
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

  it('lists the configurations of an article in one line, with what they differ in', () => {
    const chosen = (color: string, width: string, castors: string) => [
      property('FARBE', 'Color', color),
      property('BREITE', 'Width in mm', width),
      property('ROLLEN', 'Castors', castors),
    ];
    const items = variants(chosen('red', '800', 'hard'), chosen('blue', '800', 'soft'));
    const other = { ...ITEM, line: { ...LAMP, basearticlenumber: 'OTHER' } };
    const [group, ...others] = groupsOf([...items, other]);
    expect(others).toHaveLength(1);
    expect(group.variesBy).toEqual(['https://schema.org/color']);
    expect(group.hasVariant).toMatchObject([
      { name: 'Pendant dome, 16 inch, red', sku: 'LM-0', color: 'red', size: '800 mm' },
      { name: 'Pendant dome, 16 inch, blue', sku: 'LM-1', color: 'blue', size: '800 mm' },
    ]);
  });

  it('has the file with all finishes as a model of the article, and not of one finish', () => {
    const items = variants([], []).map((item) => ({ ...item, files: [file('variants', 'x.glb')] }));
    const [group] = groupsOf(items);
    const [model] = group.subjectOf.encoding;
    expect(model.contentUrl).toContain('/variants/');
    expect(JSON.stringify(group.hasVariant)).not.toContain('/variants/');
  });

  it('has another sku for each configuration, also where their numbers are equal', () => {
    const [one, other] = variants([], []).map(({ line, ...item }) => ({
      ...item,
      line: { ...line, finalarticlenumber: 'SAME' },
    }));
    const skus = productsOf([one!, other!]).map(({ sku }) => sku);
    expect(skus).toEqual(['SAME', expect.not.stringMatching(/^SAME$/)]);
  });

  it('has the page of the article where that has no field of a configuration', () => {
    const productUrl = 'https://shop.example/{basearticlenumber}';
    const [group] = groupsOf(variants([], []), { ...OPTIONS, productUrl });
    expect(group.url).toBe('https://shop.example/LM-DOM%2016%22');
    expect(groupsOf(variants([], []))[0]).not.toHaveProperty('url');
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
      additional_image_link: ['front-1024', 'top']
        .map((name) => `https://cdn.example/3d/pictures/${FOLDER}/LM-DOM-16-${name}.jpg`)
        .join(),
      availability: 'in_stock',
      availability_date: '',
      price: '300.00 EUR',
      brand: 'Aulis Licht',
      mpn: 'LM-DOM 16";METALL=MS',
      condition: 'new',
      item_group_id: expect.stringMatching(/^[\w-]{1,50}$/),
      color: '',
      material: 'Brushed brass',
      size: '',
      product_type: 'Aulis Licht > Lumo',
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
    const findings = noFindings();
    const items = [
      { ...ITEM, line: { ...LAMP, price: null } },
      { ...ITEM, line: { ...LAMP, price: 0 } },
      // A price of 0.00 would be shown.
      { ...ITEM, line: { ...LAMP, price: 0.004 } },
      { ...ITEM, line: { ...LAMP, currency: '' } },
      { ...ITEM, files: [] },
      ITEM,
    ];
    expect([...feedRows('google', items, OPTIONS, findings)]).toHaveLength(2);
    expect(Object.fromEntries(findings.leftOut)).toEqual({ 'a price': 4, 'a picture': 1 });
  });

  it('has at most ten other pictures, one of each camera, and none in AVIF', () => {
    const names = Array.from({ length: 14 }, (_, at) => `${String.fromCharCode(97 + at)}cam`);
    const files = ['hero', ...names].flatMap((camera) => [
      file('pictures', `LM-${camera}-400.jpg`),
      file('pictures', `LM-${camera}-1200.jpg`),
    ]);
    const [row] = read('google', [{ ...ITEM, files }]);
    expect(row!.image_link).toMatch(/hero-1200\.jpg$/);
    const others = row!.additional_image_link!.split(',');
    expect(others).toHaveLength(10);
    expect(others.every((address) => address.endsWith('cam-1200.jpg'))).toBe(true);

    const findings = noFindings();
    const avif = { ...ITEM, files: [file('pictures', 'LM-hero-800.avif')] };
    expect(read('google', [avif], OPTIONS, findings)).toEqual([]);
    expect([...findings.leftOut.keys()]).toEqual(['a picture other than AVIF']);
  });

  it('has the day of delivery of what is ordered in advance', () => {
    const later = {
      ...OPTIONS,
      availability: 'backorder',
      availabilityDate: '2027-03-01',
    } as const;
    const [row] = read('google', [ITEM], later);
    expect(row).toMatchObject({
      availability: 'backorder',
      availability_date: '2027-03-01T00:00Z',
    });
  });

  it('groups configurations that color, material and size distinguish, and counts the others', () => {
    const findings = noFindings();
    const chosen = (color: string, castors: string) => [
      property('DEKOR', 'Finish', color),
      property('ROLLEN', 'Castors', castors),
    ];
    const items = variants(chosen('red', 'hard'), chosen('blue', 'hard'), chosen('Blue', 'soft'), [
      property('STOFF', 'Fabric', 'wool'),
    ]);
    const rows = read('google', items, OPTIONS, findings);
    const [group] = rows.map((row) => row.item_group_id!);
    expect(rows.map((row) => row.item_group_id)).toEqual([group, group, '', '']);
    expect(rows.map((row) => row.title)).toEqual([
      'Pendant dome, 16 inch, red',
      'Pendant dome, 16 inch, blue',
      'Pendant dome, 16 inch, Metal: Brushed brass',
      'Pendant dome, 16 inch, Metal: Brushed brass',
    ]);
    expect(effectTexts(findings)).toEqual([expect.stringMatching(/^2 without item_group_id/)]);
  });

  it('separates several colors and sizes as Google reads them', () => {
    const [row] = read(
      'google',
      variants([
        property('DEKOR', 'Finish', 'Oak, oiled/waxed'),
        property('P1', 'Gestellfarbe', 'Silver'),
        property('P2', 'Edge color', '9010'),
        property('P3', 'Stain color', '#FFF000'),
        property('P4', 'Frame', 'x'.repeat(60)),
        property('B', 'Width in mm', '1600'),
        property('P5', 'Seat height', '74 cm'),
      ]),
    );
    expect(row!.color).toBe(`Oak oiled waxed/Silver/${'x'.repeat(39)}…`);
    expect(row!.size).toBe('1600 mm x 74 cm');
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
  it('has a draft of an article with its pictures and the address of its model', () => {
    const [row, ...pictures] = read('shopify', [ITEM]);
    expect(pictures.map((one) => one['Image Src'])).toEqual(
      ['front-1024', 'top'].map(
        (name) => `https://cdn.example/3d/pictures/${FOLDER}/LM-DOM-16-${name}.jpg`,
      ),
    );
    expect([row]).toMatchObject([
      {
        Handle: expect.stringMatching(/^[a-z0-9-]+$/),
        Title: 'Pendant dome, 16 inch',
        Vendor: 'Aulis Licht',
        Type: 'Lumo',
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

  const options = (rows: Record<string, string>[]) =>
    rows.map((row) => [1, 2, 3].map((at) => row[`Option${at} Value`]).filter((one) => one !== ''));
  const names = ([row]: Record<string, string>[]) =>
    [1, 2, 3].map((at) => row![`Option${at} Name`]).filter((one) => one !== '');

  it('has the configurations of an article as variants of one product, each with its picture', () => {
    const chosen = (color: string) => [property('FARBE', 'Color', color)];
    const rows = read('shopify', variants(chosen('red'), chosen('blue')));
    expect(new Set(rows.map((row) => row.Handle)).size).toBe(1);
    expect(rows.map((row) => row.Title)).toEqual(['Pendant dome, 16 inch', '']);
    expect(rows[0]!['Body (HTML)']).not.toContain('brass');
    expect(names(rows)).toEqual(['Color']);
    expect(options(rows)).toEqual([['red'], ['blue']]);
    expect(rows.map((row) => row['Image Position'])).toEqual(['1', '2']);
    for (const row of rows) expect(row['Variant Image']).toBe(row['Image Src']);
  });

  it('has at most three options: color, material and size first, and the others together', () => {
    const chosen = (at: number, castors = 'hard') => [
      property('ARM', 'Armrests', `arm ${at}`),
      property('ROLLEN', 'Castors', castors),
      property('BREITE', 'Width', `${at}00`),
      property('FARBE', 'Color', `color ${at}`),
      property('SAME', 'Same', 'same'),
    ];
    const rows = read('shopify', variants(chosen(1), chosen(2), chosen(2, 'soft')));
    expect(names(rows)).toEqual(['Color', 'Width', 'Armrests / Castors']);
    expect(options(rows)).toEqual([
      ['color 1', '100', 'arm 1 / hard'],
      ['color 2', '200', 'arm 2 / hard'],
      ['color 2', '200', 'arm 2 / soft'],
    ]);
  });

  it('has a value for an option that a variant lacks', () => {
    const rows = read('shopify', variants([property('FARBE', 'Color', 'red')], []));
    expect(options(rows)).toEqual([['red'], ['–']]);
  });

  it('distinguishes variants by their number where no property does', () => {
    const red = [property('FARBE', 'Color', 'red')];
    const rows = read('shopify', variants(red, [property('FARBE', 'Color', 'RED')], []));
    expect(names(rows)).toEqual(['Color', 'SKU']);
    expect(options(rows)).toEqual([
      ['red', 'LM-0'],
      ['RED', 'LM-1'],
      ['–', 'LM-2'],
    ]);
  });

  it('divides an article with more variants or pictures than a product has', () => {
    const many = variants(
      ...Array.from({ length: 251 }, (_, i) => [property('F', 'Color', `${i}`)]),
    );
    const findings = noFindings();
    const handlesOf = (shopify?: { variantsPerProduct: number }) =>
      new Set(read('shopify', many, { ...OPTIONS, shopify }, findings).map((row) => row.Handle));
    expect(handlesOf().size).toBe(2);
    expect(handlesOf({ variantsPerProduct: 100 }).size).toBe(3);
    expect(effectTexts(findings)).toEqual([expect.stringMatching(/^2 articles became several/)]);
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

  it('has one row of each final article number, the first one, and counts the others', () => {
    const findings = noFindings();
    const [a, b, c] = variants([], [], []);
    const same = { ...b!, line: { ...b!.line, finalarticlenumber: 'LM-0' } };
    const rows = read('csv', [a!, same, c!], OPTIONS, findings);
    expect(rows.map((row) => row.reinitstring)).toEqual(['LM-0', 'LM-2']);
    expect(findings.merged).toBe(1);
  });

  it('keeps all configurations that have no final article number', () => {
    const items = variants([], []).map(({ line, ...item }) => ({
      ...item,
      line: { ...line, finalarticlenumber: '' },
    }));
    expect(read('csv', items)).toHaveLength(2);
  });

  it('opens in Excel of a country with a decimal comma', () => {
    const erp = { dialect: 'excel-de' } as const;
    const text = [...feedRows('csv', [ITEM], { ...OPTIONS, erp })].join('\n');
    expect(text.startsWith('\ufeffmanufacturer;program;')).toBe(true);
    const [row] = parse(text, { columns: true, delimiter: ';', bom: true }) as unknown as Row[];
    expect(row).toMatchObject({
      manufacturername: 'Aulis Licht',
      programname: 'Lumo',
      depthMillimetres: '406,4',
      longtext: 'Pendant dome </script><b>"dimmable"</b>',
    });
    expect(text.split('\r')).toHaveLength(3);
  });

  it('has formulas as they are for a program that says so', () => {
    const line = { ...LAMP, reinitstring: "@LM+METALL='MS'::" };
    const items = [{ ...ITEM, line }];
    expect(read('csv', items)[0]!.reinitstring).toBe(`'${line.reinitstring}`);
    const erp = { dialect: 'rfc4180', formulas: 'keep' } as const;
    expect(read('csv', items, { ...OPTIONS, erp })[0]!.reinitstring).toBe(line.reinitstring);
  });

  it('takes single settings of a dialect', () => {
    const erp = { dialect: 'excel-de', delimiter: 'tab', bom: false, decimal: '.' } as const;
    const [head, row] = [...feedRows('csv', [ITEM], { ...OPTIONS, erp })];
    expect(head).toMatch(/^manufacturer\tprogram\t/);
    expect(row).toContain('\t406.4\t');
  });

  it('has what has neither price nor model too', () => {
    const [row] = read('csv', [BARE]);
    const empty = { price: '', widthMillimetres: '', glb: '', picture: '', glbUrl: '' };
    expect(row).toMatchObject(empty);
  });
});

test.each<[FeedKind, Record<string, unknown>]>([
  ['jsonld', { width: { value: 400 }, depth: { value: 406.4 }, height: { value: 1239 } }],
  ['google', { product_width: '40 cm', product_length: '40.64 cm', product_height: '123.9 cm' }],
  ['csv', { widthMillimetres: '400', depthMillimetres: '406.4', heightMillimetres: '1239' }],
])(
  'the feed %s has each length as it was ordered, otherwise that of the model',
  (kind, lengths) => {
    const items = variants([property('BREITE', 'Width in mm', '400')]);
    const [product] = kind === 'jsonld' ? productsOf(items) : read(kind, items);
    expect(product).toMatchObject(lengths);
  },
);

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

type Row = Record<string, string>;

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

it('every table has a row of all its columns for each line, whatever its texts are', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 5 }), (lines) => {
      const items = lines.map((line) => ({ ...ITEM, line: { ...LAMP, ...line } }));
      expect(productsOf(items)).toHaveLength(lines.length);
      const numbersOf = (some: typeof lines) => {
        const keys = some.map((line) => [line.manufacturer.toUpperCase(), line.finalarticlenumber]);
        const named = keys.filter(([, number]) => number !== '');
        return some.length - named.length + new Set(named.map((key) => JSON.stringify(key))).size;
      };
      expect(read('csv', items)).toHaveLength(numbersOf(lines));
      const sold = lines.filter(({ price }) => Number(price?.toFixed(2)) > 0);
      expect(read('google', items)).toHaveLength(sold.length);
      const rows = read('shopify', items).filter((row) => row['Variant Price'] !== '');
      expect(rows).toHaveLength(numbersOf(sold));
    }),
    { numRuns: samples(120) },
  );
});

const value = fc.constantFrom('red', 'Red', 'blue', '9010', '#FFF', 'a, b', 'x/y', ' ', '\0', '');
const anyVariant = fc.record({
  finalarticlenumber: fc.oneof(text, fc.constantFrom('A', 'a', 'B', '')),
  reinitstring: text,
  shorttext: fc.oneof(text, fc.constantFrom('Desk', ' ', '\u0007', '=1+1')),
  properties: fc.array(
    fc.record({
      class: fc.constantFrom('O', 'MASS'),
      name: fc.oneof(text, fc.constantFrom('FARBE', 'BREITE', 'STOFF')),
      text: fc.oneof(text, fc.constantFrom('Color', 'Width in mm', 'Castors', 'Armrests')),
      value: fc.oneof(text, value),
      valueText: fc.oneof(text, value),
    }),
    { maxLength: 5 },
  ),
});

it('every feed keeps to the rules of its platform, whatever its texts are', () => {
  const textOf = (kind: FeedKind, items: FeedItem[]) =>
    [...feedRows(kind, items, OPTIONS)].map((row) => `${row}\n`).join('');
  fc.assert(
    fc.property(fc.array(anyVariant, { minLength: 1, maxLength: 6 }), (lines) => {
      const items = lines
        .map((line) => ({ ...LAMP, ...line }))
        .sort(compareConfigurations)
        .map((line, at) => ({ ...ITEM, line, files: [file('pictures', `x${at}-hero-8.jpg`)] }));
      const unique = [
        ...new Map(items.map((item) => [configurationKey(item.line), item])).values(),
      ];
      expect(googleBreaches(textOf('google', unique))).toEqual([]);
      expect(shopifyBreaches(textOf('shopify', unique))).toEqual([]);
      expect(structuredDataBreaches(textOf('jsonld', unique))).toEqual([]);
    }),
    { numRuns: samples(120) },
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

it('a feed of many articles is written row by row', () => {
  const many = function* () {
    for (let i = 0; i < 200; i++) {
      const basearticlenumber = String(i).padStart(4, '0');
      yield {
        ...ITEM,
        line: { ...LAMP, basearticlenumber, finalarticlenumber: basearticlenumber },
      };
    }
  };
  for (const kind of FEED_KINDS) {
    const rows = feedRows(kind, many(), OPTIONS)[Symbol.iterator]();
    for (let i = 0; i < 3; i++) expect(rows.next().done).toBe(false);
  }
  let count = 0;
  for (const _ of feedRows('csv', many(), OPTIONS)) count++;
  expect(count).toBe(201);
});
