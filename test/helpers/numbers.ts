/** Lists of numbers: one element of a packed one, and equal but for rounding. */
import { expect } from 'vitest';

/** An element of a packed list, x y z unless it has another size. */
export function elementAt(
  list: Float32Array | Float64Array | Uint8Array,
  index: number,
  size = 3,
): number[] {
  return [...list.subarray(size * index, size * (index + 1))];
}

/** Expects as many numbers as wanted, each equal to so many digits after the point. */
export function expectNear(actual: readonly number[], wanted: readonly number[], digits = 9): void {
  expect(actual).toHaveLength(wanted.length);
  // One expectation for each of a million numbers would take longer than all else.
  const bound = 10 ** -digits / 2;
  const wrong = wanted.findIndex(
    (value, i) => actual[i] !== value && !(Math.abs(actual[i]! - value) < bound),
  );
  if (wrong >= 0) expect(actual[wrong], `[${wrong}]`).toBeCloseTo(wanted[wrong]!, digits);
}
