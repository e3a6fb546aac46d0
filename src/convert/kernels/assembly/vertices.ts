/** Vertices: where corners split, and what each vertex contains. */
import { allocateList, get, set } from './arena';
import { normalX, normalY, normalZ, triangleNormal } from './triangles';
import { hash, tableSize } from './weld';

const NO_VERTEX: u32 = 0xffffffff;

/** Further vertices of a point are found by a hash table, in constant time; a list takes a third of its time. */
const LONGEST_LIST = 64;

const LARGEST_FLOAT32: f32 = 3.4028234663852886e38;

/**
 * Adds the vertices of a surface: one for each point, normal and UV that differ, in the order of their first use.
 *
 * @param localPoints - u32 a corner: its point as numbered within the surface.
 * @param normals - u32 a corner: its normal, counted from `firstNormal`.
 * @param points - u32 a local point: its point.
 * @param uvKeys - u32 a corner: where its U is in `uvs`, or a number for its UV.
 * @param uvs - f64 each; 0 where equal UVs have equal keys.
 * @param vertexCount - Those before the surface.
 * @param indices - u32 a corner, filled: its vertex.
 * @param pointOf - u32 a vertex, filled; so are the next two.
 * @param isStored - u8 a vertex, filled: 1 where its UV is in `uvs`.
 * @returns The number of vertices with those of the surface.
 */
export function splitSurface(
  localPoints: usize,
  normals: usize,
  cornerCount: i32,
  firstNormal: u32,
  points: usize,
  localCount: i32,
  uvKeys: usize,
  uvs: usize,
  vertexCount: u32,
  indices: usize,
  pointOf: usize,
  normalOf: usize,
  uvKeyOf: usize,
  isStored: usize,
): u32 {
  pointOfVertex = pointOf;
  normalOfVertex = normalOf;
  uvKeyOfVertex = uvKeyOf;
  const first = vertexCount;
  // Point → its vertex before, which most corners are; its vertices, linked.
  const latest = allocateList<u32>(localCount);
  const heads = allocateList<u32>(localCount);
  memory.fill(latest, 0xff, <usize>localCount * 4);
  memory.fill(heads, 0xff, <usize>localCount * 4);
  const next = allocateList<u32>(cornerCount);
  const mask = tableSize(cornerCount) - 1;
  let table: usize = 0;
  for (let corner = 0; corner < cornerCount; corner++) {
    const local = get<u32>(localPoints, corner);
    const normal = firstNormal + get<u32>(normals, corner);
    const uvKey = get<u32>(uvKeys, corner);
    let vertex = get<u32>(latest, local);
    if (
      vertex === NO_VERTEX ||
      get<u32>(normalOf, vertex) !== normal ||
      get<u32>(uvKeyOf, vertex) !== uvKey
    ) {
      const head = get<u32>(heads, local);
      const point = get<u32>(points, local);
      let slot = -1;
      vertex = vertexInList(head, next, first, normal, uvs, uvKey);
      if (vertex === NO_VERTEX && listLength >= LONGEST_LIST) {
        if (table === 0) {
          table = allocateList<u32>(mask + 1);
          memory.fill(table, 0xff, <usize>(mask + 1) * 4);
        }
        slot = slotOfVertex(table, mask, point, normal, uvs, uvKey);
        vertex = get<u32>(table, slot);
      }
      if (vertex === NO_VERTEX) {
        vertex = vertexCount++;
        set<u32>(pointOf, vertex, point);
        set<u32>(normalOf, vertex, normal);
        set<u32>(uvKeyOf, vertex, uvKey);
        set<u8>(isStored, vertex, uvs === 0 ? 0 : 1);
        if (slot < 0) {
          set<u32>(next, vertex - first, head);
          set<u32>(heads, local, vertex);
        } else set<u32>(table, slot, vertex);
      }
      set<u32>(latest, local, vertex);
    }
    set<u32>(indices, corner, vertex);
  }
  return vertexCount;
}

let pointOfVertex: usize = 0;
let normalOfVertex: usize = 0;
let uvKeyOfVertex: usize = 0;
/** Vertices of the list that was searched last and does not have the vertex. */
let listLength = 0;

/** The vertex of a linked list with this normal and UV. */
function vertexInList(
  head: u32,
  next: usize,
  first: u32,
  normal: u32,
  uvs: usize,
  uvKey: u32,
): u32 {
  listLength = 0;
  for (let vertex = head; vertex !== NO_VERTEX; vertex = get<u32>(next, vertex - first)) {
    if (isSameVertex(vertex, normal, uvs, uvKey)) return vertex;
    listLength++;
  }
  return NO_VERTEX;
}

/** The slot of the vertex with this point, normal and UV, or the empty one where it belongs. */
function slotOfVertex(
  table: usize,
  mask: i32,
  point: u32,
  normal: u32,
  uvs: usize,
  uvKey: u32,
): i32 {
  let slot = <i32>hash(point, normal, uvs === 0 ? uvKey : hashOfUv(uvs, uvKey)) & mask;
  while (true) {
    const vertex = get<u32>(table, slot);
    if (vertex === NO_VERTEX) return slot;
    if (get<u32>(pointOfVertex, vertex) === point && isSameVertex(vertex, normal, uvs, uvKey))
      return slot;
    slot = (slot + 1) & mask;
  }
}

/** Whether a vertex of the same point has this normal and UV. */
function isSameVertex(vertex: u32, normal: u32, uvs: usize, uvKey: u32): bool {
  if (get<u32>(normalOfVertex, vertex) !== normal) return false;
  return isSameUv(uvs, get<u32>(uvKeyOfVertex, vertex), uvKey);
}

/** Equal for equal UVs: adding 0 turns −0 into 0. */
function hashOfUv(uvs: usize, at: u32): u32 {
  const u = reinterpret<u64>(get<f64>(uvs, at) + 0);
  const v = reinterpret<u64>(get<f64>(uvs, at + 1) + 0);
  const mixed = (u ^ (v << 1) ^ (v >>> 63)) * 0x9e3779b97f4a7c15;
  return <u32>(mixed >>> 32);
}

function isSameUv(uvs: usize, a: u32, b: u32): bool {
  if (a === b) return true;
  if (uvs === 0) return false;
  return get<f64>(uvs, a) === get<f64>(uvs, b) && get<f64>(uvs, a + 1) === get<f64>(uvs, b + 1);
}

/**
 * The sides of a box that triangles face, as {@link boxFace} has them.
 *
 * @param matrix - Nine f64, column by column, which normals are multiplied by.
 * @param keys - u32 a corner, filled: the side of its triangle.
 */
export function boxFaces(
  localPoints: usize,
  cornerCount: i32,
  points: usize,
  positions: usize,
  matrix: usize,
  mirror: bool,
  keys: usize,
): void {
  for (let t = 0; t < cornerCount; t += 3) {
    const a = get<u32>(points, get<u32>(localPoints, t));
    const b = get<u32>(points, get<u32>(localPoints, t + 1));
    const c = get<u32>(points, get<u32>(localPoints, t + 2));
    triangleNormal(positions, a, b, c);
    const x = row(matrix, 0, normalX, normalY, normalZ);
    const y = row(matrix, 1, normalX, normalY, normalZ);
    const z = row(matrix, 2, normalX, normalY, normalZ);
    let length = hypot(x, y, z);
    if (length === 0 || Number.isNaN(length)) length = 1;
    const face = boxFace(x / length, y / length, z / length, mirror);
    set<u32>(keys, t, face);
    set<u32>(keys, t + 1, face);
    set<u32>(keys, t + 2, face);
  }
}

function row(matrix: usize, at: i32, x: f64, y: f64, z: f64): f64 {
  return get<f64>(matrix, at) * x + get<f64>(matrix, at + 3) * y + get<f64>(matrix, at + 6) * z;
}

/** Front and back: U is x, V is y. First in a tie: D-402. */
const FRONT: u32 = 0;
/** Left and right: U is z, V is y. Second in a tie. */
const SIDE: u32 = 1;
/** Top and bottom: U is x, V is z. */
const TOP: u32 = 2;
/** Added to the face of a mirrored opposite side: U runs the other way. */
const MIRRORED: u32 = 3;
/** Components of a unit normal that are this close count as equal. */
const TIE: f64 = 1e-6;

/**
 * The side of the box that the largest component of a unit normal points to (D-402).
 *
 * @param mirror - Whether U runs the other way on back, left and bottom.
 * @returns 0 to 5, for {@link boxU} and {@link boxV}.
 *
 * @example
 * ```ts
 * boxFace(0, -1, 0, false); // → 2, the top
 * boxFace(Math.SQRT1_2, 0, Math.SQRT1_2, false); // → 0, the front
 * ```
 */
export function boxFace(x: f64, y: f64, z: f64, mirror: bool): u32 {
  const ax = abs(x);
  const ay = abs(y);
  const az = abs(z);
  const limit = max(ax, max(ay, az)) - TIE;
  if (az >= limit) return mirror && z < 0 ? FRONT + MIRRORED : FRONT;
  if (ax >= limit) return mirror && x < 0 ? SIDE + MIRRORED : SIDE;
  return mirror && y < 0 ? TOP + MIRRORED : TOP;
}

/** U of a point on a face: front and top x, side z; backwards where the face is mirrored. */
export function boxU(face: u32, x: f64, z: f64): f64 {
  const value = face % MIRRORED === SIDE ? z : x;
  return face >= MIRRORED ? -value : value;
}

/** V of a point on a face: front and side y, top z. */
export function boxV(face: u32, y: f64, z: f64): f64 {
  return face % MIRRORED === TOP ? z : y;
}

/** The same bits as `hypot` of math/elementary.ts, which explains it. */
export function hypot(x: f64, y: f64, z: f64): f64 {
  const squares = x * x + y * y + z * z;
  if (squares > 1e-280 && squares < 1e300) return sqrt(squares);
  const largest = max(abs(x), max(abs(y), abs(z)));
  if (!(largest > 0 && largest < Infinity)) return largest;
  const a = x / largest;
  const b = y / largest;
  const c = z / largest;
  return largest * sqrt(a * a + b * b + c * c);
}

/**
 * Points of a list times a matrix, plus an offset.
 *
 * @param positions - x y z a point, f32.
 * @param pointOf - u32 a vertex: its point; 0: all points in their order.
 * @param matrix - Nine f64, column by column, then the offset.
 * @param out - x y z a vertex, f32 or f64.
 */
export function transformPoints(
  positions: usize,
  pointOf: usize,
  count: i32,
  matrix: usize,
  out: usize,
  isSingle: bool,
): void {
  const offsetX = get<f64>(matrix, 9);
  const offsetY = get<f64>(matrix, 10);
  const offsetZ = get<f64>(matrix, 11);
  for (let i = 0; i < count; i++) {
    const at = 3 * (pointOf === 0 ? i : get<u32>(pointOf, i));
    const px = <f64>get<f32>(positions, at);
    const py = <f64>get<f32>(positions, at + 1);
    const pz = <f64>get<f32>(positions, at + 2);
    const x = row(matrix, 0, px, py, pz) + offsetX;
    const y = row(matrix, 1, px, py, pz) + offsetY;
    const z = row(matrix, 2, px, py, pz) + offsetZ;
    if (isSingle) {
      set<f32>(out, 3 * i, clamped(<f32>x));
      set<f32>(out, 3 * i + 1, clamped(<f32>y));
      set<f32>(out, 3 * i + 2, clamped(<f32>z));
    } else {
      set<f64>(out, 3 * i, x);
      set<f64>(out, 3 * i + 1, y);
      set<f64>(out, 3 * i + 2, z);
    }
  }
}

/** Values beyond float32 as its largest: nonsense such as 1e39 stays nonsense, but the file is valid. */
function clamped(value: f32): f32 {
  return max<f32>(-LARGEST_FLOAT32, min<f32>(value, LARGEST_FLOAT32));
}

/**
 * The normals of vertices.
 *
 * @param normals - x y z a normal, f32 of unit length.
 * @param normalOf - u32 a vertex.
 * @param matrix - Nine f64, column by column, which normals are multiplied by; 0: they stay as they are.
 * @param side - −1 where they are turned inside out.
 * @param out - x y z a vertex, f32.
 */
export function fillNormals(
  normals: usize,
  normalOf: usize,
  count: i32,
  matrix: usize,
  side: f64,
  out: usize,
): void {
  for (let v = 0; v < count; v++) {
    const at = 3 * get<u32>(normalOf, v);
    const x = get<f32>(normals, at);
    const y = get<f32>(normals, at + 1);
    const z = get<f32>(normals, at + 2);
    if (matrix === 0) {
      set<f32>(out, 3 * v, x);
      set<f32>(out, 3 * v + 1, y);
      set<f32>(out, 3 * v + 2, z);
    } else {
      const turnedX = row(matrix, 0, x, y, z);
      const turnedY = row(matrix, 1, x, y, z);
      const turnedZ = row(matrix, 2, x, y, z);
      const length = hypot(turnedX, turnedY, turnedZ) * side;
      set<f32>(out, 3 * v, <f32>(turnedX / length));
      set<f32>(out, 3 * v + 1, <f32>(turnedY / length));
      set<f32>(out, 3 * v + 2, <f32>(turnedZ / length));
    }
  }
}

/**
 * The UVs of vertices, V down as in glTF.
 *
 * @param uvKeyOf - u32 a vertex: where its U is in `uvs`, or the side of a box that its point is projected on.
 * @param isStored - u8 a vertex: 1 where its UV is in `uvs`.
 * @param uvs - f64 each, V up.
 * @param points - x y z a vertex, f64 metres; what is projected.
 * @param flip - Whether stored V run up.
 * @param swap - Whether U and V of a projection are exchanged.
 * @param map - Six f64: an affine map, row by row.
 * @param out - U and V a vertex, f32.
 */
export function fillUvs(
  uvKeyOf: usize,
  isStored: usize,
  count: i32,
  uvs: usize,
  points: usize,
  flip: bool,
  swap: bool,
  map: usize,
  out: usize,
): void {
  for (let v = 0; v < count; v++) {
    const key = get<u32>(uvKeyOf, v);
    let s: f64;
    let t: f64;
    if (get<u8>(isStored, v) === 1) {
      s = get<f64>(uvs, key);
      t = get<f64>(uvs, key + 1);
      if (!flip) t = 1 - t;
    } else {
      const across = boxU(key, get<f64>(points, 3 * v), get<f64>(points, 3 * v + 2));
      const up = boxV(key, get<f64>(points, 3 * v + 1), get<f64>(points, 3 * v + 2));
      s = swap ? up : across;
      t = swap ? across : up;
    }
    let u = s;
    let w = t;
    if (map !== 0) {
      u = get<f64>(map, 0) * s + get<f64>(map, 1) * t + get<f64>(map, 2);
      w = get<f64>(map, 3) * s + get<f64>(map, 4) * t + get<f64>(map, 5);
    }
    set<f32>(out, 2 * v, clamped(<f32>u));
    // glTF's origin is top-left: D-401.
    set<f32>(out, 2 * v + 1, clamped(<f32>(1 - w)));
  }
}

/** Rewrites u32 indices as u16, in place. */
export function shortenIndices(indices: usize, count: i32): void {
  for (let i = 0; i < count; i++) set<u16>(indices, i, <u16>get<u32>(indices, i));
}

/**
 * The box around points: exactly their smallest and largest components.
 *
 * @param positions - x y z a point, f32.
 * @param matrix - As of {@link transformPoints}, which the points are multiplied by; 0: they stay as they are.
 * @param box - Six f64, filled: the smallest, then the largest.
 */
export function boundsOf(positions: usize, count: i32, matrix: usize, box: usize): void {
  let minX: f64 = Infinity;
  let minY: f64 = Infinity;
  let minZ: f64 = Infinity;
  let maxX: f64 = -Infinity;
  let maxY: f64 = -Infinity;
  let maxZ: f64 = -Infinity;
  for (let i = 0; i < 3 * count; i += 3) {
    let x = <f64>get<f32>(positions, i);
    let y = <f64>get<f32>(positions, i + 1);
    let z = <f64>get<f32>(positions, i + 2);
    if (matrix !== 0) {
      const px = x;
      const py = y;
      const pz = z;
      x = row(matrix, 0, px, py, pz) + get<f64>(matrix, 9);
      y = row(matrix, 1, px, py, pz) + get<f64>(matrix, 10);
      z = row(matrix, 2, px, py, pz) + get<f64>(matrix, 11);
    }
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
    if (z < minZ) minZ = z;
    if (z > maxZ) maxZ = z;
  }
  set<f64>(box, 0, minX);
  set<f64>(box, 1, minY);
  set<f64>(box, 2, minZ);
  set<f64>(box, 3, maxX);
  set<f64>(box, 4, maxY);
  set<f64>(box, 5, maxZ);
}
