/**
 * UV layout: how many floats an entry of `T` has, and where `TI` begins to count.
 *
 * The service says neither; both are told from the largest and smallest index of the block.
 */
import type { Block, BlockSurface } from '../model/graphics.ts';

import { indexRange } from './index-range.ts';

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
 * Where the entries arrive nested, their own length decides the stride.
 *
 * @example
 * ```ts
 * uvLayoutOf({ ...block, uvs: new Float64Array(8) }); // indices 0…3 → { stride: 2, firstIndex: 0 }
 * ```
 *
 * @see D-302, D-303.
 */
export function uvLayoutOf(block: Block): UvLayout {
  const { stride, firstIndex } = layoutOf(block);
  return {
    stride,
    firstIndex,
    offsetsOf: (surface) => offsetsOf(surface, block.uvs, stride, firstIndex),
  };
}

function layoutOf(block: Block): { stride: 2 | 3; firstIndex: 0 | 1 } {
  const n = block.uvs.length;
  const { smallest: a, largest: b } = indexRange(block.surfaces.map(({ uvIndices }) => uvIndices));
  if (block.uvStride !== 0) {
    const { uvStride } = block;
    return { stride: uvStride, firstIndex: a === 1 && uvStride * b === n ? 1 : 0 };
  }
  if (2 * (b + 1) === n) return { stride: 2, firstIndex: 0 };
  if (3 * (b + 1) === n) return { stride: 3, firstIndex: 0 };
  if (a === 1 && 2 * b === n) return { stride: 2, firstIndex: 1 };
  if (a === 1 && 3 * b === n) return { stride: 3, firstIndex: 1 };
  if (n % 2 === 0 && 2 * (b + 1) < n) return { stride: 2, firstIndex: 0 };
  return { stride: 3, firstIndex: 0 };
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
