/**
 * Normals: a normal for every corner of a surface, smooth below the crease angle and sharp above.
 *
 * Triangles are read in their order and add to a sum for each point; only the corners of points with more than
 * one normal are brought together. This takes a third of the time of bringing all corners together.
 */
import { acos, cos } from '../math/elementary.ts';
import { triangleNormal } from '../math/vec.ts';
import { scratch } from './scratch.ts';

/** The points of one surface, numbered in first-use order: work is by its size only. */
interface NumberedPoints {
  /** Corner → point as numbered within the surface. A corner is `3 * triangle + 0…2`. */
  localPoints: Uint32Array;
  /** Local point → point. */
  points: Uint32Array;
  /** Local point → first corner of the first triangle at it. */
  firstFaces: Uint32Array;
  /** Local point → number of its corners. */
  degrees: Uint32Array;
}

interface SurfaceNormals extends Pick<NumberedPoints, 'localPoints' | 'points'> {
  /** Corner → normal as numbered within the surface; is `localPoints` where each point has one normal. */
  normals: Uint32Array;
  /** Index of the surface's first normal in `values()`. */
  firstNormal: number;
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

/** Points with more corners than this are not searched for duplicates: the search is quadratic in them. */
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
  const numbers = new Uint32Array(pointCount);
  const pool = { values: new Float32Array(3 * Math.max(16, pointCount)), count: 0 };
  const crease = (creaseAngleDegrees * Math.PI) / 180;
  const limits = { cosHalf: cos(crease / 2), cosCrease: cos(crease) - CREASE_SLACK };
  let firstNumber = 1;
  return {
    /** @param corners - m × 3 welded point indices, those of a triangle differ; it becomes the local points. */
    addSurface(corners: Uint32Array): SurfaceNormals {
      const faces = faceNormals(corners, positions);
      const numbered = numberPoints(corners, numbers, firstNumber);
      const { localPoints, points } = numbered;
      firstNumber += points.length;
      const duplicateTriangles = countDuplicates(numbered);
      const firstNormal = pool.count;
      const normals = surfaceNormals(positions, faces, numbered, limits, pool);
      return { normals, firstNormal, localPoints, points, duplicateTriangles };
    },
    /** x y z a normal, unit length. */
    values: (): Float32Array =>
      pool.values.length === 3 * pool.count ? pool.values : pool.values.slice(0, 3 * pool.count),
  };
}

/**
 * Replaces the points of corners by their local numbers.
 *
 * @param numbers - Point → `firstNumber` and its local number, or less where it has none yet.
 */
function numberPoints(
  corners: Uint32Array,
  numbers: Uint32Array,
  firstNumber: number,
): NumberedPoints {
  const most = Math.min(corners.length, numbers.length);
  const points = scratch(2, Uint32Array, most);
  const firstFaces = scratch(0, Uint32Array, most);
  const degrees = scratch(1, Uint32Array, most);
  let localCount = 0;
  for (let t = 0; t < corners.length; t += 3) {
    for (let corner = t; corner < t + 3; corner++) {
      const point = corners[corner]!;
      const local = numbers[point]! - firstNumber;
      if (local >= 0) {
        corners[corner] = local;
        degrees[local]!++;
      } else {
        numbers[point] = firstNumber + localCount;
        corners[corner] = localCount;
        points[localCount] = point;
        firstFaces[localCount] = t;
        degrees[localCount++] = 1;
      }
    }
  }
  return { localPoints: corners, points: points.slice(0, localCount), firstFaces, degrees };
}

/** Compares each triangle with those before it that have the same lowest point. */
function countDuplicates({ localPoints, points, degrees }: NumberedPoints): number {
  const latest = scratch(2, Int32Array, points.length).fill(-1);
  const earlier = scratch(3, Int32Array, localPoints.length / 3);
  let duplicates = 0;
  for (let t = 0; t < localPoints.length; t += 3) {
    const a = localPoints[t]!;
    const b = localPoints[t + 1]!;
    const c = localPoints[t + 2]!;
    const lowest = Math.min(a, b, c);
    if (degrees[lowest]! > LONGEST_SEARCHED) continue;
    for (let other = latest[lowest]!; other >= 0; other = earlier[other / 3]!) {
      if (!isTriangle(localPoints, other, a, b, c)) continue;
      duplicates++;
      break;
    }
    earlier[t / 3] = latest[lowest]!;
    latest[lowest] = t;
  }
  return duplicates;
}

/** Whether a triangle has these points in this turn; two that lie back to back are no repetition. */
function isTriangle(p: Uint32Array, t: number, a: number, b: number, c: number): boolean {
  const first = p[t]!;
  const second = p[t + 1]!;
  const third = p[t + 2]!;
  if (first === a) return second === b && third === c;
  return first === b ? second === c && third === a : first === c && second === a && third === b;
}

/** What the normals of one surface are made from. */
interface Shading {
  localPoints: Uint32Array;
  /** Unit normal of each triangle, x y z. */
  faces: Float64Array;
  /** Local point → 1 where it has more than one normal. */
  sharp: Uint8Array;
  /** Smooth point → its faces by angle, x y z. */
  sums: Float64Array;
  /** Sharp point → first entry in `corners` and `weights`; one more than points. */
  starts: Uint32Array;
  /** Corners of sharp points, those of one point together, in ascending order. */
  corners: Uint32Array;
  /** Their angles, radians. */
  weights: Float64Array;
  pool: NormalPool;
  firstNormal: number;
}

/** Cosines that decide whether a point has one normal, and which faces a corner is smoothed with. */
interface Limits {
  cosHalf: number;
  cosCrease: number;
}

/** Adds the normals of a surface to the pool; returns corner → normal as numbered within the surface. */
function surfaceNormals(
  positions: Float32Array,
  faces: Float64Array,
  numbered: NumberedPoints,
  { cosHalf, cosCrease }: Limits,
  pool: NormalPool,
): Uint32Array {
  const { localPoints, points, firstFaces } = numbered;
  const localCount = points.length;
  const sharp = sharpPoints(numbered, faces, cosHalf);
  const starts = startsOf(numbered, sharp);
  const sharpCorners = starts[localCount + 1]!;
  const sums = scratch(6, Float64Array, 3 * localCount).fill(0);
  const corners = scratch(7, Uint32Array, sharpCorners);
  const weights = scratch(8, Float64Array, sharpCorners);
  const firstNormal = pool.count;
  const shading = { localPoints, faces, sharp, sums, starts, corners, weights, pool, firstNormal };
  addAngles(positions, points, shading);
  const normalOf = smoothNormals(shading, firstFaces);
  if (sharpCorners === 0) return localPoints;
  const out = new Uint32Array(localPoints.length);
  for (let i = 0; i < out.length; i++) out[i] = normalOf[localPoints[i]!]!;
  for (let point = 0; point < localCount; point++) {
    const from = starts[point]!;
    const to = starts[point + 1]!;
    if (to - from > LONGEST_COMPARED) groupNormals(shading, from, to, cosHalf, out);
    else compareNormals(shading, from, to, cosCrease, out);
  }
  return out;
}

/** Marks the points with a face beyond half the crease angle of their first one. */
function sharpPoints(
  { localPoints, points, firstFaces }: NumberedPoints,
  faces: Float64Array,
  cosHalf: number,
): Uint8Array {
  const sharp = scratch(3, Uint8Array, points.length).fill(0);
  for (let t = 0; t < localPoints.length; t += 3) {
    const x = faces[t]!;
    const y = faces[t + 1]!;
    const z = faces[t + 2]!;
    for (let corner = t; corner < t + 3; corner++) {
      const point = localPoints[corner]!;
      const first = firstFaces[point]!;
      if (first === t) continue;
      if (faces[first]! * x + faces[first + 1]! * y + faces[first + 2]! * z < cosHalf)
        sharp[point] = 1;
    }
  }
  return sharp;
}

/** {@link Shading.starts}, one entry later, as {@link addAngles} moves each to the end of its point; the last is the number of corners. */
function startsOf({ degrees }: NumberedPoints, sharp: Uint8Array): Uint32Array {
  const localCount = sharp.length;
  const starts = scratch(5, Uint32Array, localCount + 2);
  starts[0] = 0;
  let count = 0;
  for (let point = 0; point < localCount; point++) {
    starts[point + 1] = count;
    if (sharp[point] === 1) count += degrees[point]!;
  }
  starts[localCount + 1] = count;
  return starts;
}

/** Adds each face by its angle to the sums of its smooth points, and to the corners of its sharp ones. */
function addAngles(
  positions: Float32Array,
  points: Uint32Array,
  { localPoints, faces, sharp, sums, starts, corners, weights }: Shading,
): void {
  const angles = new Float64Array(3);
  for (let t = 0; t < localPoints.length; t += 3) {
    const a = points[localPoints[t]!]!;
    const b = points[localPoints[t + 1]!]!;
    const c = points[localPoints[t + 2]!]!;
    cornerAngles(positions, a, b, c, angles);
    const x = faces[t]!;
    const y = faces[t + 1]!;
    const z = faces[t + 2]!;
    for (let k = 0; k < 3; k++) {
      const point = localPoints[t + k]!;
      const weight = angles[k]!;
      if (sharp[point] === 0) {
        sums[3 * point]! += weight * x;
        sums[3 * point + 1]! += weight * y;
        sums[3 * point + 2]! += weight * z;
      } else {
        const at = starts[point + 1]!++;
        corners[at] = t + k;
        weights[at] = weight;
      }
    }
  }
}

/** Unit normals, x y z a triangle. */
function faceNormals(points: Uint32Array, p: Float32Array): Float64Array {
  const normal = new Float64Array(3);
  const out = scratch(4, Float64Array, points.length);
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

/** Writes the angles of a triangle, radians; a, b and c are indices of its points. */
function cornerAngles(p: Float32Array, a: number, b: number, c: number, out: Float64Array): void {
  const ab = squaredDistance(p, 3 * a, 3 * b);
  const bc = squaredDistance(p, 3 * b, 3 * c);
  const ca = squaredDistance(p, 3 * c, 3 * a);
  const atA = angleBetween(ab, ca, bc);
  const atB = angleBetween(ab, bc, ca);
  out[0] = atA;
  out[1] = atB;
  out[2] = Math.max(0, Math.PI - atA - atB);
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

/** Adds the normals of the smooth points; returns the index of each point's. */
function smoothNormals(
  { sharp, sums, faces, pool, firstNormal }: Shading,
  firstFaces: Uint32Array,
): Uint32Array {
  const normalOf = scratch(1, Uint32Array, sharp.length);
  for (let point = 0; point < sharp.length; point++) {
    if (sharp[point] === 1) continue;
    const x = sums[3 * point]!;
    const y = sums[3 * point + 1]!;
    const z = sums[3 * point + 2]!;
    normalOf[point] = addUnit(pool, pool.count, x, y, z, faces, firstFaces[point]!) - firstNormal;
  }
  return normalOf;
}

function compareNormals(
  shading: Shading,
  from: number,
  to: number,
  cosCrease: number,
  out: Uint32Array,
): void {
  const { corners, pool } = shading;
  const firstNew = pool.count;
  for (let i = from; i < to; i++) {
    const own = faceOf(corners[i]!);
    out[corners[i]!] = addMean(shading, from, to, own, cosCrease, firstNew);
  }
}

/** Adds the weighted mean of the faces whose angle to `own` has at least this cosine; returns its index. */
function addMean(
  shading: Shading,
  from: number,
  to: number,
  own: number,
  smallestCosine: number,
  firstNew: number,
): number {
  const { corners, faces, weights, pool, firstNormal } = shading;
  let x = 0;
  let y = 0;
  let z = 0;
  for (let i = from; i < to; i++) {
    const face = faceOf(corners[i]!);
    if (face !== own && dot(faces, own, face) < smallestCosine) continue;
    const weight = weights[i]!;
    x += weight * faces[face]!;
    y += weight * faces[face + 1]!;
    z += weight * faces[face + 2]!;
  }
  return addUnit(pool, firstNew, x, y, z, faces, own) - firstNormal;
}

/** Many faces at one point: each joins the first group within half the crease angle, which shares a normal. */
function groupNormals(
  shading: Shading,
  from: number,
  to: number,
  cosHalf: number,
  out: Uint32Array,
): void {
  const { corners, weights, faces, pool } = shading;
  const leaders: number[] = [];
  const members: number[][] = [];
  for (let i = from; i < to; i++) {
    const face = faceOf(corners[i]!);
    let group = leaders.findIndex((leader) => dot(faces, leader, face) >= cosHalf);
    if (group < 0 && leaders.length < LONGEST_COMPARED) {
      group = leaders.push(face) - 1;
      members.push([]);
    }
    members[Math.max(0, group)]!.push(i);
  }
  for (const group of members) {
    const own = {
      ...shading,
      corners: Uint32Array.from(group, (i) => corners[i]!),
      weights: Float64Array.from(group, (i) => weights[i]!),
    };
    const [first] = own.corners;
    const normal = addMean(own, 0, group.length, faceOf(first!), -Infinity, pool.count);
    for (const corner of own.corners) out[corner] = normal;
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
