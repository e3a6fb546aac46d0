import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movePoint } from '../../../../src/convert/math/ofml-frame.ts';
import {
  determinant3,
  quaternionFromRotation,
  transformVec3,
} from '../../../../src/convert/math/vec.ts';
import type { PartsListNode, Vec3 } from '../../../../src/convert/model/graphics.ts';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../../../src/convert/transform/convert-options.ts';
import { flattenPartsList, type Part } from '../../../../src/convert/transform/flatten.ts';
import { Losses } from '../../../../src/convert/transform/losses.ts';
import { decodePartsList } from '../../../../src/convert/wire/parts-list.ts';
import { partsNode, turned, utf8 } from '../../../helpers/graphics.ts';
import { expectNear } from '../../../helpers/numbers.ts';

function flatten(roots: PartsListNode[], options: Partial<ConvertOptions> = {}) {
  const losses = new Losses();
  return { ...flattenPartsList(roots, { ...CONVERT_DEFAULTS, ...options }, losses), losses };
}

/** Where a point of a part's own geometry stands in the article. */
function inArticle({ worldFrame, scale, bakedShape }: Part, p: Vec3): number[] {
  const shaped = bakedShape ? transformVec3(bakedShape, p) : p;
  const own = shaped.map((value, k) => value * scale[k]!) as unknown as Vec3;
  return [...movePoint(worldFrame, own)];
}

describe('places', () => {
  it("a child inherits its parent's rotation before its own offset", () => {
    const leg = partsNode('imp', { offsetMetres: [0.5, 0, 0], rotationDegrees: [30, 20, 10] });
    const top = partsNode('top', {
      offsetMetres: [1, 2, 3],
      rotationDegrees: [0, 90, 0],
      children: [leg],
    });
    const [part] = flatten([top]).parts;
    expectNear(part!.worldFrame.translationMetres, [1, 2, 2.5]);
    // qy(90°) ⊗ (qx(30°) ⊗ qy(20°) ⊗ qz(10°)), worked out by hand on the point (1, 2, 3).
    const own = [1.625125, 0.555603, 3.324195];
    const q = quaternionFromRotation(part!.worldFrame.rotation);
    expectNear(turned(q, [1, 2, 3]), [own[2]!, own[1]!, -own[0]!], 5);
  });

  it('children inherit position and rotation, never scale', () => {
    const child = partsNode('imp', { offsetMetres: [1, 0, 0] });
    const parent = partsNode('imp', { scale: [2, 3, 4], children: [child] });
    const { parts } = flatten([parent]);
    expect(parts.map(({ scale }) => scale)).toEqual([
      [2, 3, 4],
      [1, 1, 1],
    ]);
    expectNear(parts[1]!.worldFrame.translationMetres, [1, 0, 0]);
  });

  it('no part is ever sheared, however it is nested and scaled', () => {
    const number = fc.double({ min: -3, max: 3, noNaN: true });
    const vector = fc.tuple(number, number, number);
    const level = fc.record({ offsetMetres: vector, rotationDegrees: vector, scale: vector });
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 6 }), (levels) => {
        const chain = levels.reduceRight<PartsListNode[]>(
          (children, fields) => [partsNode('imp', { ...fields, children })],
          [],
        );
        for (const { worldFrame, bakedShape } of flatten(chain).parts) {
          expect(bakedShape).toBeUndefined();
          expect(determinant3(worldFrame.rotation)).toBeCloseTo(1, 10);
        }
      }),
      { seed: 200 },
    );
  });

  it('with inheritScale, points are where the whole chain of matrices puts them', () => {
    const child = partsNode('imp', {
      offsetMetres: [1, 0.5, 0],
      rotationDegrees: [0, 0, 90],
      scale: [1, 2, 1],
    });
    const [, part] = flatten([partsNode('imp', { scale: [2, 3, 4], children: [child] })], {
      inheritScale: true,
    }).parts;
    // (1, 1, 1) → child scale (1, 2, 1) → turn (−2, 1, 1) → offset (−1, 1.5, 1) → parent scale.
    expectNear(inArticle(part!, [1, 1, 1]), [-2, 4.5, 4]);
  });

  it('with inheritScale, a shear is baked and the place stays rigid', () => {
    const child = partsNode('imp', { rotationDegrees: [0, 0, 45] });
    const [, part] = flatten([partsNode('imp', { scale: [2, 1, 1], children: [child] })], {
      inheritScale: true,
    }).parts;
    expect(part!.bakedShape).toBeDefined();
    const r = Math.SQRT1_2;
    expectNear(inArticle(part!, [1, 0, 0]), [2 * r, r, 0]);
    expectNear(inArticle(part!, [0, 1, 0]), [-2 * r, r, 0]);
  });

  it('rotations are made in the order and the sense of the options, scales inherited or not', () => {
    const node = partsNode('imp', { rotationDegrees: [90, 90, 0] });
    const z = (options: Partial<ConvertOptions>) =>
      inArticle(flatten([node], options).parts[0]!, [0, 0, 1]);
    for (const inheritScale of [false, true]) {
      expectNear(z({ inheritScale }), [1, 0, 0]);
      expectNear(z({ inheritScale, rotationOrder: 'zyx' }), [0, -1, 0]);
      expectNear(z({ inheritScale, rotationDirection: 'clockwise' }), [-1, 0, 0]);
    }
  });

  it('a scale of zero skips that part and reports it; its children stay', () => {
    const parent = partsNode('imp', { scale: [1, 0, 1], children: [partsNode('imp')] });
    const { parts, losses } = flatten([parent]);
    expect(parts.map(({ path }) => path)).toEqual(['0/0']);
    expect(losses.counts.skippedNodes).toBe(1);
    expect(losses.listed().warnings[0]).toMatchObject({ code: 'SCALE_ZERO' });
  });

  it('scale belongs to imp: a solid keeps its own size, and a negative one mirrors', () => {
    const { parts } = flatten([
      partsNode('block', { scale: [2, 2, 2] }),
      partsNode('cyl', { scale: [0, 1, 1] }),
      partsNode('imp', { scale: [-1, 1, 1] }),
    ]);
    expect(parts.map(({ scale }) => scale)).toEqual([
      [1, 1, 1],
      [1, 1, 1],
      [-1, 1, 1],
    ]);
  });
});

describe('groups and movables', () => {
  it('top and clsref draw nothing; a clsref becomes a movable named by its tag or its path', () => {
    const drawer = partsNode('clsref', {
      layer: '72_ACME_DESK_D3_DRAWER_1',
      offsetMetres: [0, 1, 0],
      children: [partsNode('clsref', { offsetMetres: [0, 0, 2], children: [partsNode('imp')] })],
    });
    const { parts, movables } = flatten([partsNode('top', { children: [drawer] })]);
    expect(movables.map(({ name, parent }) => [name, parent])).toEqual([
      ['DRAWER_1', -1],
      ['movable 0/0/0', 0],
    ]);
    expect(parts.map(({ movable }) => movable)).toEqual([1]);
  });

  it('a part below a movable is in the frame of that movable', () => {
    const door = partsNode('clsref', {
      offsetMetres: [1, 2, 3],
      rotationDegrees: [30, 20, 10],
      children: [partsNode('imp', { offsetMetres: [0.4, 0.5, 0.6], rotationDegrees: [0, 90, 0] })],
    });
    const { parts, movables } = flatten([door]);
    expectNear(parts[0]!.frame.translationMetres, [0.4, 0.5, 0.6]);
    expectNear(
      movePoint(movables[0]!.frame, movePoint(parts[0]!.frame, [1, 2, 3])),
      movePoint(parts[0]!.worldFrame, [1, 2, 3]),
    );
  });

  it('an unknown type is kept as a group with a warning, or by option fails the article', () => {
    const spline = partsNode('spline', { offsetMetres: [1, 0, 0], children: [partsNode('imp')] });
    const roots = [partsNode('top', { children: [spline] })];
    const { parts, losses } = flatten(roots);
    expect(parts[0]!.worldFrame.translationMetres).toEqual([1, 0, 0]);
    expect(losses.listed().warnings[0]!.message).toContain('"spline"');
    expect(() => flatten(roots, { unknownNodes: 'fail' })).toThrow(/node 0\/0: .*"spline"/);
  });
});

describe('materials and layers', () => {
  it('a node without mat takes that of its nearest ancestor that has one, or by option none', () => {
    const inner = partsNode('imp', { material: 'STEEL', children: [partsNode('imp')] });
    const top = partsNode('top', { material: 'OAK', children: [partsNode('imp'), inner] });
    const materialsBy = (options: Partial<ConvertOptions>) =>
      flatten([top, partsNode('imp')], options).parts.map(({ material }) => material);
    expect(materialsBy({})).toEqual(['OAK', 'STEEL', 'STEEL', '']);
    expect(materialsBy({ inheritMaterial: false })).toEqual(['', 'STEEL', '', '']);
  });

  it('a dropped layer hides its own geometry only', () => {
    const { parts, losses } = flatten([
      partsNode('imp', { layer: '72_ACME_DESK_D2', children: [partsNode('imp')] }),
      partsNode('clsref', { layer: '72_ACME_DESK_ATTACH', children: [partsNode('imp')] }),
    ]);
    expect(parts.map(({ path }) => path)).toEqual(['0/0', '1/0']);
    expect(losses.counts.droppedLayers).toBe(1);
  });

  it('the layers that the option says are dropped, and none by an empty one', () => {
    const isDropped = (layer: string, dropLayers: string[]) =>
      flatten([partsNode('imp', { layer })], { dropLayers }).parts.length === 0;
    expect(isDropped('72_ACME_DESK_D3A', ['D3?'])).toBe(true);
    expect(isDropped('72_ACME_DESK_D3AB', ['D3?'])).toBe(false);
    expect(isDropped('72_ACME_DESK_D2', [])).toBe(false);
  });

  it('by option a node without layer has that of its nearest ancestor with one', () => {
    const shown = partsNode('imp', { layer: '72_ACME_DESK_D3', children: [partsNode('imp')] });
    const hidden = partsNode('top', {
      layer: '72_ACME_DESK_D2',
      children: [partsNode('imp'), shown],
    });
    const layersOf = (options: Partial<ConvertOptions>) =>
      flatten([hidden], options).parts.map(({ path, layer }) => [path, layer]);
    expect(layersOf({})).toEqual([
      ['0/0', ''],
      ['0/1', '72_ACME_DESK_D3'],
      ['0/1/0', ''],
    ]);
    expect(layersOf({ inheritLayers: true })).toEqual([
      ['0/1', '72_ACME_DESK_D3'],
      ['0/1/0', '72_ACME_DESK_D3'],
    ]);
  });
});

describe('what a node loses', () => {
  const lossesOf = (roots: PartsListNode[], options: Partial<ConvertOptions> = {}) =>
    flatten(roots, options).losses.listed().losses;

  it('a scale of a node that is no imp, unless it changes nothing', () => {
    const done = 'not applied: only an imp has a scale';
    const nodes = [
      partsNode('cyl', { scale: [2, 1, 1] }),
      partsNode('frame', { scale: [2, 1, 1] }),
      partsNode('top', { scale: [1, 0, 1] }),
      partsNode('block', { scale: [1, 1, 1] }),
      partsNode('imp', { scale: [2, 1, 1] }),
    ];
    expect(lossesOf(nodes)).toEqual([
      { where: '0 and 1 more', field: 'scale', value: [2, 1, 1], done },
      { where: '2', field: 'scale', value: [1, 0, 1], done },
    ]);
  });

  it('values that cannot be read, equal ones once, with what is done instead', () => {
    const unreadable = { mat: { name: 'RED' }, lay: true, prop: 'none' };
    const roots = [partsNode('top', { unreadable, children: [partsNode('imp', { unreadable })] })];
    const where = '0 and 1 more';
    const done = 'cannot be read: left out';
    expect(lossesOf(roots)).toEqual([
      { where, field: 'mat', value: 'an object', done: 'cannot be read: inherited instead' },
      { where, field: 'lay', value: true, done },
      { where, field: 'prop', value: 'none', done },
    ]);
    const inheritance = { inheritMaterial: false, inheritLayers: true };
    expect(lossesOf(roots, inheritance).map((loss) => [loss.field, loss.done])).toEqual([
      ['mat', done],
      ['lay', 'cannot be read: inherited instead'],
      ['prop', done],
    ]);
  });

  it('a type and a block name that cannot be read', () => {
    const nodes = [
      partsNode('', { unreadable: { type: 7 } }),
      partsNode('imp', { blockName: '', unreadable: { btgname: true } }),
      partsNode('top', { unreadable: { btgname: true } }),
    ];
    expect(lossesOf(nodes)).toEqual([
      { where: '0', field: 'type', value: 7, done: 'kept as a group' },
      { where: '1', field: 'btgname', value: true, done: 'part left out' },
      { where: '2', field: 'btgname', value: true, done: 'cannot be read: left out' },
    ]);
    expect(() => flatten([nodes[0]!], { unknownNodes: 'fail' })).toThrow(
      'node 0: expected a known type, received number "7"',
    );
  });
});

describe('size', () => {
  it('walks 15,000 nested nodes, movables among them', () => {
    const open = '{"type":"clsref","offs":[0,0,0.001],"rot":[0,0,90],"childs":[{"type":"imp"},';
    const bytes = utf8(`{"btg":[${open.repeat(15_000)}{"type":"imp"}${']}'.repeat(15_000)}]}`);
    const { parts, movables } = flatten(decodePartsList(bytes).nodes);
    expect([parts.length, movables.length]).toEqual([15_001, 15_000]);
    const deepest = parts.find(({ movable }) => movable === 14_999)!;
    expect(deepest.worldFrame.translationMetres[2]).toBeCloseTo(15, 6);
    expect(deepest.path.length).toBeLessThan(300);
  });

  it('walks 50,000 nodes side by side, in their order', () => {
    const node = partsNode('imp');
    const { parts } = flatten(new Array<PartsListNode>(50_000).fill(node));
    expect(parts).toHaveLength(50_000);
    expect(parts[49_999]!.path).toBe('49999');
  });
});
