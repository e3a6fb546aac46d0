/**
 * Normals: a normal for every corner of a surface, smooth below the crease angle and sharp above.
 *
 * A counting sort brings the corners of a surface together by point. Buckets and plain loops take 130 ns
 * a triangle, a Map keyed by strings 1,300 (test/bench/README.md).
 */
import { acos, cos } from '../math/elementary.ts';
import { triangleNormal } from '../math/vec.ts';

/** The corners of one surface by point. A corner is `3 * triangle + 0…2`. */
interface CornerBuckets {
  /** Corner → point as numbered within the surface, in first-use order: work is by its size only. */
  localPoints: Uint32Array;
  localCount: number;
  /** Local point → first entry in `corners`; one more than points. */
  starts: Uint32Array;
  /** Corners, those of one point together, in ascending order. */
  corners: Uint32Array;
}

interface SurfaceNormals extends Pick<CornerBuckets, 'localPoints' | 'localCount'> {
  /** Corner → index of its normal in `values()`. */
  normals: Uint32Array;
  /** Triangles with the same points in the same turn as an earlier one. */
  duplicateTriangles: number;
}

/** Unit vectors that grow as they are added. */
interface NormalPool {
  values: Float32Array;
  count: number;
}

/** Slack on the cosine of the crease angle, for faces at exactly that angle: a 12-sided column at 30°. */
const CREASE_SLACK = 1e-6;

/** A point with more faces than this is not compared pair by pair, but face by group: D-753. */
const LONGEST_COMPARED = 512;

/** Buckets longer than this are not searched for duplicates: the search is quadratic in them. */
const LONGEST_SEARCHED = 64;

/**
 * Creates the normals of a block (D-306, D-307).
 *
 * That of a corner is the angle-weighted mean over those faces at its point within the crease angle of its
 * own face. A point whose faces all lie within half that angle of the first has one normal.
 *
 * @param positions - x y z a welded point, metres.
 * @param creaseAngleDegrees - 0 keeps every face flat, 180 smooths everything.
 */
export function createNormals(positions: Float32Array, creaseAngleDegrees: number) {
  const pointCount = positions.length / 3;
  const surfaceOf = new Int32Array(pointCount).fill(-1);
  const localOf = new Uint32Array(pointCount);
  const pool = { values: new Float32Array(3 * Math.max(16, pointCount)), count: 0 };
  const crease = (creaseAngleDegrees * Math.PI) / 180;
  let surface = 0;
  return {
    /** @param points - m × 3 welded point indices. */
    addSurface(points: Uint32Array): SurfaceNormals {
      const buckets = bucketCorners(points, surface++, surfaceOf, localOf);
      const { localPoints, localCount } = buckets;
      const duplicateTriangles = countDuplicates(buckets);
      const normals = creaseNormals(points, positions, buckets, crease, pool);
      return { normals, localPoints, localCount, duplicateTriangles };
    },
    /** x y z a normal, unit length. */
    values: (): Float32Array => pool.values.slice(0, 3 * pool.count),
  };
}

function bucketCorners(
  points: Uint32Array,
  surface: number,
  surfaceOf: Int32Array,
  localOf: Uint32Array,
): CornerBuckets {
  const localPoints = new Uint32Array(points.length);
  let localCount = 0;
  for (let corner = 0; corner < points.length; corner++) {
    const point = points[corner]!;
    if (surfaceOf[point] !== surface) {
      surfaceOf[point] = surface;
      localOf[point] = localCount++;
    }
    localPoints[corner] = localOf[point]!;
  }
  const starts = new Uint32Array(localCount + 1);
  for (let corner = 0; corner < points.length; corner++) starts[localPoints[corner]! + 1]!++;
  for (let i = 0; i < localCount; i++) starts[i + 1]! += starts[i]!;
  const corners = new Uint32Array(points.length);
  const next = starts.slice();
  for (let corner = 0; corner < points.length; corner++) {
    corners[next[localPoints[corner]!]!++] = corner;
  }
  return { localPoints, localCount, starts, corners };
}

function countDuplicates({ localPoints, starts, corners, localCount }: CornerBuckets): number {
  let duplicates = 0;
  for (let point = 0; point < localCount; point++) {
    const start = starts[point]!;
    const end = starts[point + 1]!;
    if (end - start > LONGEST_SEARCHED) continue;
    for (let i = start + 1; i < end; i++) {
      const t = faceOf(corners[i]!);
      // Each triangle is counted at its lowest point.
      if (Math.min(localPoints[t]!, localPoints[t + 1]!, localPoints[t + 2]!) < point) continue;
      for (let j = start; j < i; j++) {
        if (!isSameTriangle(localPoints, t, faceOf(corners[j]!))) continue;
        duplicates++;
        break;
      }
    }
  }
  return duplicates;
}

/** The same three points in the same turn; two that lie back to back are no repetition. */
function isSameTriangle(p: Uint32Array, s: number, t: number): boolean {
  const [a, b, c] = [p[t]!, p[t + 1]!, p[t + 2]!];
  for (let k = 0; k < 3; k++) {
    if (p[s + k] === a && p[s + ((k + 1) % 3)] === b && p[s + ((k + 2) % 3)] === c) return true;
  }
  return false;
}

/** What the normals of one surface are made from. */
interface Shading {
  /** Corners by point. */
  corners: Uint32Array;
  /** Unit normal of each triangle. */
  faces: Float64Array;
  /** Angle of each corner, radians. */
  weights: Float64Array;
  pool: NormalPool;
  /** Corner → normal. */
  out: Uint32Array;
}

function creaseNormals(
  points: Uint32Array,
  positions: Float32Array,
  { corners, starts, localCount }: CornerBuckets,
  crease: number,
  pool: NormalPool,
): Uint32Array {
  const faces = faceNormals(points, positions);
  const weights = cornerAngles(points, positions);
  const shading = { corners, faces, weights, pool, out: new Uint32Array(points.length) };
  const cosCrease = cos(crease) - CREASE_SLACK;
  const cosHalf = cos(crease / 2);
  for (let point = 0; point < localCount; point++) {
    const from = starts[point]!;
    const to = starts[point + 1]!;
    if (isFlatEnough(shading, from, to, cosHalf)) shareNormal(shading, from, to);
    else if (to - from <= LONGEST_COMPARED) compareNormals(shading, from, to, cosCrease);
    else groupNormals(shading, from, to, cosHalf);
  }
  return shading.out;
}

/** Unit normals, x y z a triangle. */
function faceNormals(points: Uint32Array, p: Float32Array): Float64Array {
  const normal = new Float64Array(3);
  const out = new Float64Array(points.length);
  for (let t = 0; t < points.length; t += 3) {
    triangleNormal(p, points[t]!, points[t + 1]!, points[t + 2]!, normal);
    let x = normal[0]!;
    let y = normal[1]!;
    let z = normal[2]!;
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
  return acos(Math.max(-1, Math.min(1, cosine)));
}

function isFlatEnough(
  { corners, faces }: Shading,
  from: number,
  to: number,
  cosHalf: number,
): boolean {
  const first = faceOf(corners[from]!);
  for (let i = from + 1; i < to; i++) {
    if (dot(faces, first, faceOf(corners[i]!)) < cosHalf) return false;
  }
  return true;
}

function shareNormal(shading: Shading, from: number, to: number): void {
  const { corners, pool, out } = shading;
  const normal = addMean(shading, from, to, faceOf(corners[from]!), -Infinity, pool.count);
  for (let i = from; i < to; i++) out[corners[i]!] = normal;
}

function compareNormals(shading: Shading, from: number, to: number, cosCrease: number): void {
  const { corners, pool, out } = shading;
  const firstNew = pool.count;
  for (let i = from; i < to; i++) {
    const own = faceOf(corners[i]!);
    out[corners[i]!] = addMean(shading, from, to, own, cosCrease, firstNew);
  }
}

/** Adds the weighted mean of the faces whose angle to `own` has at least this cosine. */
function addMean(
  shading: Shading,
  from: number,
  to: number,
  own: number,
  smallestCosine: number,
  firstNew: number,
): number {
  const { corners, faces, weights } = shading;
  let x = 0;
  let y = 0;
  let z = 0;
  for (let i = from; i < to; i++) {
    const face = faceOf(corners[i]!);
    if (face !== own && dot(faces, own, face) < smallestCosine) continue;
    const weight = weights[corners[i]!]!;
    x += weight * faces[face]!;
    y += weight * faces[face + 1]!;
    z += weight * faces[face + 2]!;
  }
  return addUnit(shading, firstNew, x, y, z, own);
}

/** Many faces at one point: each joins the first group within half the crease angle. */
function groupNormals(shading: Shading, from: number, to: number, cosHalf: number): void {
  const { corners, faces } = shading;
  const leaders: number[] = [];
  const members: number[][] = [];
  for (let i = from; i < to; i++) {
    const face = faceOf(corners[i]!);
    let group = leaders.findIndex((leader) => dot(faces, leader, face) >= cosHalf);
    if (group < 0 && leaders.length < LONGEST_COMPARED) {
      group = leaders.push(face) - 1;
      members.push([]);
    }
    members[Math.max(0, group)]!.push(corners[i]!);
  }
  for (const group of members) {
    shareNormal({ ...shading, corners: Uint32Array.from(group) }, 0, group.length);
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
  { pool, faces }: Shading,
  firstNew: number,
  x: number,
  y: number,
  z: number,
  fallbackFace: number,
): number {
  const length = Math.sqrt(x * x + y * y + z * z);
  const isZero = !(length > 1e-12);
  const nx = Math.fround(isZero ? faces[fallbackFace]! : x / length);
  const ny = Math.fround(isZero ? faces[fallbackFace + 1]! : y / length);
  const nz = Math.fround(isZero ? faces[fallbackFace + 2]! : z / length);
  const { values } = pool;
  for (let i = firstNew; i < pool.count; i++) {
    if (values[3 * i] === nx && values[3 * i + 1] === ny && values[3 * i + 2] === nz) return i;
  }
  if (3 * pool.count === values.length) {
    pool.values = new Float32Array(values.length * 2);
    pool.values.set(values);
  }
  // Adding 0 turns −0 into 0.
  pool.values[3 * pool.count] = nx + 0;
  pool.values[3 * pool.count + 1] = ny + 0;
  pool.values[3 * pool.count + 2] = nz + 0;
  return pool.count++;
}
