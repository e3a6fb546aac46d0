/**
 * Bodies: how large each body of the cache is, and when it was used last. Owns the table `bodies`.
 *
 * In: digests. Out: what the cache weighs, and what was not used for longest. The bodies themselves
 * stand in the store. It must not know which answers they are.
 */
import type { Digest } from '../model/snapshot.ts';
import { isStale } from './retention.ts';
import type { Database } from './sqlite.ts';

/** One body of the cache. */
export interface CachedBody {
  digest: Digest;
  bytes: number;
  /** When the run began that used it last, as far as that was noted; milliseconds since the epoch. */
  usedAt: number;
}

/** The table `bodies`. */
export interface Bodies {
  /** Notes a body that was stored, or stored once more. */
  put(body: CachedBody): void;
  /** Notes that a stored body was used, unless that is known well enough. */
  use(digest: Digest, now: number): void;
  has(digest: Digest): boolean;
  /** What all bodies weigh. */
  totalBytes(): number;
  all(): CachedBody[];
  remove(digests: readonly Digest[]): void;
}

/** Schema of the table, in SQL, filled with what was stored before there was one. */
export const BODIES_V1 = `
  CREATE TABLE bodies (
    digest TEXT NOT NULL PRIMARY KEY,
    bytes INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO bodies
    SELECT digest, MAX(bytes), MAX(asked_at) FROM responses
    WHERE digest IS NOT NULL GROUP BY digest;`;

/** Opens the table. */
export function openBodies(db: Database): Bodies {
  const put = db.prepare('INSERT OR REPLACE INTO bodies VALUES (?, ?, ?)');
  const usedAt = db.prepare('SELECT used_at FROM bodies WHERE digest = ?');
  const use = db.prepare('UPDATE bodies SET used_at = ? WHERE digest = ?');
  const total = db.prepare('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM bodies');
  const all = db.prepare('SELECT digest, bytes, used_at FROM bodies');
  const remove = db.prepare('DELETE FROM bodies WHERE digest = ?');
  return {
    put: (body) => put.run(body.digest, body.bytes, body.usedAt),
    use: (digest, now) => {
      const row = usedAt.get(digest);
      if (row !== undefined && isStale(Number(row.used_at), now)) use.run(now, digest);
    },
    has: (digest) => usedAt.get(digest) !== undefined,
    totalBytes: () => Number(total.get()?.bytes),
    all: () =>
      all.all().map((row) => ({
        digest: String(row.digest),
        bytes: Number(row.bytes),
        usedAt: Number(row.used_at),
      })),
    remove: (digests) =>
      db.transaction(() => {
        for (const digest of digests) remove.run(digest);
      }),
  };
}
