/** Growth: how much longer work takes for an input of twice the size. */
import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';

/** Shorter times are noise. */
const SHORTEST_MS = 20;

/**
 * Expects linear time: four times the input takes far less than sixteen times as long.
 *
 * @param size - Of the smallest input; the others have two and four times its size.
 */
export function expectLinear<T>(
  size: number,
  input: (size: number) => T,
  work: (input: T) => void,
) {
  const [once, , fourTimes] = [size, 2 * size, 4 * size].map((length) => {
    const given = input(length);
    const times = Array.from({ length: 3 }, () => {
      const start = performance.now();
      work(given);
      return performance.now() - start;
    });
    return Math.min(...times);
  });
  expect(fourTimes).toBeLessThan(10 * Math.max(once!, SHORTEST_MS));
}
