/**
 * Match movables: whether a node of a GLB is the movable that is expected, and so is each one outside it.
 *
 * Everything else is compared in the frame of its movable, so that the rounding of a long chain of
 * transforms in float32 does not add up.
 */
import type { Movable } from '../helpers/evaluator/parts.ts';
import { dot, largest, length, minus, type Vec3 } from '../helpers/evaluator/vectors.ts';
import type { PlacedNode } from '../helpers/glb-reader/nodes.ts';

/** What float32 leaves of the cosine of an angle: an error of 6e-8 of a quaternion is 1e-14 here. */
const COSINE_LIMIT = 1e-12;
/** A quaternion in float32 has length 1 up to 1e-7, which stretches by twice that. */
const STRETCH_LIMIT = 1e-6;
/** A part of a name that stays where very deep paths are shortened in the middle. */
const KEPT_CHARACTERS = 60;

/** Compares names and places, outwards. */
export function movableMatcher() {
  const known = new Map<Movable, Map<PlacedNode, boolean>>();
  return function isSame(movable: Movable | undefined, node: PlacedNode | undefined): boolean {
    if (!movable || !node) return !movable && !node;
    const answers = known.get(movable) ?? new Map<PlacedNode, boolean>();
    known.set(movable, answers);
    const answer =
      answers.get(node) ?? (isPlacedAlike(movable, node) && isSame(movable.outer, node.movable));
    answers.set(node, answer);
    return answer;
  };
}

function isPlacedAlike({ name, frame }: Movable, node: PlacedNode): boolean {
  const { turn, move } = frame;
  const m = node.place;
  const place: Vec3 = [m[12]!, m[13]!, m[14]!];
  if (!isSameName(name, node.name)) return false;
  if (length(minus(place, move)) > roundingMetres(largest(move))) return false;
  return [0, 1, 2].every((k) => {
    const axis: Vec3 = [m[k]!, m[4 + k]!, m[8 + k]!];
    const size = length(axis);
    const cosine = dot(turn[k as 0 | 1 | 2], axis) / size;
    return Math.abs(size - 1) < STRETCH_LIMIT && cosine > 1 - COSINE_LIMIT;
  });
}

const isSameName = (wanted: string, found: string): boolean =>
  found === wanted ||
  (wanted.length > 2 * KEPT_CHARACTERS && found.startsWith(wanted.slice(0, KEPT_CHARACTERS)));

/**
 * What float32 rounding may change in a place, in metres; `reach` is the largest coordinate on the way to it.
 *
 * Vertex and translation are each rounded by half an ulp an axis (0.9 ulp together), a factor by 2^-24 of
 * the reach an axis (1.7 ulp), a quaternion by 2^-25 a component, which turns by 2^-23 (3.5 ulp): 7 in all.
 */
export const roundingMetres = (reach: number): number => 7 * ulp(Math.max(reach, 1));

/** The distance of neighbouring float32 numbers. */
export const ulp = (value: number): number => 2 ** (Math.floor(Math.log2(value)) - 23);
