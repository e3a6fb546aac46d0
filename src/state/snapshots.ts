/**
 * Snapshots: what each requested configuration was made of when last fetched. Owns the table `snapshots`.
 *
 * In: a snapshot without its bodies. Out: the same, for a build without a network.
 * It must not know how a snapshot is fetched or converted.
 */
import type { ArticleKey } from '../model/article.ts';
import type { Digest, Fetched, UnplacedChild, Warning } from '../model/snapshot.ts';
import type { Database } from './database.ts';

/** A snapshot as it is kept: all bodies by digest, maps as sorted lists. */
export interface SnapshotRecord {
  key: ArticleKey;
  /** Body of GET articles. */
  article: Digest;
  /** Body of GET btg. */
  partsList: Digest;
  blocks: [name: string, fetched: Fetched][];
  images: [reference: string, fetched: Fetched][];
  warnings: Warning[];
  /** Children of a planning that its parts list does not hold; missing where it holds all. */
  unplaced?: UnplacedChild[];
}

/** The table `snapshots`. */
export interface Snapshots {
  /** @param request - What was asked for, as one text. */
  get(service: string, request: string): SnapshotRecord | undefined;
  put(service: string, request: string, record: SnapshotRecord): void;
}

/** Schema of the table, in SQL. */
export const SNAPSHOTS_V1 = `
  CREATE TABLE snapshots (
    service TEXT NOT NULL,
    request TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (service, request)
  ) STRICT, WITHOUT ROWID;`;

/** Opens the table. */
export function openSnapshots(db: Database): Snapshots {
  const select = db.prepare('SELECT record FROM snapshots WHERE service = ? AND request = ?');
  const replace = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)');
  return {
    get: (service, request) => {
      const row = select.get(service, request);
      return row === undefined ? undefined : (JSON.parse(String(row.record)) as SnapshotRecord);
    },
    put: (service, request, record) => replace.run(service, request, JSON.stringify(record)),
  };
}
