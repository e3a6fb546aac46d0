/** What the numbers of a block say by themselves: which way its surfaces face, and how its lists may be counted. */

import type { Block } from '../../convert/model/graphics.ts';
import { type PreparedMesh, prepareBlock } from '../../convert/transform/block-mesh.ts';
import {
  CONVERT_DEFAULTS,
  CONVERT_OPTIONS,
  type ConvertOptions,
} from '../../convert/transform/convert-options.ts';

/** How the stored UVs of a block may be counted: numbers per entry, and the index of the first. */
export interface UvLayoutFacts {
  stride: 2 | 3;
  first: 0 | 1;
}

/** Facts about a block; they are of its body alone, so that articles share them. */
export interface BlockFacts {
  name: string;
  triangles: number;
  /** Closed surfaces whose triangles face outwards, or inwards, as received. */
  outward: number;
  inward: number;
  open: number;
  /** Whether it has an offset or a rotation of its own. */
  isPlaced: boolean;
  /** `firsts`: each index of the first point with which all indices are within range. */
  points: { firsts: (0 | 1)[]; readings: ListReading[] };
  /** Undefined without stored UVs. `layouts`: each with which all indices are within range. */
  uvs: { layouts: UvLayoutFacts[]; readings: ListReading[]; isBeyondUnit: boolean } | undefined;
}

/** Values of the options for the lists of a mesh, of which several are possible. */
export interface ListReading
  extends Partial<Pick<ConvertOptions, 'pointIndexBase' | 'uvIndexBase' | 'uvStride'>> {
  /** How rugged the mesh or its image is then: see {@link readingsOf}. */
  ruggedness: number;
}

/** Finds the facts about a block. */
export function blockFacts(block: Block): BlockFacts {
  const points = pointFactsOf(block);
  const { positionMetres, rotationDegrees } = block;
  return {
    name: block.name,
    triangles: block.surfaces.reduce((sum, { triangles }) => sum + triangles.length / 3, 0),
    ...facingOf(block, points.readings),
    isPlaced: [...positionMetres, ...rotationDegrees].some((value) => value !== 0),
    points,
    uvs: uvFactsOf(block, mostEven(points.readings)),
  };
}

/** Which way closed surfaces face; none of them where readings that are as even as each other say different things. */
function facingOf(
  block: Block,
  readings: readonly ListReading[],
): Pick<BlockFacts, 'outward' | 'inward' | 'open'> {
  const possible = readings.length > 0 ? readings.filter(isEvenIn(readings)) : [{}];
  const found = possible.map((reading) => {
    const mesh = prepareBlock(block, { ...CONVERT_DEFAULTS, ...reading, winding: 'keep' });
    const volumes = mesh.surfaces
      .filter(({ doubleSided }) => !doubleSided)
      .map((surface) => volumeOf(mesh, surface));
    return {
      outward: volumes.filter((volume) => volume > 0).length,
      inward: volumes.filter((volume) => volume < 0).length,
      open: mesh.surfaces.length - volumes.length,
    };
  });
  const [first] = found as [(typeof found)[number]];
  const isSame = found.every(
    ({ outward, inward }) => outward === first.outward && inward === first.inward,
  );
  return isSame ? first : { outward: 0, inward: 0, open: block.surfaces.length };
}

/** A reading with more ruggedness than this, of that of the best one, does not fit. */
const MUCH_MORE = 1.15;

/** Whether a reading is as even as the best one of several. */
export function isEvenIn(readings: readonly ListReading[]): (reading: ListReading) => boolean {
  const best = Math.min(...readings.map(({ ruggedness }) => ruggedness));
  return ({ ruggedness }) => ruggedness <= MUCH_MORE * best + 1e-9;
}

/** Measures a mesh in each of several readings of its lists. */
function readingsOf<R extends Omit<ListReading, 'ruggedness'>>(
  block: Block,
  readings: readonly R[],
  measure: (mesh: PreparedMesh) => number,
): ListReading[] {
  return readings.map((reading) => {
    const mesh = prepareBlock(block, { ...CONVERT_DEFAULTS, ...reading });
    return { ...reading, ruggedness: measure(mesh) };
  });
}

/** The options of the least rugged reading, if there are several. */
function mostEven(readings: readonly ListReading[]): Omit<ListReading, 'ruggedness'> {
  const [best] = readings.toSorted((a, b) => a.ruggedness - b.ruggedness);
  if (best === undefined) return {};
  const { ruggedness: _, ...options } = best;
  return options;
}

const POINT_READINGS = CONVERT_OPTIONS.pointIndexBase.choices.map((pointIndexBase) => {
  return { pointIndexBase };
});

const UV_READINGS = CONVERT_OPTIONS.uvStride.choices.flatMap((uvStride) =>
  CONVERT_OPTIONS.uvIndexBase.choices.map((uvIndexBase) => ({ uvStride, uvIndexBase })),
);

function pointFactsOf(block: Block): BlockFacts['points'] {
  const firsts = firstsOf(block);
  if (firsts.length < 2) return { firsts, readings: [] };
  return { firsts, readings: readingsOf(block, POINT_READINGS, meanEdge) };
}

/** The mean length of the edges, metres: points of other triangles are far away. */
function meanEdge(mesh: PreparedMesh): number {
  let [sum, count] = [0, 0];
  eachEdge(mesh, (length) => {
    sum += length;
    count++;
  });
  return count === 0 ? Infinity : sum / count;
}

/** How much the scale of the image differs among edges: the spread of its logarithm. */
function spreadOfScale(mesh: PreparedMesh): number {
  let [sum, squares, count] = [0, 0, 0];
  let isUsed = true;
  eachEdge(mesh, (length, uvLength) => {
    if (uvLength === undefined) isUsed = false;
    else if (length > 0) {
      const value = Math.log((uvLength + 1e-5) / length);
      sum += value;
      squares += value * value;
      count++;
    }
  });
  if (!isUsed || count === 0) return Infinity;
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

/** Calls back with the length of each edge, and that of its UVs; undefined where a surface has none. */
function eachEdge(
  { positions, uvs, surfaces }: PreparedMesh,
  edge: (length: number, uvLength: number | undefined) => void,
): void {
  for (const { points, localPoints, uvOffsets } of surfaces) {
    for (let corner = 0; corner < localPoints.length; corner++) {
      const next = corner % 3 === 2 ? corner - 2 : corner + 1;
      const [a, b] = [3 * points[localPoints[corner]!]!, 3 * points[localPoints[next]!]!];
      const length = Math.hypot(
        positions[a]! - positions[b]!,
        positions[a + 1]! - positions[b + 1]!,
        positions[a + 2]! - positions[b + 2]!,
      );
      if (uvOffsets === undefined) edge(length, undefined);
      else {
        const [p, q] = [uvOffsets[corner]!, uvOffsets[next]!];
        edge(length, Math.hypot(uvs[p]! - uvs[q]!, uvs[p + 1]! - uvs[q + 1]!));
      }
    }
  }
}

/** Six times the signed volume about the first point of the surface: a closed one that faces outwards has a positive one. */
function volumeOf(
  { positions }: PreparedMesh,
  { points, localPoints }: PreparedMesh['surfaces'][number],
): number {
  const origin = 3 * (points[0] ?? 0);
  const [ox, oy, oz] = [positions[origin]!, positions[origin + 1]!, positions[origin + 2]!];
  let volume = 0;
  for (let corner = 0; corner + 2 < localPoints.length; corner += 3) {
    const a = 3 * points[localPoints[corner]!]!;
    const b = 3 * points[localPoints[corner + 1]!]!;
    const c = 3 * points[localPoints[corner + 2]!]!;
    const ax = positions[a]! - ox;
    const ay = positions[a + 1]! - oy;
    const az = positions[a + 2]! - oz;
    const bx = positions[b]! - ox;
    const by = positions[b + 1]! - oy;
    const bz = positions[b + 2]! - oz;
    const cx = positions[c]! - ox;
    const cy = positions[c + 1]! - oy;
    const cz = positions[c + 2]! - oz;
    volume += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  }
  return volume;
}

function rangeOf(lists: readonly Int32Array[]): [smallest: number, largest: number] {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) {
      const index = list[i]!;
      if (index < 0) continue;
      if (index < smallest) smallest = index;
      if (index > largest) largest = index;
    }
  }
  return [smallest, largest];
}

function firstsOf({ positions, surfaces }: Block): (0 | 1)[] {
  const [smallest, largest] = rangeOf(surfaces.map(({ triangles }) => triangles));
  const count = Math.floor(positions.length / 3);
  return ([0, 1] as const).filter((first) => smallest >= first && largest - first < count);
}

const LAYOUTS: readonly UvLayoutFacts[] = [
  { stride: 2, first: 0 },
  { stride: 2, first: 1 },
  { stride: 3, first: 0 },
  { stride: 3, first: 1 },
];

function uvFactsOf(block: Block, points: Omit<ListReading, 'ruggedness'>): BlockFacts['uvs'] {
  const { uvs, uvStride, surfaces } = block;
  const lists = surfaces.map(({ uvIndices }) => uvIndices).filter(({ length }) => length > 0);
  if (lists.length === 0 || uvs.length === 0) return undefined;
  const [smallest, largest] = rangeOf(lists);
  const layouts = LAYOUTS.filter(
    ({ stride, first }) =>
      (uvStride === 0 || uvStride === stride) &&
      uvs.length % stride === 0 &&
      smallest >= first &&
      (largest - first + 1) * stride <= uvs.length,
  );
  const isBeyondUnit = uvs.some((value) => value < -0.001 || value > 1.001);
  const isUncertain = uvStride === 0 && layouts.length > 1;
  const readings = isUncertain
    ? readingsOf(
        block,
        UV_READINGS.map((one) => ({ ...points, ...one })),
        spreadOfScale,
      )
    : [];
  return { layouts, readings, isBeyondUnit };
}
