/**
 * Vertex data: a prepared mesh becomes the arrays of glTF. Vertices are in first-use order; a vertex is split
 * if its normal, its UV or its surface differs.
 *
 * The first pass distinguishes vertices by point, normal and UV source; the second fills arrays of
 * exactly the right size.
 */

import {
  type Address,
  allocateList,
  copyOf,
  type Kernels,
  place,
  viewOf,
  withKernels,
} from '../kernels/kernels.ts';
import {
  determinant3,
  isIdentity3,
  type Mat3,
  multiplyMat3,
  normalMatrix3,
  transformVec3,
} from '../math/vec.ts';
import type { Geometry } from '../model/scene.ts';
import { type PreparedMesh, swapCorners } from './block-mesh.ts';
import type { ConvertOptions } from './convert-options.ts';
import type { UvMap } from './uv.ts';

type PreparedSurface = PreparedMesh['surfaces'][number];

/** How vertex data is made from a prepared mesh. */
export interface VertexPlan
  extends Pick<ConvertOptions, 'flipV' | 'doubleSided' | 'mirrorOppositeSides'> {
  /** Whether to use stored UVs if a surface has them; otherwise every surface is projected. */
  useStoredUvs: boolean;
  /** Whether to exchange U and V of projected UVs: D-403. */
  swapProjected: boolean;
  /** One entry for each UV set: a map to bake, or undefined for unchanged UVs. Empty: no UVs. */
  uvSets: (UvMap | undefined)[];
  /** Size in metres at which a projection is made: the part's scale, or its baked shape. */
  projectAt: Mat3;
  /** Matrix that is baked into the vertices; the identity unless `inheritScale` is set. */
  shape: Mat3;
}

/** Geometries of a mesh, separated by whether the back sides of their surfaces may be seen. */
export interface VertexData {
  /** Surfaces whose back sides are never seen. */
  singleSided: Geometry | undefined;
  doubleSided: Geometry | undefined;
  /** Number of vertices beyond the welded points. */
  splitVertices: number;
}

/** The vertex of each corner, for some surfaces together; lists in the memory of the kernels. */
interface Split {
  cornerCount: number;
  vertexCount: number;
  pointCount: number;
  positions: Address;
  uvs: Address;
  /** Corner (surfaces one after the other) → vertex. */
  indices: Address;
  /** Vertex → its point, normal and UV key. */
  pointOf: Address;
  normalOf: Address;
  uvKeyOf: Address;
  /** Vertex → 1 if its UV key is a stored UV, 0 if it is a box face. */
  isStored: Address;
  hasProjected: boolean;
}

/** UV key of a vertex without UV, which is none of the box faces. */
const NO_UV = 6;
/** Largest number of vertices whose indices take two bytes. */
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
    withKernels((kernels) => {
      const split = splitVertices(kernels, mesh, surfaces, plan);
      expectRoom(bytesOf(split, plan));
      data[side] = fill(kernels, mesh, split, plan);
      data.splitVertices += split.vertexCount - split.pointCount;
    });
  }
  return data;
}

/** Bytes of positions, normals, UV sets and indices. */
function bytesOf({ vertexCount, cornerCount }: Split, { uvSets }: VertexPlan): number {
  const perIndex = vertexCount <= MAX_SHORT_INDICES ? 2 : 4;
  return vertexCount * (12 + 12 + 8 * uvSets.length) + cornerCount * perIndex;
}

function splitVertices(
  kernels: Kernels,
  mesh: PreparedMesh,
  surfaces: readonly PreparedSurface[],
  plan: VertexPlan,
): Split {
  const cornerCount = surfaces.reduce((sum, surface) => sum + surface.localPoints.length, 0);
  const split: Split = {
    cornerCount,
    vertexCount: 0,
    pointCount: surfaces.reduce((sum, surface) => sum + surface.points.length, 0),
    positions: place(mesh.positions),
    uvs: place(mesh.uvs),
    indices: allocateList(Uint32Array, cornerCount),
    pointOf: allocateList(Uint32Array, cornerCount),
    normalOf: allocateList(Uint32Array, cornerCount),
    uvKeyOf: allocateList(Uint32Array, cornerCount),
    isStored: allocateList(Uint8Array, cornerCount),
    hasProjected: false,
  };
  let corners = split.indices;
  for (const surface of surfaces) {
    const isStored = plan.useStoredUvs && surface.uvOffsets !== undefined;
    withKernels(() => splitSurface(kernels, mesh, surface, plan, split, corners));
    split.hasProjected ||= !isStored;
    corners += surface.localPoints.length * Uint32Array.BYTES_PER_ELEMENT;
  }
  return split;
}

function splitSurface(
  kernels: Kernels,
  mesh: PreparedMesh,
  surface: PreparedSurface,
  plan: VertexPlan,
  split: Split,
  indices: Address,
): void {
  const { localPoints, normals, firstNormal, points } = surface;
  const { length } = localPoints;
  const corners = place(localPoints);
  const cornerNormals = normals === localPoints ? corners : place(normals);
  const placedPoints = place(points);
  const stored = plan.useStoredUvs ? surface.uvOffsets : undefined;
  const keys = stored ? place(stored) : allocateList(Uint32Array, length);
  if (!stored && plan.uvSets.length === 0) viewOf(Uint32Array, keys, length).fill(NO_UV);
  else if (!stored) {
    const n = place(Float64Array.from(normalMatrix3(multiplyMat3(plan.projectAt, mesh.rotation))));
    const { mirrorOppositeSides } = plan;
    kernels.boxFaces(
      ...[corners, length, placedPoints, split.positions, n],
      mirrorOppositeSides,
      keys,
    );
  }
  split.vertexCount = kernels.splitSurface(
    ...[corners, cornerNormals, length, firstNormal, placedPoints, points.length],
    ...[keys, stored ? split.uvs : 0, split.vertexCount, indices],
    ...[split.pointOf, split.normalOf, split.uvKeyOf, split.isStored],
  );
}

function fill(kernels: Kernels, mesh: PreparedMesh, split: Split, plan: VertexPlan): Geometry {
  const { cornerCount, vertexCount, indices } = split;
  if (determinant3(plan.shape) < 0) swapCorners(viewOf(Uint32Array, indices, cornerCount));
  const isProjected = plan.uvSets.length > 0 && split.hasProjected;
  const points = isProjected ? pointsAt(kernels, plan.projectAt, mesh, split, Float64Array) : 0;
  const positions = pointsAt(kernels, plan.shape, mesh, split, Float32Array);
  return {
    positions: copyOf(Float32Array, positions, 3 * vertexCount),
    normals: normalsOf(kernels, mesh, multiplyMat3(plan.shape, mesh.rotation), split),
    uvs: plan.uvSets.map((map) => uvsOf(kernels, split, plan, points, map)),
    tangents: undefined,
    indices: indicesOf(kernels, split),
  };
}

/** The points of the vertices, placed by their block and at a size, in metres. */
function pointsAt(
  { transformPoints }: Kernels,
  size: Mat3,
  mesh: PreparedMesh,
  { positions, pointOf, vertexCount }: Split,
  List: typeof Float32Array | typeof Float64Array,
): Address {
  const offset = transformVec3(size, mesh.positionMetres);
  const matrix = place(Float64Array.of(...multiplyMat3(size, mesh.rotation), ...offset));
  const out = allocateList<Float32Array | Float64Array>(List, 3 * vertexCount);
  transformPoints(positions, pointOf, vertexCount, matrix, out, List === Float32Array);
  return out;
}

function normalsOf(
  { fillNormals }: Kernels,
  mesh: PreparedMesh,
  m: Mat3,
  { normalOf, vertexCount }: Split,
): Float32Array {
  const normals = place(mesh.normals);
  const matrix = isIdentity3(m) ? 0 : place(Float64Array.from(normalMatrix3(m)));
  const out = allocateList(Float32Array, 3 * vertexCount);
  // The cofactor matrix turns normals inside out if the map mirrors.
  fillNormals(normals, normalOf, vertexCount, matrix, determinant3(m) < 0 ? -1 : 1, out);
  return copyOf(Float32Array, out, 3 * vertexCount);
}

function uvsOf(
  { fillUvs }: Kernels,
  { uvKeyOf, isStored, vertexCount, uvs }: Split,
  { flipV, swapProjected }: VertexPlan,
  points: Address,
  map: UvMap | undefined,
): Float32Array {
  const placedMap = map ? place(Float64Array.from(map)) : 0;
  const out = allocateList(Float32Array, 2 * vertexCount);
  fillUvs(uvKeyOf, isStored, vertexCount, uvs, points, flipV, swapProjected, placedMap, out);
  return copyOf(Float32Array, out, 2 * vertexCount);
}

function indicesOf(
  { shortenIndices }: Kernels,
  { indices, cornerCount, vertexCount }: Split,
): Uint16Array | Uint32Array {
  if (vertexCount > MAX_SHORT_INDICES) return copyOf(Uint32Array, indices, cornerCount);
  shortenIndices(indices, cornerCount);
  return copyOf(Uint16Array, indices, cornerCount);
}
