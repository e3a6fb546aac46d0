/** Growth: how much more processor time work takes for an input of four times the size. */
import { expect } from 'vitest';

/** Shorter times are noise. */
const SHORTEST_MICROSECONDS = 10_000;
/** Of which the first usually suffices. */
const ATTEMPTS = 10;

/**
 * Expects linear time: four times as much input takes far less than sixteen times as long, as it would in quadratic time.
 *
 * It counts the time of this process on a processor, to which neither other processes nor a pause add anything, and
 * compares it with itself only, so that it does not matter how fast the machine is.
 *
 * @param size - Of the smaller input.
 */
export async function expectLinear<T>(
  size: number,
  input: (size: number) => T,
  work: (input: T) => void | Promise<void>,
): Promise<void> {
  const [small, large] = [input(size), input(4 * size)];
  let [once, fourTimes] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isLinear = () => fourTimes < 10 * Math.max(once, SHORTEST_MICROSECONDS);
  for (let attempt = 1; attempt <= ATTEMPTS && !isLinear(); attempt++) {
    // The larger first: the engine is slow at the beginning.
    fourTimes = Math.min(fourTimes, await processorTimeOf(() => work(large)));
    once = Math.min(once, await processorTimeOf(() => work(small)));
  }
  expect(isLinear(), `${once} µs, ${fourTimes} µs`).toBe(true);
}

/** Microseconds. */
async function processorTimeOf(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
