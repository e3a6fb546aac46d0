/**
 * Block mesh: a block as received becomes clean surfaces.
 *
 * In: a block, whose indices nobody has checked. Out: welded points, and surfaces of valid triangles
 * that face outwards. Judged on the float32 coordinates as read, before the block's own P and R.
 * It must not know parts, materials or projections.
 */
import type { Block, BlockSurface } from '../model/graphics.ts';
import type { ConvertOptions } from './convert-options.ts';
import { indexRange } from './index-range.ts';
import { closedByEdges, signedVolume } from './surface-topology.ts';
import { uvLayoutOf } from './uv-layout.ts';
import { weldPoints } from './weld.ts';

/** A surface of valid triangles, front sides outwards. */
export interface CleanSurface {
  /** m × 3 welded point indices. */
  points: Uint32Array;
  /** m × 3 offsets of U in {@link CleanBlock.uvs}, or undefined: to be projected. */
  uvOffsets: Uint32Array | undefined;
  /** Back faces may be seen. */
  doubleSided: boolean;
}

/** What cleaning changed. */
export interface CleanCounts {
  droppedTriangles: number;
  flippedSurfaces: number;
  /** Surfaces whose stored UVs were unusable. */
  unusableUvs: number;
}

/** A block that can be drawn. */
export interface CleanBlock {
  /** x y z a welded point, metres, block frame before P and R. */
  positions: Float32Array;
  /** As received. */
  uvs: Float64Array;
  /** Only surfaces that kept a triangle. */
  surfaces: CleanSurface[];
  counts: CleanCounts;
}

interface Draft extends CleanSurface {
  closed: boolean;
  volume: number;
}

/**
 * Cleans a block: drops invalid triangles, welds points, and turns surfaces that face inwards.
 *
 * @example
 * ```ts
 * cleanBlock(decodeBlock(bytes), CONVERT_DEFAULTS).counts;
 * // → { droppedTriangles: 2, flippedSurfaces: 1, unusableUvs: 0 }
 * ```
 *
 * @see D-301, D-302, D-303, D-304, D-305.
 */
export function cleanBlock(
  block: Block,
  options: Pick<
    ConvertOptions,
    'weldToleranceMetres' | 'winding' | 'pointIndexBase' | 'uvIndexBase' | 'uvStride'
  >,
): CleanBlock {
  const { positions, remap } = weldPoints(block.positions, options.weldToleranceMetres);
  const firstIndex =
    options.pointIndexBase === 'auto' ? firstIndexOf(block) : options.pointIndexBase;
  const layout = uvLayoutOf(block, options);
  const counts = { droppedTriangles: 0, flippedSurfaces: 0, unusableUvs: 0 };
  const drafts: Draft[] = [];
  for (const surface of block.surfaces) {
    const uvOffsets = layout.offsetsOf(surface);
    if (surface.uvIndices.length > 0 && !uvOffsets) counts.unusableUvs++;
    const valid = keepValid(surface, firstIndex, remap, positions, uvOffsets, counts);
    if (valid.points.length === 0) continue;
    drafts.push(judge(valid, surface.closed, positions));
  }
  turnInwardSurfaces(drafts, options.winding, counts);
  return { positions, uvs: block.uvs, surfaces: drafts, counts };
}

/** 1 where the block counts its points from 1: its smallest index is 1, its largest their number. */
function firstIndexOf({ surfaces, positions }: Block): 0 | 1 {
  const { smallest, largest } = indexRange(surfaces.map(({ triangles }) => triangles));
  return smallest === 1 && largest === Math.floor(positions.length / 3) ? 1 : 0;
}

function keepValid(
  surface: BlockSurface,
  firstIndex: number,
  remap: Uint32Array,
  positions: Float32Array,
  uvOffsets: Uint32Array | undefined,
  counts: CleanCounts,
): { points: Uint32Array; uvOffsets: Uint32Array | undefined } {
  const { triangles } = surface;
  const total = Math.ceil(triangles.length / 3);
  const points = new Uint32Array(Math.floor(triangles.length / 3) * 3);
  const keptUvs = uvOffsets && new Uint32Array(points.length);
  let kept = 0;
  for (let t = 0; t + 2 < triangles.length; t += 3) {
    const a = pointOf(triangles[t]! - firstIndex, remap);
    const b = pointOf(triangles[t + 1]! - firstIndex, remap);
    const c = pointOf(triangles[t + 2]! - firstIndex, remap);
    if (a < 0 || b < 0 || c < 0 || !hasArea(positions, a, b, c)) continue;
    points[kept] = a;
    points[kept + 1] = b;
    points[kept + 2] = c;
    if (keptUvs) {
      keptUvs[kept] = uvOffsets![t]!;
      keptUvs[kept + 1] = uvOffsets![t + 1]!;
      keptUvs[kept + 2] = uvOffsets![t + 2]!;
    }
    kept += 3;
  }
  counts.droppedTriangles += total - kept / 3;
  return { points: points.subarray(0, kept), uvOffsets: keptUvs?.subarray(0, kept) };
}

function pointOf(index: number, remap: Uint32Array): number {
  return index >= 0 && index < remap.length ? remap[index]! : -1;
}

/** Finite corners and a cross product other than zero, in double precision. */
function hasArea(p: Float32Array, a: number, b: number, c: number): boolean {
  if (a === b || b === c || c === a) return false;
  const ax = p[3 * a]!;
  const ay = p[3 * a + 1]!;
  const az = p[3 * a + 2]!;
  const ux = p[3 * b]! - ax;
  const uy = p[3 * b + 1]! - ay;
  const uz = p[3 * b + 2]! - az;
  const vx = p[3 * c]! - ax;
  const vy = p[3 * c + 1]! - ay;
  const vz = p[3 * c + 2]! - az;
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  // A corner that is not finite makes the sum NaN or infinite; finite float32 cannot.
  return sum > 0 && sum < Number.POSITIVE_INFINITY;
}

function judge(
  valid: { points: Uint32Array; uvOffsets: Uint32Array | undefined },
  saidClosed: boolean | undefined,
  positions: Float32Array,
): Draft {
  const closed = saidClosed ?? closedByEdges(valid.points);
  return {
    ...valid,
    closed,
    doubleSided: !closed,
    volume: closed ? signedVolume(valid.points, positions) : 0,
  };
}

/** An open surface follows the majority, by triangles, of the closed ones: D-304. */
function turnInwardSurfaces(
  drafts: Draft[],
  winding: ConvertOptions['winding'],
  counts: CleanCounts,
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
