/** How far surfaces are apart: what a simpler form of a mesh has lost. */

/** Triangles: x y z of points, and three corners each. */
export interface Surface {
  points: ArrayLike<number>;
  corners: ArrayLike<number>;
}

/** Most steps along a side of a triangle, between which points of it are compared. */
const STEPS = 4;

/**
 * Returns the largest distance from a point of one surface to the other surface, in both directions (Hausdorff), in the
 * unit of the points. Points of a triangle are its corners and those of a grid, at most a quarter of its sides apart.
 *
 * @param spacing - Sides that are no longer need no grid.
 * @returns Infinity where only one of them has triangles.
 * @example
 * ```ts
 * const square = { points: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], corners: [0, 1, 2, 0, 2, 3] };
 * surfaceDistance(square, { ...square, corners: [0, 1, 2] });   // → 0.707…, that of the lost corner
 * ```
 */
export function surfaceDistance(one: Surface, other: Surface, spacing = 0): number {
  if (one.corners.length === 0 || other.corners.length === 0)
    return one.corners.length === other.corners.length ? 0 : Infinity;
  const [toOne, toOther] = [distanceTo(one), distanceTo(other)];
  const there = largestDistance(one, toOther, spacing, 0);
  return Math.sqrt(largestDistance(other, toOne, spacing, there));
}

/** Distances are squared here and below. */
type DistanceTo = (x: number, y: number, z: number, enough: number) => number;

function largestDistance(
  { points, corners }: Surface,
  to: DistanceTo,
  spacing: number,
  known: number,
): number {
  let largest = known;
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = [3 * corners[i]!, 3 * corners[i + 1]!, 3 * corners[i + 2]!];
    const longest = Math.max(side(points, a, b), side(points, b, c), side(points, c, a));
    const steps = longest > spacing ? Math.min(STEPS, Math.ceil(longest / spacing)) : 1;
    for (let u = 0; u <= steps; u++) {
      for (let v = 0; u + v <= steps; v++) {
        const s = u / steps;
        const t = v / steps;
        const r = 1 - s - t;
        const x = r * points[a]! + s * points[b]! + t * points[c]!;
        const y = r * points[a + 1]! + s * points[b + 1]! + t * points[c + 1]!;
        const z = r * points[a + 2]! + s * points[b + 2]! + t * points[c + 2]!;
        largest = Math.max(largest, to(x, y, z, largest));
      }
    }
  }
  return largest;
}

function side(points: ArrayLike<number>, a: number, b: number): number {
  const x = points[a]! - points[b]!;
  const y = points[a + 1]! - points[b + 1]!;
  const z = points[a + 2]! - points[b + 2]!;
  return Math.sqrt(x * x + y * y + z * z);
}

/** Triangles of a box that is divided no more. */
const LEAF = 4;
/** Boxes are halved, so that a path has fewer. */
const MOST_DEPTH = 64;

/**
 * A tree of boxes around the triangles of a surface, in which distances to it are found.
 *
 * The function that it returns stops at the first triangle that is not farther than `enough`.
 */
function distanceTo({ points, corners }: Surface): DistanceTo {
  const count = corners.length / 3;
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  const centres = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < 3; axis++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += points[3 * corners[3 * i + k]! + axis]!;
      centres[3 * i + axis] = sum / 3;
    }
  }
  // A box has a low and a high corner; its triangles from a first to a last one, or two smaller boxes.
  const boxes = new Float64Array(6 * 2 * count);
  const firsts = new Uint32Array(2 * count);
  const ends = new Uint32Array(2 * count);
  const seconds = new Uint32Array(2 * count);
  let used = 0;

  const divide = (first: number, end: number, depth: number): number => {
    const box = used++;
    const at = 6 * box;
    boxes.fill(Infinity, at, at + 3).fill(-Infinity, at + 3, at + 6);
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = first; i < end; i++) {
      const triangle = order[i]!;
      for (let axis = 0; axis < 3; axis++) {
        for (let k = 0; k < 3; k++) {
          const value = points[3 * corners[3 * triangle + k]! + axis]!;
          boxes[at + axis] = Math.min(boxes[at + axis]!, value);
          boxes[at + 3 + axis] = Math.max(boxes[at + 3 + axis]!, value);
        }
        const centre = centres[3 * triangle + axis]!;
        low[axis] = Math.min(low[axis]!, centre);
        high[axis] = Math.max(high[axis]!, centre);
      }
    }
    firsts[box] = first;
    ends[box] = end;
    if (end - first <= LEAF || depth === MOST_DEPTH) return box;
    const sizes = high.map((value, axis) => value - low[axis]!);
    const axis = sizes.indexOf(Math.max(...sizes));
    const middle = (low[axis]! + high[axis]!) / 2;
    let border = first;
    for (let i = first; i < end; i++) {
      const triangle = order[i]!;
      if (centres[3 * triangle + axis]! >= middle) continue;
      order[i] = order[border]!;
      order[border++] = triangle;
    }
    // All in one place.
    if (border === first || border === end) return box;
    divide(first, border, depth + 1);
    seconds[box] = divide(border, end, depth + 1);
    return box;
  };
  divide(0, count, 0);

  const boxDistance = (box: number, x: number, y: number, z: number): number => {
    const at = 6 * box;
    const dx = Math.max(boxes[at]! - x, 0, x - boxes[at + 3]!);
    const dy = Math.max(boxes[at + 1]! - y, 0, y - boxes[at + 4]!);
    const dz = Math.max(boxes[at + 2]! - z, 0, z - boxes[at + 5]!);
    return dx * dx + dy * dy + dz * dz;
  };
  const waiting = new Uint32Array(2 * MOST_DEPTH + 2);
  return (x, y, z, enough) => {
    let nearest = Infinity;
    let length = 1;
    waiting[0] = 0;
    while (length > 0) {
      const box = waiting[--length]!;
      if (boxDistance(box, x, y, z) >= nearest) continue;
      const second = seconds[box]!;
      if (second === 0) {
        for (let i = firsts[box]!; i < ends[box]!; i++) {
          const distance = triangleDistance(points, corners, order[i]!, x, y, z);
          if (distance <= enough) return distance;
          nearest = Math.min(nearest, distance);
        }
        continue;
      }
      // The nearer one is looked into first.
      const isFirstNearer = boxDistance(box + 1, x, y, z) <= boxDistance(second, x, y, z);
      waiting[length++] = isFirstNearer ? second : box + 1;
      waiting[length++] = isFirstNearer ? box + 1 : second;
    }
    return nearest;
  };
}

/**
 * Squared distance of a point to a triangle: to its plane, an edge or a corner, by the region that the point is in
 * (Ericson, Real-Time Collision Detection, 5.1.5).
 */
function triangleDistance(
  points: ArrayLike<number>,
  corners: ArrayLike<number>,
  triangle: number,
  x: number,
  y: number,
  z: number,
): number {
  const a = 3 * corners[3 * triangle]!;
  const b = 3 * corners[3 * triangle + 1]!;
  const c = 3 * corners[3 * triangle + 2]!;
  const abx = points[b]! - points[a]!;
  const aby = points[b + 1]! - points[a + 1]!;
  const abz = points[b + 2]! - points[a + 2]!;
  const acx = points[c]! - points[a]!;
  const acy = points[c + 1]! - points[a + 1]!;
  const acz = points[c + 2]! - points[a + 2]!;
  const px = x - points[a]!;
  const py = y - points[a + 1]!;
  const pz = z - points[a + 2]!;
  // Products of the edges and the point, as in the source.
  const d1 = abx * px + aby * py + abz * pz;
  const d2 = acx * px + acy * py + acz * pz;
  const ab = abx * abx + aby * aby + abz * abz;
  const ac = acx * acx + acy * acy + acz * acz;
  const between = abx * acx + aby * acy + abz * acz;
  const d3 = d1 - ab;
  const d4 = d2 - between;
  const d5 = d1 - between;
  const d6 = d2 - ac;
  const va = d3 * d6 - d5 * d4;
  const vb = d5 * d2 - d1 * d6;
  const vc = d1 * d4 - d3 * d2;
  // The nearest point is a + v·ab + w·ac. A triangle without area may divide by nothing.
  let v = 0;
  let w = 0;
  if (d1 <= 0 && d2 <= 0) {
    // The corner a.
  } else if (d3 >= 0 && d4 <= d3) v = 1;
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) v = d1 / (d1 - d3) || 0;
  else if (d6 >= 0 && d5 <= d6) w = 1;
  else if (vb <= 0 && d2 >= 0 && d6 <= 0) w = d2 / (d2 - d6) || 0;
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    w = (d4 - d3) / (d4 - d3 + (d5 - d6)) || 0;
    v = 1 - w;
  } else {
    v = vb / (va + vb + vc) || 0;
    w = vc / (va + vb + vc) || 0;
  }
  const dx = px - v * abx - w * acx;
  const dy = py - v * aby - w * acy;
  const dz = pz - v * abz - w * acz;
  return dx * dx + dy * dy + dz * dz;
}
