/** Rotations, independently of the converter: angles in one convention as angles in another. */

export type Vector = [number, number, number];
/** Rows of a 3 × 3 matrix. */
export type Matrix = readonly [Vector, Vector, Vector];

/** How a service writes rotations. */
export interface Convention {
  order: string;
  sense: 1 | -1;
}

/** The convention of the sample range and of the CC0 furniture. */
export const OWN_CONVENTION: Convention = { order: 'xyz', sense: 1 };

function turn(axis: number, degrees: number): Matrix {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const rows: Vector[] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
  rows[j]![j] = c;
  rows[j]![k] = -s;
  rows[k]![j] = s;
  rows[k]![k] = c;
  return rows as unknown as Matrix;
}

export function product(a: Matrix, b: Matrix): Matrix {
  return a.map((row) =>
    [0, 1, 2].map((column) => row.reduce((sum, value, at) => sum + value * b[at]![column]!, 0)),
  ) as unknown as Matrix;
}

export function transposed(m: Matrix): Matrix {
  return [0, 1, 2].map((row) => m.map((one) => one[row]!)) as unknown as Matrix;
}

export function moved(m: Matrix, [x, y, z]: Vector): Vector {
  return m.map((row) => row[0] * x + row[1] * y + row[2] * z) as Vector;
}

const axesOf = (order: string) => [...order].map((axis) => 'xyz'.indexOf(axis));

/** The matrix of angles in degrees. */
export function matrixOf(angles: Vector, { order, sense }: Convention = OWN_CONVENTION): Matrix {
  return axesOf(order)
    .map((axis) => turn(axis, sense * angles[axis]!))
    .reduce(product);
}

/** The angles of a matrix in degrees. */
export function anglesOf(m: Matrix, { order, sense }: Convention = OWN_CONVENTION): Vector {
  const [a, b, c] = axesOf(order) as Vector;
  const parity = (b - a + 3) % 3 === 1 ? 1 : -1;
  const sine = Math.max(-1, Math.min(1, parity * m[a]![c]!));
  const angles: Vector = [0, 0, 0];
  angles[b] = Math.asin(sine);
  if (Math.abs(sine) < 1 - 1e-9) {
    angles[a] = Math.atan2(-parity * m[b]![c]!, m[c]![c]!);
    angles[c] = Math.atan2(-parity * m[a]![b]!, m[a]![a]!);
  } else angles[a] = Math.atan2(parity * m[c]![b]!, m[b]![b]!);
  return angles.map((angle) => clean((sense * angle * 180) / Math.PI)) as Vector;
}

/** Whole degrees stay whole. */
function clean(degrees: number): number {
  const whole = Math.round(degrees);
  return Math.abs(degrees - whole) < 1e-9 ? whole + 0 : degrees;
}
