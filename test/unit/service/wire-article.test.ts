import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeArticle } from '../../../src/service/wire-article.ts';
import { readNumber } from '../../../src/service/wire-value.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe('decodeArticle', () => {
  it('fills in what was not sent', () => {
    expect(decodeArticle(bytes({ id: '1', rootid: '1', ocd: {} }))).toMatchObject({
      id: '1',
      manufacturer: '',
      reinit: '',
      children: [],
      propclasses: [],
      dump: '',
      ocd: { price: 0, articlewithprice: false, reinitstring: '', propclasses: [] },
    });
  });

  it('keeps an article without commercial data: its dump says why', () => {
    const article = decodeArticle(bytes({ id: '1', ocd: null, dump: 'no data for D1' }));
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
    const article = decodeArticle(bytes({ ocd }));
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
    const article = decodeArticle(bytes({ propclasses: [{ properties: [{ ranges }] }] }));
    expect(article.propclasses[0]?.properties[0]?.ranges).toEqual([
      { valuefrom: 600, opfrom: 'GE', raster: 1 },
      { valueto: 5, opto: 'LT' },
    ]);
  });

  it('passes unspecified parts through untouched', () => {
    const metamessages = [{ anything: ['goes', { here: 1 }] }];
    const ocd = { pricecomponents: { a: [1] }, usermessages: 'Mind the gap' };
    const article = decodeArticle(bytes({ metamessages, ocd }));
    expect(article.metamessages).toEqual(metamessages);
    expect(article.ocd?.pricecomponents).toEqual({ a: [1] });
    expect(article.ocd?.usermessages).toBe('Mind the gap');
  });

  it('keeps opaque strings byte for byte', () => {
    const opaque = `D1;TÜR=2:,.-_/+[]@'" ::`;
    expect(decodeArticle(bytes({ ocd: { reinitstring: opaque } })).ocd?.reinitstring).toBe(opaque);
  });

  it('decodes children in their order', () => {
    const children = [{ id: 'a', children: [{ id: 'b' }] }, { id: 'c' }];
    const article = decodeArticle(bytes({ id: 'root', children }));
    expect(article.children.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(article.children[0]?.children[0]?.id).toBe('b');
  });

  it('decodes children that are nested 50,000 deep', () => {
    const depth = 50_000;
    const body = `${'{"children":['.repeat(depth)}{"id":"last"}${']}'.repeat(depth)}`;
    let article = decodeArticle(new TextEncoder().encode(body));
    for (let level = 0; level < depth; level++) article = article.children[0]!;
    expect(article.id).toBe('last');
  });

  it.each([
    [[], 'article: expected an object, received an array of 0'],
    [{ ocd: 'x' }, 'article.ocd: expected an object, received string "x"'],
    [
      { ocd: { price: 'free' } },
      'article.ocd.price: expected a finite number, received string "free"',
    ],
    [{ ocd: { shorttext: {} } }, 'article.ocd.shorttext: expected a text, received an object'],
    [{ children: [{}, 5] }, 'article.children[1]: expected an object, received number "5"'],
    [{ propclasses: {} }, 'article.propclasses: expected an array, received an object'],
  ])('refuses %j and says where', (wire, message) => {
    expect(() => decodeArticle(bytes(wire))).toThrow(
      expect.objectContaining({ code: 'RESPONSE_INVALID', message }),
    );
  });

  it.each(['', '{"id":', '<html>'])('refuses %j, which is no JSON', (body) => {
    expect(() => decodeArticle(new TextEncoder().encode(body))).toThrow(/^expected JSON/);
  });

  it('refuses bytes that are no UTF-8', () => {
    expect(() => decodeArticle(Uint8Array.of(0x22, 0xfc, 0x22))).toThrow(/UTF-8/);
  });
});

describe('readNumber', () => {
  it('reads every number that it is sent as a text, with point or comma', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(readNumber(String(value))).toBe(value + 0);
        expect(readNumber(String(value).replace('.', ','))).toBe(value + 0);
      }),
      { seed: 3 },
    );
  });

  it.each(['', ' ', 'abc', '1.2.3', '1,2,3', '0x10', 'Infinity', '1e999', '1.234,50'])(
    'does not guess what %j is',
    (value) => expect(readNumber(value)).toBeUndefined(),
  );
});
