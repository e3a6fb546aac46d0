/** When rows of `state.db` were used last, and when they are evicted. */
import { USE_RECORDED_EVERY_MS } from './contents.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** An entry without a use for longer is evicted: a range that is converted once a quarter still finds it. */
export const EVICTED_AFTER_MS = 100 * DAY_MS;

/** Recorded use, in milliseconds since the epoch, of what was used since its table was opened. */
export type Uses<Key> = Map<Key, number>;

/** Forgets the uses, and returns the keys of those that have to be recorded. */
export function takeStale<Key>(uses: Uses<Key>, now: number): Key[] {
  const stale = [...uses].filter(([, usedAt]) => now - usedAt > USE_RECORDED_EVERY_MS);
  uses.clear();
  return stale.map(([key]) => key);
}
