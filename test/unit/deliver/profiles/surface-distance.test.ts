/** How far surfaces are apart, against the simple form: each point with each triangle. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { surfaceDistance } from '../../../../src/deliver/profiles/surface-distance.ts';
import { samples } from '../../../helpers/samples.ts';

type Point = [number, number, number];
type Triangle = [Point, Point, Point];

const surfaceOf = (triangles: readonly Triangle[]) => ({
  points: triangles.flat(2),
  corners: Array.from({ length: 3 * triangles.length }, (_, i) => i),
});

const mix = (points: readonly Point[], shares: readonly number[]) =>
  [0, 1, 2].map((k) => points.reduce((sum, p, i) => sum + shares[i]! * p[k]!, 0)) as Point;

/** The nearest of many points of a triangle: never nearer than the triangle, and hardly farther. */
function sampled(point: Point, triangle: Triangle, steps: number): number {
  let nearest = Infinity;
  for (let u = 0; u <= steps; u++) {
    for (let v = 0; u + v <= steps; v++) {
      const at = mix(triangle, [u / steps, v / steps, (steps - u - v) / steps]);
      nearest = Math.min(nearest, Math.hypot(...at.map((value, k) => value - point[k]!)));
    }
  }
  return nearest;
}

describe('the distance of surfaces', () => {
  it('of the same points is the same whether or not what both have is left out', () => {
    const triangle = fc.uniqueArray(fc.nat(7), { minLength: 3, maxLength: 3 });
    const triangles = fc.array(triangle, { minLength: 1, maxLength: 9 });
    // The corners of a cube: no three of them are on a line.
    const points = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 });
    const property = fc.property(points, triangles, triangles, (places, own, others) => {
      const points = places.flatMap((place) => [place & 1, (place >> 1) & 1, place >> 2]);
      const turned = own.map((one, i) =>
        i % 2 === 0 ? [...one.slice(1), one[0]!] : one.toReversed(),
      );
      const one = { points, corners: own.flat() };
      const other = { points, corners: [...turned.slice(1), ...others].flat() };
      const plain = { ...other, points: [...points] };
      expect(surfaceDistance(one, other)).toBeCloseTo(surfaceDistance(one, plain), 9);
      expect(surfaceDistance(one, { points, corners: turned.flat() })).toBe(0);
    });
    fc.assert(property, { numRuns: samples(400) });
  });

  const square = { points: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], corners: [0, 1, 2, 0, 2, 3] };

  it('is that of the farthest point, in both directions', () => {
    expect(surfaceDistance(square, square)).toBe(0);
    const half = { ...square, corners: [0, 1, 2] };
    expect(surfaceDistance(square, half)).toBeCloseTo(Math.SQRT1_2, 12);
    expect(surfaceDistance(half, square)).toBeCloseTo(Math.SQRT1_2, 12);
    const lifted = { ...square, points: square.points.map((v, i) => (i % 3 === 2 ? 0.01 : v)) };
    expect(surfaceDistance(square, lifted)).toBeCloseTo(0.01, 12);
  });

  it('finds what was bridged within a triangle, whose corners are all where they were', () => {
    const notch = surfaceOf([
      [
        [0, 0, 0],
        [1, 0, -0.2],
        [0, 1, 0],
      ],
      [
        [1, 0, -0.2],
        [2, 0, 0],
        [0, 1, 0],
      ],
    ]);
    const bridge = surfaceOf([
      [
        [0, 0, 0],
        [2, 0, 0],
        [0, 1, 0],
      ],
    ]);
    expect(surfaceDistance(notch, bridge)).toBeGreaterThan(0.19);
  });

  it('of a surface without triangles is infinite, unless both have none', () => {
    const none = { ...square, corners: [] };
    expect([surfaceDistance(square, none), surfaceDistance(none, none)]).toEqual([Infinity, 0]);
  });

  it('is compared at the corners alone where sides are no longer than the spacing', () => {
    const half = { ...square, corners: [0, 1, 2] };
    const [roof, floor] = [
      [0, 0.3, 0],
      [0, 0, 0],
    ].map((heights) =>
      surfaceOf([
        [
          [0, 0, heights[0]!],
          [1, 0, heights[1]!],
          [2, 0, heights[2]!],
        ],
      ]),
    );
    expect(surfaceDistance(half, square, 2)).toBeCloseTo(Math.SQRT1_2, 12);
    expect(surfaceDistance(roof!, floor!, 4)).toBeCloseTo(0.3, 12);
  });

  it('of a corner is that to the nearest triangle, wherever it lies, also of triangles without area', () => {
    const coordinate = fc.integer({ min: -8, max: 8 });
    const point = fc.tuple(coordinate, coordinate, coordinate);
    const triangle = fc.tuple(point, point, point);
    fc.assert(
      fc.property(point, fc.array(triangle, { minLength: 1, maxLength: 40 }), (one, others) => {
        const spot: Triangle = [one, one, one];
        const exact = Math.min(...others.map((each) => sampled(one, each, 48)));
        // In one direction: the other is that of the farthest of the others.
        const all = [...others, spot];
        const found = surfaceDistance(surfaceOf(all), surfaceOf(others));
        expect(found).toBeLessThanOrEqual(exact + 1e-9);
        expect(found).toBeGreaterThan(exact - 0.6);
      }),
      { numRuns: samples(200), seed: 5 },
    );
  });
});
