/**
 * Slots: how many requests are in flight at once.
 *
 * In: work, and how to tell a failure that comes from too much of it. Out: its result, after its
 * turn. It must not know what the work is.
 */
import type { LimitFunction } from 'p-limit';

/** Does work when there is a slot for it. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates slots: all of them at first, half of them after a failure that comes from too much at
 * once, one more after as many successes as there are slots.
 *
 * What was begun before the number changed says nothing about the new one: of all that fail
 * together, only the first counts.
 *
 * @param most - Minimum 1.
 * @param isTooMuch - Always false where the service's limit is known: then their number stays.
 *
 * @example
 * ```ts
 * const slots = createSlots(8, isOverload);
 * await slots(() => send(request));
 * ```
 *
 * @see D-842.
 */
export function createSlots(most: number, isTooMuch: (error: unknown) => boolean): Slots {
  let limiter: Promise<LimitFunction> | undefined;
  let round = 0;
  let successes = 0;

  const halve = (limit: LimitFunction): void => {
    round += 1;
    successes = 0;
    limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2));
  };
  const widen = (limit: LimitFunction): void => {
    successes += 1;
    if (successes < limit.concurrency || limit.concurrency === most) return;
    successes = 0;
    limit.concurrency += 1;
  };

  return async (work) => {
    limiter ??= import('p-limit').then(({ default: pLimit }) => pLimit(most));
    const limit = await limiter;
    return limit(async () => {
      const begunIn = round;
      const adjust = (change: typeof halve) => begunIn === round && change(limit);
      try {
        const result = await work();
        adjust(widen);
        return result;
      } catch (error) {
        adjust(isTooMuch(error) ? halve : widen);
        throw error;
      }
    });
  };
}
