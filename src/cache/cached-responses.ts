/** The tables of cached responses and of the bodies to which they refer; the bodies are in the content store. */
import type { Digest, Fetched } from '../model/snapshot.ts';
import { EVICTED_AFTER_MS, isUseStale } from './eviction.ts';
import type { FreshnessStamp } from './freshness.ts';
import { type Row, Table } from './sqlite.ts';

/** Identifies a cached response. */
interface ResponseKey {
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
export class CachedResponses extends Table {
  get({ service, operation, request }: ResponseKey): StoredResponse | undefined {
    const sql =
      'SELECT * FROM cached_responses WHERE service = ? AND operation = ? AND request = ?';
    const row = this.db.get(sql, service, operation, request);
    return row && responseOf(row);
  }

  put(response: StoredResponse): void {
    const { service, operation, request, answer, etag, lastModified } = response;
    const { datedBy, convertdate, fetchedOn, requestedAt } = response;
    const body =
      'digest' in answer
        ? [answer.digest, answer.bytes, null, null]
        : [null, 0, answer.missing.code, answer.missing.message];
    const stamp = [datedBy, convertdate, fetchedOn, requestedAt];
    const columns = [service, operation, request, ...body, etag, lastModified, ...stamp];
    const sql = `INSERT OR REPLACE INTO cached_responses VALUES (${columns.map(() => '?').join()})`;
    this.db.run(sql, ...columns);
  }

  /** Evicts responses whose bodies were evicted, and those without a body that were last requested long ago. */
  evict(now: number): void {
    const sql = `
      DELETE FROM cached_responses WHERE CASE
        WHEN digest IS NULL THEN requested_at < ?
        ELSE digest NOT IN (SELECT digest FROM cached_bodies)
      END`;
    this.db.run(sql, now - EVICTED_AFTER_MS);
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
export class CachedBodies extends Table {
  put({ digest, bytes, usedAt }: CachedBody): void {
    this.db.run('INSERT OR REPLACE INTO cached_bodies VALUES (?, ?, ?)', digest, bytes, usedAt);
  }

  /** Records that a body was used, unless its recorded use is recent. */
  use(digest: Digest, now: number): void {
    const usedAt = this.#usedAt(digest);
    if (usedAt === undefined || !isUseStale(usedAt, now)) return;
    this.db.run('UPDATE cached_bodies SET used_at = ? WHERE digest = ?', now, digest);
  }

  has(digest: Digest): boolean {
    return this.#usedAt(digest) !== undefined;
  }

  totalBytes(): number {
    return Number(this.db.get('SELECT SUM(bytes) AS bytes FROM cached_bodies')?.bytes ?? 0);
  }

  all(): CachedBody[] {
    return this.db.all('SELECT digest, bytes, used_at FROM cached_bodies').map((row) => ({
      digest: String(row.digest),
      bytes: Number(row.bytes),
      usedAt: Number(row.used_at),
    }));
  }

  remove(digests: readonly Digest[]): void {
    this.db.transaction(() => {
      for (const digest of digests) {
        this.db.run('DELETE FROM cached_bodies WHERE digest = ?', digest);
      }
    });
  }

  #usedAt(digest: Digest): number | undefined {
    const row = this.db.get('SELECT used_at FROM cached_bodies WHERE digest = ?', digest);
    return row && Number(row.used_at);
  }
}
