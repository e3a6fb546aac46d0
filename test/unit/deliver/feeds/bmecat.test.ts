import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  effectTexts,
  type FeedOptions,
  feedRows,
  noFindings,
} from '../../../../src/deliver/feeds/feeds.ts';
import type { FeedItem } from '../../../../src/deliver/feeds/product.ts';
import type { CatalogueLine } from '../../../../src/run/lists/manifest-line.ts';
import { anyText } from '../../../helpers/any-text.ts';
import {
  bmecatBreaches,
  elementsOf,
  type XmlElement,
  xmlOf,
} from '../../../helpers/evaluator/bmecat.ts';

const OPTIONS: FeedOptions = {
  baseUrl: 'https://cdn.example/3d/',
  availability: 'in_stock',
  pipelineName: 'shop',
  language: 'de-AT',
  currency: 'EUR',
};
const DIGEST = 'a'.repeat(64);
const DESK: CatalogueLine = {
  manufacturer: 'FJEL',
  program: 'LINEA',
  manufacturername: 'Fjellform',
  programname: 'Linea',
  category: '',
  basearticlenumber: 'LN-D160',
  finalarticlenumber: 'LN-D160-NB.SI',
  reinitstring: 'LN-D160-NB.SI',
  metareinitstring: '',
  shorttext: 'Schreibtisch 1600 × 800',
  longtext: 'Schreibtisch\r\nmit <b>Kanal</b> & ]]>',
  varianttext: 'Dekor: Nussbaum',
  price: 584.5,
  currency: 'EUR',
  pricecomponents: [],
  properties: [
    { class: 'O', name: 'DEKOR', text: 'Dekor', value: 'NB', valueText: 'Nussbaum' },
    { class: 'O', name: 'LANG', text: 'Text', value: 'x', valueText: 'lang '.repeat(20) },
    { class: 'O', name: 'LEER', text: 'Leer', value: '', valueText: '' },
  ],
  complete: true,
  missing: [],
  sizeMillimetres: { width: 1600, depth: 800, height: 740.5 },
  glb: 'articles/FJEL/LINEA/LN-D160-NB.SI/default.glb',
  sha256: DIGEST,
};
const picture = (name: string) => ({
  ...{ delivery: 'pictures', path: `pictures/FJEL/LINEA/LN/${name}`, sha256: DIGEST },
});
const item = (line: Partial<CatalogueLine> = {}): FeedItem => ({
  line: { ...DESK, ...line },
  languages: {},
  files: [picture('LN-hero-800.jpg'), picture('LN-top.webp')],
});
const textOf = (items: FeedItem[], options = OPTIONS, findings = noFindings()) =>
  [...feedRows('bmecat', items, options, findings)].map((row) => `${row}\n`).join('');

const textsIn = (element: XmlElement, name: string) =>
  elementsOf(element, name).map(({ text }) => text);

describe('the catalogue in BMEcat', () => {
  const root = xmlOf(textOf([item()]));

  it('has each length as it was ordered, otherwise that of the model', () => {
    const depth = { class: 'O', name: 'TIEFE', text: 'Tiefe', value: '80', valueText: '80 cm' };
    const sizeMillimetres = { width: 1600, depth: 802, height: 740.5 };
    const ordered = xmlOf(textOf([item({ properties: [depth], sizeMillimetres })]));
    expect(textsIn(ordered, 'FVALUE')).toEqual(['80 cm', '1600', '800', '740.5']);
  });

  it('has the elements of the format in their order', () => {
    expect(
      bmecatBreaches(textOf([item(), item({ finalarticlenumber: 'B', price: null })])),
    ).toEqual([]);
    expect(bmecatBreaches(textOf([]))).toEqual([]);
  });

  it('says who sells what, in which language and version', () => {
    const texts = ['LANGUAGE', 'CATALOG_ID', 'CATALOG_VERSION', 'CURRENCY', 'MIME_ROOT'];
    expect(texts.flatMap((name) => textsIn(root, name))).toEqual([
      ...['deu', 'shop', '1.0', 'EUR', 'https://cdn.example/3d/'],
    ]);
    expect(textsIn(root, 'SUPPLIER_NAME')).toEqual(['shop']);
    const bmecat = {
      ...{ supplier: 'Möbel Müller & Söhne', catalogueId: 'K7', catalogueVersion: '2.11' },
      priceType: 'gros_list' as const,
    };
    const other = xmlOf(textOf([item()], { ...OPTIONS, bmecat, language: 'tlh' }));
    expect(textsIn(other, 'SUPPLIER_NAME')).toEqual([bmecat.supplier]);
    expect(textsIn(other, 'CATALOG_VERSION')).toEqual(['2.11']);
    expect(textsIn(other, 'LANGUAGE')).toEqual(['und']);
    expect(elementsOf(other, 'PRODUCT_PRICE')[0]!.attributes).toEqual({ price_type: 'gros_list' });
  });

  it('has texts, properties, size, price, pictures and models of a product', () => {
    expect(textsIn(root, 'DESCRIPTION_LONG')).toEqual([
      'Schreibtisch\nmit <b>Kanal</b> & ]]>\nDekor: Nussbaum',
    ]);
    expect(textsIn(root, 'MANUFACTURER_NAME')).toEqual(['Fjellform']);
    expect(textsIn(root, 'SEGMENT')).toEqual(['Linea']);
    expect(textsIn(root, 'FNAME')).toEqual([
      ...['Dekor', 'Text', 'Gesamtbreite', 'Gesamttiefe', 'Gesamthöhe'],
    ]);
    expect(textsIn(root, 'FVALUE').slice(2)).toEqual(['1600', '800', '740.5']);
    expect(textsIn(root, 'FVALUE_DETAILS')).toEqual(['lang '.repeat(20).trim()]);
    expect(textsIn(root, 'PRICE_AMOUNT')).toEqual(['584.50']);
    expect(textsIn(root, 'MIME_SOURCE')).toEqual([
      'pictures/FJEL/LINEA/LN/LN-hero-800.jpg',
      'pictures/FJEL/LINEA/LN/LN-top.webp',
      DESK.glb,
    ]);
    expect(textsIn(root, 'MIME_PURPOSE')).toEqual(['normal', 'detail', 'others']);
  });

  it('has a price on request for what has none', () => {
    const other = xmlOf(textOf([item({ price: null })]));
    expect(elementsOf(other, 'PRODUCT_PRICE')).toMatchObject([
      { attributes: { price_type: 'on_request' }, children: [] },
    ]);
  });

  it('shortens numbers that are too long, and tells those of two manufacturers apart', () => {
    const findings = noFindings();
    const long = 'N'.repeat(40);
    const items = [
      item({ finalarticlenumber: `${long}1` }),
      item({ finalarticlenumber: `${long}2` }),
      item({ finalarticlenumber: 'SAME' }),
      item({ manufacturer: 'OTHER', finalarticlenumber: 'SAME' }),
    ];
    const text = textOf(items, OPTIONS, findings);
    expect(bmecatBreaches(text)).toEqual([]);
    const numbers = textsIn(xmlOf(text), 'SUPPLIER_PID');
    expect(numbers).toEqual([
      expect.stringMatching(/^N{23}-[0-9a-f]{8}$/),
      expect.stringMatching(/^N{23}-[0-9a-f]{8}$/),
      'SAME',
      expect.stringMatching(/^SAME-[0-9a-f]{8}$/),
    ]);
    expect(textsIn(xmlOf(text), 'MANUFACTURER_PID')[0]).toBe(`${long}1`);
    expect(effectTexts(findings)).toEqual([
      expect.stringMatching(/^3 with a shortened SUPPLIER_PID/),
    ]);
  });

  it('leaves out a file whose address is too long', () => {
    const glb = `articles/${'x'.repeat(250)}.glb`;
    expect(textsIn(xmlOf(textOf([item({ glb })])), 'MIME_SOURCE')).toHaveLength(2);
  });
});

const HOSTILE = ['\0', '\u0007', '\u001b', '\ud800', '\udc00', '\ufffe', '\uffff', ']]>', '<!--'];
const text = fc.oneof(
  anyText({ maxLength: 60 }),
  fc
    .array(fc.constantFrom(...HOSTILE, '&amp;', '"', "'", ' ', '\r\n', '\u0085', '😀', 'a'), {
      maxLength: 9,
    })
    .map((parts) => parts.join('')),
);

it('a catalogue is well-formed and keeps to the format, whatever its texts are', () => {
  const anyLine = fc.record({
    manufacturer: text,
    manufacturername: text,
    programname: text,
    basearticlenumber: text,
    finalarticlenumber: text,
    shorttext: text,
    longtext: text,
    price: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1e9 })),
    properties: fc.array(
      fc.record({ class: text, name: text, text, value: text, valueText: text }),
      { maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 4 }), (lines) => {
      expect(bmecatBreaches(textOf(lines.map(item)))).toEqual([]);
    }),
  );
});
