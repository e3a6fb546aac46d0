/** Quaternions, as glTF writes them: x, y, z, w, unit length. */
import type { SceneNode } from '../model/scene.ts';
import type { Mat3 } from './vec.ts';

type Quaternion = SceneNode['rotation'];

/**
 * The unit quaternion of a rotation matrix, with w ≥ 0.
 *
 * Takes the largest of the four squared components as its pivot, so that no rotation divides by a
 * small number.
 *
 * @param m - 3×3 rotation, column-major, determinant +1.
 *
 * @example
 * ```ts
 * quaternionFromRotation([0, 0, -1, 0, 1, 0, 1, 0, 0]);
 * // → [0, 0.7071067811865475, 0, 0.7071067811865475]
 * ```
 */
export function quaternionFromRotation(m: Mat3): Quaternion {
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

function unit(x: number, y: number, z: number, w: number): Quaternion {
  const length = Math.sqrt(x * x + y * y + z * z + w * w) * (w < 0 ? -1 : 1);
  return [x / length, y / length, z / length, w / length];
}
