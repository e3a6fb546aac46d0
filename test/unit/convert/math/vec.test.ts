import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rotationFromDegrees } from '../../../../src/convert/math/ofml-frame.ts';
import {
  cross,
  determinant3,
  diagonal3,
  IDENTITY3,
  isIdentity3,
  type Mat3,
  multiplyMat3,
  normalize,
  normalMatrix3,
  orthonormalize,
  quaternionFromRotation,
  scaleColumns,
  transformVec3,
  transposeMat3,
} from '../../../../src/convert/math/vec.ts';
import type { Vec3 } from '../../../../src/convert/model/graphics.ts';
import { dot } from '../../../helpers/evaluator/vectors.ts';
import { turned } from '../../../helpers/graphics.ts';
import { expectNear } from '../../../helpers/numbers.ts';
import { samples } from '../../../helpers/samples.ts';

const number = fc.double({ min: -8, max: 8, noNaN: true });
const vector = fc.tuple(number, number, number);
const matrix = fc
  .array(number, { minLength: 9, maxLength: 9 })
  .map((entries) => entries as unknown as Mat3);

describe('matrices', () => {
  it('are column-major: the second column is where Y goes', () => {
    expect(transformVec3([1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 1, 0])).toEqual([4, 5, 6]);
    expect(transposeMat3([1, 2, 3, 4, 5, 6, 7, 8, 9])).toEqual([1, 4, 7, 2, 5, 8, 3, 6, 9]);
  });

  it('multiply so that the right one acts first', () => {
    fc.assert(
      fc.property(matrix, matrix, vector, (a, b, v) => {
        const once = transformVec3(multiplyMat3(a, b), v);
        expectNear(once, transformVec3(a, transformVec3(b, v)), 8);
      }),
      { seed: 120 },
    );
  });

  it('with scaled columns stretch before they turn', () => {
    const turn = rotationFromDegrees([30, 20, 10]);
    const direct = transformVec3(scaleColumns(turn, [2, 3, -4]), [1, 1, 1]);
    expect(direct).toEqual(transformVec3(turn, [2, 3, -4]));
    expect(determinant3(diagonal3([2, 3, -4]))).toBe(-24);
  });

  it('distinguish the identity from its copies and from all others', () => {
    expect(isIdentity3([...IDENTITY3])).toBe(true);
    expect(isIdentity3([1, 0, 0, 0, 1, 0, 0, 1e-16, 1])).toBe(false);
  });
});

describe('normalMatrix3', () => {
  it('keeps normals square to what the matrix makes of a plane, and turns over where it mirrors', () => {
    fc.assert(
      fc.property(matrix, vector, vector, (m, u, v) => {
        const [mu, mv] = [transformVec3(m, u), transformVec3(m, v)];
        const normal = transformVec3(normalMatrix3(m), cross(u, v));
        // The cofactor matrix maps u × v to Mu × Mv exactly.
        expectNear(normal, cross(mu, mv), 6);
      }),
      { seed: 121 },
    );
    expect(transformVec3(normalMatrix3(diagonal3([-1, 1, 1])), [0, 0, 1])[2]).toBe(-1);
  });
});

describe('orthonormalize', () => {
  it('makes a rotation out of a stretched and sheared one, and keeps a rotation', () => {
    const turn = rotationFromDegrees([30, 20, 10]);
    expectNear(orthonormalize(turn)!, turn, 14);
    fc.assert(
      fc.property(matrix, (m) => {
        const made = orthonormalize(m);
        if (!made || Math.abs(determinant3(m)) < 1e-3) return;
        expect(determinant3(made)).toBeCloseTo(1, 6);
        const [ax, ay, az, bx, by, bz] = made;
        expect(dot([ax, ay, az], [bx, by, bz])).toBeCloseTo(0, 6);
      }),
      { seed: 122 },
    );
  });

  it('gives up where a column vanishes', () => {
    expect(orthonormalize([0, 0, 0, 0, 1, 0, 0, 0, 1])).toBeUndefined();
    expect(orthonormalize([1, 0, 0, 2, 0, 0, 0, 0, 1])).toBeUndefined();
  });
});

describe('normalize and cross', () => {
  it('have no direction for a vector without length', () => {
    expect(normalize([0, 0, 0])).toBeUndefined();
    expect(normalize([0, -3, 4])).toEqual([0, -0.6, 0.8]);
  });

  it('are right-handed', () => {
    const z: Vec3 = cross([1, 0, 0], [0, 1, 0]);
    expect(z).toEqual([0, 0, 1]);
  });
});

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
    expectNear(quaternionFromRotation(rotationFromDegrees([30, 20, 10])), wanted, 14);
  });

  it.each([0, 1, 2, 3])('is exact for half a turn about an axis, and for none: %s', (axis) => {
    const degrees = [0, 1, 2].map((k) => (k === axis ? 180 : 0)) as [number, number, number];
    const q = quaternionFromRotation(rotationFromDegrees(degrees)).map(Math.abs);
    expect(q).toEqual([0, 1, 2, 3].map((k) => (k === axis ? 1 : 0)));
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
        expectNear(turned(q, [1, -2, 3]), transformVec3(matrix, [1, -2, 3]));
      }),
      { seed: 110, numRuns: samples(300) },
    );
  });
});
