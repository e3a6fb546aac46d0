/** Blocks of a bent service: the same surfaces, written for a reader who understands lists and places otherwise. */

import type { Wire } from '../sample-range.ts';
import type { Meaning } from './meaning.ts';
import { anglesOf, type Convention, matrixOf, moved, type Vector } from './turns.ts';

/** Rewrites a block; it may be changed. */
export function bendBlock(
  block: Wire,
  meaning: Meaning,
  { convention, size, unit }: { convention: Convention; size: number; unit: number },
): Wire {
  flatten(block);
  if (size !== 1 || unit !== 1) resize(block, unit / size);
  if (meaning.blockPlacement === 'ignore') bakePlacement(block);
  if (block.R) block.R = anglesOf(matrixOf(block.R), convention);
  if (meaning.winding === 'flip') faceInwards(block);
  bendUvs(block, meaning);
  if (meaning.pointIndexBase === 1) countPointsFromOne(block);
  return block;
}

/** Lists without nesting: their entries then do not show how many numbers they have. */
function flatten(block: Wire): void {
  for (const field of ['V', 'T']) block[field] = (block[field] ?? []).flat();
  for (const surface of block.A) {
    surface.F = surface.F.flat();
    surface.TI = (surface.TI ?? []).flat();
  }
}

function resize(block: Wire, factor: number): void {
  block.V = block.V.map((value: number) => value * factor);
  if (block.P) block.P = block.P.map((value: number) => value * factor);
}

function pointsOf({ V }: Wire): Vector[] {
  return Array.from({ length: V.length / 3 }, (_, at) => V.slice(3 * at, 3 * at + 3) as Vector);
}

/** Moves the vertices where they belong. `P` and `R` stay; a block without any gets its middle for one. */
function bakePlacement(block: Wire): void {
  const points = pointsOf(block);
  const P: Vector = block.P ?? [0, 0, 0];
  const R: Vector = block.R ?? [0, 0, 0];
  const matrix = matrixOf(R);
  block.V = points.flatMap((point) => moved(matrix, point).map((value, axis) => value + P[axis]!));
  if ([...P, ...R].some((value) => value !== 0)) return;
  block.P = [0, 1, 2].map((axis) => {
    const values = points.map((point) => point[axis]!);
    return (Math.min(...values) + Math.max(...values)) / 2;
  });
}

/** Turns all triangles so that closed surfaces face inwards. */
function faceInwards(block: Wire): void {
  const points = pointsOf(block);
  const first = Math.min(...block.A.flatMap(({ F }: Wire) => F)) > 0 ? 1 : 0;
  const base = points.length > Math.max(...block.A.flatMap(({ F }: Wire) => F)) ? 0 : first;
  const volume = block.A.filter(({ C }: Wire) => C !== false).reduce(
    (sum: number, { F }: Wire) => sum + volumeOf(F, points, base),
    0,
  );
  if (volume < 0) return;
  for (const { F, TI } of block.A) for (const list of [F, TI]) reverse(list);
}

function volumeOf(F: number[], points: Vector[], base: number): number {
  const origin = points[F[0]! - base]!;
  let volume = 0;
  for (let at = 0; at + 2 < F.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) =>
      points[F[at + corner]! - base]!.map((value, axis) => value - origin[axis]!),
    ) as [Vector, Vector, Vector];
    volume +=
      a[0] * (b[1] * c[2] - b[2] * c[1]) +
      a[1] * (b[2] * c[0] - b[0] * c[2]) +
      a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return volume;
}

function reverse(list: number[]): void {
  for (let at = 0; at + 2 < list.length; at += 3)
    [list[at + 1], list[at + 2]] = [list[at + 2]!, list[at + 1]!];
}

/** An entry that nothing uses hides from which number the list is counted. */
function countPointsFromOne(block: Wire): void {
  block.V.push(...block.V.slice(-3));
  for (const surface of block.A) surface.F = surface.F.map((index: number) => index + 1);
}

function bendUvs(block: Wire, meaning: Meaning): void {
  const indices: number[] = block.A.flatMap(({ TI }: Wire) => TI);
  if (indices.length === 0 || block.T.length === 0) return;
  const options = ['uvIndexBase', 'uvStride', 'flipV'];
  if (options.every((option) => meaning[option] === undefined)) return;
  const { stride, first } = layoutOf(indices, block.T.length);
  const largest = indices.reduce((most, index) => Math.max(most, index), 0);
  const entries = Array.from({ length: largest - first + 1 }, (_, at) => {
    const [u = 0, v = 0] = block.T.slice(at * stride, at * stride + 2);
    return [u, meaning.flipV === false ? 1 - v : v] as [number, number];
  });
  const base = meaning.uvIndexBase === 1 ? 1 : 0;
  for (const surface of block.A)
    surface.TI = surface.TI.map((index: number) => index - first + base);
  block.T = hidden(entries, base, meaning.uvStride);
}

/** The numbers of UVs, with entries at the end that nothing uses, so that their count fits another reading. */
function hidden(
  entries: [number, number][],
  base: number,
  stride: Meaning[string] | undefined,
): number[] {
  const last = entries.at(-1)!;
  const all = [...entries];
  if (base === 1) all.push(last);
  if (stride === 3) {
    while ((3 * all.length) % 2 !== 0 || all.length === entries.length) all.push(last);
    return all.flatMap(([u, v]) => [u, v, 0]);
  }
  if (stride === 2) while (2 * all.length < 3 * (entries.length + base)) all.push(last);
  return all.flat();
}

/** How the list of a block of the sample range is counted, which mixes all ways. */
function layoutOf(indices: readonly number[], count: number) {
  let [a, b] = [Infinity, 0];
  for (const index of indices) [a, b] = [Math.min(a, index), Math.max(b, index)];
  if (2 * (b + 1) === count) return { stride: 2, first: 0 };
  if (3 * (b + 1) === count) return { stride: 3, first: 0 };
  if (a === 1 && 2 * b === count) return { stride: 2, first: 1 };
  if (a === 1 && 3 * b === count) return { stride: 3, first: 1 };
  return { stride: 2, first: 0 };
}
