/** The tables of cached responses and of the bodies to which they refer; the bodies are in the content store. */
import type { Digest, Fetched } from '../model/snapshot.ts';
import { EVICTED_AFTER_MS, isUseStale } from './eviction.ts';
import type { FreshnessStamp } from './freshness.ts';
import type { Row, Sqlite } from './sqlite.ts';

/** Identifies a cached response. */
export interface ResponseKey {
  /** Name of the service: address, profile, languages and currency. */
  service: string;
  /** Operation, such as `getBlock`. */
  operation: string;
  /** See `requestKey` of the table of operations. */
  request: string;
}

/** A cached response and what decides whether it is fresh. */
export interface StoredResponse extends ResponseKey, Omit<FreshnessStamp, 'owner'> {
  /** The body by digest, or that the service has none. */
  answer: Fetched;
  /** Empty if the service sent none. */
  etag: string;
  /** Empty if the service sent none. */
  lastModified: string;
}

/** The table `cached_responses`. */
export class CachedResponses {
  readonly #select;
  readonly #replace;
  readonly #evict;

  constructor(db: Sqlite) {
    this.#select = db.prepare(
      'SELECT * FROM cached_responses WHERE service = ? AND operation = ? AND request = ?',
    );
    this.#replace = db.prepare(
      'INSERT OR REPLACE INTO cached_responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#evict = db.prepare(`
      DELETE FROM cached_responses WHERE CASE
        WHEN digest IS NULL THEN requested_at < ?
        ELSE digest NOT IN (SELECT digest FROM cached_bodies)
      END`);
  }

  get({ service, operation, request }: ResponseKey): StoredResponse | undefined {
    const row = this.#select.get(service, operation, request);
    return row === undefined ? undefined : responseOf(row);
  }

  put(response: StoredResponse): void {
    const { answer } = response;
    const body = 'digest' in answer ? answer : undefined;
    const missing = 'missing' in answer ? answer.missing : undefined;
    this.#replace.run(
      response.service,
      response.operation,
      response.request,
      body?.digest ?? null,
      body?.bytes ?? 0,
      missing?.code ?? null,
      missing?.message ?? null,
      response.etag,
      response.lastModified,
      response.datedBy,
      response.convertdate,
      response.fetchedOn,
      response.requestedAt,
    );
  }

  /** Evicts responses whose bodies were evicted, and those without a body that were last requested long ago. */
  evict(now: number): void {
    this.#evict.run(now - EVICTED_AFTER_MS);
  }
}

function responseOf(row: Row): StoredResponse {
  const text = (column: string): string => String(row[column] ?? '');
  return {
    service: text('service'),
    operation: text('operation'),
    request: text('request'),
    answer:
      row.digest === null
        ? { missing: { code: text('missing_code'), message: text('missing_message') } }
        : { digest: text('digest'), bytes: Number(row.bytes) },
    etag: text('etag'),
    lastModified: text('last_modified'),
    datedBy: text('manufacturer'),
    convertdate: text('convertdate'),
    fetchedOn: text('fetched_on'),
    requestedAt: Number(row.requested_at),
  };
}

/** One body of the content store. */
export interface CachedBody {
  digest: Digest;
  bytes: number;
  /** Start of the run that used it last, to the week; milliseconds since the epoch. */
  usedAt: number;
}

/** The table `cached_bodies`: size and last use of each body. */
export class CachedBodies {
  readonly #db: Sqlite;
  readonly #replace;
  readonly #usedAt;
  readonly #use;
  readonly #total;
  readonly #all;
  readonly #delete;

  constructor(db: Sqlite) {
    this.#db = db;
    this.#replace = db.prepare('INSERT OR REPLACE INTO cached_bodies VALUES (?, ?, ?)');
    this.#usedAt = db.prepare('SELECT used_at FROM cached_bodies WHERE digest = ?');
    this.#use = db.prepare('UPDATE cached_bodies SET used_at = ? WHERE digest = ?');
    this.#total = db.prepare('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM cached_bodies');
    this.#all = db.prepare('SELECT digest, bytes, used_at FROM cached_bodies');
    this.#delete = db.prepare('DELETE FROM cached_bodies WHERE digest = ?');
  }

  put({ digest, bytes, usedAt }: CachedBody): void {
    this.#replace.run(digest, bytes, usedAt);
  }

  /** Records that a body was used, unless its recorded use is recent. */
  use(digest: Digest, now: number): void {
    const row = this.#usedAt.get(digest);
    if (row !== undefined && isUseStale(Number(row.used_at), now)) this.#use.run(now, digest);
  }

  has(digest: Digest): boolean {
    return this.#usedAt.get(digest) !== undefined;
  }

  totalBytes(): number {
    return Number(this.#total.get()?.bytes);
  }

  all(): CachedBody[] {
    return this.#all.all().map((row) => ({
      digest: String(row.digest),
      bytes: Number(row.bytes),
      usedAt: Number(row.used_at),
    }));
  }

  remove(digests: readonly Digest[]): void {
    this.#db.transaction(() => {
      for (const digest of digests) this.#delete.run(digest);
    });
  }
}
