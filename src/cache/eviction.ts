/**
 * Tidy cache: what a cache folder holds beyond its limit, and what nobody asked for in a long time.
 *
 * In: the cache at the end of a run, and its limit. Out: a cache within it. All that goes can be had
 * again from the service. It must not take what a run that is going on may need.
 */
import type { Digest } from '../model/snapshot.ts';
import type { CachedBody } from './cached-bodies.ts';
import type { ContentStore } from './content-store.ts';
import type { CacheDatabase } from './database.ts';
import { NOTED_EVERY_MS } from './retention.ts';

/** What is tidied. */
export interface TidyOptions {
  /** Bodies by content. */
  store: ContentStore;
  state: CacheDatabase;
  /** When the run began that ends, milliseconds since the epoch. */
  now: number;
  /** What all bodies may weigh. */
  maxBytes: number;
  /** That run itself, which needs nothing any more; see `state.runs`. */
  run?: number;
}

/** What was dropped from the cache. */
export interface Tidied {
  bodies: number;
  bytes: number;
}

/** Down to this share of the limit, so that not each night has to look for more. */
const TIDIED_SHARE = 0.9;

/**
 * Brings a cache within its limit: bodies go that were not used for longest.
 *
 * A body was used when it was asked for or taken, or when a snapshot that refers to it was. Where other
 * runs work with the cache, nothing goes that was used since a week before the first of them began: uses
 * are noted weekly. What goes is asked for again where it is needed.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `DISK_FULL`, `STATE_INVALID`.
 *
 * @example
 * ```ts
 * await tidyCache({ store, state, now, maxBytes: 20e9, run: id });   // → { bodies: 112, bytes: 2_100_331_870 }
 * ```
 *
 * @see D-846.
 */
export async function tidyCache(options: TidyOptions): Promise<Tidied> {
  const { state, now, maxBytes } = options;
  state.builds.tidy(now);
  state.snapshots.tidy(now);
  const total = state.bodies.totalBytes();
  const others = state.runs.oldestRunning(now, options.run);
  const needed = others === undefined ? Number.POSITIVE_INFINITY : others - NOTED_EVERY_MS;
  const evicted =
    total <= maxBytes ? [] : leastUsed(state, total - maxBytes * TIDIED_SHARE, needed);
  state.bodies.remove(evicted.map(({ digest }) => digest));
  state.responses.tidy(now);
  await removeBodies(options, evicted);
  if (evicted.length > 0 && others === undefined) await removeUnknown(options);
  return { bodies: evicted.length, bytes: evicted.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Bodies in the order of their last use, until they weigh enough or the next is needed. */
function leastUsed(state: CacheDatabase, excessBytes: number, neededSince: number): CachedBody[] {
  const uses = latestUses(state);
  const bodies = state.bodies
    .all()
    .map((body) => ({ ...body, usedAt: Math.max(body.usedAt, uses.get(body.digest) ?? 0) }))
    .sort((a, b) => a.usedAt - b.usedAt || (a.digest < b.digest ? -1 : 1));
  let weight = 0;
  const enough = bodies.findIndex(({ bytes, usedAt }) => {
    if (weight >= excessBytes || usedAt >= neededSince) return true;
    weight += bytes;
    return false;
  });
  return enough < 0 ? bodies : bodies.slice(0, enough);
}

/**
 * On a quiet night bodies are not looked at: that their snapshots hold is what uses them. To read all
 * of them takes 4 s for 50,000 snapshots, on the nights on which something has to go.
 */
function latestUses(state: CacheDatabase): Map<Digest, number> {
  const uses = new Map<Digest, number>();
  for (const { digests, usedAt } of state.snapshots.bodies()) {
    for (const digest of digests) uses.set(digest, Math.max(usedAt, uses.get(digest) ?? 0));
  }
  return uses;
}

async function removeBodies(
  { store, state }: TidyOptions,
  bodies: readonly CachedBody[],
): Promise<void> {
  for (const { digest } of bodies) {
    // Another run may have been sent it again since.
    if (!state.bodies.has(digest)) await store.remove(digest);
  }
}

/** What a killed run stored and could not note. */
async function removeUnknown({ store, state }: TidyOptions): Promise<void> {
  for await (const digest of store.list()) {
    if (!state.bodies.has(digest)) await store.remove(digest);
  }
}
