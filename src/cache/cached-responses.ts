/** The table of cached responses; their bodies are in the content store. */
import type { Fetched } from '../model/snapshot.ts';
import { EVICTED_AFTER_MS } from './eviction.ts';
import type { FreshnessStamp } from './freshness.ts';
import { Table } from './sqlite.ts';

/** A cached response and what decides whether it is fresh. */
export interface StoredResponse extends Omit<FreshnessStamp, 'owner'> {
  /** Name of the service: address, profile, languages and currency. */
  service: string;
  /** Operation, such as `getBlock`. */
  operation: string;
  /** See `requestKey` of the table of operations. */
  request: string;
  /** The body by digest, or that the service has none. */
  answer: Fetched;
  /** Empty if the service sent none. */
  etag: string;
  /** Empty if the service sent none. */
  lastModified: string;
}

type ResponseRow = Omit<StoredResponse, 'answer'> &
  Record<'digest' | 'code' | 'message', string> & { bytes: number };

/** The columns of a response under the names of its fields. */
const SELECT = `
  SELECT service, operation, request, digest, bytes, missing_code AS code, missing_message AS message,
    etag, last_modified AS lastModified, manufacturer AS datedBy, convertdate,
    fetched_on AS fetchedOn, requested_at AS requestedAt
  FROM cached_responses WHERE service = ? AND operation = ? AND request = ?`;

/** The table `cached_responses`. */
export class CachedResponses extends Table {
  get(key: Pick<StoredResponse, 'service' | 'operation' | 'request'>): StoredResponse | undefined {
    const row = this.db.get<ResponseRow>(SELECT, key.service, key.operation, key.request);
    if (row === undefined) return undefined;
    const { digest, bytes, code, message, ...response } = row;
    const answer = digest === null ? { missing: { code, message } } : { digest, bytes };
    return { ...response, answer };
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
