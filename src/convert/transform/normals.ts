/** Normals: a normal for every corner of a surface, smooth below the crease angle and sharp above. */

import { cos } from '../../support/elementary.ts';
import { allocateList, copyOf, place, withKernels } from '../kernels/kernels.ts';

interface SurfaceNormals {
  /** Corner → point as numbered within the surface, in first-use order. A corner is `3 * triangle + 0…2`. */
  localPoints: Uint32Array;
  /** Local point → point. */
  points: Uint32Array;
  /** Corner → normal, counted from `firstNormal`; same list as `localPoints` if each point has one normal. */
  normals: Uint32Array;
  firstNormal: number;
  /** Triangles with the same points in the same turn as an earlier one. */
  duplicateTriangles: number;
}

/** Tolerance on the cosine of the crease angle, for faces at exactly that angle: a 12-sided column at 30°. */
const CREASE_SLACK = 1e-6;

/**
 * Creates the normals of a block (D-306, D-307).
 *
 * The normal of a corner is the angle-weighted mean over those faces at its point within the crease angle of its
 * own face. A point whose faces all lie within half that angle of the first has one normal.
 *
 * @param positions - x y z a welded point, metres.
 * @param surfaces - m × 3 welded point indices of each surface; the three indices of a triangle differ.
 * @param creaseAngleDegrees - 0 keeps every face flat, 180 smooths everything.
 * @returns With `values`: x y z of each normal, unit length, surface after surface.
 */
export function createNormals(
  positions: Float32Array,
  surfaces: readonly Uint32Array[],
  creaseAngleDegrees: number,
): { values: Float32Array; surfaces: SurfaceNormals[] } {
  const crease = (creaseAngleDegrees * Math.PI) / 180;
  const cosHalf = cos(crease / 2);
  const cosCrease = cos(crease) - CREASE_SLACK;
  const pool: Float32Array[] = [];
  let [firstNumber, firstNormal] = [1, 0];
  const shaded = withKernels(() => {
    const placed = place(positions);
    const numbers = place(new Uint32Array(positions.length / 3));
    return surfaces.map((surface) =>
      withKernels((kernels): SurfaceNormals => {
        const { length } = surface;
        const corners = place(surface);
        const points = allocateList(Uint32Array, length);
        const normals = allocateList(Uint32Array, length);
        const values = allocateList(Float32Array, 3 * length);
        const localCount = kernels.addSurface(
          ...[corners, length, placed, numbers, firstNumber],
          ...[cosHalf, cosCrease, points, normals, values],
        );
        const localPoints = copyOf(Uint32Array, corners, length);
        const made = {
          normals: kernels.isSmooth() ? localPoints : copyOf(Uint32Array, normals, length),
          firstNormal,
          localPoints,
          points: copyOf(Uint32Array, points, localCount),
          duplicateTriangles: kernels.duplicateTriangles(),
        };
        const count = kernels.normalCount();
        pool.push(copyOf(Float32Array, values, 3 * count));
        firstNumber += localCount;
        firstNormal += count;
        return made;
      }),
    );
  });
  return { values: joined(pool, 3 * firstNormal), surfaces: shaded };
}

function joined(lists: readonly Float32Array[], length: number): Float32Array {
  if (lists.length === 1) return lists[0]!;
  const all = new Float32Array(length);
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
