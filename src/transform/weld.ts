/** Weld: points at the same place become one. */
import { allocateList, copyOf, place, withKernels } from '../kernels/kernels.ts';

/**
 * Joins points with bit-equal positions (−0 equals 0), or those that share a cell of a grid (D-301).
 *
 * @param positions - n × 3 float32, metres; a trailing incomplete point is ignored.
 * @param toleranceMetres - 0 joins equal positions only; else the size of a grid cell.
 * @returns `positions` in order of first appearance; `remap`: old point index → welded point index.
 */
export function weldPoints(
  positions: Float32Array,
  toleranceMetres: number,
): { positions: Float32Array; remap: Uint32Array } {
  const count = Math.floor(positions.length / 3);
  return withKernels(({ weld }) => {
    const points = place(positions.subarray(0, 3 * count));
    const remap = allocateList(Uint32Array, count);
    const welded = weld(points, count, toleranceMetres, remap);
    return {
      positions: copyOf(Float32Array, points, 3 * welded),
      remap: copyOf(Uint32Array, remap, count),
    };
  });
}
