/**
 * What the places of parts say: furniture stands on the floor, holds together, is as large as its properties say, and
 * mostly has two equal sides. Each measure is of one scene; readings are compared by it.
 */

import type { StatedSize } from '../../convert/wire/stated-size.ts';
import type { Bounds } from '../../model/asset.ts';
import { boundsOfPart, coordinate, type ScenePart } from '../readings/scene-parts.ts';

/** The parts of a scene, with what is compared of them. */
export interface PlacedParts {
  bounds: readonly Bounds[];
  /** Mean and covariance of the corners of each part: see {@link momentsOf}. */
  moments: readonly Moments[];
  whole: Bounds;
}

/** Measures the parts of a scene where they are placed. */
export function placedParts(parts: readonly ScenePart[]): PlacedParts {
  const bounds = parts.map(boundsOfPart);
  const min = [0, 1, 2].map((axis) => Math.min(...bounds.map((box) => box.min[axis]!)));
  const max = [0, 1, 2].map((axis) => Math.max(...bounds.map((box) => box.max[axis]!)));
  return { bounds, moments: parts.map(momentsOf), whole: { min, max } as unknown as Bounds };
}

/** A measure of the places of parts: 0 is best. */
export interface GeometryMeasure {
  indication: string;
  /** For people, such as `2 parts touch nothing`. */
  figure(value: number): string;
  /** A difference up to this is none. */
  tolerance: number;
  measure(placed: PlacedParts, stated: StatedSize): number | undefined;
}

/** Parts nearer than this touch. */
const GAP_METRES = 0.006;
/** A part that stands on the floor is exactly there: its place was computed from its rotation. */
const ON_FLOOR_METRES = 5e-6;
/** A thinner part is a symbol of a plan rather than furniture. */
const FLAT_METRES = 1e-4;
/** Stated and measured sizes may differ so much: edges and feet. */
const SIZE_TOLERANCE = { metres: 0.012, share: 0.01 };

/** The measures. */
export const GEOMETRY_MEASURES: readonly GeometryMeasure[] = [
  {
    indication: 'size',
    figure: (axes) =>
      axes === 0 ? 'as large as stated' : `${axes} of its sizes are not as stated`,
    tolerance: 0,
    measure: ({ whole }, stated) => {
      const sizes = [0, 1, 2].filter((axis) => stated[axis]!.length > 0);
      if (sizes.length === 0) return undefined;
      return sizes.filter((axis) => {
        const measured = whole.max[axis]! - whole.min[axis]!;
        const most = Math.max(SIZE_TOLERANCE.metres, measured * SIZE_TOLERANCE.share);
        return !stated[axis]!.some((length) => Math.abs(length - measured) <= most);
      }).length;
    },
  },
  {
    indication: 'contact',
    figure: (count) => `${count} of its parts touch no other`,
    tolerance: 0,
    measure: ({ bounds, whole }) => {
      if (bounds.length < 2) return undefined;
      return bounds.length - Math.max(...touching(bounds, whole.min[1]!));
    },
  },
  {
    indication: 'symmetry',
    figure: (count) => `${count} of its parts have no counterpart`,
    tolerance: 0,
    measure: ({ moments, whole }) => {
      if (moments.length < 3) return undefined;
      const alone = [0, 2].map((axis) => withoutCounterpart(moments, whole, axis));
      // Furniture without two sides says nothing.
      return Math.min(...alone, moments.length / 2);
    },
  },
  {
    indication: 'floor',
    figure: (metres) => `${(1000 * metres).toFixed(0)} mm of it are below the floor`,
    tolerance: 0.004,
    measure: ({ whole }) => Math.max(0, -whole.min[1]!),
  },
  {
    indication: 'feet',
    figure: (count) => `${count} of its parts are not exactly on the floor`,
    tolerance: 0,
    measure: ({ bounds }) => bounds.filter(({ min }) => Math.abs(min[1]) > ON_FLOOR_METRES).length,
  },
  {
    indication: 'symbols',
    figure: (count) => `${count} of its parts are flat`,
    tolerance: 0,
    measure: ({ bounds }) =>
      bounds.filter(({ min, max }) => max.some((end, axis) => end - min[axis]! < FLAT_METRES))
        .length,
  },
];

/** The sizes of the groups of boxes that touch each other; those on the floor are one group. */
function touching(bounds: readonly Bounds[], floor: number): number[] {
  const leaders = bounds.map((_, at) => at);
  const leaderOf = (at: number): number => {
    let leader = at;
    while (leaders[leader] !== leader) leader = leaders[leader]!;
    leaders[at] = leader;
    return leader;
  };
  const order = bounds.map((_, at) => at).sort((a, b) => bounds[a]!.min[0] - bounds[b]!.min[0]);
  let onFloor = -1;
  for (const at of order) {
    if (bounds[at]!.min[1] > floor + GAP_METRES) continue;
    if (onFloor >= 0) leaders[leaderOf(at)] = leaderOf(onFloor);
    onFloor = at;
  }
  for (const [place, a] of order.entries()) {
    for (let next = place + 1; next < order.length; next++) {
      const b = order[next]!;
      if (bounds[b]!.min[0] > bounds[a]!.max[0] + GAP_METRES) break;
      if (isNear(bounds[a]!, bounds[b]!)) leaders[leaderOf(b)] = leaderOf(a);
    }
  }
  const sizes = new Map<number, number>();
  for (const at of order) sizes.set(leaderOf(at), (sizes.get(leaderOf(at)) ?? 0) + 1);
  return [...sizes.values()];
}

function isNear(a: Bounds, b: Bounds): boolean {
  for (let axis = 0; axis < 3; axis++) {
    if (a.min[axis]! > b.max[axis]! + GAP_METRES || b.min[axis]! > a.max[axis]! + GAP_METRES)
      return false;
  }
  return true;
}

/** How many parts have no counterpart where a mirror in the middle shows them. */
function withoutCounterpart(moments: readonly Moments[], whole: Bounds, axis: number): number {
  const middle = (whole.min[axis]! + whole.max[axis]!) / 2;
  const order = moments.toSorted((a, b) => a.mean[1]! - b.mean[1]!);
  return moments.filter((part) => {
    const seen = mirrored(part, axis, middle);
    const first = lowerBound(order, seen.mean[1]! - GAP_METRES);
    for (let at = first; at < order.length; at++) {
      if (order[at]!.mean[1]! > seen.mean[1]! + GAP_METRES) return true;
      if (isLike(order[at]!, seen)) return false;
    }
    return true;
  }).length;
}

function lowerBound(order: readonly Moments[], height: number): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order[middle]!.mean[1]! < height) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the corners of a part are, and how they spread: a turned part differs from one that is not, in its box or not. */
export interface Moments {
  /** Metres. */
  mean: readonly number[];
  /** Covariance: xx, yy, zz, xy, yz, zx, m². */
  spread: readonly number[];
}

/** The pairs of axes of {@link Moments.spread}. */
const PAIRS = [
  [0, 0],
  [1, 1],
  [2, 2],
  [0, 1],
  [1, 2],
  [2, 0],
] as const;

function momentsOf({ placement, primitives }: ScenePart): Moments {
  let count = 0;
  const mean = [0, 0, 0];
  const products = [0, 0, 0, 0, 0, 0];
  const point = [0, 0, 0];
  for (const { geometry } of primitives) {
    const { positions, indices } = geometry;
    for (let i = 0; i < indices.length; i++) {
      const at = 3 * indices[i]!;
      for (let axis = 0; axis < 3; axis++) {
        const value = coordinate(
          placement,
          axis,
          positions[at]!,
          positions[at + 1]!,
          positions[at + 2]!,
        );
        point[axis] = value;
        mean[axis]! += value;
      }
      for (let pair = 0; pair < 6; pair++)
        products[pair]! += point[PAIRS[pair]![0]]! * point[PAIRS[pair]![1]]!;
    }
    count += indices.length;
  }
  for (let axis = 0; axis < 3; axis++) mean[axis]! /= count || 1;
  const spread = PAIRS.map(([a, b], pair) => products[pair]! / (count || 1) - mean[a]! * mean[b]!);
  return { mean, spread };
}

function mirrored({ mean, spread }: Moments, axis: number, middle: number): Moments {
  return {
    mean: mean.map((value, at) => (at === axis ? 2 * middle - value : value)),
    spread: spread.map((value, pair) => {
      const [a, b] = PAIRS[pair]!;
      return a !== b && (a === axis || b === axis) ? -value : value;
    }),
  };
}

function isLike(a: Moments, b: Moments): boolean {
  for (let axis = 0; axis < 3; axis++)
    if (Math.abs(a.mean[axis]! - b.mean[axis]!) > GAP_METRES) return false;
  const sizes = [0, 1, 2].map((axis) => Math.sqrt(Math.max(0, a.spread[axis]!)));
  return PAIRS.every(([i, j], pair) => {
    const most = GAP_METRES * (sizes[i]! + sizes[j]!) + GAP_METRES ** 2;
    return Math.abs(a.spread[pair]! - b.spread[pair]!) <= most;
  });
}
