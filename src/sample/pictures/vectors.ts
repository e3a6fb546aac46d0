/**
 * Vectors: the little geometry that pictures need.
 */

/** x, y, z. */
export type Vector = readonly [number, number, number];

/** Three columns. */
export type Rotation = readonly [Vector, Vector, Vector];

/** Where something stands and how it is turned, in the frame around it. */
export interface Frame {
  rotation: Rotation;
  origin: Vector;
}

/** Turns nothing. */
export const IDENTITY: Rotation = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Degrees about X, then about the turned Y, then about the twice turned Z. */
export function rotationOf([x, y, z]: Vector): Rotation {
  const [a, b, c] = [x, y, z].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
    number,
  ];
  const about: Rotation[] = [
    [
      [1, 0, 0],
      [0, Math.cos(a), Math.sin(a)],
      [0, -Math.sin(a), Math.cos(a)],
    ],
    [
      [Math.cos(b), 0, -Math.sin(b)],
      [0, 1, 0],
      [Math.sin(b), 0, Math.cos(b)],
    ],
    [
      [Math.cos(c), Math.sin(c), 0],
      [-Math.sin(c), Math.cos(c), 0],
      [0, 0, 1],
    ],
  ];
  return about.reduce((outer, own) => own.map((column) => turned(outer, column)) as never);
}

/** A vector in the frame outside a rotation. */
export function turned([i, j, k]: Rotation, [x, y, z]: Vector): Vector {
  return [
    i[0] * x + j[0] * y + k[0] * z,
    i[1] * x + j[1] * y + k[1] * z,
    i[2] * x + j[2] * y + k[2] * z,
  ];
}

/** A point in the frame outside another one. */
export function moved({ rotation, origin }: Frame, point: Vector): Vector {
  const [x, y, z] = turned(rotation, point);
  return [x + origin[0], y + origin[1], z + origin[2]];
}

/** a − b. */
export function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** a × b. */
export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** a · b. */
export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
