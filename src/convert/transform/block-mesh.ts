/**
 * Block mesh: a block as received becomes a mesh of welded points and valid triangles that face
 * outwards, with normals. Everything is decided on the float32 coordinates as read, before P and R.
 */

import type { GeometryCounts } from '../../model/asset.ts';
import { type Address, allocateList, copyOf, place, withKernels } from '../kernels/kernels.ts';
import { rotationFromDegrees } from '../math/ofml-frame.ts';
import { IDENTITY3, type Mat3 } from '../math/vec.ts';
import type { Block, BlockSurface, Vec3 } from '../model/graphics.ts';
import { NOT_AN_INDEX } from '../wire/block-scanner.ts';
import type { ConvertOptions } from './convert-options.ts';
import { shortened } from './losses.ts';
import { createNormals } from './normals.ts';
import { type UvLayout, uvLayoutOf } from './uv.ts';

/** A corner is `3 * triangle + 0…2`. */
interface PreparedSurface {
  /** Corner → point as numbered within the surface. */
  localPoints: Uint32Array;
  /** Local point → point. */
  points: Uint32Array;
  /** Corner → normal, counted from `firstNormal`. */
  normals: Uint32Array;
  firstNormal: number;
  /** Corner → offset of U in {@link PreparedMesh.uvs}; undefined if the UVs are to be projected. */
  uvOffsets: Uint32Array | undefined;
  /** Whether its back sides may be seen. */
  doubleSided: boolean;
}

/** A mesh ready to become vertex data. */
export interface PreparedMesh {
  /** x y z of each point, float32 metres, before {@link PreparedMesh.rotation} and `positionMetres`. */
  positions: Float32Array;
  /** x y z of each normal, unit length, before the rotation. */
  normals: Float32Array;
  /** Stored UVs as received, V up. */
  uvs: Float64Array;
  /** Surfaces that have at least one valid triangle. */
  surfaces: PreparedSurface[];
  /** The block's own turn and move, to be baked into its vertices: D-105. */
  rotation: Mat3;
  positionMetres: Vec3;
  counts: Pick<GeometryCounts, 'droppedTriangles' | 'duplicateTriangles' | 'flippedSurfaces'> & {
    /** Surfaces whose stored UVs are unusable. */
    unusableUvs: number;
  };
  needsProjection: boolean;
  /** {@link BlockSurface.unreadableClosed} of the surfaces that have one, shortened. */
  unreadableClosed?: readonly unknown[];
}

const MESH_OPTIONS = [
  'weldToleranceMetres',
  'winding',
  'creaseAngleDegrees',
  'rotationOrder',
  'rotationDirection',
  'blockPlacement',
  'pointIndexBase',
  'uvIndexBase',
  'uvStride',
] as const satisfies readonly (keyof ConvertOptions)[];

type MeshOptions = Pick<ConvertOptions, (typeof MESH_OPTIONS)[number]>;

/** A key that differs if the options that a prepared mesh depends on differ. */
export function meshOptionsKey(options: MeshOptions): string {
  return MESH_OPTIONS.map((name) => options[name]).join(' ');
}

/** A surface of valid triangles. */
interface Draft {
  points: Uint32Array;
  uvOffsets: Uint32Array | undefined;
  closed: boolean;
  /** Volume: negative if the surface faces inwards; 0 for an open surface. */
  volume: number;
}

/**
 * Welds the points of a block, drops invalid triangles, turns surfaces that face inwards and adds normals
 * (D-105, D-301 to D-308).
 *
 * @returns A mesh without surfaces if no triangle is left.
 */
export function prepareBlock(block: Block, options: MeshOptions): PreparedMesh {
  const { positions, remap } = weldPoints(block.positions, options.weldToleranceMetres);
  const counts = { droppedTriangles: 0, duplicateTriangles: 0, flippedSurfaces: 0, unusableUvs: 0 };
  const drafts = draftsOf(block, options, remap, positions, counts);
  turnInwardSurfaces(drafts, options.winding, counts);
  const corners = drafts.map(({ points }) => points);
  const shaded = createNormals(positions, corners, options.creaseAngleDegrees);
  const surfaces = drafts.map(({ uvOffsets, closed }, i): PreparedSurface => {
    const { duplicateTriangles, ...surface } = shaded.surfaces[i]!;
    counts.duplicateTriangles += duplicateTriangles;
    return { uvOffsets, doubleSided: !closed, ...surface };
  });
  const unreadableClosed = unreadableClosedOf(block);
  return {
    positions,
    normals: shaded.values,
    uvs: block.uvs,
    surfaces,
    ...placementOf(block, options),
    counts,
    needsProjection: surfaces.some((surface) => surface.uvOffsets === undefined),
    ...(unreadableClosed.length > 0 && { unreadableClosed }),
  };
}

function unreadableClosedOf({ surfaces }: Block): unknown[] {
  const received = surfaces.filter(({ unreadableClosed }) => unreadableClosed !== undefined);
  return [...new Set(received.map(({ unreadableClosed }) => shortened(unreadableClosed)))];
}

function placementOf(
  block: Block,
  options: MeshOptions,
): Pick<PreparedMesh, 'rotation' | 'positionMetres'> {
  if (options.blockPlacement === 'ignore')
    return { rotation: IDENTITY3, positionMetres: [0, 0, 0] };
  return {
    rotation: rotationFromDegrees(block.rotationDegrees, options),
    positionMetres: block.positionMetres,
  };
}

function draftsOf(
  block: Block,
  options: MeshOptions,
  remap: Uint32Array,
  positions: Float32Array,
  counts: PreparedMesh['counts'],
): Draft[] {
  const firstIndex =
    options.pointIndexBase === 'auto' ? firstIndexOf(block) : options.pointIndexBase;
  const uvLayout = uvLayoutOf(block, options);
  return withKernels(() => {
    const placed = { remap: place(remap), points: remap.length, positions: place(positions) };
    return block.surfaces.flatMap((surface) => {
      const isStored = uvLayout.isUsable(surface);
      if (surface.uvIndices.length > 0 && !isStored) counts.unusableUvs++;
      const valid = keepValid(surface, firstIndex, placed, isStored ? uvLayout : undefined);
      const { points, volume } = valid;
      counts.droppedTriangles += Math.ceil(surface.triangles.length / 3) - points.length / 3;
      if (points.length === 0) return [];
      const closed = surface.closed ?? closedByEdges(points);
      return [{ ...valid, closed, volume: closed ? volume : 0 }];
    });
  });
}

/**
 * Joins points with bit-equal positions (−0 equals 0), or those that share a cell of a grid (D-301).
 *
 * @param positions - n × 3 float32, metres; a trailing incomplete point is ignored.
 * @param toleranceMetres - 0 joins equal positions only; else the size of a grid cell.
 * @returns `positions` in order of first appearance; `remap`: old point index → welded point index.
 */
export function weldPoints(
  positions: Float32Array,
  toleranceMetres: number,
): { positions: Float32Array; remap: Uint32Array } {
  const count = Math.floor(positions.length / 3);
  return withKernels(({ weld }) => {
    const points = place(positions.subarray(0, 3 * count));
    const remap = allocateList(Uint32Array, count);
    const welded = weld(points, count, toleranceMetres, remap);
    return {
      positions: copyOf(Float32Array, points, 3 * welded),
      remap: copyOf(Uint32Array, remap, count),
    };
  });
}

/** 1 where the block counts its points from 1: its smallest index is 1, its largest their number. */
function firstIndexOf({ surfaces, positions }: Block): 0 | 1 {
  const count = Math.floor(positions.length / 3);
  let smallest = count;
  let largest = 0;
  for (const { triangles } of surfaces) {
    for (let i = 0; i < triangles.length; i++) {
      const index = triangles[i]!;
      if (index === NOT_AN_INDEX) continue;
      // Most lists begin with 0.
      if (index < 1 || index > count) return 0;
      if (index < smallest) smallest = index;
      if (index > largest) largest = index;
    }
  }
  return smallest === 1 && largest === count ? 1 : 0;
}

/** The valid triangles of a surface, and six times the volume that they enclose, unless it is open. */
function keepValid(
  { triangles, uvIndices, closed }: BlockSurface,
  firstIndex: number,
  { remap, points: pointCount, positions }: Record<'remap' | 'points' | 'positions', Address>,
  uvLayout: UvLayout | undefined,
): Omit<Draft, 'closed'> {
  const { stride, firstIndex: firstUv } = uvLayout ?? { stride: 2, firstIndex: 0 };
  const corners = Math.floor(triangles.length / 3) * 3;
  return withKernels((kernels) => {
    const received = place(triangles);
    const receivedUvs = uvLayout ? place(uvIndices) : 0;
    const points = allocateList(Uint32Array, corners);
    const uvOffsets = uvLayout ? allocateList(Uint32Array, corners) : 0;
    const kept = kernels.keepValid(
      ...[received, receivedUvs, corners, firstIndex, remap, pointCount, positions],
      ...[firstUv, stride, points, uvOffsets],
    );
    return {
      points: copyOf(Uint32Array, points, kept),
      uvOffsets: uvLayout && copyOf(Uint32Array, uvOffsets, kept),
      volume: closed === false ? 0 : kernels.signedVolume(points, kept, positions),
    };
  });
}

/**
 * Whether a surface is closed by its edges: each edge runs as often one way as the other (D-304, D-305).
 *
 * Two pieces that touch along an edge are closed as if they were apart: four triangles meet at that edge.
 *
 * @param points - m × 3 welded point indices.
 */
export function closedByEdges(points: Uint32Array): boolean {
  const edges = sortedEdges(points);
  // Equal keys are neighbours: lower point, upper point, direction in the last bit.
  for (let i = 0; i < edges.length; ) {
    const forward = edges[i]! - (edges[i]! % 2);
    let balance = 0;
    for (; i < edges.length && edges[i]! - (edges[i]! % 2) === forward; i++) {
      balance += edges[i] === forward ? 1 : -1;
    }
    if (balance !== 0) return false;
  }
  return edges.length > 0;
}

/** One number for each edge: (lower · 2^26 + upper) · 2 + direction, sorted; exact below 2^26 points. */
function sortedEdges(points: Uint32Array): Float64Array {
  const edges = new Float64Array(points.length);
  for (let t = 0; t < points.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const from = points[t + k]!;
      const to = points[t + ((k + 1) % 3)]!;
      const low = Math.min(from, to);
      const high = Math.max(from, to);
      edges[t + k] = (low * 0x4000000 + high) * 2 + (from < to ? 0 : 1);
    }
  }
  return edges.sort();
}

/** Turns an open surface as the majority of the closed ones, counted by triangles: D-304. */
function turnInwardSurfaces(
  drafts: Draft[],
  winding: ConvertOptions['winding'],
  counts: PreparedMesh['counts'],
): void {
  if (winding === 'keep') return;
  let inward = 0;
  let outward = 0;
  for (const { closed, volume, points } of drafts) {
    if (closed && volume < 0) inward += points.length;
    else if (closed) outward += points.length;
  }
  for (const draft of drafts) {
    const turn = winding === 'flip' || (draft.closed ? draft.volume < 0 : inward > outward);
    if (!turn) continue;
    counts.flippedSurfaces++;
    swapCorners(draft.points);
    if (draft.uvOffsets) swapCorners(draft.uvOffsets);
  }
}

/** Turns every triangle over. */
export function swapCorners(corners: Uint32Array): void {
  for (let i = 0; i < corners.length; i += 3) {
    const second = corners[i + 1]!;
    corners[i + 1] = corners[i + 2]!;
    corners[i + 2] = second;
  }
}
