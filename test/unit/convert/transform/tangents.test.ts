import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Geometry, TextureTransform } from '../../../../src/convert/model/scene.ts';
import { createVertexLists, withTangents } from '../../../../src/convert/transform/tangents.ts';
import { loadTangentGenerator } from '../../../../src/run/conversions/tangent-generator.ts';
import { cross, times, type Vec3 } from '../../../helpers/evaluator/vectors.ts';
import { expectLinear } from '../../../helpers/growth.ts';
import { elementAt } from '../../../helpers/numbers.ts';
import { samples } from '../../../helpers/samples.ts';

const generate = await loadTangentGenerator();

/** A square facing +Z, its image upright: U along x, V (down) against y. */
const square = (uvs: number[] = [0, 1, 1, 1, 1, 0, 0, 0]): Geometry => ({
  positions: Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
  normals: Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1),
  uvs: [new Float32Array(8), Float32Array.from(uvs)],
  tangents: undefined,
  indices: Uint16Array.of(0, 1, 2, 0, 2, 3),
});

/** Tangent and bitangent of every corner, as a viewer makes them. */
function frames({ normals, tangents, indices }: Geometry): number[][][] {
  return [...indices].map((v) => {
    const [x, y, z, w] = elementAt(tangents!, v, 4) as [number, number, number, number];
    expect(Math.abs(w)).toBe(1);
    expect(Math.hypot(x, y, z)).toBeCloseTo(1, 5);
    const b = times(cross(elementAt(normals, v) as unknown as Vec3, [x, y, z]), w);
    return [[x, y, z], b].map((vector) => vector.map((n) => Math.round(n * 1e5) / 1e5 + 0));
  });
}

describe('withTangents', () => {
  const turn = { offset: [0, 0], rotationRadians: Math.PI / 2, scale: [1, 1] } as const;

  it.each<[string, number[] | undefined, TextureTransform | undefined, number[], number[]]>([
    [
      'along U of the named set, the bitangent up the image',
      undefined,
      undefined,
      [1, 0, 0],
      [0, 1, 0],
    ],
    ['against it in a mirrored image', [1, 1, 0, 1, 0, 0, 1, 0], undefined, [-1, 0, 0], [0, 1, 0]],
    // u' = v and v' = −u: U runs down the square, up the image runs along x.
    ['along it as turned in UV, by 90° counter-clockwise', undefined, turn, [0, -1, 0], [1, 0, 0]],
  ])('point %s', (_name, uvs, transform, t, b) => {
    for (const frame of frames(withTangents(square(uvs), 1, transform, generate)))
      expect(frame).toEqual([t, b]);
  });

  it('are unit vectors square to the normal where UVs have no area', () => {
    for (const [t] of frames(withTangents(square(new Array(8).fill(0)), 1, undefined, generate)))
      expect(t![2]).toBe(0);
  });

  it('keep the triangles, and split a vertex only where tangents differ', () => {
    const plain = withTangents(square(), 1, undefined, generate);
    expect(plain.positions).toHaveLength(12);
    // The second triangle's image is mirrored along the diagonal.
    const folded = square([0, 1, 1, 1, 1, 0, 1, 1]);
    const split = withTangents(folded, 1, undefined, generate);
    expect(split.positions.length).toBeGreaterThan(12);
    const corners = ({ positions, indices }: Geometry) =>
      Array.from(indices, (v) => elementAt(positions, v));
    expect(corners(split)).toEqual(corners(folded));
    expect(split.uvs).toHaveLength(2);
  });

  it('split a vertex with many tangents in linear time', async () => {
    const corners = (size: number): Geometry => ({ ...square(), indices: new Uint32Array(size) });
    // Each corner has a tangent of its own, square to the normal.
    const turning = (positions: Float32Array) => {
      const count = positions.length / 3;
      const angles = Array.from({ length: count }, (_, i) => i / count);
      return Float32Array.from(angles.flatMap((angle) => [Math.cos(angle), Math.sin(angle), 0, 1]));
    };
    await expectLinear(3_000, corners, (geometry) => {
      const { positions, indices } = withTangents(geometry, 1, undefined, turning);
      expect(positions).toHaveLength(3 * indices.length);
    });
  });
});

/** The vertex of each corner; a corner is a point and what else distinguishes it. */
function joined(pointCount: number, corners: readonly { point: number; other: number }[]) {
  const vertices: number[] = [];
  const lists = createVertexLists({
    pointCount,
    cornerCount: corners.length,
    isSame: (vertex, corner) => vertices[vertex] === corners[corner]!.other,
    keyOf: (corner) => String(corners[corner]!.other),
  });
  return corners.map(({ point, other }, corner) => {
    const vertex = lists.vertexOf(point, corner);
    if (vertex === vertices.length) vertices.push(other);
    return vertex;
  });
}

describe('vertex lists', () => {
  it('join equal corners of a point, however many vertices it has, in first-use order', () => {
    const corner = fc.record({ point: fc.nat(2), other: fc.nat(200) });
    const corners = fc.array(corner, { maxLength: 1500, size: 'max' });
    fc.assert(
      fc.property(corners, (given) => {
        const known = new Map<string, number>();
        const expected = given.map(({ point, other }) => {
          const key = `${point} ${other}`;
          if (!known.has(key)) known.set(key, known.size);
          return known.get(key)!;
        });
        expect(joined(3, given)).toEqual(expected);
      }),
      { numRuns: samples(40) },
    );
  });

  it('take linear time for a point whose corners all differ', async () => {
    const corners = (size: number) =>
      Array.from({ length: size }, (_, other) => ({ point: 0, other }));
    await expectLinear(3_000, corners, (given) =>
      expect(joined(1, given).at(-1)).toBe(given.length - 1),
    );
  });
});
