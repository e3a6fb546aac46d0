import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVertexLists } from '../../../src/transform/vertex-lists.ts';
import { expectLinear } from '../../helpers/growth.ts';

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
      { numRuns: 40 },
    );
  });

  it('take linear time for a point whose corners all differ', () => {
    const corners = (size: number) =>
      Array.from({ length: size }, (_, other) => ({ point: 0, other }));
    expectLinear(5000, corners, (given) => expect(joined(1, given).at(-1)).toBe(given.length - 1));
  });
});
