/**
 * Box projection: UVs in metres from the side of a box that a triangle faces.
 */

/** Front and back: U is x, V is y. First in a tie: D-402. */
export const FRONT = 0;
/** Left and right: U is z, V is y. Second in a tie. */
export const SIDE = 1;
/** Top and bottom: U is x, V is z. */
export const TOP = 2;

/** Added to a face where it is the opposite side, and mirrored: U runs the other way. */
export const MIRRORED = 3;

/** Components of a unit normal that are this close count as equal. */
const TIE = 1e-6;

/**
 * The face for a triangle's unit normal: the largest component decides, a tie goes to front, then
 * side, then top.
 *
 * @param mirror - Tells back, left and bottom from front, right and top: {@link MIRRORED}.
 *
 * @example
 * ```ts
 * boxFace(0, -1, 0); // → TOP
 * boxFace(Math.SQRT1_2, 0, Math.SQRT1_2); // → FRONT
 * ```
 *
 * @see D-402.
 */
export function boxFace(x: number, y: number, z: number, mirror = false): number {
  const ax = Math.abs(x);
  const ay = Math.abs(y);
  const az = Math.abs(z);
  const limit = Math.max(ax, ay, az) - TIE;
  if (az >= limit) return mirror && z < 0 ? FRONT + MIRRORED : FRONT;
  if (ax >= limit) return mirror && x < 0 ? SIDE + MIRRORED : SIDE;
  return mirror && y < 0 ? TOP + MIRRORED : TOP;
}

/** U of a point on a face: front and top x, side z; backwards where the face is mirrored. */
export function boxU(face: number, x: number, z: number): number {
  if (face >= MIRRORED) return -boxU(face - MIRRORED, x, z);
  return face === SIDE ? z : x;
}

/** V of a point on a face: front and side y, top z. */
export function boxV(face: number, y: number, z: number): number {
  return face % MIRRORED === TOP ? z : y;
}
