import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rotationFromDegrees } from '../../../src/math/ofml-frame.ts';
import { quaternionFromRotation } from '../../../src/math/quaternion.ts';
import { transformVec3 } from '../../../src/math/vec.ts';
import { turned } from '../../helpers/graphics.ts';

/** The product of quaternions x y z w. */
function times(a: number[], b: number[]): number[] {
  const [ax, ay, az, aw] = a as [number, number, number, number];
  const [bx, by, bz, bw] = b as [number, number, number, number];
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** A turn about one axis. */
function about(axis: number, degrees: number): number[] {
  const half = (degrees * Math.PI) / 360;
  const q = [0, 0, 0, Math.cos(half)];
  q[axis] = Math.sin(half);
  return q;
}

describe('quaternionFromRotation', () => {
  it('is qx ⊗ qy ⊗ qz for the three numbers of rot', () => {
    const wanted = times(times(about(0, 30), about(1, 20)), about(2, 10));
    quaternionFromRotation(rotationFromDegrees([30, 20, 10])).forEach((value, i) => {
      expect(value).toBeCloseTo(wanted[i]!, 14);
    });
  });

  it.each([
    [
      [180, 0, 0],
      [1, 0, 0, 0],
    ],
    [
      [0, 180, 0],
      [0, 1, 0, 0],
    ],
    [
      [0, 0, 180],
      [0, 0, 1, 0],
    ],
    [
      [0, 0, 0],
      [0, 0, 0, 1],
    ],
  ] as const)('is exact for %j', (degrees, wanted) => {
    const q = quaternionFromRotation(rotationFromDegrees(degrees)).map((v) => Math.abs(v));
    expect(q).toEqual(wanted);
  });

  it('turns points as the matrix does, has length 1 and w of at least 0', () => {
    const near180 = fc.constantFrom(179.999999, 180, 180.000001, -180, 0, 90);
    const angle = fc.oneof(fc.double({ min: -360, max: 360, noNaN: true }), near180);
    fc.assert(
      fc.property(fc.tuple(angle, angle, angle), (degrees) => {
        const matrix = rotationFromDegrees(degrees);
        const q = quaternionFromRotation(matrix);
        expect(Math.hypot(...q)).toBeCloseTo(1, 14);
        expect(q[3]).toBeGreaterThanOrEqual(0);
        const moved = turned(q, [1, -2, 3]);
        transformVec3(matrix, [1, -2, 3]).forEach((value, i) => {
          expect(moved[i]).toBeCloseTo(value, 9);
        });
      }),
      { seed: 110, numRuns: 300 },
    );
  });
});
