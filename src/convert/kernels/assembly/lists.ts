/** What is known of a list before it is used. */
import { get } from './arena';

/** Replaces an index that is no integer. */
const NOT_AN_INDEX: i32 = i32.MIN_VALUE;

let smallest: i32 = 0;
let largest: i32 = 0;

/**
 * Finds the smallest and the largest index of a list, which {@link smallestIndex} and {@link largestIndex} return.
 *
 * @returns How many entries are one.
 */
export function findIndexRange(indices: usize, length: i32): i32 {
  smallest = i32.MAX_VALUE;
  largest = i32.MIN_VALUE;
  let count = 0;
  for (let i = 0; i < length; i++) {
    const index = get<i32>(indices, i);
    if (index === NOT_AN_INDEX) continue;
    count++;
    smallest = min(smallest, index);
    largest = max(largest, index);
  }
  return count;
}

/** Of {@link findIndexRange}. */
export function smallestIndex(): i32 {
  return smallest;
}

/** Of {@link findIndexRange}. */
export function largestIndex(): i32 {
  return largest;
}

/** Whether the magnitudes of all f64 are at most a limit; NaN is beyond it. */
export function areWithin(values: usize, length: i32, limit: f64): bool {
  for (let i = 0; i < length; i++) if (!(abs(get<f64>(values, i)) <= limit)) return false;
  return true;
}
