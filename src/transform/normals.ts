/**
 * Normals: a normal for every corner of a surface, smooth below the crease angle and sharp above.
 *
 * In: the corners of a surface by point. Out: which normal each corner has. Block space, before P
 * and R. It must not know UVs or materials.
 *
 * Buckets and plain loops: 130 ns a triangle where a Map keyed by strings took 1,300
 * (test/bench/README.md).
 */
import type { CornerBuckets } from './corner-buckets.ts';

/** Unit vectors that grow as they are added. */
export interface NormalPool {
  /** x y z each, float32. */
  values: Float32Array;
  count: number;
}

/** Makes an empty pool. */
export function normalPool(expected: number): NormalPool {
  return { values: new Float32Array(3 * Math.max(16, expected)), count: 0 };
}

/**
 * Slack on the cosine of the crease angle: faces that meet at exactly that angle count as within,
 * whatever float32 made of their points (a 12-sided column at 30°).
 */
const CREASE_SLACK = 1e-6;

/** A point with more faces than this is not compared pair by pair, but face by group: D-753. */
const LONGEST_COMPARED = 512;

/**
 * Gives every corner of a surface its normal.
 *
 * The normal of a corner is the angle-weighted mean over those faces at its point whose normal is
 * within the crease angle of the corner's own face. A point whose faces all lie within half that
 * angle of the first has one normal.
 *
 * @param points - m × 3 welded point indices.
 * @param positions - x y z a welded point, metres.
 * @param creaseAngleDegrees - 0 keeps every face flat, 180 smooths everything.
 * @param pool - Takes the new normals; equal ones of a point are added once.
 * @returns Corner → normal in the pool.
 *
 * @see D-306, D-307.
 */
export function creaseNormals(
  points: Uint32Array,
  positions: Float32Array,
  buckets: CornerBuckets,
  creaseAngleDegrees: number,
  pool: NormalPool,
): Uint32Array {
  const faces = faceNormals(points, positions);
  const weights = cornerAngles(points, positions);
  const out = new Uint32Array(points.length);
  const crease = (creaseAngleDegrees * Math.PI) / 180;
  const cosCrease = Math.cos(crease) - CREASE_SLACK;
  const cosHalf = Math.cos(crease / 2);
  for (let point = 0; point < buckets.count; point++) {
    const from = buckets.starts[point]!;
    const to = buckets.starts[point + 1]!;
    if (isFlatEnough(buckets.corners, from, to, faces, cosHalf)) {
      shareNormal(buckets.corners, from, to, faces, weights, pool, out);
    } else if (to - from <= LONGEST_COMPARED) {
      compareNormals(buckets.corners, from, to, faces, weights, cosCrease, pool, out);
    } else {
      groupNormals(buckets.corners, from, to, faces, weights, cosHalf, pool, out);
    }
  }
  return out;
}

/** Unit normals, x y z a triangle. */
function faceNormals(points: Uint32Array, p: Float32Array): Float64Array {
  const out = new Float64Array(points.length);
  for (let t = 0; t < points.length; t += 3) {
    const a = 3 * points[t]!;
    const b = 3 * points[t + 1]!;
    const c = 3 * points[t + 2]!;
    const ux = p[b]! - p[a]!;
    const uy = p[b + 1]! - p[a + 1]!;
    const uz = p[b + 2]! - p[a + 2]!;
    const vx = p[c]! - p[a]!;
    const vy = p[c + 1]! - p[a + 1]!;
    const vz = p[c + 2]! - p[a + 2]!;
    let x = uy * vz - uz * vy;
    let y = uz * vx - ux * vz;
    let z = ux * vy - uy * vx;
    let length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > 1e-150 && length < 1e150)) {
      // The square left the range of doubles: bring the components near 1 first.
      const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
      x /= largest;
      y /= largest;
      z /= largest;
      length = Math.sqrt(x * x + y * y + z * z);
    }
    out[t] = x / length;
    out[t + 1] = y / length;
    out[t + 2] = z / length;
  }
  return out;
}

/** The angle of each corner, radians. */
function cornerAngles(points: Uint32Array, p: Float32Array): Float64Array {
  const out = new Float64Array(points.length);
  for (let t = 0; t < points.length; t += 3) {
    const a = 3 * points[t]!;
    const b = 3 * points[t + 1]!;
    const c = 3 * points[t + 2]!;
    const ab = squaredDistance(p, a, b);
    const bc = squaredDistance(p, b, c);
    const ca = squaredDistance(p, c, a);
    const atA = angleBetween(ab, ca, bc);
    const atB = angleBetween(ab, bc, ca);
    out[t] = atA;
    out[t + 1] = atB;
    out[t + 2] = Math.max(0, Math.PI - atA - atB);
  }
  return out;
}

function squaredDistance(p: Float32Array, a: number, b: number): number {
  const x = p[b]! - p[a]!;
  const y = p[b + 1]! - p[a + 1]!;
  const z = p[b + 2]! - p[a + 2]!;
  return x * x + y * y + z * z;
}

/** Law of cosines on squared lengths; the angle lies between the first two sides. */
function angleBetween(side: number, other: number, opposite: number): number {
  const cosine = (side + other - opposite) / (2 * Math.sqrt(side * other));
  return Math.acos(Math.max(-1, Math.min(1, cosine)));
}

function isFlatEnough(
  corners: Uint32Array,
  from: number,
  to: number,
  faces: Float64Array,
  cosHalf: number,
): boolean {
  const first = faceOf(corners[from]!);
  for (let i = from + 1; i < to; i++) {
    if (dot(faces, first, faceOf(corners[i]!)) < cosHalf) return false;
  }
  return true;
}

function shareNormal(
  corners: Uint32Array,
  from: number,
  to: number,
  faces: Float64Array,
  weights: Float64Array,
  pool: NormalPool,
  out: Uint32Array,
): void {
  let x = 0;
  let y = 0;
  let z = 0;
  for (let i = from; i < to; i++) {
    const corner = corners[i]!;
    const face = faceOf(corner);
    x += weights[corner]! * faces[face]!;
    y += weights[corner]! * faces[face + 1]!;
    z += weights[corner]! * faces[face + 2]!;
  }
  const normal = addUnit(pool, pool.count, x, y, z, faces, faceOf(corners[from]!));
  for (let i = from; i < to; i++) out[corners[i]!] = normal;
}

function compareNormals(
  corners: Uint32Array,
  from: number,
  to: number,
  faces: Float64Array,
  weights: Float64Array,
  cosCrease: number,
  pool: NormalPool,
  out: Uint32Array,
): void {
  const firstNew = pool.count;
  for (let i = from; i < to; i++) {
    const own = faceOf(corners[i]!);
    let x = 0;
    let y = 0;
    let z = 0;
    for (let j = from; j < to; j++) {
      const face = faceOf(corners[j]!);
      if (face !== own && dot(faces, own, face) < cosCrease) continue;
      const weight = weights[corners[j]!]!;
      x += weight * faces[face]!;
      y += weight * faces[face + 1]!;
      z += weight * faces[face + 2]!;
    }
    out[corners[i]!] = addUnit(pool, firstNew, x, y, z, faces, own);
  }
}

/** Many faces at one point: each joins the first group within half the crease angle. */
function groupNormals(
  corners: Uint32Array,
  from: number,
  to: number,
  faces: Float64Array,
  weights: Float64Array,
  cosHalf: number,
  pool: NormalPool,
  out: Uint32Array,
): void {
  const groups: number[] = [];
  const members: number[][] = [];
  for (let i = from; i < to; i++) {
    const face = faceOf(corners[i]!);
    let group = groups.findIndex((leader) => dot(faces, leader, face) >= cosHalf);
    if (group < 0 && groups.length < LONGEST_COMPARED) {
      group = groups.push(face) - 1;
      members.push([]);
    }
    members[Math.max(0, group)]!.push(corners[i]!);
  }
  for (const group of members) {
    const all = Uint32Array.from(group);
    shareNormal(all, 0, all.length, faces, weights, pool, out);
  }
}

function faceOf(corner: number): number {
  return corner - (corner % 3);
}

function dot(faces: Float64Array, a: number, b: number): number {
  return faces[a]! * faces[b]! + faces[a + 1]! * faces[b + 1]! + faces[a + 2]! * faces[b + 2]!;
}

/** Adds a direction at length 1, or finds it among those from `firstNew` on. */
function addUnit(
  pool: NormalPool,
  firstNew: number,
  x: number,
  y: number,
  z: number,
  faces: Float64Array,
  fallback: number,
): number {
  let length = Math.sqrt(x * x + y * y + z * z);
  let nx = x;
  let ny = y;
  let nz = z;
  if (!(length > 1e-12)) {
    nx = faces[fallback]!;
    ny = faces[fallback + 1]!;
    nz = faces[fallback + 2]!;
    length = 1;
  }
  nx = Math.fround(nx / length);
  ny = Math.fround(ny / length);
  nz = Math.fround(nz / length);
  const { values } = pool;
  for (let i = firstNew; i < pool.count; i++) {
    if (values[3 * i] === nx && values[3 * i + 1] === ny && values[3 * i + 2] === nz) return i;
  }
  if (3 * pool.count === values.length) {
    pool.values = new Float32Array(values.length * 2);
    pool.values.set(values);
  }
  pool.values[3 * pool.count] = nx + 0;
  pool.values[3 * pool.count + 1] = ny + 0;
  pool.values[3 * pool.count + 2] = nz + 0;
  return pool.count++;
}
