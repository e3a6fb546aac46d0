import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareBlock } from '../../../../src/convert/transform/block-mesh.ts';
import { CONVERT_DEFAULTS } from '../../../../src/convert/transform/convert-options.ts';
import { createNormals } from '../../../../src/convert/transform/normals.ts';
import { facing, length } from '../../../helpers/evaluator/vectors.ts';
import { BOX_TRIANGLES, boxPoints, meshBlock } from '../../../helpers/graphics.ts';
import { expectLinear } from '../../../helpers/growth.ts';
import { elementAt, expectNear } from '../../../helpers/numbers.ts';
import { samples } from '../../../helpers/samples.ts';
import { simpleDuplicates, simpleNormals } from '../../../helpers/simple-mesh.ts';

/** The normal of every corner: three numbers each. */
function normalsOf(points: readonly number[], triangles: readonly number[], crease = 30) {
  // An earlier surface, whose normals come first.
  const surfaces = [Uint32Array.of(0, 1, 2), Uint32Array.from(triangles)];
  const made = createNormals(Float32Array.from(points), surfaces, crease);
  const { normals, firstNormal } = made.surfaces[1]!;
  return Array.from(normals, (normal) => elementAt(made.values, firstNormal + normal));
}

/** A roof of two squares that meet along the Z axis at an angle to the ground each. */
function roof(degrees: number): { points: number[]; triangles: number[] } {
  const [x, y] = [Math.cos((degrees * Math.PI) / 180), -Math.sin((degrees * Math.PI) / 180)];
  return {
    points: [0, 0, 0, 0, 0, 1, x, y, 1, x, y, 0, -x, y, 0, -x, y, 1],
    triangles: [0, 1, 2, 0, 2, 3, 0, 4, 5, 0, 5, 1],
  };
}

describe('normals of a surface', () => {
  it('keep the edges of a box sharp', () => {
    const normals = normalsOf(boxPoints(), BOX_TRIANGLES);
    expect(normals.slice(0, 6).every((n) => n.join() === '0,0,-1')).toBe(true);
    expect(new Set(normals.map(String)).size).toBe(6);
  });

  it('weigh by angle: at 180° every corner of a box points along its diagonal', () => {
    const normals = normalsOf(boxPoints(), BOX_TRIANGLES, 180);
    const third = Math.sqrt(1 / 3);
    const diagonals = Float32Array.from(boxPoints(), (value) => (value > 0 ? third : -third));
    for (const [i, point] of BOX_TRIANGLES.entries())
      expectNear(normals[i]!, elementAt(diagonals, point), 6);
  });

  it('are smooth below the crease angle, at it, and sharp above', () => {
    const alongRidge = (degrees: number) => {
      const { points, triangles } = roof(degrees / 2);
      const normals = normalsOf(points, triangles);
      return new Set(triangles.flatMap((point, i) => (point === 0 ? [normals[i]!.join()] : [])))
        .size;
    };
    expect([alongRidge(29), alongRidge(30), alongRidge(31)]).toEqual([1, 1, 2]);
  });

  it('keep every face flat at 0', () => {
    const { points, triangles } = roof(5);
    expect(new Set(normalsOf(points, triangles, 0).map(String)).size).toBe(2);
  });

  it('are unit vectors even for slivers and tiny, huge or folded triangles', () => {
    const scale = fc.constantFrom(1e-30, 1e-9, 1, 1e9, 1e30);
    const thin = fc.constantFrom(1e-30, 1e-12, 1);
    fc.assert(
      fc.property(scale, thin, fc.constantFrom(0, 30, 180), (size, width, crease) => {
        const points = [0, 0, 0, 1, 0, 0, 0.5, width, 0, 0.5, width, 0].map((v) => v * size);
        if (!(Math.fround(width * size) > 0)) return;
        for (const normal of normalsOf(points, [0, 1, 2, 0, 3, 1], crease))
          expect(Math.hypot(...normal)).toBeCloseTo(1, 5);
      }),
      { seed: 261 },
    );
  });
});

/** Twenty-one points in no line. */
const SCATTERED = Float32Array.from({ length: 63 }, (_, i) => ((i * i * 7 + i * 3) % 101) / 10);
const surface = (points: number[]) =>
  createNormals(SCATTERED, [Uint32Array.from(points)], 30).surfaces[0]!;

describe('points of a surface', () => {
  it('are numbered in first-use order', () => {
    const { localPoints, points } = surface([7, 3, 9, 9, 3, 1]);
    expect([...localPoints]).toEqual([0, 1, 2, 2, 1, 3]);
    expect([...points]).toEqual([7, 3, 9, 1]);
  });

  it('are numbered anew for the next surface of a block', () => {
    const surfaces = [Uint32Array.of(0, 1, 2), Uint32Array.of(2, 1, 5)];
    const second = createNormals(SCATTERED, surfaces, 30).surfaces[1]!;
    expect([...second.localPoints]).toEqual([0, 1, 2]);
    expect([...second.points]).toEqual([2, 1, 5]);
  });

  it('have one number each, and every corner has a normal, whatever the points', () => {
    const triangle = fc.uniqueArray(fc.nat({ max: 20 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(triangle, { maxLength: 20 }), (triangles) => {
        const points = triangles.flat();
        const { localPoints, points: all, normals } = surface(points);
        expect(all).toHaveLength(new Set(points).size);
        expect(normals).toHaveLength(points.length);
        const pairs = points.map((point, corner) => `${point} ${localPoints[corner]}`);
        expect(new Set(pairs).size).toBe(all.length);
      }),
      { seed: 240 },
    );
  });
});

const duplicatesIn = (points: number[]) => surface(points).duplicateTriangles;

describe('repeated triangles', () => {
  it('are counted: one that repeats another in the same turn, from any corner', () => {
    expect(duplicatesIn([0, 1, 2, 0, 1, 2])).toBe(1);
    expect(duplicatesIn([0, 1, 2, 3, 2, 1, 1, 2, 0, 2, 0, 1])).toBe(2);
  });

  it('are not two that lie back to back, nor those that share an edge', () => {
    expect(duplicatesIn([0, 1, 2, 0, 2, 1])).toBe(0);
    expect(duplicatesIn([0, 1, 2, 1, 0, 3])).toBe(0);
  });
});

/** Compares every bit of the normals of a block with the simple form. */
function expectSimple(positions: readonly number[], surfaces: number[][], crease: number): void {
  const options = { ...CONVERT_DEFAULTS, creaseAngleDegrees: crease, pointIndexBase: 0 } as const;
  const mesh = prepareBlock(meshBlock(positions, surfaces), options);
  let duplicates = 0;
  for (const { localPoints, points: pointOf, normals, firstNormal } of mesh.surfaces) {
    const points = localPoints.map((local) => pointOf[local]!);
    const wanted = simpleNormals(mesh.positions, points, crease);
    const actual = Array.from(normals, (normal) => elementAt(mesh.normals, firstNormal + normal));
    expect(actual).toEqual(wanted);
    duplicates += simpleDuplicates(points);
  }
  expect(mesh.counts.duplicateTriangles).toBe(duplicates);
}

describe('normals and repeated triangles', () => {
  it('are bit for bit those of the simple form, of any surfaces', () => {
    const coordinate = fc.oneof(
      fc.integer({ min: -2, max: 2 }),
      fc.float({ min: -2, max: 2, noNaN: true }),
      fc.constantFrom(-0, 1e-30, 1e30, Number.NaN),
    );
    const points = fc.array(coordinate, { minLength: 9, maxLength: 42 });
    // Few points make triangles that are repeated.
    const surface = fc
      .constantFrom(3, 13)
      .chain((max) => fc.array(fc.nat({ max }), { minLength: 3, maxLength: 90 }));
    fc.assert(
      fc.property(
        points,
        fc.array(surface, { maxLength: 3 }),
        fc.constantFrom(0, 20, 30, 90, 180),
        expectSimple,
      ),
      { seed: 262, numRuns: samples(400) },
    );
  });

  it.each([
    ['closed', BOX_TRIANGLES.map((point) => point)],
    ['open', BOX_TRIANGLES.slice(6)],
    ['sent twice', [...BOX_TRIANGLES, ...BOX_TRIANGLES]],
  ])('are those of the simple form of a box: %s', (_name, triangles) => {
    for (const crease of [0, 30, 180]) expectSimple(boxPoints(), [triangles, triangles], crease);
  });

  it('are those of the simple form of a few triangles around one point', () => {
    const coordinate = fc.integer({ min: -4, max: 4 });
    const point = fc.tuple(coordinate, coordinate, coordinate);
    const points = fc.uniqueArray(point, { selector: String, minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(points, fc.constantFrom(10, 35, 77, 100), (list, crease) => {
        const triangles = list.slice(2).flatMap((_, i) => [0, i + 1, i + 2]);
        const [tip, ...ring] = list;
        // A triangle without area has no normal.
        if (ring.slice(1).some((c, i) => length(facing(tip!, ring[i]!, c)) === 0)) return;
        const positions = Float32Array.from(list.flat());
        const wanted = simpleNormals(positions, Uint32Array.from(triangles), crease);
        expect(normalsOf([...positions], triangles, crease)).toEqual(wanted);
      }),
      { seed: 260, numRuns: samples(300) },
    );
  });

  it('are those of the simple form of a cone of 600 triangles, flat or steep', () => {
    for (const height of [0.01, 0.5, 20]) {
      const { positions, triangles } = cone(600, height);
      expectSimple(positions, [triangles], 30);
    }
  });
});

/** Triangles around one point. */
function cone(count: number, height: number): { positions: number[]; triangles: number[] } {
  const angles = Array.from({ length: count }, (_, i) => (2 * Math.PI * i) / count);
  return {
    positions: [0, height, 0, ...angles.flatMap((a) => [Math.cos(a), 0, -Math.sin(a)])],
    triangles: angles.flatMap((_, i) => [0, 1 + i, 1 + ((i + 1) % count)]),
  };
}

describe('normals take linear time', () => {
  it.each([
    ['a fan', 0.01],
    ['a needle', 20],
  ])('of %s of 100,000 triangles around one point', async (_name, height) => {
    const input = (count: number) => {
      const { positions, triangles } = cone(count, height);
      return { positions: Float32Array.from(positions), points: Uint32Array.from(triangles) };
    };
    await expectLinear(8_000, input, ({ positions, points }) => {
      const [surface] = createNormals(positions, [points], 30).surfaces;
      expect(surface!.points).toHaveLength(positions.length / 3);
    });
  });
});
