import { describe, expect, it } from 'vitest';
import type { ConvertOptions } from '../../../../src/convert/transform/convert-options.ts';
import { createMeshCache } from '../../../../src/convert/transform/mesh-cache.ts';
import { transformArticle } from '../../../../src/convert/transform/transform-article.ts';
import { decodeBlock } from '../../../../src/convert/wire/block.ts';
import { decodePartsList } from '../../../../src/convert/wire/parts-list.ts';
import { writeGlb } from '../../../../src/convert/write/glb.ts';
import { boxPoints, drawnPoints, turnedOver } from '../../../helpers/graphics.ts';
import { expectLinear } from '../../../helpers/growth.ts';
import { expectNear } from '../../../helpers/numbers.ts';
import {
  BOX_BODY,
  type MadeArticle,
  makeSnapshot,
  sceneOf,
  transformedWith,
} from '../../../helpers/snapshot.ts';

const BOX = 'ACME::DESK::BOX';
const LEG = 'ACME::DESK::LEG';
const box = (fields: object = {}) => ({ type: 'imp', btgname: BOX, mat: 'OAK', ...fields });
const article = (btg: unknown[], fields: Partial<MadeArticle> = {}): MadeArticle => ({
  btg,
  mats: [{ mname: 'OAK' }],
  blocks: { [BOX]: BOX_BODY },
  ...fields,
});
const refused = (code: string) => expect.objectContaining({ code });

describe('transformArticle', () => {
  it('puts a part where its chain of frames and its own scale put it', async () => {
    const child = box({ offs: [1, 0, 0], scale: [2, 1, 1] });
    const scene = await sceneOf(
      article([{ type: 'top', offs: [0, 1, 0], rot: [0, 90, 0], childs: [child] }]),
    );
    expect(scene.triangles).toBe(12);
    expect(scene.drawCalls).toBe(1);
    expectNear(scene.boundsMetres.min, [0, 1, -3]);
    expectNear(scene.boundsMetres.max, [1, 2, -1]);
    const points = drawnPoints(scene);
    expect(Math.min(...points.map((p) => p[2]!))).toBeCloseTo(-3, 6);
    expect(Math.max(...points.map((p) => p[0]!))).toBeCloseTo(1, 6);
  });

  it('accepts nested nodes up to the limit and refuses more', async () => {
    const nested = article([{ type: 'top', childs: [{ type: 'top', childs: [box()] }] }]);
    expect((await sceneOf(nested, { maxNestingDepth: 3 })).triangles).toBe(12);
    await expect(sceneOf(nested, { maxNestingDepth: 2 })).rejects.toThrow(
      expect.objectContaining({
        code: 'PARTS_LIST_TOO_DEEP',
        message: 'btg: expected at most 2 nested nodes, received 3',
      }),
    );
  });

  it('a movable is a node of its own at its pivot, its parts below it, nested ones nested', async () => {
    const inner = { type: 'clsref', offs: [0, 0, 1], childs: [box()] };
    const door = {
      type: 'clsref',
      offs: [1, 2, 3],
      rot: [30, 20, 10],
      lay: '72_ACME_DESK_D3_DOOR',
      childs: [box({ offs: [0.5, 0, 0] }), inner],
    };
    const empty = { type: 'clsref', childs: [{ type: 'top' }] };
    const { nodes } = await sceneOf(article([{ type: 'top', childs: [door, empty, box()] }]));
    expect(nodes.map(({ name, parent, mesh }) => [name, parent, mesh])).toEqual([
      ['DOOR', -1, -1],
      ['movable 0/0/1', 0, -1],
      [BOX, 0, 0],
      [BOX, 1, 0],
      [BOX, -1, 0],
    ]);
    expect(nodes[0]!.translationMetres).toEqual([1, 2, 3]);
    expect(nodes[0]!.extras).toMatchObject({ movable: true });
    expect(nodes[2]!.translationMetres).toEqual([0.5, 0, 0]);
  });

  it('shares content: one geometry however many parts, one mesh for equal materials', async () => {
    const mats = [{ mname: 'OAK' }, { mname: 'ELM' }];
    const parts = [
      box(),
      box({ offs: [2, 0, 0], btgname: `::${BOX.toLowerCase()}` }),
      box({ mat: 'elm' }),
    ];
    const scene = await sceneOf(article(parts, { mats }));
    expect(scene.geometries).toHaveLength(1);
    expect(scene.meshes).toHaveLength(2);
    expect(scene.materials.map(({ name }) => name)).toEqual(['OAK', 'ELM']);
    expect(scene.nodes).toHaveLength(3);
    expect(scene.triangles).toBe(36);
  });

  it('takes linear time for nodes side by side, each with a place of its own', async () => {
    const lists = (count: number) =>
      article(Array.from({ length: count }, (_, i) => box({ offs: [i, 0, 0] })));
    await expectLinear(1_000, lists, async (list) => {
      writeGlb(await sceneOf(list));
    });
  });

  it('projected UVs depend on the scale, stored ones do not', async () => {
    const scaled = [box(), box({ scale: [2, 1, 1] })];
    expect((await sceneOf(article(scaled))).geometries).toHaveLength(2);
    const unscaled = await sceneOf(article(scaled), { boxProjection: 'unscaled' });
    expect(unscaled.geometries).toEqual((await sceneOf(article([box()]))).geometries);
    const { F } = BOX_BODY.A[0]!;
    const A = [{ F, TI: F.map((_, i) => i % 3) }];
    const blocks = { [BOX]: { ...BOX_BODY, T: [0, 0, 1, 0, 1, 1], A } };
    expect((await sceneOf(article(scaled, { blocks }))).geometries).toHaveLength(1);
    const mats = [{ mname: 'OAK', map: 'AUTO' }];
    expect((await sceneOf(article(scaled, { blocks, mats }))).geometries).toHaveLength(2);
    const kept = await sceneOf(article(scaled, { blocks, mats }), { preferStoredUvs: true });
    expect(kept.geometries).toHaveLength(1);
  });

  it('open surfaces have a double-sided material, and the second of two says in its name which it is', async () => {
    const blocks = { [BOX]: { V: boxPoints(), A: [...BOX_BODY.A, { F: [0, 1, 2] }] } };
    const { materials, meshes } = await sceneOf(article([box()], { blocks }));
    expect(materials.map(({ name, doubleSided }) => [name, doubleSided])).toEqual([
      ['OAK', false],
      ['OAK (double-sided)', true],
    ]);
    expect(meshes[0]!.primitives).toHaveLength(2);
    const open = { V: boxPoints(), A: [{ F: [0, 1, 2] }] };
    const both = article([{ ...box(), btgname: 'A::B::OPEN' }, box()], {
      blocks: { 'A::B::OPEN': open, [BOX]: BOX_BODY },
    });
    expect((await sceneOf(both)).materials.map(({ name }) => name)).toEqual([
      'OAK',
      'OAK (single-sided)',
    ]);
  });

  it('gives equal scenes for equal input, with any content of the cache', async () => {
    const made = article([box(), { type: 'cyl', params: [0.7, 0.03] }, box({ scale: [-1, 2, 1] })]);
    const cache = createMeshCache();
    const first = await sceneOf(made, {}, cache);
    expect(await sceneOf(made, {}, cache)).toEqual(first);
    expect(await sceneOf(made)).toEqual(first);
  });

  it.each([
    [{ maxNodes: 2 }, 'btg: expected at most 2 nodes, received 3'],
    [{ maxTriangles: 35 }, 'node 2: expected at most 35 triangles in the scene, received more'],
    [{ maxSceneBytes: 700 }, 'scene: expected at most 700 bytes of vertices, received more'],
  ] as const)('is refused beyond %j', async (options, message) => {
    const made = article([box(), box(), box({ scale: [1, 2, 1] })]);
    await expect(sceneOf(made, options)).rejects.toMatchObject({
      code: 'SCENE_TOO_LARGE',
      message,
    });
    const { triangles } = await sceneOf(made, { maxTriangles: 36 });
    expect(triangles).toBe(36);
  });

  it('counts the triangles of a block before it is prepared, also those that cannot be drawn', async () => {
    const F = [...BOX_BODY.A[0]!.F, ...new Array(30).fill(0)];
    const made = article([box()], { blocks: { [BOX]: { V: boxPoints(), A: [{ F }] } } });
    expect((await sceneOf(made, { maxTriangles: 22 })).triangles).toBe(12);
    for (const allowMissingParts of [true, false]) {
      const options = { maxTriangles: 21, allowMissingParts };
      await expect(sceneOf(made, options)).rejects.toThrow(refused('SCENE_TOO_LARGE'));
    }
  });

  it('gives each option its own, though a cache is shared', async () => {
    const turned = {
      V: boxPoints(1, 2, 3),
      P: [1, 0, 0],
      R: [30, 20, 0],
      A: [{ F: BOX_BODY.A[0]!.F.slice(3), TI: BOX_BODY.A[0]!.F.slice(3) }],
      T: Array.from({ length: 24 }, (_, i) => i / 8),
    };
    const projected = box({ scale: [1, 2, 1], mat: 'ELM' });
    const made = article([box(), projected, { type: 'block', params: [1, 2, 3] }], {
      blocks: { [BOX]: turned },
      mats: [{ mname: 'OAK' }, { mname: 'ELM', map: 'rauto' }],
    });
    const changes: Partial<ConvertOptions>[] = [
      { rotationOrder: 'zyx' },
      { rotationDirection: 'clockwise' },
      { blockPlacement: 'ignore' },
      { pointIndexBase: 1 },
      { uvStride: 2 },
      { uvIndexBase: 1 },
      { winding: 'flip' },
      { doubleSided: 'all' },
      { doubleSided: 'none' },
      { boxProjection: 'unscaled' },
      { rauto: 'auto' },
      { preferStoredUvs: true },
      { mirrorOppositeSides: true },
      { flipV: false },
    ];
    const cache = createMeshCache();
    const usual = await sceneOf(made, {}, cache);
    for (const change of changes) {
      const scene = await sceneOf(made, change, cache);
      expect(scene, JSON.stringify(change)).toEqual(await sceneOf(made, change));
      expect(scene, JSON.stringify(change)).not.toEqual(usual);
    }
  });

  it('moves the origin to the middle of the floor area by option, movables too', async () => {
    const door = { type: 'clsref', offs: [2, 0, 0], childs: [box()] };
    const scene = await sceneOf(article([box({ offs: [1, 5, 1] }), door]), {
      origin: 'floor-centre',
    });
    expect(scene.boundsMetres).toEqual({ min: [-1, 0, -1], max: [1, 6, 1] });
    const points = drawnPoints(scene);
    expect(Math.min(...points.map((p) => p[1]!))).toBe(0);
    expect(Math.max(...points.map((p) => p[0]!))).toBe(1);
  });

  it('writes no tangents for what has no normal map, although the option requests them', async () => {
    const scene = await sceneOf(article([box()]), { tangents: 'mikktspace' });
    expect(scene.geometries[0]!.tangents).toBeUndefined();
  });

  it('says that tangents need a generator', async () => {
    const { loadTangents, ...rest } = transformedWith({ tangents: 'mikktspace' });
    const input = { ...makeSnapshot(article([box()])), ...rest };
    await expect(transformArticle(input)).rejects.toMatchObject({
      code: 'USAGE',
      message:
        'loadTangents: expected a function, since options.tangents is mikktspace, received nothing',
      help: 'pass loadTangentGenerator',
    });
  });
});

describe('what is wrong with an article', () => {
  it.each([
    ['missing', 'BLOCK_MISSING', {}],
    ['unreadable', 'BLOCK_INVALID', { [LEG]: 'x' }],
  ])(
    'a block that is %s fails it by name; by option it leaves a hole',
    async (_name, code, more) => {
      const blocks = { [BOX]: BOX_BODY, ...more };
      const made = article([box(), box({ btgname: LEG })], { blocks });
      const message = expect.stringContaining(LEG);
      await expect(sceneOf(made)).rejects.toMatchObject({ code, message });
      const scene = await sceneOf(made, { allowMissingParts: true });
      expect(scene.triangles).toBe(12);
      expect(scene.holesMetres).toHaveLength(1);
      expect(scene.losses).toContainEqual(expect.objectContaining({ where: LEG }));
    },
  );

  it('tells where a part is that is left out, in the frame of the scene', async () => {
    const leg = { type: 'imp', btgname: LEG, offs: [0, 0.5, 2] };
    const made = article([box(), { type: 'top', offs: [1, 0, 0], childs: [leg] }]);
    const options = { allowMissingParts: true };
    expect((await sceneOf(made, options)).holesMetres).toEqual([[1, 0.5, 2]]);
    const centred = await sceneOf(made, { ...options, origin: 'floor-centre' });
    const { min, max } = (await sceneOf(made, options)).boundsMetres;
    const [x, y, z] = [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2];
    expect(centred.holesMetres).toEqual([[1 - x, 0.5 - y, 2 - z]]);
  });

  const withLeg = (leg: object) =>
    article([box(), box({ btgname: LEG })], { blocks: { [BOX]: BOX_BODY, [LEG]: leg } });

  it.each([
    ['the same corner three times', { V: [0, 0, 0], A: [{ F: [0, 0, 0] }, { F: [] }] }],
    ['points sent as texts', { V: boxPoints().map(String), A: BOX_BODY.A }],
    ['indices sent as texts', { V: boxPoints(), A: [{ F: BOX_BODY.A[0]!.F.map(String) }] }],
    ['points out of range', { V: boxPoints(), A: [{ F: [100, 101, 102] }] }],
    ['a part of a triangle', { V: boxPoints(), A: [{ F: [0, 1] }] }],
  ])('a block that declares triangles and has none is a hole: %s', async (_name, leg) => {
    await expect(sceneOf(withLeg(leg))).rejects.toMatchObject({
      code: 'BLOCK_INVALID',
      message: expect.stringContaining(LEG),
    });
    const scene = await sceneOf(withLeg(leg), { allowMissingParts: true });
    expect(scene.triangles).toBe(12);
    expect(scene.losses).toEqual([
      { where: LEG, field: 'btgname', value: LEG, done: 'part left out' },
    ]);
  });

  it.each([
    ['no surface', { V: [], A: [] }],
    ['no triangle in any surface', { V: boxPoints(), A: [{ F: [] }, { F: [] }] }],
  ])('a block with %s is an empty part: a warning, even with strict', async (_name, leg) => {
    const scene = await sceneOf(withLeg(leg), { strict: true });
    expect(scene.nodes).toHaveLength(1);
    expect(scene.warnings.map(({ code }) => code)).toEqual(['BLOCK_EMPTY']);
    expect(scene.losses).toEqual([]);
  });

  it('solids of unreadable parameters are holes, unknown types are groups', async () => {
    const made = article([
      { type: 'cyl', params: 'wide' },
      { type: 'cyl', params: 'tall' },
      { type: 'frame', params: [1, 1, 1, 0.5] },
      { type: 'spline', childs: [{ type: 'block', params: [1, 2, 3], mat: 'OAK' }] },
    ]);
    await expect(sceneOf(made)).rejects.toMatchObject({
      code: 'SOLID_INVALID',
      message: 'node 0, params: expected the lengths of a cyl, received string "wide"',
    });
    const scene = await sceneOf(made, { allowMissingParts: true });
    expect(scene.boundsMetres.max).toEqual([1, 2, 3]);
    expect(scene.counts.skippedNodes).toBe(3);
    expect(scene.losses).toEqual([
      { where: '3', field: 'type', value: 'spline', done: 'kept as a group' },
      { where: '0', field: 'params', value: 'wide', done: 'part left out' },
      { where: '1', field: 'params', value: 'tall', done: 'part left out' },
      { where: '2', field: 'params', value: [1, 1, 1, 0.5], done: 'part left out' },
    ]);
  });

  it('a part whose block name cannot be read fails it; by option it leaves a hole', async () => {
    const made = article([box(), box({ btgname: { name: BOX } }), box({ btgname: { name: BOX } })]);
    await expect(sceneOf(made)).rejects.toMatchObject({
      code: 'BLOCK_MISSING',
      message: 'node 1: expected the name of a block, received an object',
    });
    const { losses } = await sceneOf(made, { allowMissingParts: true });
    expect(losses).toEqual([
      { where: '1 and 1 more', field: 'btgname', value: 'an object', done: 'part left out' },
    ]);
  });

  const surface = (C: unknown) => ({ ...BOX_BODY, A: [{ ...BOX_BODY.A[0], C }] });
  const solid = (scale: unknown) => ({ type: 'cyl', params: [1, 1], mat: 'OAK', scale });
  const twice = (second: object) => [
    { mname: 'OAK', dif: '0xFF0000' },
    { mname: 'oak', ...second },
  ];

  it.each([
    ['mat', article([box(), box({ mat: { name: 'RED' } })])],
    ['mat', article([box(), box({ mat: ['OAK'] })])],
    ['mat', article([box(), box({ mat: true })])],
    ['lay', article([box({ lay: ['72_ACME_DESK_D2'] })])],
    ['prop', article([box({ prop: 'none' })])],
    ['scale', article([box(), solid([2, 1, 1])])],
    ['C', article([box()], { blocks: { [BOX]: surface('maybe') } })],
    ['dif', article([box()], { mats: twice({ dif: '0x00FF00' }) })],
    ['dif', article([box({ mat: 'OAK;tra 0' })], { mats: twice({ dif: '0x00FF00' }) })],
  ])('strict refuses a %s that is not carried over: case %#', async (field, made) => {
    const { losses } = await sceneOf(made);
    expect(losses.map((loss) => loss.field)).toContain(field);
    await expect(sceneOf(made, { strict: true })).rejects.toMatchObject({
      code: 'LOSSES_REFUSED',
      message: expect.stringContaining(`, ${field}: `),
    });
  });

  it.each([
    ['null fields of a node', article([box({ prop: null, lay: null, scale: null })])],
    ['a name sent as a number', article([box({ mat: 7, lay: 7 })], { mats: [{ mname: '7' }] })],
    ['a scale of one', article([box(), solid([1, 1, 1])])],
    ['C null', article([box()], { blocks: { [BOX]: surface(null) } })],
    ['equal entries', article([box()], { mats: twice({ dif: '#FF0000' }) })],
    [
      'entries that nothing uses',
      article([box({ mat: 'ELM' })], {
        mats: [{ mname: 'ELM' }, ...twice({ tra: 1 })],
      }),
    ],
    ['a replaced value', article([box({ mat: 'OAK;dif 1 1 1' })], { mats: twice({ dif: '0' }) })],
  ])('strict accepts %s', async (_name, made) => {
    expect((await sceneOf(made, { strict: true })).losses).toEqual([]);
  });

  it('the place, the value and what was done are in the losses', async () => {
    const made = article([{ type: 'top', childs: [box(), box({ mat: ['OAK', 'ELM'] })] }], {
      blocks: { [BOX]: surface('maybe') },
      mats: twice({ dif: '0x00FF00' }),
    });
    const { losses } = await sceneOf(made);
    const listed = losses.map(({ where, field, value, done }) => [where, field, value, done]);
    expect(listed.filter(([where]) => where !== 'default')).toEqual([
      ['0/1', 'mat', ['OAK', 'ELM'], 'cannot be read: inherited instead'],
      [BOX, 'C', 'maybe', 'cannot be read: derived from the edges'],
      ['OAK', 'dif', '0x00FF00', 'in a second entry: the first is used'],
    ]);
  });

  it('nothing to draw is an error of its own', async () => {
    for (const btg of [[], [{ type: 'top' }], [box({ scale: [0, 1, 1] })]])
      await expect(sceneOf(article(btg))).rejects.toEqual(refused('NOTHING_TO_DRAW'));
  });

  it('what geometry loses is counted', async () => {
    const triangles = turnedOver(BOX_BODY.A[0]!.F);
    const blocks = {
      [BOX]: { V: boxPoints(), A: [{ F: [...triangles, 0, 1, 99, 0, 0, 1], C: true }] },
    };
    const made = article([box(), box({ lay: '72_ACME_DESK_D2' })], { blocks });
    const { counts, warnings, losses } = await sceneOf(made);
    expect(counts).toMatchObject({ droppedTriangles: 2, flippedSurfaces: 1, droppedLayers: 1 });
    expect(warnings[0]!.message).toContain('2 invalid triangles');
    expect(losses).toEqual([{ where: BOX, field: 'F', value: 2, done: 'triangles dropped' }]);
  });

  it('a loss of many nodes is listed once, with the first of them and their number', async () => {
    const nodes = [0, 1, 2].map(() => ({ type: 'spline' }));
    const flat = [0, 1].map(() => box({ scale: [0, 1, 1] }));
    expect((await sceneOf(article([box(), ...nodes, ...flat]))).losses).toEqual([
      { where: '1 and 2 more', field: 'type', value: 'spline', done: 'kept as a group' },
      { where: '4 and 1 more', field: 'scale', value: [0, 1, 1], done: 'not drawn' },
    ]);
  });

  it('a loss fails a strict article, but not one that is expected', async () => {
    const mats = [{ mname: 'OAK', amb: '0x101010', pho: 3, mirror: 1 }];
    const strict = { strict: true };
    const { losses } = await sceneOf(article([box()], { mats }), strict);
    expect(losses.map(({ field, expected }) => [field, expected])).toEqual([
      ['amb', true],
      ['mirror', true],
      ['pho', true],
    ]);
    const expectsAmb = { ...strict, expectedLosses: ['a*'] };
    const refusal = 'OAK, mirror: dropped: undocumented; kept in extras and 1 more';
    await expect(sceneOf(article([box()], { mats }), expectsAmb)).rejects.toMatchObject({
      code: 'LOSSES_REFUSED',
      message: expect.stringContaining(refusal),
    });
    const spline = article([box(), { type: 'spline' }]);
    await expect(sceneOf(spline, strict)).rejects.toEqual(refused('LOSSES_REFUSED'));
  });

  it('what the decoder repaired is reported with the rest', async () => {
    const scene = await sceneOf(article([box({ offs: ['0,5', 0, 0] })]));
    expect(scene.warnings[0]!.message).toContain('btg[0].offs[0]');
  });
});

/** An article, and the digests and decoded forms of its parts list and its box. */
async function decodedArticle(made: MadeArticle) {
  const { snapshot, read, reads } = makeSnapshot(made);
  const { digest } = snapshot.blocks.get(BOX) as { digest: string };
  const partsList = decodePartsList(await read(snapshot.partsList));
  const block = decodeBlock(await read(digest));
  reads.length = 0;
  const decoded = {
    partsList: (of: string) => (of === snapshot.partsList ? partsList : undefined),
    block: (of: string) => (of === digest ? block : undefined),
  };
  return { input: { snapshot, read }, reads, digest, decoded };
}

describe('decoded bodies', () => {
  it('are taken as they are: their bytes are neither read nor decoded', async () => {
    const made = article([box(), { type: 'block', params: [1, 1, 1] }]);
    const { input, reads, digest, decoded } = await decodedArticle(made);
    const scene = await transformArticle({ ...input, decoded, ...transformedWith() });
    expect(reads).toEqual([]);
    const none = { partsList: () => undefined, block: () => undefined };
    const again = await transformArticle({ ...input, decoded: none, ...transformedWith() });
    expect(reads).toEqual([input.snapshot.partsList, digest]);
    expect(writeGlb(scene)).toEqual(writeGlb(again));
  });

  it.each([true, false])('or not: the surfaces of a block are counted (%s)', async (isDecoded) => {
    const A = [{ F: [0, 1, 2] }, { F: [0, 1, 2] }];
    const blocks = { [BOX]: { V: [0, 0, 0, 1, 0, 0, 0, 1, 0], A } };
    const { input, decoded } = await decodedArticle(article([box()], { blocks }));
    const limited = (maxSurfaces: number) =>
      transformArticle({
        ...{ ...input, ...transformedWith(), maxSurfaces },
        decoded: isDecoded ? decoded : undefined,
      });
    expect((await limited(2)).triangles).toBe(2);
    await expect(limited(1)).rejects.toMatchObject({ code: 'SCENE_TOO_LARGE' });
  });

  it('need not be kept: each block is released once, when it is decoded', async () => {
    const { input, digest } = await decodedArticle(article([box(), box()]));
    const released: Uint8Array[] = [];
    const release = async (bytes: Uint8Array) => {
      released.push(bytes.slice());
      bytes.fill(0);
    };
    const body = (await input.read(digest)).slice();
    const scene = await transformArticle({ ...input, ...transformedWith(), release });
    expect(scene.triangles).toBe(24);
    expect(released).toEqual([body]);
  });
});
