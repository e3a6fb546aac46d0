/**
 * Normals of one surface.
 *
 * Triangles are read in their order and add to a sum for each point; only the corners of points with more than one
 * normal are brought together. This takes a third of the time of bringing all corners together.
 */
import { allocateList, get, set } from './arena';
import { normalX, normalY, normalZ, triangleNormal } from './triangles';

/** A point with more faces than this is not compared pair by pair, but face by group: D-753. */
const LONGEST_COMPARED: i32 = 512;

/** Points with more corners than this are not searched for duplicates: the search is quadratic in them. */
const LONGEST_SEARCHED: u32 = 64;

/** π less its nearest double. */
const PI_REST: f64 = 1.2246467991473532e-16;

/** Corners of the surface. */
let cornerCount: i32 = 0;
/** u32 a corner: its point as numbered within the surface. */
let localPoints: usize = 0;
let localCount: i32 = 0;
/** u32 a local point: first corner of the first triangle at it. */
let firstFaces: usize = 0;
/** u32 a local point: number of its corners. */
let degrees: usize = 0;
/** Unit normal of each triangle, x y z, f64. */
let faces: usize = 0;
/** u8 a local point: 1 where it has more than one normal. */
let sharp: usize = 0;
/** u32 a sharp point: first entry in `sharpCorners` and `weights`; one more than points. */
let starts: usize = 0;
/** Corners of sharp points, those of one point together, in ascending order. */
let sharpCorners: usize = 0;
/** First corners of their triangles. */
let sharpFaces: usize = 0;
/** Their angles, radians, f64. */
let weights: usize = 0;
/** x y z a normal of the surface, f32. */
let pool: usize = 0;
let poolCount: i32 = 0;

/**
 * Creates the normals of the corners of a surface: for each the angle-weighted mean over those faces at its point
 * within the crease angle of its own face. A point whose faces all lie within half that angle has one normal.
 *
 * @param corners - u32 a corner: its point; becomes its local point. Those of a triangle differ.
 * @param positions - x y z a point, f32 metres.
 * @param numbers - u32 a point: `firstNumber` and its local number, or less where it has none yet.
 * @param points - u32 a local point: its point. Room for one a corner.
 * @param normals - u32 a corner: its normal as numbered within the surface; not filled where all are smooth.
 * @param values - x y z a normal, f32 of unit length. Room for one a corner.
 * @returns The number of local points; {@link normalCount}, {@link isSmooth} and {@link duplicateTriangles} have the rest.
 */
export function addSurface(
  corners: usize,
  count: i32,
  positions: usize,
  numbers: usize,
  firstNumber: u32,
  cosHalf: f64,
  cosCrease: f64,
  points: usize,
  normals: usize,
  values: usize,
): i32 {
  cornerCount = count;
  localPoints = corners;
  pool = values;
  poolCount = 0;
  faceNormals(positions);
  numberPoints(numbers, firstNumber, points);
  duplicates = countDuplicates();
  markSharpPoints(cosHalf);
  const sharpCount = findStarts();
  smooth = sharpCount === 0;
  sharpCorners = allocateList<u32>(sharpCount);
  sharpFaces = allocateList<u32>(sharpCount);
  weights = allocateList<f64>(sharpCount);
  const sums = addAngles(positions, points);
  const normalOf = smoothNormals(sums);
  if (smooth) return localCount;
  for (let i = 0; i < count; i++)
    set<u32>(normals, i, get<u32>(normalOf, get<u32>(localPoints, i)));
  for (let point = 0; point < localCount; point++) {
    const from = get<i32>(starts, point);
    const to = get<i32>(starts, point + 1);
    if (to - from > LONGEST_COMPARED) groupNormals(from, to, cosHalf, normals);
    else compareNormals(from, to, cosCrease, normals);
  }
  return localCount;
}

/** Normals of the surface that was added last. */
export function normalCount(): i32 {
  return poolCount;
}

let smooth: bool = true;
/** Whether each of its points has one normal, with the number of the point. */
export function isSmooth(): bool {
  return smooth;
}

let duplicates: i32 = 0;
/** Its triangles with the same points in the same turn as an earlier one. */
export function duplicateTriangles(): i32 {
  return duplicates;
}

function faceNormals(positions: usize): void {
  faces = allocateList<f64>(cornerCount);
  for (let t = 0; t < cornerCount; t += 3) {
    const a = get<u32>(localPoints, t);
    triangleNormal(positions, a, get<u32>(localPoints, t + 1), get<u32>(localPoints, t + 2));
    let x = normalX;
    let y = normalY;
    let z = normalZ;
    let length = sqrt(x * x + y * y + z * z);
    if (!(length > 1e-150 && length < 1e150)) {
      // The square left the range of doubles: bring the components near 1 first.
      const largest = max(abs(x), max(abs(y), abs(z)));
      x /= largest;
      y /= largest;
      z /= largest;
      length = sqrt(x * x + y * y + z * z);
    }
    set<f64>(faces, t, x / length);
    set<f64>(faces, t + 1, y / length);
    set<f64>(faces, t + 2, z / length);
  }
}

/** Replaces the points of corners by their local numbers. */
function numberPoints(numbers: usize, firstNumber: u32, points: usize): void {
  firstFaces = allocateList<u32>(cornerCount);
  degrees = allocateList<u32>(cornerCount);
  localCount = 0;
  for (let t = 0; t < cornerCount; t += 3) {
    for (let corner = t; corner < t + 3; corner++) {
      const point = get<u32>(localPoints, corner);
      const number = get<u32>(numbers, point);
      if (number >= firstNumber) {
        const local = number - firstNumber;
        set<u32>(localPoints, corner, local);
        set<u32>(degrees, local, get<u32>(degrees, local) + 1);
      } else {
        set<u32>(numbers, point, firstNumber + localCount);
        set<u32>(localPoints, corner, localCount);
        set<u32>(points, localCount, point);
        set<u32>(firstFaces, localCount, t);
        set<u32>(degrees, localCount, 1);
        localCount++;
      }
    }
  }
}

/** Compares each triangle with those before it that have the same lowest point. */
function countDuplicates(): i32 {
  // The first corner of the latest triangle with this lowest point; of each the one before.
  const latest = allocateList<i32>(localCount);
  memory.fill(latest, 0xff, <usize>localCount * 4);
  const earlier = allocateList<i32>(cornerCount / 3);
  let found = 0;
  for (let t = 0; t < cornerCount; t += 3) {
    const a = get<u32>(localPoints, t);
    const b = get<u32>(localPoints, t + 1);
    const c = get<u32>(localPoints, t + 2);
    const lowest = min(a, min(b, c));
    if (get<u32>(degrees, lowest) > LONGEST_SEARCHED) continue;
    for (let other = get<i32>(latest, lowest); other >= 0; other = get<i32>(earlier, other / 3)) {
      if (!isTriangle(other, a, b, c)) continue;
      found++;
      break;
    }
    set<i32>(earlier, t / 3, get<i32>(latest, lowest));
    set<i32>(latest, lowest, t);
  }
  return found;
}

/** Whether a triangle has these points in this turn; two that lie back to back are no repetition. */
function isTriangle(t: i32, a: u32, b: u32, c: u32): bool {
  const first = get<u32>(localPoints, t);
  const second = get<u32>(localPoints, t + 1);
  const third = get<u32>(localPoints, t + 2);
  if (first === a) return second === b && third === c;
  return first === b ? second === c && third === a : first === c && second === a && third === b;
}

/** Marks the points with a face beyond half the crease angle of their first one. */
function markSharpPoints(cosHalf: f64): void {
  sharp = allocateList<u8>(localCount);
  memory.fill(sharp, 0, localCount);
  for (let t = 0; t < cornerCount; t += 3) {
    for (let corner = t; corner < t + 3; corner++) {
      const point = get<u32>(localPoints, corner);
      const first = get<u32>(firstFaces, point);
      if (first !== t && dot(first, t) < cosHalf) set<u8>(sharp, point, 1);
    }
  }
}

/**
 * Makes {@link starts}, one entry later, as {@link addAngles} moves each to the end of its point.
 *
 * @returns The number of corners of sharp points.
 */
function findStarts(): i32 {
  starts = allocateList<u32>(localCount + 2);
  set<u32>(starts, 0, 0);
  let count = 0;
  for (let point = 0; point < localCount; point++) {
    set<u32>(starts, point + 1, count);
    if (get<u8>(sharp, point) === 1) count += get<u32>(degrees, point);
  }
  set<u32>(starts, localCount + 1, count);
  return count;
}

/** Adds each face by its angle to the sums of its smooth points, x y z f64 each, and to the corners of its sharp ones. */
function addAngles(positions: usize, points: usize): usize {
  const sums = allocateList<f64>(3 * localCount);
  memory.fill(sums, 0, <usize>localCount * 24);
  for (let t = 0; t < cornerCount; t += 3) {
    const first = get<u32>(localPoints, t);
    const second = get<u32>(localPoints, t + 1);
    const third = get<u32>(localPoints, t + 2);
    const a = 3 * get<u32>(points, first);
    const b = 3 * get<u32>(points, second);
    const c = 3 * get<u32>(points, third);
    const ab = squaredDistance(positions, a, b);
    const bc = squaredDistance(positions, b, c);
    const ca = squaredDistance(positions, c, a);
    const atA = angleBetween(ab, ca, bc);
    const atB = angleBetween(ab, bc, ca);
    addAngle(sums, t, t, first, atA);
    addAngle(sums, t, t + 1, second, atB);
    const atC = Math.PI - atA - atB;
    addAngle(sums, t, t + 2, third, Math.max(atC, 0));
  }
  return sums;
}

function addAngle(sums: usize, face: i32, corner: i32, point: i32, angle: f64): void {
  if (get<u8>(sharp, point) === 0) {
    const at = 3 * point;
    set<f64>(sums, at, get<f64>(sums, at) + angle * get<f64>(faces, face));
    set<f64>(sums, at + 1, get<f64>(sums, at + 1) + angle * get<f64>(faces, face + 1));
    set<f64>(sums, at + 2, get<f64>(sums, at + 2) + angle * get<f64>(faces, face + 2));
  } else {
    const at = get<u32>(starts, point + 1);
    set<u32>(starts, point + 1, at + 1);
    set<u32>(sharpCorners, at, corner);
    set<u32>(sharpFaces, at, face);
    set<f64>(weights, at, angle);
  }
}

function squaredDistance(p: usize, a: i32, b: i32): f64 {
  const x = <f64>get<f32>(p, b) - <f64>get<f32>(p, a);
  const y = <f64>get<f32>(p, b + 1) - <f64>get<f32>(p, a + 1);
  const z = <f64>get<f32>(p, b + 2) - <f64>get<f32>(p, a + 2);
  return x * x + y * y + z * z;
}

/** Law of cosines on squared lengths; the angle lies between the first two sides. */
function angleBetween(side: f64, other: f64, opposite: f64): f64 {
  const cosine = (side + other - opposite) / (2 * sqrt(side * other));
  return acos(cosine > 1 ? 1 : Math.max(cosine, -1));
}

/** The same bits as `acos` of math/elementary.ts, which explains it. */
export function acos(cosine: f64): f64 {
  if (cosine > 0.5) return 2 * asinOfHalf(sqrt((1 - cosine) / 2), 0);
  if (cosine < -0.5) return Math.PI - (2 * asinOfHalf(sqrt((1 + cosine) / 2), 0) - PI_REST);
  return Math.PI / 2 - asinOfHalf(cosine, -PI_REST / 2);
}

/** asin x + rest for |x| ≤ ½. */
function asinOfHalf(x: f64, rest: f64): f64 {
  const z = x * x;
  const w = z * z;
  let even: f64 = -0.010749050339697808;
  even = even * w + 0.0078029494773533175;
  even = even * w + 0.013929652902326633;
  even = even * w + 0.02237204763174451;
  even = even * w + 0.044642857103423646;
  even = even * w + 0.1666666666666665;
  let odd: f64 = 0.028169218060881414;
  odd = odd * w + 0.01603551434914882;
  odd = odd * w + 0.011875494382636922;
  odd = odd * w + 0.017355259955786323;
  odd = odd * w + 0.03038194736709848;
  odd = odd * w + 0.07500000000020764;
  return x + (x * z * (even + odd * z) + rest);
}

/** Adds the normals of the smooth points; returns u32 a local point: its normal. */
function smoothNormals(sums: usize): usize {
  const normalOf = allocateList<u32>(localCount);
  for (let point = 0; point < localCount; point++) {
    if (get<u8>(sharp, point) === 1) continue;
    const x = get<f64>(sums, 3 * point);
    const y = get<f64>(sums, 3 * point + 1);
    const z = get<f64>(sums, 3 * point + 2);
    set<u32>(normalOf, point, addUnit(poolCount, x, y, z, get<u32>(firstFaces, point)));
  }
  return normalOf;
}

function compareNormals(from: i32, to: i32, cosCrease: f64, normals: usize): void {
  const firstNew = poolCount;
  for (let i = from; i < to; i++) {
    const own = get<u32>(sharpFaces, i);
    let x: f64 = 0;
    let y: f64 = 0;
    let z: f64 = 0;
    for (let k = from; k < to; k++) {
      const face = get<u32>(sharpFaces, k);
      if (face !== own && dot(own, face) < cosCrease) continue;
      const weight = get<f64>(weights, k);
      x += weight * get<f64>(faces, face);
      y += weight * get<f64>(faces, face + 1);
      z += weight * get<f64>(faces, face + 2);
    }
    set<u32>(normals, get<u32>(sharpCorners, i), addUnit(firstNew, x, y, z, own));
  }
}

/** Many faces at one point: each joins the first group within half the crease angle, which shares a normal. */
function groupNormals(from: i32, to: i32, cosHalf: f64, normals: usize): void {
  const leaders = allocateList<u32>(LONGEST_COMPARED);
  const sums = allocateList<f64>(3 * LONGEST_COMPARED);
  memory.fill(sums, 0, LONGEST_COMPARED * 24);
  const firstNew = poolCount;
  let groups = 0;
  for (let i = from; i < to; i++) {
    const face = get<u32>(sharpFaces, i);
    let group = 0;
    while (group < groups && !(dot(get<u32>(leaders, group), face) >= cosHalf)) group++;
    if (group === groups) {
      if (groups < LONGEST_COMPARED) set<u32>(leaders, groups++, face);
      else group = 0;
    }
    const weight = get<f64>(weights, i);
    set<f64>(sums, 3 * group, get<f64>(sums, 3 * group) + weight * get<f64>(faces, face));
    set<f64>(
      sums,
      3 * group + 1,
      get<f64>(sums, 3 * group + 1) + weight * get<f64>(faces, face + 1),
    );
    set<f64>(
      sums,
      3 * group + 2,
      get<f64>(sums, 3 * group + 2) + weight * get<f64>(faces, face + 2),
    );
    set<u32>(normals, get<u32>(sharpCorners, i), firstNew + group);
  }
  for (let group = 0; group < groups; group++) {
    const x = get<f64>(sums, 3 * group);
    const y = get<f64>(sums, 3 * group + 1);
    addUnit(poolCount, x, y, get<f64>(sums, 3 * group + 2), get<u32>(leaders, group));
  }
}

function dot(a: i32, b: i32): f64 {
  return (
    get<f64>(faces, a) * get<f64>(faces, b) +
    get<f64>(faces, a + 1) * get<f64>(faces, b + 1) +
    get<f64>(faces, a + 2) * get<f64>(faces, b + 2)
  );
}

/** Adds a direction at length 1, or finds it among those from `firstNew` on. */
function addUnit(firstNew: i32, x: f64, y: f64, z: f64, fallbackFace: i32): i32 {
  const length = sqrt(x * x + y * y + z * z);
  const isZero = !(length > 1e-12);
  const nx = <f32>(isZero ? get<f64>(faces, fallbackFace) : x / length);
  const ny = <f32>(isZero ? get<f64>(faces, fallbackFace + 1) : y / length);
  const nz = <f32>(isZero ? get<f64>(faces, fallbackFace + 2) : z / length);
  for (let i = firstNew; i < poolCount; i++) {
    if (
      get<f32>(pool, 3 * i) === nx &&
      get<f32>(pool, 3 * i + 1) === ny &&
      get<f32>(pool, 3 * i + 2) === nz
    )
      return i;
  }
  // Adding 0 turns −0 into 0.
  set<f32>(pool, 3 * poolCount, nx + 0);
  set<f32>(pool, 3 * poolCount + 1, ny + 0);
  set<f32>(pool, 3 * poolCount + 2, nz + 0);
  return poolCount++;
}
