/** Vectors, 3×3 matrices, quaternions and boxes in double precision. */
import type { Vec3 } from '../model/graphics.ts';
import type { Bounds, SceneNode } from '../model/scene.ts';
import { hypot } from './elementary.ts';

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

/** Rows become columns: for a rotation, its inverse. */
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

/** The vector at length 1; undefined where it has none. */
export function normalize(v: Vec3): Vec3 | undefined {
  const length = hypot(...v);
  return length > 0 ? [v[0] / length, v[1] / length, v[2] / length] : undefined;
}

/** The vector square to both, right-handed. */
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
 * Points of a list, x y z each, times a matrix, plus an offset.
 *
 * @param out - Filled; three numbers a point.
 * @param indices - Which points; all where it is missing.
 */
export function transformPoints<T extends Float32Array | Float64Array>(
  points: Float32Array,
  m: Mat3,
  [x, y, z]: Vec3,
  out: T,
  indices?: Uint32Array,
): T {
  const [a, b, c, d, e, f, g, h, k] = m;
  const count = out.length / 3;
  for (let i = 0; i < count; i++) {
    const at = 3 * (indices ? indices[i]! : i);
    const px = points[at]!;
    const py = points[at + 1]!;
    const pz = points[at + 2]!;
    out[3 * i] = a * px + d * py + g * pz + x;
    out[3 * i + 1] = b * px + e * py + h * pz + y;
    out[3 * i + 2] = c * px + f * py + k * pz + z;
  }
  return out;
}

/** Writes the normal of a triangle, twice its area long; a, b and c are indices of its points. */
export function triangleNormal(
  p: Float32Array,
  a: number,
  b: number,
  c: number,
  out: Float64Array,
) {
  const ax = p[3 * a]!;
  const ay = p[3 * a + 1]!;
  const az = p[3 * a + 2]!;
  const ux = p[3 * b]! - ax;
  const uy = p[3 * b + 1]! - ay;
  const uz = p[3 * b + 2]! - az;
  const vx = p[3 * c]! - ax;
  const vy = p[3 * c + 1]! - ay;
  const vz = p[3 * c + 2]! - az;
  out[0] = uy * vz - uz * vy;
  out[1] = uz * vx - ux * vz;
  out[2] = ux * vy - uy * vx;
}

/** The box around points, x y z each: exactly their smallest and largest components. */
export function boundsOf(points: Float32Array | Float64Array): Bounds {
  let [minX, minY, minZ] = [Infinity, Infinity, Infinity];
  let [maxX, maxY, maxZ] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i]!;
    const y = points[i + 1]!;
    const z = points[i + 2]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
    if (z < minZ) minZ = z;
    if (z > maxZ) maxZ = z;
  }
  return { min: [minX, minY, minZ], max: [maxX, maxY, maxZ] };
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
