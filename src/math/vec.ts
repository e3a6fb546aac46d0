/** Vectors, 3×3 matrices (nine numbers, column-major) and boxes in double precision. */
import type { Vec3 } from '../model/graphics.ts';
import type { Bounds } from '../model/scene.ts';

/** Nine numbers, column-major: `m[3 * column + row]`. */
export type Mat3 = readonly number[];

/** The identity. */
export const IDENTITY3: Mat3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** Matrix times column vector. */
export function transformVec3(m: Mat3, v: Vec3): [number, number, number] {
  const [x, y, z] = v;
  return [
    m[0]! * x + m[3]! * y + m[6]! * z,
    m[1]! * x + m[4]! * y + m[7]! * z,
    m[2]! * x + m[5]! * y + m[8]! * z,
  ];
}

/** `a` times `b`: applies `b` first. */
export function multiplyMat3(a: Mat3, b: Mat3): number[] {
  const out = new Array<number>(9);
  for (let column = 0; column < 3; column++) {
    const x = b[3 * column]!;
    const y = b[3 * column + 1]!;
    const z = b[3 * column + 2]!;
    out[3 * column] = a[0]! * x + a[3]! * y + a[6]! * z;
    out[3 * column + 1] = a[1]! * x + a[4]! * y + a[7]! * z;
    out[3 * column + 2] = a[2]! * x + a[5]! * y + a[8]! * z;
  }
  return out;
}

/** Rows become columns: for a rotation, its inverse. */
export function transposeMat3(m: Mat3): number[] {
  return [m[0]!, m[3]!, m[6]!, m[1]!, m[4]!, m[7]!, m[2]!, m[5]!, m[8]!];
}

/** Matrix with each column stretched: `m · diag(scale)`. */
export function scaleColumns(m: Mat3, scale: Vec3): number[] {
  return m.map((value, i) => value * scale[Math.floor(i / 3)]!);
}

/** Volume factor; negative where the matrix mirrors. */
export function determinant3(m: Mat3): number {
  return (
    m[0]! * (m[4]! * m[8]! - m[5]! * m[7]!) -
    m[3]! * (m[1]! * m[8]! - m[2]! * m[7]!) +
    m[6]! * (m[1]! * m[5]! - m[2]! * m[4]!)
  );
}

/**
 * The matrix that turns normals when `m` turns points, up to length: the cofactor matrix.
 *
 * It needs no inverse; where `m` mirrors, it turns them inside out.
 */
export function normalMatrix3(m: Mat3): number[] {
  return [
    m[4]! * m[8]! - m[5]! * m[7]!,
    m[5]! * m[6]! - m[3]! * m[8]!,
    m[3]! * m[7]! - m[4]! * m[6]!,
    m[7]! * m[2]! - m[8]! * m[1]!,
    m[8]! * m[0]! - m[6]! * m[2]!,
    m[6]! * m[1]! - m[7]! * m[0]!,
    m[1]! * m[5]! - m[2]! * m[4]!,
    m[2]! * m[3]! - m[0]! * m[5]!,
    m[0]! * m[4]! - m[1]! * m[3]!,
  ];
}

/**
 * The rotation nearest to the first two columns of a matrix (Gram-Schmidt, determinant +1);
 * undefined where a column vanishes.
 */
export function orthonormalize(m: Mat3): Mat3 | undefined {
  const x = normalize([m[0]!, m[1]!, m[2]!]);
  if (!x) return undefined;
  const along = x[0] * m[3]! + x[1] * m[4]! + x[2] * m[5]!;
  const y = normalize([m[3]! - along * x[0], m[4]! - along * x[1], m[5]! - along * x[2]]);
  if (!y) return undefined;
  return [...x, ...y, ...cross(x, y)];
}

/** The vector at length 1; undefined where it has none. */
export function normalize(v: Vec3): Vec3 | undefined {
  const length = Math.hypot(...v);
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

/** The box around points, x y z each: exactly their smallest and largest components. */
export function boundsOf(points: ArrayLike<number>): Bounds {
  let [minX, minY, minZ] = [Infinity, Infinity, Infinity];
  let [maxX, maxY, maxZ] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i + 2 < points.length; i += 3) {
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
