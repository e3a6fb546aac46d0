/** The placement of textures on a surface: the transform of glTF, as coordinates and as a node of USD. */
import type { TextureInfo } from '@gltf-transform/core';
import type { Transform } from '@gltf-transform/extensions';
import { cos, sin } from '../../support/elementary.ts';
import { type Prim, shaderId } from './usd-layer.ts';

export interface Placement {
  uvSet: number;
  offset: readonly [number, number];
  rotationRadians: number;
  scale: readonly [number, number];
}

/** The placement of a texture. */
export function placementOf(info: TextureInfo): Placement {
  const transform = info.getExtension<Transform>('KHR_texture_transform');
  return {
    uvSet: transform?.getTexCoord() ?? info.getTexCoord(),
    offset: transform?.getOffset() ?? [0, 0],
    rotationRadians: transform?.getRotation() ?? 0,
    scale: transform?.getScale() ?? [1, 1],
  };
}

/** The placement by untransformed coordinates. */
export function untransformed(uvSet: number): Placement {
  return { uvSet, offset: [0, 0], rotationRadians: 0, scale: [1, 1] };
}

/** Whether two textures have the same placement. */
export function isSamePlacement(a: Placement, b: Placement): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The placement of a texture relative to another whose placement is already in the coordinates.
 *
 * @returns Undefined if no placement expresses it: the other one has no extent, or is turned and stretched differently.
 */
export function relativePlacement(placement: Placement, base: Placement): Placement | undefined {
  if (isSamePlacement(placement, base)) return untransformed(placement.uvSet);
  const [x, y] = [placement.scale[0] / base.scale[0], placement.scale[1] / base.scale[1]];
  const isTurned = base.rotationRadians !== 0;
  if (!Number.isFinite(x) || !Number.isFinite(y) || (isTurned && x !== y)) return undefined;
  const rotationRadians = placement.rotationRadians - base.rotationRadians;
  const [c, s] = [cos(rotationRadians), sin(rotationRadians)];
  const [u, v] = [x * base.offset[0], y * base.offset[1]];
  return {
    uvSet: placement.uvSet,
    offset: [placement.offset[0] - c * u - s * v, placement.offset[1] + s * u - c * v],
    rotationRadians,
    scale: [x, y],
  };
}

/** Converts a pair of glTF coordinates to USD, and writes it at a place of a list. */
export type StWriter = (u: number, v: number, to: Float32Array | number[], at: number) => void;

/** Converts coordinates of glTF, whose second one points down the image, to USD, whose second one points up. */
export function stWriter({ offset, rotationRadians, scale }: Placement): StWriter {
  const [c, s] = [cos(rotationRadians), sin(rotationRadians)];
  return (u, v, to, at) => {
    const [x, y] = [u * scale[0], v * scale[1]];
    to[at] = c * x + s * y + offset[0];
    to[at + 1] = 1 - (c * y - s * x + offset[1]);
  };
}

/**
 * The node that applies the placement to untransformed coordinates of USD: it scales, turns counter-clockwise and
 * moves; the formula is that of {@link stWriter} with v = 1 - t.
 */
export function transformNode(
  { offset, rotationRadians, scale }: Placement,
  name: string,
  input: string,
): Prim {
  const [c, s] = [cos(rotationRadians), sin(rotationRadians)];
  const translation = [offset[0] + s * scale[1], 1 - offset[1] - c * scale[1]];
  return {
    ...{ type: 'Shader', name },
    properties: [
      shaderId('UsdTransform2d'),
      { type: 'float2', name: 'inputs:in', connect: input },
      { type: 'float', name: 'inputs:rotation', value: (rotationRadians * 180) / Math.PI },
      { type: 'float2', name: 'inputs:scale', value: scale },
      { type: 'float2', name: 'inputs:translation', value: translation },
      { type: 'float2', name: 'outputs:result' },
    ],
  };
}
