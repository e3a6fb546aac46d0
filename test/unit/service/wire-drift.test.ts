import { describe, expect, it } from 'vitest';
import { decodeArticle } from '../../../src/service/wire-article.ts';
import { decodeBreadcrumbs, decodeNodes } from '../../../src/service/wire-catalogue.ts';
import type { Drift } from '../../../src/service/wire-drift.ts';
import { findPartsListDrift } from '../../../src/service/wire-drift-parts-list.ts';
import { json, startFaultServer } from '../../helpers/fault-server.ts';
import { clientOf, KEY } from '../../helpers/faulty-client.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

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
const NODE = {
  nodeid: 'ACME;:D1@1',
  text: 'Desk',
  nodetype: 'A',
  manufacturer: 'ACME',
  manufacturername: 'Acme',
  program: 'DESK',
  basearticlenumber: 'D1',
  variantcode: 'D1-1600',
  ressources: [{ restype: 'IT', rescontent: 'xcf/ressource/ACME/DESK/any/a.jpg' }],
};

function driftOf(wire: unknown, decode: (body: Uint8Array, to: (d: Drift) => void) => unknown) {
  const found: string[] = [];
  decode(bytes(wire), ({ field, expected, found: came }) =>
    found.push(`${field}: expected ${expected}, found ${came}`),
  );
  return found;
}

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
  ])('is told of, field by field (%#)', (wire, sentence) => {
    expect(driftOf(wire, decodeArticle)).toEqual([sentence]);
  });

  it('is told of for each place, with the same field, in children too', () => {
    const broken = { ...ARTICLE, reinit: 1 };
    const wire = { ...ARTICLE, children: [broken, { ...broken, children: [broken] }] };
    const sentence = 'article.children[].reinit: expected a text, found number "1"';
    expect(driftOf(wire, decodeArticle)).toEqual([sentence, sentence, sentence]);
  });

  it('is a price or a value of a property as a number or a text: both are what they are', () => {
    expect(driftOf(withProperty({ currentvalue: 1600 }), decodeArticle)).toEqual([]);
  });
});

describe('drift of the catalogue', () => {
  it('is none where nodes and breadcrumbs are what the specification says', () => {
    expect(driftOf([NODE, { ...NODE, convertdate: '2024-05-14' }], decodeNodes)).toEqual([]);
    expect(driftOf([{ nodeid: 'a', text: 'A' }], decodeBreadcrumbs)).toEqual([]);
  });

  it('is told of, field by field', () => {
    const wire = [
      { ...NODE, nodetype: 'X', text: 5 },
      { ...NODE, ressources: [{ restype: 'IT' }] },
    ];
    expect(driftOf(wire, decodeNodes)).toEqual([
      'nodes[].text: expected a text, found number "5"',
      'nodes[].nodetype: expected one of F A I, found string "X"',
      'nodes[].ressources[].rescontent: expected a text, found nothing',
    ]);
    expect(driftOf([{ nodeid: 'a' }], decodeBreadcrumbs)).toEqual([
      'breadcrumbs[].text: expected a text, found nothing',
    ]);
  });
});

describe('drift of a parts list', () => {
  const part = { type: 'imp', prop: { btgname: 'A::B::C', offs: [0, 0, 0], scale: [1, 1, 1] } };

  it('is none where it is what the specification says', () => {
    const btg = [{ type: 'top', prop: { mat: 'OAK', childs: [part] }, childs: [part] }];
    const mats = [{ mname: 'OAK', dif: '0xAAbb00', shi: 0.5, map: 'auto', more: 1 }];
    expect(driftOf({ btg, blocks: ['A::B::C'], mats }, findPartsListDrift)).toEqual([]);
  });

  it('is told of at any depth', () => {
    const broken = { type: 'imp', prop: { offs: ['0,5', 0, 0], mat: 7 } };
    const btg = [{ type: 'top', prop: { childs: [part, broken] } }];
    const mats = [{ mname: 'OAK', dif: 'red', shi: '0,5' }];
    expect(driftOf({ btg, mats }, findPartsListDrift)).toEqual([
      'partsList.blocks: expected an array, found nothing',
      'partsList.mats[].dif: expected a colour 0xRRGGBB, found string "red"',
      'partsList.mats[].shi: expected a finite number, found string "0,5"',
      'partsList.btg[].btgname: expected a text, found nothing',
      'partsList.btg[].offs[]: expected a finite number, found string "0,5"',
      'partsList.btg[].mat: expected a text, found number "7"',
    ]);
  });
});

it('a client tells of it, with the operation, and answers all the same', async () => {
  const server = await startFaultServer();
  server.always('/articles?', json({ ...ARTICLE, ocd: { ...OCD, price: '12,50' } }));
  server.always('/btg?', json({ btg: [], blocks: [], mats: [{ mname: 1 }] }));
  const drifts: unknown[] = [];
  const client = clientOf(server, { onDrift: (drift) => drifts.push(drift) });
  expect((await client.getArticle(KEY)).article.ocd?.price).toBe(12.5);
  await client.getPartsList(KEY);
  await client.close();
  await server.close();
  expect(drifts).toEqual([
    {
      operation: 'getArticle',
      field: 'article.ocd.price',
      expected: 'a finite number',
      found: 'string "12,50"',
    },
    {
      operation: 'getPartsList',
      field: 'partsList.mats[].mname',
      expected: 'a text',
      found: 'number "1"',
    },
  ]);
});
