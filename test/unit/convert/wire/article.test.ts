import { describe, expect, it } from 'vitest';
import { decodeArticle, decodeArticleAnswer } from '../../../../src/convert/wire/article.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { driftOf } from '../../../helpers/drift.ts';
import { body, utf8 } from '../../../helpers/graphics.ts';

describe('decodeArticle', () => {
  it('fills in what was not sent', () => {
    expect(decodeArticle(body({ id: '1', rootid: '1', ocd: {} }))).toMatchObject({
      id: '1',
      manufacturer: '',
      reinit: '',
      children: [],
      propclasses: [],
      dump: '',
      ocd: { price: null, articlewithprice: false, reinitstring: '', propclasses: [] },
    });
  });

  it.each(['finalarticlenumber', 'reinitstring'])(
    'refuses a %s that no server accepts',
    (field) => {
      const refused = () => decodeArticle(body({ ocd: { [field]: 'x'.repeat(100_000) } }));
      expect(refused).toThrow(`article.ocd.${field}: expected a text of at most 65536 characters`);
      expect(decodeArticle(body({ ocd: { [field]: 'x'.repeat(65_536) } })).ocd).toBeDefined();
    },
  );

  it('keeps an article without commercial data: its dump says why', () => {
    const article = decodeArticle(body({ id: '1', ocd: null, dump: 'no data for D1' }));
    expect(article.ocd).toBeUndefined();
    expect(article.dump).toBe('no data for D1');
  });

  it('reads numbers and truth values that were sent as texts', () => {
    const property = { enabled: '0', visible: 'true', digits: '4', decdigits: '1' };
    const ocd = {
      price: '12,50',
      articlewithprice: 1,
      propclasses: [{ properties: [property] }],
    };
    const article = decodeArticle(body({ ocd }));
    expect(article.ocd?.price).toBe(12.5);
    expect(article.ocd?.articlewithprice).toBe(true);
    expect(article.ocd?.propclasses[0]?.properties[0]).toMatchObject({
      enabled: false,
      visible: true,
      digits: 4,
      decdigits: 1,
    });
  });

  it('leaves a missing bound of a range open', () => {
    const ranges = [
      { valuefrom: '600', opfrom: 'GE', raster: 1 },
      { valueto: 5, opto: 'lt' },
    ];
    const article = decodeArticle(body({ propclasses: [{ properties: [{ ranges }] }] }));
    expect(article.propclasses[0]?.properties[0]?.ranges).toEqual([
      { valuefrom: 600, opfrom: 'GE', raster: 1 },
      { valueto: 5, opto: 'LT' },
    ]);
  });

  it('passes unspecified parts and opaque strings through untouched', () => {
    const metamessages = [{ anything: ['goes', { here: 1 }] }];
    const reinitstring = `D1;TÜR=2:,.-_/+[]@'" ::`;
    const ocd = { reinitstring, pricecomponents: { a: [1] }, usermessages: 'Mind the gap' };
    const article = decodeArticle(body({ metamessages, ocd }));
    expect(article).toEqual({ ...article, metamessages, ocd: { ...article.ocd, ...ocd } });
  });

  it('decodes children in their order', () => {
    const children = [{ id: 'a', children: [{ id: 'b' }] }, { id: 'c' }];
    const article = decodeArticle(body({ id: 'root', children }));
    expect(article.children.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(article.children[0]?.children[0]?.id).toBe('b');
  });

  it('decodes children that are nested 20,000 deep', () => {
    const depth = 20_000;
    const text = `${'{"children":['.repeat(depth)}{"id":"last"}${']}'.repeat(depth)}`;
    let article = decodeArticle(utf8(text));
    for (let level = 0; level < depth; level++) article = article.children[0]!;
    expect(article.id).toBe('last');
  });

  it.each([
    [[], ': expected an object, received an array of 0'],
    [{ ocd: 'x' }, '.ocd: expected an object, received string "x"'],
    [{ basearticlenumber: [] }, '.basearticlenumber: expected a text, received an array of 0'],
    [{ ocd: { reinitstring: {} } }, '.ocd.reinitstring: expected a text, received an object'],
    [{ children: [{}, 5] }, '.children[1]: expected an object, received number "5"'],
    [{ reinit: 'M', children: [null] }, '.children[0]: expected an object, received nothing'],
    [{ reinit: 'M', children: {} }, '.children: expected an array, received an object'],
  ])('refuses %j and says where', (wire, message) => {
    const refusal = coded('RESPONSE_INVALID', `article${message}`);
    expect(() => decodeArticle(body(wire))).toThrow(refusal);
  });

  it.each(['', '{"id":', '<html>'])('refuses %j, which is no JSON', (text) => {
    expect(() => decodeArticle(utf8(text))).toThrow(/^expected JSON/);
  });

  it('fails for nothing that the geometry does not need', () => {
    const property = { name: 'W', enabled: 'perhaps', digits: {}, propertyvalues: 7, ranges: [3] };
    const wire = {
      ...{ id: {}, rootid: [], typename: 1, propclasses: {} },
      ocd: {
        ...{ finalarticlenumber: 'D1-X', price: ['many'], articlewithprice: 'often' },
        ...{ shorttext: {}, longtext: [], convertdate: {}, obligatory2c: 'maybe' },
        propclasses: [null, { name: 'SIZE', properties: [property, 'x'] }],
      },
    };
    const { ocd, ...article } = decodeArticle(body(wire));
    expect(article).toMatchObject({ id: '', rootid: '', typename: '1', propclasses: [] });
    expect(ocd).toMatchObject({ price: null, shorttext: '', longtext: '', convertdate: '' });
    const read = { name: 'W', enabled: true, digits: 0, propertyvalues: [], ranges: [] };
    expect(ocd?.propclasses).toMatchObject([{ name: 'SIZE', properties: [read] }]);
    expect(driftOf(wire, decodeArticle)).toEqual(
      expect.arrayContaining([
        'article.ocd.price: expected a finite number, found an array of 1',
        'article.ocd.shorttext: expected a text, found an object',
        'article.ocd.propclasses[]: expected an object, found nothing',
        `${PLACE}.enabled: expected true or false, found string "perhaps"`,
        `${PLACE}.propertyvalues: expected an array, found number "7"`,
        `${PLACE}.ranges[]: expected an object, found number "3"`,
      ]),
    );
  });

  it.each([
    [[null], '[]: expected an object, found nothing'],
    [[7, 'x'], '[]: expected an object, found number "7"'],
    ['x', ': expected an array, found string "x"'],
    [{}, ': expected an array, found an object'],
  ])('leaves out children %j, which are none, and reports them', (children, found) => {
    const wire = { ...ARTICLE, children };
    expect(decodeArticleAnswer(body(wire))).toMatchObject({ id: '1', children: [] });
    expect(driftOf(wire, decodeArticle)[0]).toBe(`article.children${found}`);
  });

  it('needs each child of a stored planning', () => {
    expect(() => decodeArticle(body({ children: [null] }), undefined, true)).toThrow(
      'article.children[0]: expected an object, received nothing',
    );
  });

  it.each([
    [{ price: 12, articlewithprice: true }, 12],
    [{ price: 0, articlewithprice: true }, 0],
    [{ price: 12 }, 12],
    [{ price: 0, articlewithprice: false }, null],
    [{ price: 12, articlewithprice: false }, null],
    [{ price: null, articlewithprice: true }, null],
    [{ price: '', articlewithprice: true }, null],
  ])('of %j reads the price as %j', (ocd, price) => {
    const read = decodeArticle(body({ ocd })).ocd!;
    expect([read.price, read.articlewithprice]).toEqual([price, price !== null]);
  });

  it('keeps each digit of an id', () => {
    const text = '{"id":9007199254740993,"rootid":9007199254740992,"children":[{"id":4711.10}]}';
    const article = decodeArticle(utf8(text));
    expect([article.id, article.rootid]).toEqual(['9007199254740993', '9007199254740992']);
    expect(article.children[0]?.id).toBe('4711.10');
  });
});

describe('decodeArticleAnswer', () => {
  const ocd = { finalarticlenumber: '' };

  it.each([
    [{ result: [{ id: '1', ocd }] }, 'article.ocd: expected an object, received nothing'],
    [{ id: '1', ocd: null, dump: '' }, 'article.ocd: expected an object, received nothing'],
    [
      { id: '1', ocd: { shorttext: 'Desk' } },
      'article.ocd.finalarticlenumber: expected a text, received nothing',
    ],
    [[], 'article: expected an object, received an array of 0'],
  ])('refuses %j, which is no article', (wire, message) => {
    expect(() => decodeArticleAnswer(body(wire))).toThrow(coded('RESPONSE_INVALID', message));
  });

  it.each([[{ ocd }], [{ dump: 'no data' }], [{ ocd: {}, dump: 'no data' }]])(
    'accepts %j',
    (wire) => {
      expect(decodeArticleAnswer(body({ id: '1', ...wire })).id).toBe('1');
    },
  );
});

const PROPERTY = {
  name: 'WIDTH',
  text: 'Width',
  proptype: 'N',
  currentvalue: '1600',
  enabled: true,
  visible: true,
  obligatory: true,
  obligatory2c: false,
  addvalues: false,
  propclassname: 'SIZE',
  digits: 4,
  decdigits: 0,
  propertyvalues: [{ valuefrom: '1600', text: '1600 mm' }],
  ranges: [{ valuefrom: 1200, opfrom: 'GE', valueto: '2000', opto: 'LE', raster: 200 }, {}],
};
const OCD = {
  id: '1',
  finalarticlenumber: 'D1-1600',
  price: 0,
  currency: 'EUR',
  shorttext: 'Desk',
  longtext: '',
  varianttext: '',
  reinitstring: 'D1::',
  convertdate: '2024-05-14',
  articlewithprice: false,
  propclasses: [{ name: 'SIZE', text: 'Size', properties: [PROPERTY] }],
  obligatory2c: false,
};
const ARTICLE = {
  id: '1',
  rootid: '1',
  manufacturer: 'ACME',
  program: 'DESK',
  basearticlenumber: 'D1',
  typename: 'desk',
  reinit: '',
  children: [] as unknown[],
  propclasses: [],
  ocd: OCD,
};
const withProperty = (changes: object) => ({
  ...ARTICLE,
  ocd: {
    ...OCD,
    propclasses: [{ name: 'SIZE', text: 'Size', properties: [{ ...PROPERTY, ...changes }] }],
  },
});
const PLACE = 'article.ocd.propclasses[].properties[]';

describe('drift of an article', () => {
  it('is none where it is what the specification says', () => {
    expect(driftOf(ARTICLE, decodeArticle)).toEqual([]);
    const full = { pricecomponents: 1, usermessages: {}, dump: '', debugreinitstring: 3 };
    const children = [{ ...ARTICLE, id: '2' }];
    expect(driftOf({ ...ARTICLE, ...full, children }, decodeArticle)).toEqual([]);
  });

  it.each([
    [{ ...ARTICLE, id: 7 }, 'article.id: expected a text, found number "7"'],
    [{ ...ARTICLE, typename: undefined }, 'article.typename: expected a text, found nothing'],
    [{ ...ARTICLE, children: null }, 'article.children: expected an array, found nothing'],
    [{ ...ARTICLE, ocd: null }, 'article.ocd: expected an object, found nothing'],
    [
      { ...ARTICLE, ocd: { ...OCD, price: '12,50' } },
      'article.ocd.price: expected a finite number, found string "12,50"',
    ],
    [
      { ...ARTICLE, ocd: { ...OCD, articlewithprice: 1 } },
      'article.ocd.articlewithprice: expected true or false, found number "1"',
    ],
    [withProperty({ digits: '4' }), `${PLACE}.digits: expected a finite number, found string "4"`],
    [withProperty({ proptype: 'X' }), `${PLACE}.proptype: expected one of C N L, found string "X"`],
    [
      withProperty({ ranges: [{ valuefrom: '0,5' }] }),
      `${PLACE}.ranges[].valuefrom: expected a number, found string "0,5"`,
    ],
    [
      withProperty({ ranges: [{ opto: 'lt' }] }),
      `${PLACE}.ranges[].opto: expected one of LT LE, found string "lt"`,
    ],
  ])('is reported field by field (%#)', (wire, sentence) => {
    expect(driftOf(wire, decodeArticle)).toEqual([sentence]);
  });

  it('is reported for each place, with the same field, in children too', () => {
    const broken = { ...ARTICLE, reinit: 1 };
    const wire = { ...ARTICLE, children: [broken, { ...broken, children: [broken] }] };
    const sentence = 'article.children[].reinit: expected a text, found number "1"';
    expect(driftOf(wire, decodeArticle)).toEqual([sentence, sentence, sentence]);
  });

  it('is a price or a value of a property as a number or a text: both are what they are', () => {
    expect(driftOf(withProperty({ currentvalue: 1600 }), decodeArticle)).toEqual([]);
  });
});
