import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePartsList } from '../../../../src/convert/wire/parts-list.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { driftOf } from '../../../helpers/drift.ts';
import { body, utf8 } from '../../../helpers/graphics.ts';

const list = (btg: unknown, rest: object = {}) =>
  decodePartsList(body({ btg, blocks: [], mats: [], ...rest }));

describe('decodePartsList', () => {
  it('reads every field of a node', () => {
    const { nodes, blockNames } = list(
      [
        {
          type: 'IMP',
          btgname: 'ACME::DESK::LEG',
          offs: [1, -2, 0.5],
          rot: [30, 20, 10],
          scale: [1, 2, -3],
          mat: 'OAK',
          lay: '72_ACME_DESK_D3',
          childs: [{ type: 'cyl', params: [0.7, 0.03] }],
        },
      ],
      { blocks: ['ACME::DESK::LEG', 7] },
    );
    expect(nodes[0]).toMatchObject({
      type: 'imp',
      blockName: 'ACME::DESK::LEG',
      offsetMetres: [1, -2, 0.5],
      rotationDegrees: [30, 20, 10],
      scale: [1, 2, -3],
      material: 'OAK',
      layer: '72_ACME_DESK_D3',
    });
    expect(nodes[0]!.children[0]).toMatchObject({ type: 'cyl', params: [0.7, 0.03] });
    expect(blockNames).toEqual(['ACME::DESK::LEG']);
  });

  it('fills in what is missing or null: no move, no turn, scale 1', () => {
    const { nodes } = list([
      { type: 'top' },
      { offs: null, rot: [null, 5, null], scale: [2, null, 2] },
    ]);
    expect(nodes[0]).toMatchObject({
      offsetMetres: [0, 0, 0],
      rotationDegrees: [0, 0, 0],
      scale: [1, 1, 1],
      material: '',
      layer: '',
      children: [],
    });
    expect(nodes[1]).toMatchObject({ type: '', rotationDegrees: [0, 5, 0], scale: [2, 1, 2] });
  });

  it('reads the fields inside prop, beside it, and mixed', () => {
    const prop = { offs: [1, 0, 0], mat: 'OAK', childs: [{ type: 'imp', prop: { btgname: 'A' } }] };
    const inside = list([{ type: 'top', prop }]).nodes;
    expect(inside).toEqual(list([{ type: 'top', ...prop }]).nodes);
    const { mat, ...others } = prop;
    expect(list([{ type: 'top', mat, prop: others }]).nodes).toEqual(inside);
    expect(inside[0]!.children[0]!.blockName).toBe('A');
    const nulled = { offs: null, mat: null, childs: null };
    expect(list([{ type: 'top', ...prop, prop: nulled }]).nodes).toEqual(inside);
  });

  it('reads numbers that were sent as texts; a decimal comma is reported with its place', () => {
    const { nodes, warnings } = list([{ childs: [{ offs: ['1.5', ' -2e-1 ', '0,25'] }] }]);
    expect(nodes[0]!.children[0]!.offsetMetres).toEqual([1.5, -0.2, 0.25]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]!.message).toContain('btg[0].childs[0].offs[2]');
  });

  it.each([
    [/^expected JSON/, utf8('<html>')],
    [/^expected JSON/, utf8('{"btg":[{')],
    [/body: expected an object/, body([])],
    [/btg: expected an array, received nothing/, body({ blocks: [] })],
    [/blocks: expected an array/, body({ btg: [], blocks: {} })],
    [/btg\[0\]\.childs\[0\]: expected an object/, body({ btg: [{ childs: [null] }] })],
    [/btg\[0\]: expected an object/, body({ btg: [[]] })],
    [/btg\[0\]\.childs: expected an array/, body({ btg: [{ childs: {} }] })],
    [/btg\[0\]\.offs: expected an array of three/, body({ btg: [{ offs: [1, 2] }] })],
    [
      /\.offs\[1\]: .* finite number, received string "abc"/,
      body({ btg: [{ offs: [1, 'abc', 2] }] }),
    ],
    [/btg\[0\]\.rot\[0\]: expected a finite/, utf8('{"btg":[{"rot":[1e999,0,0]}]}')],
    [/btg\[0\]\.scale\[0\]: expected a finite/, utf8('{"btg":[{"scale":["1e999",1,1]}]}')],
  ])('refuses what is no parts list, and names the place: %s', (sentence, bytes) => {
    expect(() => decodePartsList(bytes)).toThrow(coded('PARTS_LIST_INVALID', sentence));
  });

  it('reads a number as the name of a material by its digits, in the node and in mats[]', () => {
    const text =
      '{"btg":[{"type":"imp","prop":{"mat":4711.10}},{"mat":9007199254740993}],"mats":[{"mname":4711.10},{"MName":9007199254740993}]}';
    const { nodes, materials } = decodePartsList(utf8(text));
    const names = ['4711.10', '9007199254740993'];
    expect(nodes.map(({ material }) => material)).toEqual(names);
    expect(materials.map(({ mname }) => mname)).toEqual(names);
  });

  it('keeps the values of a node that cannot be read, and none where all can be', () => {
    const sent = { mat: { name: 'RED' }, lay: ['72_ACME_DESK_D2'], btgname: true };
    const { nodes } = list([
      { type: 7, prop: sent },
      { type: 'top', mat: ['OAK'], prop: 'none' },
      { type: 'imp', btgname: 'A', mat: 4711, lay: '', prop: null },
      { type: null, prop: { mat: null, lay: null, btgname: null } },
    ]);
    expect(nodes.map(({ unreadable }) => unreadable)).toEqual([
      { type: 7, ...sent },
      { prop: 'none', mat: ['OAK'] },
      undefined,
      undefined,
    ]);
    expect(nodes[0]).toMatchObject({ type: '', material: '', layer: '', blockName: '' });
    expect(nodes[2]).not.toHaveProperty('unreadable');
  });

  it('keeps what a second entry of a name sends otherwise; the first one counts', () => {
    const mats = [
      { mname: 'OAK', dif: '0xFF0000', shi: '0.5', tags: { a: 1 }, pic: '' },
      { mname: 'elm', dif: '0xFF0000' },
      { mname: '::oak', DIF: '#ff0000', shi: 0.5, tags: { b: 2 } },
      { mname: 'Elm', dif: '0x00FF00', tra: 0.5, weight: 3 },
      { mname: 'ELM', tra: 'clear' },
    ];
    const { materials } = list([], { mats });
    expect(materials.map(({ otherValues }) => otherValues)).toEqual([
      undefined,
      { dif: null, tra: 'clear', weight: 3 },
      undefined,
      undefined,
      undefined,
    ]);
    expect(materials[1]!.dif).toEqual([1, 0, 0]);
  });

  it('keeps the order of nodes and the shape of the tree', () => {
    const tree = fc.letrec<{ tree: { mat: string; childs: unknown[] } }>((tie) => ({
      tree: fc.record({
        mat: fc.string({ minLength: 1 }),
        childs: fc.oneof(
          { maxDepth: 4 },
          fc.constant<unknown[]>([]),
          fc.array(tie('tree') as fc.Arbitrary<unknown>, { maxLength: 3 }),
        ),
      }),
    })).tree;
    type Plain = { mat: string; childs: Plain[] };
    type Decoded = { material: string; children: Decoded[] };
    const plain = ({ material, children }: Decoded): Plain => ({
      mat: material,
      childs: children.map(plain),
    });
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), (btg) => {
        expect(list(btg).nodes.map(plain)).toEqual(btg);
      }),
      { seed: 151 },
    );
  });

  it.each([
    ['numbers', '{"type":"top","offs":[0,0,1],"childs":['],
    ['texts', '{"offs":["0","0","1"],"childs":['],
  ])('reads 20,000 nested nodes with %s, and counts their levels', (_, open) => {
    const levels = 20_000;
    const nested = utf8(`{"btg":[${open.repeat(levels)}${']}'.repeat(levels)}]}`);
    const { nodes, depth } = decodePartsList(nested);
    expect(depth).toBe(levels);
    let count = 0;
    for (let node = nodes[0]; node; node = node.children[0]) {
      count += node.offsetMetres[2];
    }
    expect(count).toBe(levels);
  });

  it('refuses a list by its first entry that is no node, before it reads any', () => {
    const btg = [{ type: 'top', childs: [5] }, 7, 8];
    expect(() => list(btg)).toThrow('btg[1]: expected an object, received number "7"');
  });

  it('reads 100,000 nodes side by side', () => {
    const body = utf8(`{"btg":[${'{"type":"imp"},'.repeat(99_999)}{}]}`);
    const { nodes, nodeCount } = decodePartsList(body);
    expect(nodes).toHaveLength(100_000);
    expect(nodeCount).toBe(100_000);
    expect(nodes[99_998]!.type).toBe('imp');
    // Three vectors of its own would be most of the memory of a node.
    for (const field of ['offsetMetres', 'rotationDegrees', 'scale'] as const) {
      expect(nodes[0]![field]).toBe(nodes[99_998]![field]);
    }
  });
});

describe('drift of a parts list', () => {
  it('is counted up to 10,000 times', () => {
    const btg = Array.from({ length: 10_100 }, () => ({ type: 7 }));
    expect(driftOf({ btg, blocks: [], mats: [] }, decodePartsList)).toHaveLength(10_000);
  });

  const part = { type: 'imp', prop: { btgname: 'A::B::C', offs: [0, 0, 0], scale: [1, 1, 1] } };

  it('is none where it is what the specification says', () => {
    const btg = [{ type: 'top', prop: { mat: 'OAK', childs: [part] }, childs: [part] }];
    const mats = [{ mname: 'OAK', dif: '0xAAbb00', shi: 0.5, map: 'auto', more: 1 }];
    expect(driftOf({ btg, blocks: ['A::B::C'], mats }, decodePartsList)).toEqual([]);
  });

  it('is reported at any depth', () => {
    const broken = { type: 'imp', prop: { offs: ['0,5', 0, 0], mat: 7 } };
    const btg = [{ type: 'top', prop: { childs: [part, broken] } }];
    const mats = [{ mname: 'OAK', dif: 'red', shi: '0,5' }];
    expect(driftOf({ btg, mats }, decodePartsList)).toEqual([
      'partsList.btg[].btgname: expected a text, found nothing',
      'partsList.btg[].mat: expected a text, found number "7"',
      'partsList.btg[].offs[]: expected a finite number, found string "0,5"',
      'partsList.blocks: expected an array, found nothing',
      'partsList.mats[].dif: expected a colour 0xRRGGBB, found string "red"',
      'partsList.mats[].shi: expected a finite number, found string "0,5"',
    ]);
  });
});
