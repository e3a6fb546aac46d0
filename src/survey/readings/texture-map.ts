/** Where a texture lies on a surface, in one form for all who look it up. */

import type { TextureUse } from '../../convert/model/scene.ts';

/** An affine map of UVs, row by row: u' = a·u + b·v + c, v' = d·u + e·v + f. */
export type TextureMap = readonly [number, number, number, number, number, number];

/** KHR_texture_transform as an affine map: scale, then rotation, then offset. */
export function mapOf({ transform }: TextureUse): TextureMap {
  if (transform === undefined) return [1, 0, 0, 0, 1, 0];
  const { offset, rotationRadians, scale } = transform;
  const [c, s] = [Math.cos(rotationRadians), Math.sin(rotationRadians)];
  return [c * scale[0], s * scale[1], offset[0], -s * scale[0], c * scale[1], offset[1]];
}
