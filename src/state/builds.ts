/**
 * Builds: what was built from which sources. Owns the table `builds`.
 *
 * A run publishes its manifest at the end; this tells the next one what an interrupted run had
 * already built, whose objects stand in the store.
 */
import type { Digest } from '../model/snapshot.ts';
import type { Database } from './database.ts';

/** The table `builds`. A record is JSON of its owner's; it says what a GLB holds. */
export interface Builds<T> {
  get(source: Digest): T | undefined;
  put(source: Digest, built: T): void;
}

/** Schema of the table, in SQL. */
export const BUILDS_V1 = `
  CREATE TABLE builds (
    source TEXT NOT NULL PRIMARY KEY,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/** Opens the table. */
export function openBuilds<T>(db: Database): Builds<T> {
  const select = db.prepare('SELECT record FROM builds WHERE source = ?');
  const replace = db.prepare('INSERT OR REPLACE INTO builds VALUES (?, ?)');
  return {
    get: (source) => {
      const row = select.get(source);
      return row === undefined ? undefined : (JSON.parse(String(row.record)) as T);
    },
    put: (source, built) => replace.run(source, JSON.stringify(built)),
  };
}
