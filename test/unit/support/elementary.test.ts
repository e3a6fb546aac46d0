/** Each function against series of 256 fractional bits, computed here with integers. */
import { describe, expect, test } from 'vitest';
import { mix32 } from '../../../src/emulator/sample/random.ts';
import { acos, cos, exp, hypot, pow, sin, square, tan } from '../../../src/support/elementary.ts';

const BITS = 256n;
const ONE = 1n << BITS;
const PI = 4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n));

const times = (a: bigint, b: bigint) => (a * b) >> BITS;
const over = (a: bigint, b: bigint) => (a << BITS) / b;

/** A double as an integer number of 2^-256: exact above 2^-200. */
function fixed(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const shift = (bits >> 52n) - 1075n + BITS;
  const mantissa = (bits & 0xfffffffffffffn) | 0x10000000000000n;
  const size = shift < 0n ? mantissa >> -shift : mantissa << shift;
  return value === 0 ? 0n : value < 0 ? -size : size;
}

/** Machin's formula needs the arcus tangent of 1/n. */
function arctanOfInverse(n: bigint): bigint {
  let [sum, power] = [0n, ONE / n];
  for (let k = 1n; power !== 0n; k += 2n, power /= -n * n) sum += power / k;
  return sum;
}

function seriesSin(x: bigint): bigint {
  const left = x % (2n * PI);
  let [sum, term] = [0n, left];
  for (let k = 2n; term !== 0n && term !== -1n; k += 2n) {
    sum += term;
    term = -times(times(term, left), left) / (k * (k + 1n));
  }
  return sum;
}

const seriesCos = (x: bigint) => seriesSin(x + PI / 2n);

function seriesExp(x: bigint): bigint {
  const left = x >> 12n;
  let [sum, term] = [0n, ONE];
  for (let k = 1n; term !== 0n && term !== -1n; k++) {
    sum += term;
    term = times(term, left) / k;
  }
  for (let k = 0; k < 12; k++) sum = times(sum, sum);
  return sum;
}

/** Newton's method: each step doubles the number of correct digits. */
function seriesLn(value: number): bigint {
  let guess = fixed(Math.log(value));
  for (let k = 0; k < 2; k++) guess += times(fixed(value), seriesExp(-guess)) - ONE;
  return guess;
}

function seriesAcos(cosine: number): bigint {
  const guess = fixed(Math.acos(cosine));
  return guess + over(seriesCos(guess) - fixed(cosine), seriesSin(guess));
}

/** The error of a result, relative to the true value. */
function relativeError(result: number, truth: bigint): number {
  return Math.abs(Number(over(fixed(result) - truth, truth))) / 2 ** Number(BITS);
}

/** So many numbers between two, the same in each run. */
function spread(count: number, from: number, to: number, seed = 1): number[] {
  return Array.from(
    { length: count },
    (_, i) => from + ((to - from) * mix32(i * 7919 + seed)) / 2 ** 32,
  );
}

const ANGLES = [
  ...spread(300, -7, 7),
  ...spread(100, -400, 400),
  ...spread(100, -500_000, 500_000),
  ...spread(100, -1e-3, 1e-3),
  ...spread(40, -200, 200).map((n) => Math.round(n) * (Math.PI / 4)),
].filter((angle) => angle !== 0);
const COSINES = [
  ...spread(400, -1, 1),
  ...spread(100, 0.999999, 1),
  ...spread(100, -1, -0.999999),
  ...[0.5, -0.5, 0.5000000000000001, -0.5000000000000001, 0, -1, 1e-9, 1 - 2 ** -53],
];
const POWERS = spread(400, -30, 30);
const BASES = [...spread(300, 0, 1), ...spread(100, 1, 100), ...spread(100, 0.99, 1.01)];

type Row = [string, number[], (x: number) => number, (x: number) => bigint];

describe('elementary functions are within 1e-15 of the true value', () => {
  test.each<Row>([
    ['sin', ANGLES, sin, (x) => seriesSin(fixed(x))],
    ['cos', ANGLES, cos, (x) => seriesCos(fixed(x))],
    ['tan', ANGLES, tan, (x) => over(seriesSin(fixed(x)), seriesCos(fixed(x)))],
    ['acos', COSINES, acos, seriesAcos],
    ['exp', POWERS, exp, (x) => seriesExp(fixed(x))],
    ...[2.4, 0.8, 1 / 3, -1.6, 5, 11.3].map(
      (exponent): Row => [
        `pow(…, ${exponent})`,
        BASES,
        (x) => pow(x, exponent),
        (x) => seriesExp(times(fixed(exponent), seriesLn(x))),
      ],
    ),
  ])('%s', (_name, values, own, truth) => {
    const wrong = values
      .map((value) => [value, relativeError(own(value), truth(value))])
      .filter(([, error]) => !(error! < 1e-15));
    expect(wrong).toEqual([]);
  });

  test('hypot', () => {
    const [xs, ys, zs] = [1, 2, 3].map((seed) => spread(500, -10, 10, seed));
    const lengths = xs!.map((x, i) => {
      const truth = [x, ys![i]!, zs![i]!].reduce((sum, v) => sum + times(fixed(v), fixed(v)), 0n);
      const length = fixed(hypot(x, ys![i]!, zs![i]!));
      return Number(over(times(length, length) - truth, 2n * truth)) / 2 ** Number(BITS);
    });
    expect(lengths.filter((error) => !(Math.abs(error) < 1e-15))).toEqual([]);
  });
});

describe('elementary functions have the values of Math at the ends of their ranges', () => {
  test.each([
    ['sin', sin, Math.sin, [0, Infinity, -Infinity, NaN, Math.PI / 2]],
    ['cos', cos, Math.cos, [0, Infinity, NaN, Math.PI, Math.PI / 2]],
    ['tan', tan, Math.tan, [0, Infinity, NaN]],
    ['acos', acos, Math.acos, [1, -1, 0, 1.1, -1.1, NaN]],
    ['exp', exp, Math.exp, [0, 1000, -1000, Infinity, -Infinity, NaN, 709.7, -740]],
    ['pow(…, 0.5)', (x: number) => pow(x, 0.5), Math.sqrt, [0, 1, 4, -1, NaN, 2 ** -1074]],
    ['pow(…, 0)', (x: number) => pow(x, 0), () => 1, [0, 1, 4]],
    ['pow(0, …)', (y: number) => pow(0, y), (y: number) => 0 ** y, [2, 0.5, -1]],
    ['pow(2, …)', (y: number) => pow(2, y), (y: number) => 2 ** y, [10, -1074, 1023, 2000, -2000]],
    ['square', square, (x: number) => x * x, [3, -0.1]],
  ])('%s', (_name, own, ofMath, values) => {
    expect(values.map(own)).toEqual(values.map(ofMath));
  });

  test('hypot neither overflows nor vanishes before the result does', () => {
    expect([hypot(2 ** 600 * 3, 2 ** 600 * 4), hypot(0, -(2 ** -700), 0)]).toEqual([
      2 ** 600 * 5,
      2 ** -700,
    ]);
    expect([hypot(0, 0), hypot(-Infinity, 1), hypot(NaN, 1)]).toEqual([0, Infinity, NaN]);
  });

  test('an angle beyond 2^19 still has a sine between -1 and 1', () => {
    for (const angle of spread(50, -1e15, 1e15)) expect(Math.abs(sin(angle))).toBeLessThan(1);
  });
});
