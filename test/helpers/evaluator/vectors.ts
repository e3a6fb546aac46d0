/** Vectors of the evaluator: double precision, plain arrays, nothing shared with the converter. */

export type Vec2 = readonly [number, number];
export type Vec3 = readonly [number, number, number];
/** Row by row. */
export type Mat3 = readonly [Vec3, Vec3, Vec3];

/** A rigid placement: p ↦ turn·p + move. */
export interface Frame {
  turn: Mat3;
  move: Vec3;
}

const X: Vec3 = [1, 0, 0];
const Y: Vec3 = [0, 1, 0];
const Z: Vec3 = [0, 0, 1];

export const WORLD: Frame = { turn: [X, Y, Z], move: [0, 0, 0] };

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a: Vec3, k: number): Vec3 => [a[0] * k, a[1] * k, a[2] * k];
export const scaled = (a: Vec3, b: Vec3): Vec3 => [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const unit = (a: Vec3): Vec3 => times(a, 1 / length(a));
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const largest = (a: Vec3): number =>
  Math.max(Math.abs(a[0]), Math.abs(a[1]), Math.abs(a[2]));

/** Twice the area along the side that the corners run counter-clockwise around. */
export const facing = (a: Vec3, b: Vec3, c: Vec3): Vec3 => cross(minus(b, a), minus(c, a));

export const apply = (m: Mat3, v: Vec3): Vec3 => [dot(m[0], v), dot(m[1], v), dot(m[2], v)];
export const transposed = (m: Mat3): Mat3 => [
  [m[0][0], m[1][0], m[2][0]],
  [m[0][1], m[1][1], m[2][1]],
  [m[0][2], m[1][2], m[2][2]],
];

export function product(a: Mat3, b: Mat3): Mat3 {
  const columns = transposed(b);
  const row = (r: Vec3): Vec3 => [dot(r, columns[0]), dot(r, columns[1]), dot(r, columns[2])];
  return [row(a[0]), row(a[1]), row(a[2])];
}

export const place = (f: Frame, v: Vec3): Vec3 => add(apply(f.turn, v), f.move);
export const unplace = (f: Frame, v: Vec3): Vec3 => apply(transposed(f.turn), minus(v, f.move));

/** The frame of something placed inside another. */
export const inside = (outer: Frame, inner: Frame): Frame => ({
  turn: product(outer.turn, inner.turn),
  move: place(outer, inner.move),
});

/** Intrinsic X, then Y, then Z, counter-clockwise, in degrees: Rx·Ry·Rz. */
export function turnOf([x, y, z]: Vec3): Mat3 {
  const [cx, sx] = circle(x);
  const [cy, sy] = circle(y);
  const [cz, sz] = circle(z);
  const rx: Mat3 = [X, [0, cx, -sx], [0, sx, cx]];
  const ry: Mat3 = [[cy, 0, sy], Y, [-sy, 0, cy]];
  const rz: Mat3 = [[cz, -sz, 0], [sz, cz, 0], Z];
  return product(product(rx, ry), rz);
}

/** Cosine and sine of an angle in degrees, exact at quarter turns. */
export function circle(degrees: number): Vec2 {
  const quarters = degrees / 90;
  if (Number.isInteger(quarters)) {
    const turns = ((quarters % 4) + 4) % 4;
    return [[1, 0, -1, 0][turns]!, [0, 1, 0, -1][turns]!];
  }
  const angle = (degrees * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle)];
}
