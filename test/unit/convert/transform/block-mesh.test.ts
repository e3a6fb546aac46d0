import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rotationFromDegrees } from '../../../../src/convert/math/ofml-frame.ts';
import type { Block } from '../../../../src/convert/model/graphics.ts';
import {
  meshOptionsKey,
  type PreparedMesh,
  prepareBlock,
} from '../../../../src/convert/transform/block-mesh.ts';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../../../src/convert/transform/convert-options.ts';
import { decodeBlock } from '../../../../src/convert/wire/block.ts';
import {
  BOX_TRIANGLES,
  boxPoints,
  meshBlock,
  turnedOver,
  utf8,
} from '../../../helpers/graphics.ts';
import { elementAt } from '../../../helpers/numbers.ts';
import { samples } from '../../../helpers/samples.ts';

const clean = (block: Block, options: Partial<ConvertOptions> = {}) =>
  prepareBlock(block, { ...CONVERT_DEFAULTS, ...options });

/** The point of each corner. */
const pointsOf = ({ points, localPoints }: PreparedMesh['surfaces'][number]) =>
  Array.from(localPoints, (local) => points[local]!);

const SQUARE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0];
const inward = turnedOver(BOX_TRIANGLES);
const faces = (block: Block, options: Partial<ConvertOptions> = {}) =>
  clean(block, options).surfaces.map(pointsOf);

describe('triangles', () => {
  it.each([
    ['an index behind the last point', [0, 1, 4]],
    ['an index below the first', [0, -1, 2]],
    ['an index that was no integer', [0, -(2 ** 31), 2]],
    ['a corner twice', [0, 1, 1]],
    ['corners in a line', [4, 5, 6]],
    ['a coordinate that is no number', [0, 1, 7]],
  ])('with %s are dropped and counted', (_name, bad) => {
    const points = [...SQUARE, 0, 0, 9, 1, 1, 9, 2, 2, 9, Number.NaN, 0, 0];
    const block = meshBlock(bad[2] === 4 ? SQUARE : points, [[0, 1, 2, ...bad]]);
    expect(clean(block).counts.droppedTriangles).toBe(1);
    expect(faces(block)).toEqual([[0, 1, 2]]);
  });

  it.each([
    '{"V":[0,0,0,1e39,0,0,0,1,1],"A":[{"F":[0,1,2]}]}',
    '{"V":[0,0,0,1,0,0,-1e39,1,1],"A":[{"F":[0,1,2]}]}',
    '{"V":[0,0,0,1e999,1,0,0,1,1],"A":[{"F":[0,1,2]}]}',
    '{"V":[0,0,0,null,0,0,0,1,1],"A":[{"F":[0,1,2]}]}',
  ])('with a coordinate that is not finite in float32 are dropped: %s', (text) => {
    const { surfaces, counts } = clean(decodeBlock(utf8(text)));
    expect(surfaces).toEqual([]);
    expect(counts.droppedTriangles).toBe(1);
  });

  it('that are thin slivers stay', () => {
    const sliver = meshBlock([0, 0, 0, 1, 0, 0, 0.5, 1e-30, 0], [[0, 1, 2]]);
    expect(clean(sliver).counts.droppedTriangles).toBe(0);
    const line = meshBlock([0, 0, 0, 1, 0, 0, 0.5, 0, 0], [[0, 1, 2]]);
    expect(clean(line).counts.droppedTriangles).toBe(1);
  });

  it('that are cut off at the end count as dropped', () => {
    expect(clean(meshBlock(SQUARE, [[0, 1, 2, 0, 2]])).counts.droppedTriangles).toBe(1);
  });

  it('repeated corners are judged after welding, at float32', () => {
    const block = meshBlock([0, 0, 0, 1, 0, 0, 1 + 1e-12, 0, 0, 0, 1, 0], [[0, 1, 2, 0, 1, 3]]);
    expect(faces(block)).toEqual([[0, 1, 2]]);
    expect(clean(block).counts.droppedTriangles).toBe(1);
  });

  it('leave no surface where none is valid, and an empty one says nothing', () => {
    expect(clean(meshBlock(SQUARE, [[0, 1, 1], []])).surfaces).toEqual([]);
    expect(clean(meshBlock([], [])).surfaces).toEqual([]);
  });

  it('count from 1 by option, or where the smallest index is 1 and the largest the number of points', () => {
    const [fromZero, fromOne] = [
      [0, 1, 2, 0, 2, 3],
      [1, 2, 3, 1, 3, 4],
    ];
    const counted = (triangles: number[]) =>
      (['auto', 0, 1] as const).map(
        (pointIndexBase) => faces(meshBlock(SQUARE, [triangles]), { pointIndexBase })[0],
      );
    expect(counted(fromOne!)).toEqual([fromZero, [1, 2, 3], fromZero]);
    expect(counted(fromZero!)).toEqual([fromZero, fromZero, undefined]);
    const apart = meshBlock(SQUARE, [fromOne!.slice(0, 3), fromOne!.slice(3)]);
    expect(faces(apart).flat()).toEqual(fromZero);
    // Without the last point the index 3 may be either: it counts from 0.
    expect(faces(meshBlock(SQUARE, [[1, 2, 3]]))).toEqual([[1, 2, 3]]);
    expect(clean(meshBlock(SQUARE, [[0, 1, 2, 1, 2, 4]])).counts.droppedTriangles).toBe(1);
  });
});

describe('stored UVs', () => {
  it('stay with their corners when triangles are dropped or turned over', () => {
    const uvs = Float64Array.from({ length: 16 }, (_, i) => i);
    const surface = {
      triangles: Int32Array.from([0, 0, 1, ...inward]),
      uvIndices: Int32Array.from([7, 7, 7, ...inward]),
    };
    const { surfaces, counts } = clean(meshBlock(boxPoints(), [surface], { uvs }));
    expect(counts).toMatchObject({ droppedTriangles: 1, flippedSurfaces: 1, unusableUvs: 0 });
    expect([...surfaces[0]!.uvOffsets!]).toEqual(pointsOf(surfaces[0]!).map((p) => 2 * p));
  });

  it.each([
    ['two floats from 1', 8, [1, 2, 4], [0, 2, 6]],
    ['three floats from 0', 12, [0, 1, 3], [0, 3, 9]],
  ])('are addressed by their layout: %s', (_name, floats, indices, offsets) => {
    const surface = {
      triangles: Int32Array.of(0, 1, 2),
      uvIndices: Int32Array.from(indices),
    };
    const block = meshBlock(SQUARE, [surface], { uvs: new Float64Array(floats) });
    expect([...clean(block).surfaces[0]!.uvOffsets!]).toEqual(offsets);
  });

  it('that are out of range make only their surface unusable', () => {
    const good = { triangles: Int32Array.of(0, 1, 2), uvIndices: Int32Array.of(0, 1, 2) };
    const bad = { ...good, uvIndices: Int32Array.of(0, 1, 99) };
    const { surfaces, counts } = clean(
      meshBlock(SQUARE, [good, bad], { uvs: new Float64Array(9), uvStride: 3 }),
    );
    expect(surfaces.map(({ uvOffsets }) => uvOffsets !== undefined)).toEqual([true, false]);
    expect(counts).toMatchObject({ unusableUvs: 1, droppedTriangles: 0 });
  });
});

describe('winding', () => {
  const open = [0, 2, 1];
  const openTurned = [0, 1, 2];
  const points = boxPoints();

  it('a closed surface that encloses a negative volume is turned over, another is kept', () => {
    expect(faces(meshBlock(points, [inward]))).toEqual([BOX_TRIANGLES]);
    expect(faces(meshBlock(points, [[...BOX_TRIANGLES]]))).toEqual([BOX_TRIANGLES]);
  });

  it('an open surface follows the majority, by triangles, of the closed ones of its block', () => {
    expect(faces(meshBlock(points, [open, inward]))[0]).toEqual(openTurned);
    expect(faces(meshBlock(points, [open, [...BOX_TRIANGLES]]))[0]).toEqual(open);
    const second = boxPoints().map((value, i) => value + (i % 3 === 0 ? 5 : 0));
    const outwardElsewhere = BOX_TRIANGLES.map((point) => point + 8);
    const tied = meshBlock([...points, ...second], [open, inward, outwardElsewhere]);
    expect(faces(tied)[0]).toEqual(open);
  });

  it('an open surface among open ones is kept', () => {
    expect(faces(meshBlock(points, [open, openTurned]))).toEqual([open, openTurned]);
  });

  it('what the service says of C wins over the edges', () => {
    const lidless = Int32Array.from(inward.slice(0, 30));
    const whole = Int32Array.from(inward);
    for (const [triangles, closed] of [
      [lidless, true],
      [whole, false],
    ] as const)
      expect(clean(meshBlock(points, [{ triangles, closed }]))).toMatchObject({
        counts: { flippedSurfaces: closed ? 1 : 0 },
        surfaces: [{ doubleSided: !closed }],
      });
  });

  it('where C is missing, the edges decide whether back faces may be seen', () => {
    expect(clean(meshBlock(points, [inward])).surfaces[0]!.doubleSided).toBe(false);
    expect(clean(meshBlock(points, [open])).surfaces[0]!.doubleSided).toBe(true);
  });

  it('keep keeps all, flip turns all', () => {
    expect(faces(meshBlock(points, [inward, open]), { winding: 'keep' })).toEqual([inward, open]);
    const flipped = clean(meshBlock(points, [[...BOX_TRIANGLES], open]), { winding: 'flip' });
    expect(flipped.surfaces.map(pointsOf)).toEqual([inward, openTurned]);
    expect(flipped.counts.flippedSurfaces).toBe(2);
  });

  it('leaves every closed convex body facing outwards, at any position', () => {
    const size = fc.double({ min: 0.01, max: 5, noNaN: true });
    const far = fc.double({ min: -50, max: 50, noNaN: true });
    fc.assert(
      fc.property(size, size, size, far, fc.boolean(), (x, y, z, move, turn) => {
        const moved = boxPoints(x, y, z).map((value) => value + move);
        expect(faces(meshBlock(moved, [turn ? inward : [...BOX_TRIANGLES]]))).toEqual([
          BOX_TRIANGLES,
        ]);
      }),
      { seed: 230 },
    );
  });
});

describe('any block', () => {
  it('is cleaned without crash, and keeps only valid triangles', () => {
    const number = fc.oneof(
      fc.constantFrom(0, 1, Number.NaN, Number.POSITIVE_INFINITY),
      fc.float(),
    );
    const indices = fc
      .array(fc.integer({ min: -2, max: 9 }), { maxLength: 30 })
      .map((list) => Int32Array.from(list));
    const closed = fc.constantFrom(true, false, undefined);
    const surface = fc.record({ triangles: indices, uvIndices: indices, closed });
    fc.assert(
      fc.property(
        fc.array(number, { maxLength: 27 }),
        fc.array(surface, { maxLength: 3 }),
        (v, a) => {
          const { positions, surfaces, counts } = clean(meshBlock(v, a));
          const kept = surfaces.reduce((sum, { localPoints }) => sum + localPoints.length / 3, 0);
          const sent = a.reduce((sum, { triangles }) => sum + Math.ceil(triangles.length / 3), 0);
          expect(kept + counts.droppedTriangles).toBe(sent);
          for (const point of surfaces.flatMap(({ points }) => [...points]))
            expect(elementAt(positions, point).every(Number.isFinite)).toBe(true);
        },
      ),
      { seed: 231, numRuns: samples(500) },
    );
  });
});

describe('prepareBlock', () => {
  const placed = meshBlock(boxPoints(), [[...BOX_TRIANGLES]], {
    positionMetres: [1, 2, 3],
    rotationDegrees: [30, 20, 10],
  });

  it('judges the mesh before the P and R of its block, which it hands on', () => {
    const mesh = clean(placed);
    expect([...mesh.positions]).toEqual(boxPoints());
    expect(mesh.rotation).toEqual(rotationFromDegrees([30, 20, 10]));
    expect(mesh.positionMetres).toEqual([1, 2, 3]);
    expect(mesh.normals).toHaveLength(3 * 6 * 4);
  });

  it('leaves P and R aside by option, and turns by R as nodes are turned', () => {
    expect(clean(placed, { blockPlacement: 'ignore' })).toMatchObject({
      rotation: rotationFromDegrees([0, 0, 0]),
      positionMetres: [0, 0, 0],
    });
    const rule = { rotationOrder: 'zyx', rotationDirection: 'clockwise' } as const;
    expect(clean(placed, rule).rotation).toEqual(rotationFromDegrees([30, 20, 10], rule));
  });

  it('keeps surfaces apart: two that share an edge do not share its normals', () => {
    const flat = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0.1, 2, 1, 0.1];
    const together = meshBlock(flat, [[0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2]]);
    const apart = meshBlock(flat, [
      [0, 1, 2, 0, 2, 3],
      [1, 4, 5, 1, 5, 2],
    ]);
    const normalAt1 = (block: typeof apart, surface: number) => {
      const { surfaces, normals } = clean(block);
      const { normals: at, firstNormal } = surfaces[surface]!;
      return elementAt(normals, firstNormal + at[pointsOf(surfaces[surface]!).indexOf(1)]!);
    };
    expect(normalAt1(together, 0)[0]).not.toBe(0);
    expect(normalAt1(apart, 0)).toEqual([0, 0, 1]);
    expect(normalAt1(apart, 1)[0]).toBeCloseTo(-0.0995, 4);
  });

  it('smooths only after inward surfaces are turned', () => {
    const mesh = clean(meshBlock(boxPoints(), [inward]));
    expect(mesh.counts.flippedSurfaces).toBe(1);
    expect(elementAt(mesh.normals, mesh.surfaces[0]!.normals[0]!)).toEqual([0, 0, -1]);
  });

  it('counts triangles that repeat another of their surface, and keeps them', () => {
    const twice = [0, 1, 2, 1, 2, 0];
    const mesh = clean(meshBlock(boxPoints(), [twice, [0, 1, 2]]));
    expect(mesh.counts.duplicateTriangles).toBe(1);
    expect(mesh.surfaces.map(({ localPoints }) => localPoints.length)).toEqual([6, 3]);
  });

  it('says whether some surface has to be projected', () => {
    const uvIndices = Int32Array.of(0, 1, 2);
    const stored = { triangles: Int32Array.of(0, 1, 2), uvIndices };
    const uvs = new Float64Array(6);
    const needs = (surfaces: Parameters<typeof meshBlock>[1]) =>
      clean(meshBlock(boxPoints(), surfaces, { uvs })).needsProjection;
    expect(needs([stored])).toBe(false);
    expect(needs([stored, [0, 2, 3]])).toBe(true);
  });

  it('has a key of its own for each option that it depends on', () => {
    const changes: Partial<ConvertOptions>[] = [
      { weldToleranceMetres: 1 },
      { winding: 'keep' },
      { creaseAngleDegrees: 31 },
      { rotationOrder: 'zyx' },
      { rotationDirection: 'clockwise' },
      { blockPlacement: 'ignore' },
      { pointIndexBase: 0 },
      { uvIndexBase: 0 },
      { uvStride: 2 },
    ];
    const keys = [{}, ...changes].map((change) =>
      meshOptionsKey({ ...CONVERT_DEFAULTS, ...change }),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});
