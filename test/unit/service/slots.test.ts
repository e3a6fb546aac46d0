import { describe, expect, it } from 'vitest';
import { createSlots } from '../../../src/service/slots.ts';

const TOO_MUCH = new Error('too much');
const OTHER = new Error('no such thing');

/** Slots with a queue that is never empty, where a test ends one piece of work after the other. */
function busySlots(most: number, isTooMuch = (error: unknown) => error === TOO_MUCH) {
  const slots = createSlots(most, isTooMuch);
  const running: ((error?: Error) => void)[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => {
      running.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  const started = async () => {
    await import('p-limit');
    // Whatever can start has started once nothing is left to do at once.
    await new Promise((resolve) => setImmediate(resolve));
    return running.length;
  };
  for (let piece = 0; piece < 1000; piece++) slots(work).catch(() => {});
  return {
    /** Ends that many, the oldest first; answers how many are running after that. */
    async end(count: number, error?: Error) {
      for (const finish of running.splice(0, count)) finish(error);
      return started();
    },
    started,
  };
}

describe('createSlots', () => {
  it('begins with all of them', async () => {
    expect(await busySlots(8).started()).toBe(8);
  });

  it('halves them once for all that fail together, and never goes below one', async () => {
    const slots = busySlots(8);
    await slots.started();
    expect(await slots.end(8, TOO_MUCH)).toBe(4);
    expect(await slots.end(4, TOO_MUCH)).toBe(2);
    expect(await slots.end(2, TOO_MUCH)).toBe(1);
    expect(await slots.end(1, TOO_MUCH)).toBe(1);
  });

  it('adds one after as many successes as there are, up to all of them', async () => {
    const slots = busySlots(4);
    await slots.started();
    expect(await slots.end(4, TOO_MUCH)).toBe(2);
    expect(await slots.end(1)).toBe(2);
    expect(await slots.end(1)).toBe(3);
    expect(await slots.end(3)).toBe(4);
    expect(await slots.end(4)).toBe(4);
    expect(await slots.end(4)).toBe(4);
  });

  it('takes any other failure for an answer in good time', async () => {
    const slots = busySlots(4);
    await slots.started();
    expect(await slots.end(4, TOO_MUCH)).toBe(2);
    expect(await slots.end(2, OTHER)).toBe(3);
  });

  it('learns nothing from what was begun before the number changed', async () => {
    const slots = busySlots(8);
    await slots.started();
    expect(await slots.end(1, TOO_MUCH)).toBe(7);
    expect(await slots.end(3)).toBe(4);
    expect(await slots.end(4, TOO_MUCH)).toBe(4);
  });

  it('keeps their number where the limit is known', async () => {
    const slots = busySlots(4, () => false);
    await slots.started();
    expect(await slots.end(4, TOO_MUCH)).toBe(4);
  });

  it('hands on what the work comes to', async () => {
    const slots = createSlots(1, () => false);
    expect(await slots(async () => 7)).toBe(7);
    await expect(slots(() => Promise.reject(OTHER))).rejects.toBe(OTHER);
  });
});
