/**
 * Uses: how exactly the state knows when something was used last, and when it forgets.
 *
 * A use is noted once a week at most, so that a quiet night writes nothing.
 */

const DAY_MS = 24 * 60 * 60 * 1000;

/** A use is noted where the last one that was noted is longer ago. */
export const NOTED_EVERY_MS = 7 * DAY_MS;

/** What was not used for longer is forgotten: a range that is converted once a quarter still finds it. */
export const FORGOTTEN_AFTER_MS = 100 * DAY_MS;

/** Whether a use has to be noted. */
export function isStale(usedAt: number, now: number): boolean {
  return now - usedAt > NOTED_EVERY_MS;
}
