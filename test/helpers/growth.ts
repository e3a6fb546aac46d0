/** Growth: how much longer work takes for an input of twice the size. */
import { expect } from 'vitest';

/** Shorter times are noise. */
const SHORTEST_MS = 20;
/** Of which the first usually suffices. */
const ATTEMPTS = 10;

/**
 * Expects linear time: of inputs of one, two and four times a size the second takes far less than eight times as
 * long as the first, and the third far less than sixteen times, as it would in quadratic time.
 *
 * @param size - Of the smallest input.
 */
export function expectLinear<T>(
  size: number,
  input: (size: number) => T,
  work: (input: T) => void,
): void {
  for (const one of measured(size, input)) work(one);
}

/** The same for asynchronous work. */
export async function expectLinearAsync<T>(
  size: number,
  input: (size: number) => T,
  work: (input: T) => Promise<void>,
): Promise<void> {
  for (const one of measured(size, input)) await work(one);
}

/** Gives each input in turn, and measures until the next one is asked for: processor time, which others don't change. */
function* measured<T>(size: number, input: (size: number) => T): Iterable<T> {
  const given = [size, 2 * size, 4 * size].map(input);
  const shortest = given.map(() => Number.POSITIVE_INFINITY);
  for (let attempt = 1; attempt <= ATTEMPTS && !isLinear(shortest); attempt++) {
    // The largest first: the engine is slow at the beginning.
    for (const [index, one] of [...given.entries()].reverse()) {
      const start = process.cpuUsage();
      yield one;
      const { user, system } = process.cpuUsage(start);
      shortest[index] = Math.min(shortest[index]!, (user + system) / 1000);
    }
  }
  expect(isLinear(shortest), shortest.join(' ms, ')).toBe(true);
}

function isLinear([once, twice, fourTimes]: number[]): boolean {
  const unit = Math.max(once!, SHORTEST_MS);
  return twice! < 6 * unit && fourTimes! < 10 * unit;
}
