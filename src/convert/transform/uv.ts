/** UVs: the index of stored UVs, the projection of missing ones, and the placement of textures. */

import { place, withKernels } from '../kernels/kernels.ts';
import { cosDegrees, sinDegrees } from '../math/ofml-frame.ts';
import type { Block, BlockSurface, ServiceMaterial } from '../model/graphics.ts';
import type { TextureTransform } from '../model/scene.ts';
import type { ConvertOptions } from './convert-options.ts';

/** The smallest and largest index of a list, and whether each entry is one. */
interface IndexRange {
  smallest: number;
  largest: number;
  isComplete: boolean;
}

/** Returns the range of a list without entries that were no integers: D-302. */
function rangeOf(list: Int32Array): IndexRange {
  return withKernels((kernels) => {
    const count = kernels.findIndexRange(place(list), list.length);
    const isComplete = count === list.length;
    if (count === 0) return { smallest: Infinity, largest: -Infinity, isComplete };
    return { smallest: kernels.smallestIndex(), largest: kernels.largestIndex(), isComplete };
  });
}

/** Number of floats per entry, and the index of the first entry. */
export interface UvLayout {
  stride: 2 | 3;
  firstIndex: 0 | 1;
}

/** Rule for a layout. The service sends none: it follows from the smallest index a, the largest b, and n floats. */
interface LayoutRule extends UvLayout {
  fits(a: number, b: number, n: number): boolean;
}

/** The first rule that fits decides, of those that agree with the nesting or an option; else of the first six. */
const LAYOUTS: readonly LayoutRule[] = [
  { stride: 2, firstIndex: 0, fits: (_a, b, n) => 2 * (b + 1) === n },
  { stride: 3, firstIndex: 0, fits: (_a, b, n) => 3 * (b + 1) === n },
  { stride: 2, firstIndex: 1, fits: (a, b, n) => a === 1 && 2 * b === n },
  { stride: 3, firstIndex: 1, fits: (a, b, n) => a === 1 && 3 * b === n },
  { stride: 2, firstIndex: 0, fits: (_a, b, n) => n % 2 === 0 && 2 * (b + 1) < n },
  { stride: 3, firstIndex: 0, fits: () => true },
  { stride: 2, firstIndex: 0, fits: () => true },
  { stride: 2, firstIndex: 1, fits: (_a, b, n) => 2 * b === n },
  { stride: 3, firstIndex: 1, fits: (_a, b, n) => 3 * b === n },
  { stride: 2, firstIndex: 1, fits: (_a, b, n) => n % 2 === 0 && 2 * b < n },
  { stride: 3, firstIndex: 1, fits: () => true },
  { stride: 2, firstIndex: 1, fits: () => true },
];

/**
 * Finds the layout of a block's stored UVs: how many floats an entry of `T` has, and where `TI` begins to
 * count (D-302, D-303).
 *
 * @returns With `isUsable`: whether a surface has stored UVs, and all of them are finite numbers.
 */
export function uvLayoutOf(
  block: Block,
  options: Pick<ConvertOptions, 'uvStride' | 'uvIndexBase'>,
): UvLayout & { isUsable(surface: BlockSurface): boolean } {
  const n = block.uvs.length;
  const ranges = new Map(block.surfaces.map((surface) => [surface, rangeOf(surface.uvIndices)]));
  let [a, b] = [Infinity, -Infinity];
  for (const { smallest, largest } of ranges.values()) {
    a = Math.min(a, smallest);
    b = Math.max(b, largest);
  }
  const given = block.uvStride === 0 ? options.uvStride : block.uvStride;
  const { stride, firstIndex } = LAYOUTS.find(
    (layout) =>
      (given === 'auto' || layout.stride === given) &&
      (options.uvIndexBase === 'auto' || layout.firstIndex === options.uvIndexBase) &&
      layout.fits(a, b, n),
  )!;
  const layout = { stride, firstIndex };
  const isPlain = arePlain(block.uvs);
  return {
    ...layout,
    isUsable(surface) {
      const { uvIndices, triangles } = surface;
      if (uvIndices.length === 0 || uvIndices.length !== triangles.length) return false;
      const { smallest, largest, isComplete } = ranges.get(surface) ?? rangeOf(uvIndices);
      const end = (largest - firstIndex) * stride + 2;
      if (!isComplete || smallest < firstIndex || end > n) return false;
      return isPlain || areFinite(uvIndices, block.uvs, layout);
    },
  };
}

/** Largest plain value: the sum of two such values is finite. */
const LARGEST_PLAIN = 1e300;

function arePlain(values: Float64Array): boolean {
  return withKernels(
    ({ areWithin }) => areWithin(place(values), values.length, LARGEST_PLAIN) === 1,
  );
}

function areFinite(
  uvIndices: Int32Array,
  uvs: Float64Array,
  { stride, firstIndex }: UvLayout,
): boolean {
  for (let i = 0; i < uvIndices.length; i++) {
    const offset = (uvIndices[i]! - firstIndex) * stride;
    // The check also fails if U or V is NaN.
    if (!Number.isFinite(uvs[offset]! + uvs[offset + 1]!)) return false;
  }
  return true;
}

/** Placement of an image in the service's convention, V up: p' = S·(R(W)·p + o). */
interface Placement {
  scale: readonly [number, number];
  offset: readonly [number, number];
  rotationDegrees: number;
}

/** An affine map of V-up texture space, row by row: u' = a·u + b·v + c, v' = d·u + e·v + f. */
export type UvMap = readonly [number, number, number, number, number, number];

/**
 * The placement of base colour and metallic-roughness images, and of the normal map, whose missing values
 * are those of the base (D-420). `bump_scaleu` and `bump_scalev` are always repetitions per metre.
 */
export function placementsOf(
  material: ServiceMaterial,
  { textureScale }: Pick<ConvertOptions, 'textureScale'>,
): { base: Placement; bump: Placement } {
  const [su, sv] = [scaleOr(material.scaleu, 1), scaleOr(material.scalev, 1)];
  const base: Placement = {
    scale: textureScale === 'metres' ? [1 / su, 1 / sv] : [su, sv],
    offset: [material.offsetx ?? 0, material.offsety ?? 0],
    rotationDegrees: material.rot ?? 0,
  };
  const bump: Placement = {
    scale: [
      scaleOr(material.bump_scaleu, base.scale[0]),
      scaleOr(material.bump_scalev, base.scale[1]),
    ],
    offset: [material.bump_offsetx ?? base.offset[0], material.bump_offsety ?? base.offset[1]],
    rotationDegrees: material.bump_rot ?? base.rotationDegrees,
  };
  return { base, bump };
}

/** Smallest scale; a smaller one counts as zero, because its inverse is beyond the range of float32. */
const SMALLEST_SCALE = 1e-15;

/** Returns a scale. A missing scale is the fallback; a scale of zero counts as 1. */
function scaleOr(value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  return Math.abs(value) < SMALLEST_SCALE ? 1 : value;
}

/**
 * Expresses a placement in glTF terms. The extension scales first, then turns, then moves, V down
 * (D-420).
 *
 * @returns `transform` if both scales are equal or the rotation is a multiple of 180°, which
 * every viewer evaluates alike; else `baked`, for a UV set of its own; neither for the identity.
 */
export function placeUvs(
  { scale, offset, rotationDegrees }: Placement,
  options: Pick<ConvertOptions, 'textureTransform' | 'textureRotation'>,
): { baked: UvMap | undefined; transform: TextureTransform | undefined } {
  const [su, sv] = scale;
  const [ox, oy] = offset;
  const degrees = options.textureRotation === 'clockwise' ? -rotationDegrees : rotationDegrees;
  const c = cosDegrees(degrees);
  const s = sinDegrees(degrees);
  const isTurned = s !== 0 || c !== 1;
  if (su === 1 && sv === 1 && ox === 0 && oy === 0 && !isTurned)
    return { baked: undefined, transform: undefined };
  const isExpressible = su === sv || s === 0;
  if (!isExpressible || options.textureTransform === 'bake') {
    const baked: UvMap = [su * c, -su * s, su * ox, sv * s, sv * c, sv * oy];
    return { baked, transform: undefined };
  }
  const transform: TextureTransform = {
    offset: [su * (ox - s) + 0, 1 - sv * (c + oy)],
    rotationRadians: isTurned ? (degrees * Math.PI) / 180 : 0,
    scale: [su, sv],
  };
  return { baked: undefined, transform };
}
