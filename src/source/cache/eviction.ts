/** Keeps a cache folder within its size limit, and removes entries not used for long; never durable tables. */
import type { Digest } from '../../model/snapshot.ts';
import type { ContentStore } from './content-store.ts';
import { USE_RECORDED_EVERY_MS, type UsedContent } from './contents.ts';
import type { CacheDatabase } from './database.ts';

/** Default size limit of a cache. The whole data of a real service (D-611) is about 14 GB. */
export const MOST_CACHE_BYTES = 20 * 2 ** 30;

interface EvictionOptions {
  store: ContentStore;
  database: CacheDatabase;
  /** Start of the run that ends, milliseconds since the epoch. */
  now: number;
  maxBytes: number;
  /** Id of the run that ends and no longer needs the cache. */
  run?: number;
  /** Whether what was computed is evicted by last use even if a run has just computed it: it can be computed again. */
  evictsDerived?: boolean;
}

/** Bodies are evicted down to this share of the limit, so that not every run has to evict. */
const EVICTED_TO_SHARE = 0.9;

/**
 * Evicts entries that were not used for long; if the cache exceeds its limit, also the least recently used bodies.
 * While other runs use the cache, a body is kept if it was used later than a week before the first of them began.
 *
 * @returns Number and size of the evicted bodies.
 * @see D-846.
 */
export async function evictUnused(
  options: EvictionOptions,
): Promise<{ bodies: number; bytes: number }> {
  const { database, now, maxBytes } = options;
  database.builds.evict(now);
  database.snapshots.evict(now);
  const total = database.bodies.totalBytes() + database.contents.derived.totalBytes();
  const others = database.runs.oldestRunning(now, options.run);
  const needed = others === undefined ? Number.POSITIVE_INFINITY : others - USE_RECORDED_EVERY_MS;
  const excess = total <= maxBytes ? 0 : total - maxBytes * EVICTED_TO_SHARE;
  const since = { bodies: needed, derived: options.evictsDerived ? Infinity : needed };
  const evicted = excess === 0 ? [] : leastRecentlyUsed(database, excess, since);
  database.bodies.remove(evicted);
  database.contents.derived.removeAll(evicted);
  database.responses.evict(now);
  for (const { digest } of evicted) await removeUnknown(options, digest);
  if (evicted.length > 0 && others === undefined) {
    // A killed run may have stored bodies that it could not record.
    for await (const digest of options.store.list()) await removeUnknown(options, digest);
  }
  if (evicted.length > 0) database.contents.shrink();
  return { bodies: evicted.length, bytes: evicted.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Bodies and derived data by last use, until their size suffices or the next ones are needed. */
function leastRecentlyUsed(
  database: CacheDatabase,
  excessBytes: number,
  neededSince: { bodies: number; derived: number },
) {
  // A run without changes reads no body: using a snapshot uses its bodies. This takes 4 s for 50,000.
  const uses = new Map<Digest, number>();
  for (const { digests, usedAt } of database.snapshots.bodies()) {
    for (const digest of digests) uses.set(digest, Math.max(usedAt, uses.get(digest) ?? 0));
  }
  const used = (body: UsedContent) => {
    return { ...body, usedAt: Math.max(body.usedAt, uses.get(body.digest) ?? 0) };
  };
  const bodies = Array.from(database.bodies.all(), used).filter(
    ({ usedAt }) => usedAt < neededSince.bodies,
  );
  const derived = Array.from(database.contents.derived.all(), used).filter(
    ({ usedAt }) => usedAt < neededSince.derived,
  );
  const all = [...bodies, ...derived].sort(
    (a, b) => a.usedAt - b.usedAt || (a.digest < b.digest ? -1 : 1),
  );
  let freed = 0;
  const end = all.findIndex(({ bytes }) => {
    if (freed >= excessBytes) return true;
    freed += bytes;
    return false;
  });
  return end < 0 ? all : all.slice(0, end);
}

/** Removes a body that is not recorded. Another run may have recorded an evicted body again. */
async function removeUnknown({ store, database }: EvictionOptions, digest: Digest): Promise<void> {
  const isKnown = database.bodies.has(digest) || database.contents.derived.has(digest);
  if (!isKnown) await store.remove(digest);
}
