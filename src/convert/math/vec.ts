/** Vectors, 3×3 matrices and quaternions in double precision. */

import { hypot } from '../../support/elementary.ts';
import type { Vec3 } from '../model/graphics.ts';
import type { SceneNode } from '../model/scene.ts';

/** Nine numbers, column-major: `m[3 * column + row]`. */
export type Mat3 = readonly [...Vec3, ...Vec3, ...Vec3];

/** The identity. */
export const IDENTITY3: Mat3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** Matrix times column vector. */
export function transformVec3(m: Mat3, v: Vec3): [number, number, number] {
  const [x, y, z] = v;
  return [
    m[0] * x + m[3] * y + m[6] * z,
    m[1] * x + m[4] * y + m[7] * z,
    m[2] * x + m[5] * y + m[8] * z,
  ];
}

/** `a` times `b`: applies `b` first. */
export function multiplyMat3(a: Mat3, b: Mat3): Mat3 {
  return [
    ...transformVec3(a, [b[0], b[1], b[2]]),
    ...transformVec3(a, [b[3], b[4], b[5]]),
    ...transformVec3(a, [b[6], b[7], b[8]]),
  ];
}

/** Swaps rows and columns: for a rotation, this is its inverse. */
export function transposeMat3(m: Mat3): Mat3 {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}

/** Matrix with each column stretched: `m · diag(scale)`. */
export function scaleColumns(m: Mat3, [x, y, z]: Vec3): Mat3 {
  return [m[0] * x, m[1] * x, m[2] * x, m[3] * y, m[4] * y, m[5] * y, m[6] * z, m[7] * z, m[8] * z];
}

/** Volume factor; negative where the matrix mirrors. */
export function determinant3(m: Mat3): number {
  return (
    m[0] * (m[4] * m[8] - m[5] * m[7]) -
    m[3] * (m[1] * m[8] - m[2] * m[7]) +
    m[6] * (m[1] * m[5] - m[2] * m[4])
  );
}

/** The cofactor matrix turns normals, up to length, when `m` turns points; inside out where `m` mirrors. */
export function normalMatrix3(m: Mat3): Mat3 {
  return [
    m[4] * m[8] - m[5] * m[7],
    m[5] * m[6] - m[3] * m[8],
    m[3] * m[7] - m[4] * m[6],
    m[7] * m[2] - m[8] * m[1],
    m[8] * m[0] - m[6] * m[2],
    m[6] * m[1] - m[7] * m[0],
    m[1] * m[5] - m[2] * m[4],
    m[2] * m[3] - m[0] * m[5],
    m[0] * m[4] - m[1] * m[3],
  ];
}

/** The rotation nearest to the first two columns (Gram-Schmidt); undefined where one vanishes. */
export function orthonormalize(m: Mat3): Mat3 | undefined {
  const x = normalize([m[0], m[1], m[2]]);
  if (!x) return undefined;
  const along = x[0] * m[3] + x[1] * m[4] + x[2] * m[5];
  const y = normalize([m[3] - along * x[0], m[4] - along * x[1], m[5] - along * x[2]]);
  if (!y) return undefined;
  return [...x, ...y, ...cross(x, y)];
}

/** The vector scaled to length 1; undefined if its length is zero. */
export function normalize(v: Vec3): Vec3 | undefined {
  const length = hypot(...v);
  return length > 0 ? [v[0] / length, v[1] / length, v[2] / length] : undefined;
}

/** The vector perpendicular to both, right-handed. */
export function cross(a: Vec3, b: Vec3): [number, number, number] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Whether a matrix changes nothing. */
export function isIdentity3(m: Mat3): boolean {
  return m === IDENTITY3 || m.every((value, i) => value === IDENTITY3[i]);
}

/** The matrix that stretches along the axes. */
export function diagonal3(scale: Vec3): Mat3 {
  return [scale[0], 0, 0, 0, scale[1], 0, 0, 0, scale[2]];
}

/**
 * The unit quaternion x y z w of a rotation matrix, with w ≥ 0; the pivot is the largest of the four
 * squared components, so that no rotation divides by a small number.
 *
 * @param m - Determinant +1.
 *
 * @example
 * ```ts
 * quaternionFromRotation([0, 0, -1, 0, 1, 0, 1, 0, 0]);
 * // → [0, 0.7071067811865475, 0, 0.7071067811865475]
 * ```
 */
export function quaternionFromRotation(m: Mat3): SceneNode['rotation'] {
  const [m00, m10, m20, m01, m11, m21, m02, m12, m22] = m;
  const w = 1 + m00 + m11 + m22;
  const x = 1 + m00 - m11 - m22;
  const y = 1 - m00 + m11 - m22;
  const z = 1 - m00 - m11 + m22;
  const largest = Math.max(w, x, y, z);
  if (largest === w) return unit(m21 - m12, m02 - m20, m10 - m01, w);
  if (largest === x) return unit(x, m01 + m10, m02 + m20, m21 - m12);
  if (largest === y) return unit(m01 + m10, y, m12 + m21, m02 - m20);
  return unit(m02 + m20, m12 + m21, z, m10 - m01);
}

function unit(x: number, y: number, z: number, w: number): SceneNode['rotation'] {
  const length = Math.sqrt(x * x + y * y + z * z + w * w) * (w < 0 ? -1 : 1);
  return [x / length, y / length, z / length, w / length];
}
