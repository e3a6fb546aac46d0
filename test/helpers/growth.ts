/** Growth: how much longer work takes for an input of twice the size. */
import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';

/** Shorter times are noise. */
const SHORTEST_MS = 20;
const ATTEMPTS = 3;

/**
 * Expects linear time: four times the input takes far less than sixteen times as long.
 *
 * @param size - Of the smallest input; the others have two and four times its size.
 */
export function expectLinear<T>(
  size: number,
  input: (size: number) => T,
  work: (input: T) => void,
): void {
  const times = inputs(size, input).map((given) => {
    const attempts = Array.from({ length: ATTEMPTS }, () => {
      const start = performance.now();
      work(given);
      return performance.now() - start;
    });
    return Math.min(...attempts);
  });
  expectGrowth(times);
}

/** The same for asynchronous work. */
export async function expectLinearAsync<T>(
  size: number,
  input: (size: number) => T,
  work: (input: T) => Promise<void>,
): Promise<void> {
  const times: number[] = [];
  for (const given of inputs(size, input)) {
    let shortest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const start = performance.now();
      await work(given);
      shortest = Math.min(shortest, performance.now() - start);
    }
    times.push(shortest);
  }
  expectGrowth(times);
}

function inputs<T>(size: number, input: (size: number) => T): T[] {
  return [size, 2 * size, 4 * size].map(input);
}

function expectGrowth([once, , fourTimes]: number[]): void {
  expect(fourTimes).toBeLessThan(10 * Math.max(once!, SHORTEST_MS));
}
