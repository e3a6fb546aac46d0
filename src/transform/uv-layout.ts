/**
 * UV layout: how many floats an entry of `T` has, and where `TI` begins to count.
 *
 * The service says neither; both are told from the largest and smallest index of the block.
 */
import type { Block, BlockSurface } from '../model/graphics.ts';
import type { ConvertOptions } from './convert-options.ts';
import { indexRange } from './index-range.ts';

type UvOptions = Pick<ConvertOptions, 'uvStride' | 'uvIndexBase'>;

/** Finds the stored UV of a surface's corners. */
export interface UvLayout {
  /** Floats an entry. */
  stride: 2 | 3;
  /** Whether the first entry is 0 or 1. */
  firstIndex: 0 | 1;
  /**
   * m × 3 offsets of U in `uvs`; undefined where the surface has no stored UVs, or unusable ones.
   */
  offsetsOf(surface: BlockSurface): Uint32Array | undefined;
}

/**
 * Tells the layout of a block's stored UVs.
 *
 * With n floats and the smallest and largest index a and b, the first that fits decides: 2(b+1) = n;
 * 3(b+1) = n; a = 1 and 2b = n; a = 1 and 3b = n; n even and 2(b+1) < n; else three floats from 0.
 * Where the entries arrive nested, their own length decides the stride. An option that says one of
 * the two leaves the other to the rules that agree.
 *
 * @example
 * ```ts
 * uvLayoutOf({ ...block, uvs: new Float64Array(8) }, CONVERT_DEFAULTS); // indices 0…3 → { stride: 2, firstIndex: 0 }
 * ```
 *
 * @see D-302, D-303.
 */
export function uvLayoutOf(block: Block, options: UvOptions): UvLayout {
  const { stride, firstIndex } = layoutOf(block, options);
  return {
    stride,
    firstIndex,
    offsetsOf: (surface) => offsetsOf(surface, block.uvs, stride, firstIndex),
  };
}

interface LayoutRule {
  stride: 2 | 3;
  firstIndex: 0 | 1;
  /** Of the smallest and largest index and the number of floats. */
  fits(a: number, b: number, n: number): boolean;
}

/**
 * The first rule that fits decides, among those that agree with what nesting or an option says.
 * Where neither says anything, one of the first six does.
 */
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

function layoutOf(block: Block, { uvStride, uvIndexBase }: UvOptions): LayoutRule {
  const n = block.uvs.length;
  const { smallest: a, largest: b } = indexRange(block.surfaces.map(({ uvIndices }) => uvIndices));
  const stride = block.uvStride === 0 ? uvStride : block.uvStride;
  return LAYOUTS.find(
    (layout) =>
      (stride === 'auto' || layout.stride === stride) &&
      (uvIndexBase === 'auto' || layout.firstIndex === uvIndexBase) &&
      layout.fits(a, b, n),
  )!;
}

function offsetsOf(
  surface: BlockSurface,
  uvs: Float64Array,
  stride: number,
  firstIndex: number,
): Uint32Array | undefined {
  const { uvIndices, triangles } = surface;
  if (uvIndices.length === 0 || uvIndices.length !== triangles.length) return undefined;
  const offsets = new Uint32Array(uvIndices.length);
  for (let i = 0; i < uvIndices.length; i++) {
    const offset = (uvIndices[i]! - firstIndex) * stride;
    // Also false where U or V is NaN.
    if (!(offset >= 0 && Number.isFinite(uvs[offset]! + uvs[offset + 1]!))) return undefined;
    offsets[i] = offset;
  }
  return offsets;
}
