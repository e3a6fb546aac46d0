/**
 * Vertex data: a prepared mesh becomes the arrays of glTF. Vertices are in first-use order; one is split
 * where its normal, its UV or its surface splits.
 *
 * The first pass distinguishes vertices by point, normal and UV source; the second fills arrays of
 * exactly the right size.
 */
import { hypot } from '../math/elementary.ts';
import {
  determinant3,
  isIdentity3,
  type Mat3,
  multiplyMat3,
  normalMatrix3,
  transformPoints,
  transformVec3,
  triangleNormal,
} from '../math/vec.ts';
import type { Geometry } from '../model/scene.ts';
import { type PreparedMesh, swapCorners } from './block-mesh.ts';
import type { ConvertOptions } from './convert-options.ts';
import { scratch } from './scratch.ts';
import { boxFace, boxU, boxV, type UvMap } from './uv.ts';
import { createVertexLists } from './vertex-lists.ts';

type PreparedSurface = PreparedMesh['surfaces'][number];

/** How vertex data is made from a prepared mesh. */
export interface VertexPlan
  extends Pick<ConvertOptions, 'flipV' | 'doubleSided' | 'mirrorOppositeSides'> {
  /** Stored UVs where a surface has them; else every surface is projected. */
  useStoredUvs: boolean;
  /** Exchanges U and V of projected UVs: D-403. */
  swapProjected: boolean;
  /** One entry a UV set: a map to bake, or undefined for the UVs as they are. Empty: no UVs. */
  uvSets: (UvMap | undefined)[];
  /** Size in metres that a projection is made at: the part's scale, or its baked shape. */
  projectAt: Mat3;
  /** Baked into the vertices; the identity but with `inheritScale`. */
  shape: Mat3;
}

interface VertexData {
  /** Surfaces whose back sides are never seen. */
  singleSided: Geometry | undefined;
  doubleSided: Geometry | undefined;
  /** Vertices beyond the welded points. */
  splitVertices: number;
}

/** Which vertex each corner is, for some surfaces together. */
interface Split {
  /** Corner (surfaces one after the other) → vertex. */
  indices: Uint32Array;
  vertexCount: number;
  pointCount: number;
  /** Vertex → its point, normal and UV key. */
  points: Uint32Array;
  normals: Uint32Array;
  uvKeys: Uint32Array;
  /** Vertex → 1 where its UV key is a box face. */
  projected: Uint8Array;
}

const NO_VERTEX = 0xffffffff;
/** No UV: none of the box faces. */
const NO_UV = 6;
/** Vertices whose indices take two bytes. */
const MAX_SHORT_INDICES = 65_535;

const DOUBLE_SIDED = {
  open: (surface) => surface.doubleSided,
  all: () => true,
  none: () => false,
} as const satisfies Record<ConvertOptions['doubleSided'], (surface: PreparedSurface) => boolean>;

/**
 * Makes the vertex data of a mesh (D-305, D-306, D-307, D-401 to D-406, D-420).
 *
 * @param expectRoom - Receives the bytes of each geometry before they are made.
 */
export function buildVertexData(
  mesh: PreparedMesh,
  plan: VertexPlan,
  expectRoom: (bytes: number) => void = () => {},
): VertexData {
  const isDouble = DOUBLE_SIDED[plan.doubleSided];
  const data: VertexData = { singleSided: undefined, doubleSided: undefined, splitVertices: 0 };
  for (const side of ['singleSided', 'doubleSided'] as const) {
    const surfaces = mesh.surfaces.filter((it) => isDouble(it) === (side === 'doubleSided'));
    if (surfaces.length === 0) continue;
    const split = splitVertices(mesh, surfaces, plan);
    expectRoom(bytesOf(split, plan));
    data[side] = fill(mesh, split, plan);
    data.splitVertices += split.vertexCount - split.pointCount;
  }
  return data;
}

/** Of positions, normals, UV sets and indices. */
function bytesOf({ vertexCount, indices }: Split, { uvSets }: VertexPlan): number {
  const perIndex = vertexCount <= MAX_SHORT_INDICES ? 2 : 4;
  return vertexCount * (12 + 12 + 8 * uvSets.length) + indices.length * perIndex;
}

function splitVertices(
  mesh: PreparedMesh,
  surfaces: readonly PreparedSurface[],
  plan: VertexPlan,
): Split {
  const cornerCount = surfaces.reduce((sum, surface) => sum + surface.localPoints.length, 0);
  const split: Split = {
    indices: new Uint32Array(cornerCount),
    vertexCount: 0,
    pointCount: surfaces.reduce((sum, surface) => sum + surface.points.length, 0),
    points: scratch(0, Uint32Array, cornerCount),
    normals: scratch(1, Uint32Array, cornerCount),
    uvKeys: scratch(2, Uint32Array, cornerCount),
    projected: scratch(3, Uint8Array, cornerCount),
  };
  let start = 0;
  for (const surface of surfaces) {
    splitSurface(mesh, surface, plan, split, start);
    start += surface.localPoints.length;
  }
  return split;
}

function splitSurface(
  mesh: PreparedMesh,
  surface: PreparedSurface,
  plan: VertexPlan,
  split: Split,
  start: number,
): void {
  const { localPoints, normals, firstNormal, points } = surface;
  const { uvs } = mesh;
  const first = split.vertexCount;
  const stored = plan.useStoredUvs && surface.uvOffsets !== undefined;
  const keys = uvKeysOf(mesh, surface, plan);
  const lists = createVertexLists({
    pointCount: points.length,
    cornerCount: localPoints.length,
    isSame: (vertex, corner) =>
      split.normals[first + vertex] === firstNormal + normals[corner]! &&
      isSameUv(uvs, split.uvKeys[first + vertex]!, keys[corner]!, stored),
    keyOf: (corner) => {
      const uvKey = keys[corner]!;
      return `${normals[corner]} ${stored ? `${uvs[uvKey]} ${uvs[uvKey + 1]}` : uvKey}`;
    },
  });
  const { indices, points: pointOf, normals: normalOf, uvKeys } = split;
  // Point → its vertex before, which most corners are.
  const latest = scratch(4, Uint32Array, points.length).fill(NO_VERTEX);
  for (let corner = 0; corner < localPoints.length; corner++) {
    const point = localPoints[corner]!;
    const normal = firstNormal + normals[corner]!;
    const uvKey = keys[corner]!;
    let vertex = latest[point]!;
    if (vertex === NO_VERTEX || normalOf[vertex] !== normal || uvKeys[vertex] !== uvKey) {
      vertex = first + lists.vertexOf(point, corner);
      latest[point] = vertex;
      if (vertex === split.vertexCount) {
        split.vertexCount++;
        pointOf[vertex] = points[point]!;
        normalOf[vertex] = normal;
        uvKeys[vertex] = uvKey;
        split.projected[vertex] = stored ? 0 : 1;
      }
    }
    indices[start + corner] = vertex;
  }
}

function isSameUv(uvs: Float64Array, a: number, b: number, stored: boolean): boolean {
  return a === b || (stored && uvs[a] === uvs[b] && uvs[a + 1] === uvs[b + 1]);
}

/** Corner → offset of its stored UV, or its box face, or none. */
function uvKeysOf(mesh: PreparedMesh, surface: PreparedSurface, plan: VertexPlan): Uint32Array {
  if (plan.useStoredUvs && surface.uvOffsets) return surface.uvOffsets;
  const keys = scratch(7, Uint32Array, surface.localPoints.length);
  if (plan.uvSets.length === 0) return keys.fill(NO_UV);
  const faces = boxFaces(mesh, surface, plan);
  for (let t = 0; t < faces.length; t++) {
    keys[3 * t] = faces[t]!;
    keys[3 * t + 1] = faces[t]!;
    keys[3 * t + 2] = faces[t]!;
  }
  return keys;
}

/** Triangle → box face of the part at its size. */
function boxFaces(mesh: PreparedMesh, surface: PreparedSurface, plan: VertexPlan): Uint8Array {
  const m = multiplyMat3(plan.projectAt, mesh.rotation);
  const n = normalMatrix3(m);
  const { points, localPoints } = surface;
  const normal = new Float64Array(3);
  const faces = new Uint8Array(localPoints.length / 3);
  for (let t = 0; t < faces.length; t++) {
    const a = points[localPoints[3 * t]!]!;
    const b = points[localPoints[3 * t + 1]!]!;
    const c = points[localPoints[3 * t + 2]!]!;
    triangleNormal(mesh.positions, a, b, c, normal);
    const x = normal[0]!;
    const y = normal[1]!;
    const z = normal[2]!;
    const nx = n[0] * x + n[3] * y + n[6] * z;
    const ny = n[1] * x + n[4] * y + n[7] * z;
    const nz = n[2] * x + n[5] * y + n[8] * z;
    const length = hypot(nx, ny, nz) || 1;
    faces[t] = boxFace(nx / length, ny / length, nz / length, plan.mirrorOppositeSides);
  }
  return faces;
}

function fill(mesh: PreparedMesh, split: Split, plan: VertexPlan): Geometry {
  if (determinant3(plan.shape) < 0) swapCorners(split.indices);
  const m = multiplyMat3(plan.shape, mesh.rotation);
  const { vertexCount, projected } = split;
  const points =
    plan.uvSets.length > 0 && projected.subarray(0, vertexCount).includes(1)
      ? pointsAt(plan.projectAt, mesh, split, new Float64Array(3 * vertexCount))
      : undefined;
  return {
    positions: clamped(pointsAt(plan.shape, mesh, split, new Float32Array(3 * vertexCount))),
    normals: fillNormals(mesh, split, m),
    uvs: plan.uvSets.map((map) => fillUvs(mesh, split, plan, points, map)),
    tangents: undefined,
    indices: vertexCount <= MAX_SHORT_INDICES ? new Uint16Array(split.indices) : split.indices,
  };
}

/** Fills in the points of the vertices, placed by their block and at a size, metres. */
function pointsAt<T extends Float32Array | Float64Array>(
  size: Mat3,
  mesh: PreparedMesh,
  split: Split,
  out: T,
): T {
  const m = multiplyMat3(size, mesh.rotation);
  const offset = transformVec3(size, mesh.positionMetres);
  return transformPoints(mesh.positions, m, offset, out, split.points);
}

function fillNormals(mesh: PreparedMesh, split: Split, m: Mat3): Float32Array {
  const out = new Float32Array(3 * split.vertexCount);
  const n = mesh.normals;
  const turned = isIdentity3(m) ? undefined : normalMatrix3(m);
  // The cofactor matrix turns normals inside out where the map mirrors.
  const side = determinant3(m) < 0 ? -1 : 1;
  for (let v = 0; v < split.vertexCount; v++) {
    const from = 3 * split.normals[v]!;
    let x = n[from]!;
    let y = n[from + 1]!;
    let z = n[from + 2]!;
    if (turned) {
      const tx = turned[0] * x + turned[3] * y + turned[6] * z;
      const ty = turned[1] * x + turned[4] * y + turned[7] * z;
      const tz = turned[2] * x + turned[5] * y + turned[8] * z;
      const length = hypot(tx, ty, tz) * side;
      x = tx / length;
      y = ty / length;
      z = tz / length;
    }
    out[3 * v] = x;
    out[3 * v + 1] = y;
    out[3 * v + 2] = z;
  }
  return out;
}

function fillUvs(
  mesh: PreparedMesh,
  split: Split,
  plan: VertexPlan,
  points: Float64Array | undefined,
  map: UvMap | undefined,
): Float32Array {
  const out = new Float32Array(2 * split.vertexCount);
  for (let v = 0; v < split.vertexCount; v++) {
    const key = split.uvKeys[v]!;
    let s: number;
    let t: number;
    if (split.projected[v] === 0) {
      s = mesh.uvs[key]!;
      t = plan.flipV ? mesh.uvs[key + 1]! : 1 - mesh.uvs[key + 1]!;
    } else {
      const u = boxU(key, points![3 * v]!, points![3 * v + 2]!);
      const w = boxV(key, points![3 * v + 1]!, points![3 * v + 2]!);
      s = plan.swapProjected ? w : u;
      t = plan.swapProjected ? u : w;
    }
    out[2 * v] = map ? map[0] * s + map[1] * t + map[2] : s;
    // glTF's origin is top-left: D-401.
    out[2 * v + 1] = 1 - (map ? map[3] * s + map[4] * t + map[5] : t);
  }
  return clamped(out);
}

const LARGEST_FLOAT32 = 3.4028234663852886e38;

/** Values beyond float32 as its largest: nonsense such as 1e39 stays nonsense, but the file is valid. */
function clamped(values: Float32Array): Float32Array {
  if (!values.includes(Infinity) && !values.includes(-Infinity)) return values;
  return values.map((value) => Math.max(-LARGEST_FLOAT32, Math.min(value, LARGEST_FLOAT32)));
}
