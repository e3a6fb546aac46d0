/**
 * Builds: what was built from which sources. Owns the table `builds`.
 *
 * A run publishes its manifest at the end; this tells the next one what an interrupted run had
 * already built, whose objects stand in the store.
 */
import type { Digest } from '../model/snapshot.ts';
import { FORGOTTEN_AFTER_MS, isStale } from './retention.ts';
import type { Database } from './sqlite.ts';

/** The table `builds`. A record is JSON of its owner's; it says what a GLB holds. */
export interface Builds<T> {
  get(source: Digest): T | undefined;
  put(source: Digest, built: T): void;
  /** Notes what was used since the table was opened, and forgets what was not for long. */
  tidy(now: number): void;
}

/** Schema of the table, in SQL. */
export const BUILDS_V1 = `
  CREATE TABLE builds (
    source TEXT NOT NULL PRIMARY KEY,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/** When a record was used last, in milliseconds since the epoch; 0 until a run has noted that. */
export const BUILDS_V2 = `
  ALTER TABLE builds ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;`;

/** Opens the table. */
export function openBuilds<T>(db: Database): Builds<T> {
  const select = db.prepare('SELECT record, used_at FROM builds WHERE source = ?');
  const replace = db.prepare('INSERT OR REPLACE INTO builds (source, record) VALUES (?, ?)');
  const use = db.prepare('UPDATE builds SET used_at = ? WHERE source = ?');
  const begin = db.prepare('UPDATE builds SET used_at = ? WHERE used_at = 0');
  const forget = db.prepare('DELETE FROM builds WHERE used_at < ?');
  /** When each record that was used was used before. */
  const used = new Map<Digest, number>();
  return {
    get: (source) => {
      const row = select.get(source);
      if (row === undefined) return undefined;
      used.set(source, Number(row.used_at));
      return db.json(row.record);
    },
    put: (source, built) => replace.run(source, JSON.stringify(built)),
    tidy: (now) =>
      db.transaction(() => {
        for (const [source, before] of used) if (isStale(before, now)) use.run(now, source);
        used.clear();
        begin.run(now);
        forget.run(now - FORGOTTEN_AFTER_MS);
      }),
  };
}
