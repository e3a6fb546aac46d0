/**
 * Texture transforms: the service's rotation, offset and scale become a KHR_texture_transform, or a
 * map to bake into the UVs where the extension cannot say them.
 *
 * The service applies p' = S·(R(W)·p + o) with V up; the extension scales first, then turns, then
 * moves, with V down. The derivation stands in D-420.
 */
import { cosDegrees, sinDegrees } from '../math/ofml-frame.ts';
import type { ServiceMaterial } from '../model/graphics.ts';
import type { TextureTransform } from '../model/scene.ts';
import type { ConvertOptions } from './convert-options.ts';
import type { UvMap } from './vertex-data.ts';

/** A placement of an image as the service tells it, V up. */
export interface Placement {
  scale: readonly [number, number];
  offset: readonly [number, number];
  rotationDegrees: number;
}

/** A placement in glTF terms: one of the two, or neither where it is the identity. */
export interface PlacedUvs {
  /** Baked into a UV set. */
  baked: UvMap | undefined;
  transform: TextureTransform | undefined;
}

/** Repetitions a metre of what `scaleu` and `scalev` say. */
const REPETITIONS = {
  repetitions: (scale) => scale,
  metres: (scale) => 1 / scale,
} as const satisfies Record<ConvertOptions['textureScale'], (scale: number) => number>;

type ScaleOptions = Pick<ConvertOptions, 'textureScale'>;

/** Placement of the base colour and of the metallic-roughness image. */
export function basePlacement(
  material: ServiceMaterial,
  { textureScale }: ScaleOptions,
): Placement {
  const repetitions = REPETITIONS[textureScale];
  return {
    scale: [repetitions(scaleOr(material.scaleu, 1)), repetitions(scaleOr(material.scalev, 1))],
    offset: [material.offsetx ?? 0, material.offsety ?? 0],
    rotationDegrees: material.rot ?? 0,
  };
}

/**
 * Placement of the normal map: each value that is missing is the base's. `bump_scaleu` and
 * `bump_scalev` are repetitions a metre whatever the option says of the base.
 *
 * @see D-420.
 */
export function bumpPlacement(material: ServiceMaterial, options: ScaleOptions): Placement {
  const base = basePlacement(material, options);
  return {
    scale: [
      scaleOr(material.bump_scaleu, base.scale[0]),
      scaleOr(material.bump_scalev, base.scale[1]),
    ],
    offset: [material.bump_offsetx ?? base.offset[0], material.bump_offsety ?? base.offset[1]],
    rotationDegrees: material.bump_rot ?? base.rotationDegrees,
  };
}

/** What is closer to zero counts as zero: its inverse is beyond what float32 can hold. */
const SMALLEST_SCALE = 1e-15;

/** A missing scale is the fallback; a scale of zero counts as 1. */
function scaleOr(value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  return Math.abs(value) < SMALLEST_SCALE ? 1 : value;
}

/** Whether two placements are the same, number for number. */
export function samePlacement(a: Placement, b: Placement): boolean {
  return (
    a.scale[0] === b.scale[0] &&
    a.scale[1] === b.scale[1] &&
    a.offset[0] === b.offset[0] &&
    a.offset[1] === b.offset[1] &&
    a.rotationDegrees === b.rotationDegrees
  );
}

/**
 * Says a placement in glTF terms.
 *
 * @returns `transform` where both scales are equal or the rotation is a multiple of 180°, which
 * every viewer evaluates alike; else `baked`.
 *
 * @example
 * ```ts
 * placeUvs({ scale: [2, 2], offset: [0, 0], rotationDegrees: 90 }, CONVERT_DEFAULTS).transform;
 * // → { offset: [-2, 1], rotationRadians: 1.5707963267948966, scale: [2, 2] }
 * ```
 *
 * @see D-420.
 */
export function placeUvs(
  placement: Placement,
  options: Pick<ConvertOptions, 'textureTransform' | 'textureRotation'>,
): PlacedUvs {
  const [su, sv] = placement.scale;
  const [ox, oy] = placement.offset;
  const degrees =
    options.textureRotation === 'clockwise'
      ? -placement.rotationDegrees
      : placement.rotationDegrees;
  const c = cosDegrees(degrees);
  const s = sinDegrees(degrees);
  const identity = su === 1 && sv === 1 && ox === 0 && oy === 0 && s === 0 && c === 1;
  if (identity) return { baked: undefined, transform: undefined };
  const representable = su === sv || s === 0;
  if (!representable || options.textureTransform === 'bake') {
    return {
      baked: [su * c, -su * s, su * ox, sv * s, sv * c, sv * oy],
      transform: undefined,
    };
  }
  return {
    baked: undefined,
    transform: {
      offset: [su * (ox - s) + 0, 1 - sv * (c + oy)],
      rotationRadians: s === 0 && c === 1 ? 0 : (degrees * Math.PI) / 180,
      scale: [su, sv],
    },
  };
}
