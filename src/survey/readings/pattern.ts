/** Whether a pattern on a surface looks otherwise in another reading: its size and its direction count, its place does not. */

import type { Geometry, Scene, SceneMaterial } from '../../convert/model/scene.ts';
import { matchingParts, sceneDifference, TEXTURES } from './scene-difference.ts';
import { areaOf, partsOf } from './scene-parts.ts';
import { mapOf } from './texture-map.ts';

/** Of the longer gradient: a fourth is a size of 4 : 3, or a turn by 14°. */
const LEAST_CHANGE = 0.25;

/**
 * Returns the share of the area of an article, 0 to 1, on which another reading changes more than the place of images:
 * it is 0 where grain and weave are moved, upside down or mirrored, but in the same size and direction.
 *
 * @param other - The same article in another reading.
 */
export function patternShare(scene: Scene, other: Scene): number {
  const { aspects } = sceneDifference(scene, other);
  if (aspects.some((aspect) => aspect !== 'texture')) return 1;
  let [changed, whole] = [0, 0];
  for (const [part, counterpart] of matchingParts(partsOf(scene), partsOf(other)).pairs) {
    const area = areaOf(part);
    whole += area;
    const isChanged = part.primitives.some(({ geometry, material }, at) => {
      const own = counterpart.primitives[at]!;
      return hasOtherPattern(geometry, material, own.geometry, own.material);
    });
    if (isChanged) changed += area;
  }
  return whole === 0 ? 0 : changed / whole;
}

function hasOtherPattern(a: Geometry, m: SceneMaterial, b: Geometry, n: SceneMaterial): boolean {
  if (a.indices.length !== b.indices.length) return true;
  return TEXTURES.some((slot) => {
    const [first, second] = [m[slot], n[slot]];
    const p = first && a.uvs[first.uvSet];
    const q = second && b.uvs[second.uvSet];
    if (p === undefined || q === undefined) return p !== q;
    const [s, t] = [mapOf(first!), mapOf(second!)];
    for (let i = 0; i + 2 < a.indices.length; i += 3) {
      const across = frameOf(a, i);
      if (across === undefined) continue;
      for (const row of [0, 3]) {
        const own = gradient(across, a.indices, i, p, s, row);
        if (!isSameBothWays(own, gradient(across, b.indices, i, q, t, row))) return true;
      }
    }
    return false;
  });
}

/** Two sides of a triangle in its plane: the first one lies along X. */
interface Frame {
  length: number;
  x: number;
  y: number;
}

/** Undefined for a triangle without an area. */
function frameOf({ positions, indices }: Geometry, at: number): Frame | undefined {
  const [a, b, c] = [3 * indices[at]!, 3 * indices[at + 1]!, 3 * indices[at + 2]!];
  let [first, second, product] = [0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    const u = positions[b + axis]! - positions[a + axis]!;
    const v = positions[c + axis]! - positions[a + axis]!;
    first += u * u;
    second += v * v;
    product += u * v;
  }
  const length = Math.sqrt(first);
  const x = product / length;
  const y = Math.sqrt(second - x * x);
  return y > 0 ? { length, x, y } : undefined;
}

type Gradient = readonly [x: number, y: number];

/** How one coordinate of an image grows along a triangle. @param row - 0 for U, 3 for V. */
function gradient(
  { length, x, y }: Frame,
  indices: ArrayLike<number>,
  at: number,
  uvs: Float32Array,
  map: readonly number[],
  row: number,
): Gradient {
  const value = (corner: number) => {
    const k = 2 * indices[at + corner]!;
    return map[row]! * uvs[k]! + map[row + 1]! * uvs[k + 1]!;
  };
  const origin = value(0);
  const alongX = (value(1) - origin) / length;
  return [alongX, (value(2) - origin - alongX * x) / y];
}

/** Whether two gradients have the same length and, but for their sign, the same direction. */
function isSameBothWays([a, b]: Gradient, [c, d]: Gradient): boolean {
  const apart = Math.min(Math.hypot(a - c, b - d), Math.hypot(a + c, b + d));
  return apart <= LEAST_CHANGE * Math.max(Math.hypot(a, b), Math.hypot(c, d));
}
