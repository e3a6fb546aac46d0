/** The tables of cached snapshots: what each requested configuration was made of when last fetched. */
import type { ArticleKey } from '../model/article.ts';
import type { Digest, Fetched, UnplacedChild, Warning } from '../model/snapshot.ts';
import { EVICTED_AFTER_MS, isUseStale } from './eviction.ts';
import type { FreshnessStamp } from './freshness.ts';
import { Table } from './sqlite.ts';

/** A snapshot as it is stored: all bodies by digest, maps as sorted lists. */
export interface SnapshotRecord {
  key: ArticleKey;
  /** Body of GET articles. */
  article: Digest;
  /** Body of GET btg. */
  partsList: Digest;
  blocks: [name: string, fetched: Fetched][];
  images: [reference: string, fetched: Fetched][];
  warnings: Warning[];
  /** Bodies of GET articles in further languages. */
  translations?: [lang: string, article: Digest][];
  /** Children of a planning that its parts list does not contain; missing if there are none. */
  unplaced?: UnplacedChild[];
}

/** What decides without its bodies whether a snapshot is fresh. */
export interface SnapshotSummary {
  key: ArticleKey;
  /** Digest of all that a GLB depends on. */
  inputs: Digest;
  /** Digest of the fetch options that decide what a snapshot contains. */
  optionsDigest: string;
  /** Stamps of the responses that it was made from. */
  stamps: FreshnessStamp[];
}

type SnapshotRow = { id: number; summary: string | null; record: string; used_at: number | null };

/** Records that are read at a time. */
const PAGE = 500;
const DIGEST = /"([0-9a-f]{64})"/g;

const USES = 'LEFT JOIN cached_snapshot_uses USING (id)';
const SUMMARY = `
  SELECT id, summary, used_at FROM cached_snapshots ${USES} WHERE service = ? AND request = ?`;

/** The tables `cached_snapshots` and `cached_snapshot_uses`. A request is given by its key. */
export class CachedSnapshots extends Table {
  /** Recorded use by id, of each snapshot that was used since the table was opened. */
  readonly #used = new Map<number, number>();

  get(service: string, request: string): SnapshotRecord | undefined {
    const sql = 'SELECT record FROM cached_snapshots WHERE service = ? AND request = ?';
    const row = this.db.get<SnapshotRow>(sql, service, request);
    return row && this.db.json(row.record);
  }

  /** The service with an id of this beginning that was first fetched most recently. */
  latestService(beginning: string): string | undefined {
    const sql = `
      SELECT service FROM cached_snapshots WHERE substr(service, 1, length(?)) = ?
      ORDER BY id DESC LIMIT 1`;
    return this.db.get<{ service: string }>(sql, beginning, beginning)?.service;
  }

  /** Undefined if there is no snapshot, and if a body of it failed. */
  summary(service: string, request: string): SnapshotSummary | undefined {
    const row = this.db.get<SnapshotRow>(SUMMARY, service, request);
    if (row === undefined) return undefined;
    this.#used.set(row.id, row.used_at ?? 0);
    return row.summary === null ? undefined : this.db.json(row.summary);
  }

  put(service: string, request: string, record: SnapshotRecord, summary?: SnapshotSummary): void {
    const stored = summary === undefined ? null : JSON.stringify(summary);
    const sql = `
      INSERT INTO cached_snapshots (service, request, summary, record) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET summary = excluded.summary, record = excluded.record
      RETURNING id`;
    const columns = [service, request, stored, JSON.stringify(record)];
    const { id } = this.db.get<SnapshotRow>(sql, ...columns)!;
    this.#used.set(id, this.#used.get(id) ?? 0);
  }

  /** The bodies of each snapshot, and the recorded use of that snapshot. */
  *bodies(): Iterable<{ digests: Digest[]; usedAt: number }> {
    const sql = `
      SELECT id, record, used_at FROM cached_snapshots ${USES}
      WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
    const pageAfter = (id: number) => this.db.all<SnapshotRow>(sql, id);
    for (let rows = pageAfter(0); rows.length > 0; rows = pageAfter(rows.at(-1)!.id)) {
      for (const { record, used_at } of rows) {
        const digests = Array.from(record.matchAll(DIGEST), ([, digest]) => digest!);
        yield { digests, usedAt: used_at ?? 0 };
      }
    }
  }

  /** Records what was used since the table was opened, and evicts what was not used for long. */
  evict(now: number): void {
    const { db } = this;
    const longAgo = now - EVICTED_AFTER_MS;
    db.transaction(() => {
      for (const [id, usedAt] of this.#used) {
        if (!isUseStale(usedAt, now)) continue;
        db.run('INSERT OR REPLACE INTO cached_snapshot_uses VALUES (?, ?)', id, now);
      }
      this.#used.clear();
      const first = 'INSERT OR IGNORE INTO cached_snapshot_uses SELECT id, ? FROM cached_snapshots';
      db.run(first, now);
      const unused = 'WHERE id IN (SELECT id FROM cached_snapshot_uses WHERE used_at < ?)';
      db.run(`DELETE FROM cached_snapshots ${unused}`, longAgo);
      db.run('DELETE FROM cached_snapshot_uses WHERE used_at < ?', longAgo);
    });
  }
}
