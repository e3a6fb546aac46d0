/**
 * Corner buckets: the corners of a surface, brought together by point with a counting sort.
 *
 * Points are numbered anew for each surface, in first-use order, so that the work on a surface
 * depends on its own size, not on its block's.
 */

/** The corners of one surface by point. A corner is `3 * triangle + 0…2`. */
export interface CornerBuckets {
  /** Corner → local point. */
  localPoints: Uint32Array;
  /** Number of local points. */
  count: number;
  /** Local point → first entry in {@link CornerBuckets.corners}; one more than points. */
  starts: Uint32Array;
  /** Corners, those of one point together, in ascending order. */
  corners: Uint32Array;
}

/** Scratch space shared by the surfaces of one block. */
export interface PointNumbers {
  surface: Int32Array;
  local: Uint32Array;
}

/** Makes the scratch space for a block of so many points. */
export function pointNumbers(pointCount: number): PointNumbers {
  return { surface: new Int32Array(pointCount).fill(-1), local: new Uint32Array(pointCount) };
}

/**
 * Brings the corners of a surface together by point.
 *
 * @param points - m × 3 point indices.
 * @param surface - Number of the surface within its block.
 */
export function bucketCorners(
  points: Uint32Array,
  surface: number,
  numbers: PointNumbers,
): CornerBuckets {
  const localPoints = new Uint32Array(points.length);
  let count = 0;
  for (let corner = 0; corner < points.length; corner++) {
    const point = points[corner]!;
    if (numbers.surface[point] !== surface) {
      numbers.surface[point] = surface;
      numbers.local[point] = count++;
    }
    localPoints[corner] = numbers.local[point]!;
  }
  const starts = startsOf(localPoints, count);
  const corners = new Uint32Array(points.length);
  const next = starts.slice();
  for (let corner = 0; corner < points.length; corner++) {
    corners[next[localPoints[corner]!]!++] = corner;
  }
  return { localPoints, count, starts, corners };
}

function startsOf(localPoints: Uint32Array, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (let corner = 0; corner < localPoints.length; corner++) starts[localPoints[corner]! + 1]!++;
  for (let i = 0; i < count; i++) starts[i + 1]! += starts[i]!;
  return starts;
}

/** Buckets longer than this are not searched for duplicates: the search is quadratic in them. */
const LONGEST_SEARCHED = 64;

/** How many triangles repeat an earlier one of the surface: the same points in the same turn. */
export function countDuplicates(buckets: CornerBuckets): number {
  const { localPoints, starts, corners, count } = buckets;
  let duplicates = 0;
  for (let point = 0; point < count; point++) {
    const start = starts[point]!;
    const end = starts[point + 1]!;
    if (end - start > LONGEST_SEARCHED) continue;
    for (let i = start + 1; i < end; i++) {
      const t = 3 * Math.floor(corners[i]! / 3);
      if (!isLowest(localPoints, t, point)) continue;
      for (let j = start; j < i; j++) {
        if (!sameTriangle(localPoints, t, 3 * Math.floor(corners[j]! / 3))) continue;
        duplicates++;
        break;
      }
    }
  }
  return duplicates;
}

function isLowest(localPoints: Uint32Array, t: number, point: number): boolean {
  return localPoints[t]! >= point && localPoints[t + 1]! >= point && localPoints[t + 2]! >= point;
}

/** The same three points in the same turn; two that lie back to back are no repetition. */
function sameTriangle(p: Uint32Array, s: number, t: number): boolean {
  const [a, b, c] = [p[t]!, p[t + 1]!, p[t + 2]!];
  for (let k = 0; k < 3; k++) {
    if (p[s + k] === a && p[s + ((k + 1) % 3)] === b && p[s + ((k + 2) % 3)] === c) return true;
  }
  return false;
}
