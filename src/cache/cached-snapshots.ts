/**
 * Snapshots: what each requested configuration was made of when last fetched. Owns the table `snapshots`.
 *
 * In: a snapshot without its bodies. Out: the same, for a build without a network.
 * It must not know how a snapshot is fetched or converted.
 */
import type { ArticleKey } from '../model/article.ts';
import type { Digest, Fetched, UnplacedChild, Warning } from '../model/snapshot.ts';
import { FORGOTTEN_AFTER_MS, isStale } from './retention.ts';
import type { Database } from './sqlite.ts';

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

/** Who vouches for some of the bodies of a snapshot; see the row of a response. */
export interface Voucher {
  /** Whose bodies they are, by name. */
  owner: string;
  /** The manufacturer whose conversion dates vouch for them. */
  manufacturer: string;
  /** State of that manufacturer's data when they were asked for. */
  convertdate: string;
  /** Day on which the first of them was fetched, `YYYY-MM-DD`, UTC. */
  fetchedOn: string;
  /** When the run began that asked for the first of them, milliseconds since the epoch. */
  askedAt: number;
}

/** What tells without the bodies whether a snapshot still holds. */
export interface KeptFacts {
  key: ArticleKey;
  /** Digest of all that a GLB depends on. */
  inputs: Digest;
  /** On what it depends besides the answers of the service, as one text. */
  terms: string;
  vouchers: Voucher[];
}

/** The table `snapshots`. */
export interface Snapshots {
  /** @param request - What was asked for, as one text. */
  get(service: string, request: string): SnapshotRecord | undefined;
  /** What of a snapshot may be kept without a look at its bodies. */
  kept(service: string, request: string): KeptFacts | undefined;
  /** @param kept - Missing where nothing may: a body of it failed. */
  put(service: string, request: string, record: SnapshotRecord, kept?: KeptFacts): void;
  /** Every body that a snapshot refers to, and when that snapshot was used last. */
  bodies(): Iterable<{ digests: Digest[]; usedAt: number }>;
  /** Notes what was used since the table was opened, and forgets what was not for long. */
  tidy(now: number): void;
}

/** Schema of the table, in SQL. */
export const SNAPSHOTS_V1 = `
  CREATE TABLE snapshots (
    service TEXT NOT NULL,
    request TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (service, request)
  ) STRICT, WITHOUT ROWID;`;

/** The small columns stand before the large one, so that reading them does not touch it. */
export const SNAPSHOTS_V2 = `
  ALTER TABLE snapshots RENAME TO snapshots_v1;
  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    service TEXT NOT NULL,
    request TEXT NOT NULL,
    kept TEXT,
    record TEXT NOT NULL,
    UNIQUE (service, request)
  ) STRICT;
  INSERT INTO snapshots (service, request, record) SELECT * FROM snapshots_v1;
  DROP TABLE snapshots_v1;`;

/**
 * When each snapshot was used last, milliseconds since the epoch: beside the snapshots, so that noting it
 * does not write these again.
 */
export const SNAPSHOTS_V3 = `
  CREATE TABLE snapshot_uses (
    id INTEGER PRIMARY KEY,
    used_at INTEGER NOT NULL
  ) STRICT;`;

/** Records that are read at a time. */
const PAGE = 500;
const DIGEST = /"([0-9a-f]{64})"/g;

/** Opens the table. */
export function openSnapshots(db: Database): Snapshots {
  const where = 'WHERE service = ? AND request = ?';
  const record = db.prepare(`SELECT record FROM snapshots ${where}`);
  const kept = db.prepare(`
    SELECT id, kept, used_at FROM snapshots LEFT JOIN snapshot_uses USING (id) ${where}`);
  const put = db.prepare(`
    INSERT INTO snapshots (service, request, kept, record) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET kept = excluded.kept, record = excluded.record
    RETURNING id`);
  const page = db.prepare(`
    SELECT id, record, used_at FROM snapshots LEFT JOIN snapshot_uses USING (id)
    WHERE id > ? ORDER BY id LIMIT ${PAGE}`);
  const use = db.prepare('INSERT OR REPLACE INTO snapshot_uses VALUES (?, ?)');
  const begin = db.prepare(`
    INSERT INTO snapshot_uses SELECT id, ? FROM snapshots
    WHERE id NOT IN (SELECT id FROM snapshot_uses)`);
  const forget = db.prepare(`
    DELETE FROM snapshots WHERE id IN (SELECT id FROM snapshot_uses WHERE used_at < ?)`);
  const forgetUses = db.prepare('DELETE FROM snapshot_uses WHERE used_at < ?');
  /** When each snapshot that was used was used before. */
  const used = new Map<number, number>();

  return {
    get: (service, request) => {
      const row = record.get(service, request);
      return row && db.json(row.record);
    },
    kept: (service, request) => {
      const row = kept.get(service, request);
      if (row === undefined) return undefined;
      used.set(Number(row.id), Number(row.used_at ?? 0));
      return row.kept === null ? undefined : db.json(row.kept);
    },
    put: (service, request, snapshot, facts) => {
      const about = facts === undefined ? null : JSON.stringify(facts);
      const row = put.get(service, request, about, JSON.stringify(snapshot));
      used.set(Number(row?.id), used.get(Number(row?.id)) ?? 0);
    },
    *bodies() {
      let last = 0;
      for (let rows = page.all(last); rows.length > 0; rows = page.all(last)) {
        for (const row of rows) {
          const digests = Array.from(String(row.record).matchAll(DIGEST), ([, digest]) => digest!);
          yield { digests, usedAt: Number(row.used_at ?? 0) };
        }
        last = Number(rows.at(-1)!.id);
      }
    },
    tidy: (now) =>
      db.transaction(() => {
        for (const [id, before] of used) if (isStale(before, now)) use.run(id, now);
        used.clear();
        begin.run(now);
        forget.run(now - FORGOTTEN_AFTER_MS);
        forgetUses.run(now - FORGOTTEN_AFTER_MS);
      }),
  };
}
