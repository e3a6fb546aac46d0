/** The tables of snapshots, and of GLBs by the digest of their sources, in `state.db`. */
import type { ArticleKey } from '../../model/article.ts';
import type { Built } from '../../model/asset.ts';
import type { Digest, Fetched, UnplacedChild } from '../../model/snapshot.ts';
import type { Warning } from '../../model/warning.ts';
import { EVICTED_AFTER_MS, takeStale, type Uses } from './cached-responses.ts';
import type { FreshnessStamp } from './freshness.ts';
import { Table } from './sqlite.ts';

/** A snapshot as it is stored: all bodies by digest, maps as sorted lists. */
export interface SnapshotRecord {
  key: ArticleKey;
  article: Digest;
  partsList: Digest;
  blocks: [name: string, fetched: Fetched][];
  images: [reference: string, fetched: Fetched][];
  warnings: Warning[];
  /** Bodies of GET articles in further languages. */
  translations?: [lang: string, article: Digest][] | undefined;
  /** Children of a planning that its parts list does not contain; missing if there are none. */
  unplaced?: UnplacedChild[] | undefined;
}

/** The fields that decide, without the bodies, whether a snapshot is fresh. */
export interface SnapshotSummary {
  key: ArticleKey;
  /** Digest of everything that a GLB depends on. */
  inputs: Digest;
  answers: Digest;
  /** Digest of the fetch options that decide what a snapshot contains. */
  optionsDigest: string;
  stamps: FreshnessStamp[];
}

/** When the last of the responses of a snapshot was requested, milliseconds since the epoch. */
const requestedAt = (summary: SnapshotSummary | null) =>
  Math.max(0, ...(summary?.stamps ?? []).map((stamp) => stamp.requestedAt));

/** A snapshot as JSON. */
type WaitingSnapshot = Record<'service' | 'request' | 'record', string> & {
  summary: string | null;
};
type SnapshotRow = { id: number; summary: string | null; record: string; used_at: number | null };

const PAGE = 500;
const DIGEST = /"([0-9a-f]{64})"/g;
const WITH_USES = 'cached_snapshots LEFT JOIN cached_snapshot_uses USING (id)';

/** The tables `cached_snapshots` and `cached_snapshot_uses`. A request is given by its key. */
export class CachedSnapshots extends Table<WaitingSnapshot> {
  readonly #uses: Uses<number> = new Map();

  /** The whole row of a snapshot, for other machines. */
  row(service: string, request: string): WaitingSnapshot | undefined {
    const sql =
      'SELECT service, request, record, summary FROM cached_snapshots WHERE service = ? AND request = ?';
    const key = `${service}\0${request}`;
    return this.waiting.get(key) ?? this.db.get<WaitingSnapshot>(sql, service, request);
  }

  /** Puts the row of another machine, unless the one here was requested later. */
  putRow(row: WaitingSnapshot): void {
    const own = this.summary(row.service, row.request);
    const otherAt = row.summary === null ? 0 : requestedAt(this.db.json(row.summary));
    const isOlder = own !== undefined && requestedAt(own) >= otherAt;
    if (!isOlder) this.later(`${row.service}\0${row.request}`, row, row.record.length);
  }

  get(service: string, request: string): SnapshotRecord | undefined {
    return this.#read('record', service, request);
  }

  /** The services whose ids begin with this text and hex digits: none, the only one, or the first and the last. */
  servicesOf(beginning: string): string[] {
    const range = 'FROM cached_snapshots WHERE service BETWEEN ? AND ?';
    const sql = `SELECT MIN(service) AS service ${range} UNION SELECT MAX(service) ${range}`;
    const [from, to] = [beginning, `${beginning}g`];
    this.db.flush();
    const rows = this.db.all<{ service: string | null }>(sql, from, to, from, to);
    return rows.flatMap(({ service }) => service ?? []);
  }

  /** Returns undefined if there is no snapshot, if a body of it failed, and if children of it have no place. */
  summary(service: string, request: string): SnapshotSummary | undefined {
    return this.#read('summary', service, request);
  }

  /** Reads one large column, since reading both takes twice as long; records the use. */
  #read<T>(column: 'record' | 'summary', service: string, request: string): T | undefined {
    const waiting = this.waiting.get(`${service}\0${request}`);
    const sql = `SELECT id, ${column}, used_at FROM ${WITH_USES} WHERE service = ? AND request = ?`;
    const row = waiting ? undefined : this.db.get<SnapshotRow>(sql, service, request);
    if (row !== undefined) this.#uses.set(row.id, row.used_at ?? 0);
    const json = (waiting ?? row)?.[column];
    return json ? this.db.json(json) : undefined;
  }

  put(service: string, request: string, record: SnapshotRecord, summary?: SnapshotSummary): void {
    const stored = summary === undefined ? null : JSON.stringify(summary);
    const waiting = { service, request, summary: stored, record: JSON.stringify(record) };
    this.later(`${service}\0${request}`, waiting, waiting.record.length);
  }

  protected override write({ service, request, summary, record }: WaitingSnapshot): void {
    const sql = `
      INSERT INTO cached_snapshots (service, request, summary, record) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET summary = excluded.summary, record = excluded.record
      RETURNING id`;
    const { id } = this.db.get<SnapshotRow>(sql, service, request, summary, record)!;
    this.#uses.set(id, this.#uses.get(id) ?? 0);
  }

  /** The bodies of each snapshot, and the recorded use of that snapshot. */
  *bodies(): Iterable<{ digests: Digest[]; usedAt: number }> {
    const sql = `SELECT id, record, used_at FROM ${WITH_USES} WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
    this.db.flush();
    const pageAfter = (id: number) => this.db.all<SnapshotRow>(sql, id);
    for (let rows = pageAfter(0); rows.length > 0; rows = pageAfter(rows.at(-1)!.id)) {
      for (const { record, used_at } of rows) {
        const digests = Array.from(record.matchAll(DIGEST), ([, digest]) => digest!);
        yield { digests, usedAt: used_at ?? 0 };
      }
    }
  }

  /** Records the snapshots that were used since the table was opened, and evicts those that were not used for long. */
  evict(now: number): void {
    const { db } = this;
    const longAgo = now - EVICTED_AFTER_MS;
    db.flush();
    db.transaction(() => {
      for (const id of takeStale(this.#uses, now)) {
        db.run('INSERT OR REPLACE INTO cached_snapshot_uses VALUES (?, ?)', id, now);
      }
      const first = 'INSERT OR IGNORE INTO cached_snapshot_uses SELECT id, ? FROM cached_snapshots';
      db.run(first, now);
      const unused = 'WHERE id IN (SELECT id FROM cached_snapshot_uses WHERE used_at < ?)';
      db.run(`DELETE FROM cached_snapshots ${unused}`, longAgo);
      db.run('DELETE FROM cached_snapshot_uses WHERE used_at < ?', longAgo);
    });
  }
}

/** The table `cached_builds`: GLBs by the digest of their sources, also of runs that published no manifest. */
export class CachedBuilds extends Table<string> {
  readonly #uses: Uses<Digest> = new Map();

  get(source: Digest): Built | undefined {
    const waiting = this.waiting.get(source);
    if (waiting !== undefined) return this.db.json(waiting);
    const sql = 'SELECT record, used_at FROM cached_builds WHERE source = ?';
    const row = this.db.get<{ record: string; used_at: number }>(sql, source);
    if (row === undefined) return undefined;
    this.#uses.set(source, row.used_at);
    return this.db.json(row.record);
  }

  put(source: Digest, built: Built): void {
    this.later(source, JSON.stringify(built));
  }

  protected override write(record: string, source: Digest): void {
    const sql = 'INSERT OR REPLACE INTO cached_builds (source, record) VALUES (?, ?)';
    this.db.run(sql, source, record);
  }

  /** Records the GLBs that were used since the table was opened, and evicts those that were not used for long. */
  evict(now: number): void {
    this.db.flush();
    this.db.transaction(() => {
      for (const source of takeStale(this.#uses, now)) {
        this.db.run('UPDATE cached_builds SET used_at = ? WHERE source = ?', now, source);
      }
      this.db.run('UPDATE cached_builds SET used_at = ? WHERE used_at = 0', now);
      this.db.run('DELETE FROM cached_builds WHERE used_at < ?', now - EVICTED_AFTER_MS);
    });
  }
}
