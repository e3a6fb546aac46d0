/** The distance between surfaces: the loss of a simpler form of a mesh. */

/** Triangles: x y z of each point, and three corners per triangle. */
export interface Surface {
  points: ArrayLike<number>;
  corners: ArrayLike<number>;
}

/** Most steps along a side of a triangle, between which its points are compared. */
const STEPS = 4;

/**
 * Returns the largest distance from a point of one surface to the other surface, in both directions (Hausdorff), in the
 * unit of the points. Points of a triangle are its corners and those of a grid, at most a quarter of its sides apart.
 *
 * @param spacing - Length of a side up to which it needs no grid.
 * @returns Infinity if only one of the surfaces has triangles.
 * @example
 * ```ts
 * const square = { points: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], corners: [0, 1, 2, 0, 2, 3] };
 * surfaceDistance(square, { ...square, corners: [0, 1, 2] });   // → 0.707…, that of the lost corner
 * ```
 */
export function surfaceDistance(one: Surface, other: Surface, spacing = 0): number {
  if (one.corners.length === 0 || other.corners.length === 0)
    return one.corners.length === other.corners.length ? 0 : Infinity;
  // A simpler form keeps many triangles: what both have is nowhere apart.
  const hasSamePoints = one.points === other.points;
  const moved = (some: Surface, others: Surface) =>
    hasSamePoints ? { ...some, corners: without(some.corners, others.corners) } : some;
  const there = largestDistance(moved(one, other), new TriangleTree(other), spacing, 0);
  return Math.sqrt(largestDistance(moved(other, one), new TriangleTree(one), spacing, there));
}

/** The triangles that are not among others of the same points. */
function without(corners: ArrayLike<number>, others: ArrayLike<number>): number[] {
  const known = new TriangleSet(others);
  const left: number[] = [];
  for (let i = 0; i < corners.length; i += 3)
    if (!known.has(corners, i)) left.push(corners[i]!, corners[i + 1]!, corners[i + 2]!);
  return left;
}

/** Triangles by their corners, in any order: a hash table of numbers, without a string for each. */
class TriangleSet {
  readonly #corners: ArrayLike<number>;
  /** Index of the first corner plus one; 0 is free. At most a third of it is in use. */
  readonly #table: Int32Array;

  constructor(corners: ArrayLike<number>) {
    this.#corners = corners;
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(2, corners.length))));
    for (let i = 0; i < corners.length; i += 3) this.#table[this.#slot(corners, i)] = i + 1;
  }

  has(corners: ArrayLike<number>, i: number): boolean {
    return this.#table[this.#slot(corners, i)] !== 0;
  }

  /** Where a triangle is, or would be. */
  #slot(corners: ArrayLike<number>, i: number): number {
    const [a, b, c] = [corners[i]!, corners[i + 1]!, corners[i + 2]!];
    const least = Math.min(a, b, c);
    const most = Math.max(a, b, c);
    const middle = a + b + c - least - most;
    const mask = this.#table.length - 1;
    const hash = Math.imul(least, 0x9e3779b1) ^ Math.imul(middle, 0x85ebca6b) ^ most;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (; this.#table[slot] !== 0; slot = (slot + 1) & mask) {
      const at = this.#table[slot]! - 1;
      const [x, y, z] = [this.#corners[at]!, this.#corners[at + 1]!, this.#corners[at + 2]!];
      const isSame = Math.min(x, y, z) === least && Math.max(x, y, z) === most;
      if (isSame && x + y + z === least + middle + most) break;
    }
    return slot;
  }
}

/** The square of the largest distance from a point of a surface to another one; distances are squared here and below. */
function largestDistance(
  { points, corners }: Surface,
  other: TriangleTree,
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
        largest = Math.max(largest, other.distanceTo(x, y, z, largest));
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

/** Triangles of a box that is not divided further. */
const LEAF = 4;
/** Most boxes in a path: boxes are halved, so that a path has fewer. */
const MOST_DEPTH = 64;

/** A tree of boxes around the triangles of a surface. A box has triangles from a first to a last one, or two boxes. */
class TriangleTree {
  readonly #surface: Surface;
  /** The triangles; those of a box are consecutive. */
  readonly #order: Uint32Array;
  readonly #centres: Float64Array;
  readonly #boxes: Float64Array;
  readonly #firsts: Uint32Array;
  readonly #ends: Uint32Array;
  /** Index of the second smaller box, 0 if there is none; the first one follows its box. */
  readonly #seconds: Uint32Array;
  #used = 0;
  /** Boxes that a search still has to visit. */
  readonly #waiting = new Uint32Array(2 * MOST_DEPTH + 2);

  constructor(surface: Surface) {
    const count = surface.corners.length / 3;
    this.#surface = surface;
    this.#order = Uint32Array.from({ length: count }, (_, i) => i);
    this.#centres = centresOf(surface);
    this.#boxes = new Float64Array(6 * 2 * count);
    this.#firsts = new Uint32Array(2 * count);
    this.#ends = new Uint32Array(2 * count);
    this.#seconds = new Uint32Array(2 * count);
    this.#divide(0, count, 0);
  }

  /** Squared distance of a point to the surface; stops at the first triangle that is not farther than `enough`. */
  distanceTo(x: number, y: number, z: number, enough: number): number {
    const { points, corners } = this.#surface;
    const [order, boxes, firsts, ends] = [this.#order, this.#boxes, this.#firsts, this.#ends];
    const [seconds, waiting] = [this.#seconds, this.#waiting];
    let nearest = Infinity;
    let length = 1;
    waiting[0] = 0;
    while (length > 0) {
      const box = waiting[--length]!;
      if (boxDistance(boxes, box, x, y, z) >= nearest) continue;
      const second = seconds[box]!;
      if (second === 0) {
        for (let i = firsts[box]!; i < ends[box]!; i++) {
          const distance = triangleDistance(points, corners, order[i]!, x, y, z);
          if (distance <= enough) return distance;
          nearest = Math.min(nearest, distance);
        }
        continue;
      }
      // The nearer box is visited first.
      const toFirst = boxDistance(boxes, box + 1, x, y, z);
      const isFirstNearer = toFirst <= boxDistance(boxes, second, x, y, z);
      waiting[length++] = isFirstNearer ? second : box + 1;
      waiting[length++] = isFirstNearer ? box + 1 : second;
    }
    return nearest;
  }

  /** Makes a box of triangles from a first to a last one, and smaller ones inside. @returns Its number. */
  #divide(first: number, end: number, depth: number): number {
    const box = this.#used++;
    this.#firsts[box] = first;
    this.#ends[box] = end;
    this.#enclose(box, first, end);
    if (end - first <= LEAF || depth === MOST_DEPTH) return box;
    const border = this.#halve(first, end);
    // All centres are at the same place.
    if (border === first || border === end) return box;
    this.#divide(first, border, depth + 1);
    this.#seconds[box] = this.#divide(border, end, depth + 1);
    return box;
  }

  #enclose(box: number, first: number, end: number): void {
    const { points, corners } = this.#surface;
    const [order, boxes] = [this.#order, this.#boxes];
    const at = 6 * box;
    boxes.fill(Infinity, at, at + 3).fill(-Infinity, at + 3, at + 6);
    for (let i = first; i < end; i++) {
      for (let k = 0; k < 3; k++) {
        const point = 3 * corners[3 * order[i]! + k]!;
        for (let axis = 0; axis < 3; axis++) {
          const value = points[point + axis]!;
          boxes[at + axis] = Math.min(boxes[at + axis]!, value);
          boxes[at + 3 + axis] = Math.max(boxes[at + 3 + axis]!, value);
        }
      }
    }
  }

  /** Sorts triangles into two halves, along the axis on which their centres are farthest apart. @returns Where the second begins. */
  #halve(first: number, end: number): number {
    const [order, centres] = [this.#order, this.#centres];
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = first; i < end; i++) {
      for (let axis = 0; axis < 3; axis++) {
        const centre = centres[3 * order[i]! + axis]!;
        low[axis] = Math.min(low[axis]!, centre);
        high[axis] = Math.max(high[axis]!, centre);
      }
    }
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
    return border;
  }
}

function centresOf({ points, corners }: Surface): Float64Array {
  const centres = new Float64Array(corners.length);
  for (let i = 0; i < corners.length; i += 3) {
    for (let axis = 0; axis < 3; axis++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += points[3 * corners[i + k]! + axis]!;
      centres[i + axis] = sum / 3;
    }
  }
  return centres;
}

/** Squared distance of a point to a box. */
function boxDistance(boxes: Float64Array, box: number, x: number, y: number, z: number): number {
  const at = 6 * box;
  const dx = Math.max(boxes[at]! - x, 0, x - boxes[at + 3]!);
  const dy = Math.max(boxes[at + 1]! - y, 0, y - boxes[at + 4]!);
  const dz = Math.max(boxes[at + 2]! - z, 0, z - boxes[at + 5]!);
  return dx * dx + dy * dy + dz * dz;
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
    // The nearest point is the corner a.
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
