/** The tables of cached responses and their bodies in `state.db`. */
import type { Digest, Fetched } from '../../model/snapshot.ts';
import { USE_RECORDED_EVERY_MS, type UsedContent } from './contents.ts';
import type { FreshnessStamp } from './freshness.ts';
import { Table } from './sqlite.ts';

/** A cached response and what decides whether it is fresh. */
export interface StoredResponse extends Omit<FreshnessStamp, 'owner'> {
  /** Name of the service: address, profile, languages and currency. */
  service: string;
  operation: string;
  /** Key of the request: see `requestKey` of the table of operations. */
  request: string;
  /** The body by digest, or that the service has none. */
  answer: Fetched;
  /** Validators; empty if the service sent none. */
  etag: string;
  lastModified: string;
  /** How many nodes a listing that is not believed yet had before. Such a response is not fresh. */
  expectedNodes?: number | undefined;
}

/** What identifies a response. */
type ResponseKey = Pick<StoredResponse, 'service' | 'operation' | 'request'>;

type ResponseRow = Omit<StoredResponse, 'answer' | 'expectedNodes'> &
  Record<'digest' | 'code' | 'message', string> & { bytes: number; expectedNodes: number | null };

const SELECT_RESPONSE = `
  SELECT service, operation, request, digest, bytes, missing_code AS code, missing_message AS message,
    etag, last_modified AS lastModified, manufacturer AS datedBy, convertdate,
    fetched_on AS fetchedOn, requested_at AS requestedAt, expected_nodes AS expectedNodes
  FROM cached_responses WHERE service = ? AND operation = ? AND request = ?`;

/** The table `cached_responses`. The bodies of the responses are in the content store. */
export class CachedResponses extends Table<StoredResponse> {
  get(key: ResponseKey): StoredResponse | undefined {
    const waiting = this.waiting.get(keyOfResponse(key));
    if (waiting !== undefined) return waiting;
    const row = this.db.get<ResponseRow>(SELECT_RESPONSE, key.service, key.operation, key.request);
    if (row === undefined) return undefined;
    const { digest, bytes, code, message, expectedNodes, ...response } = row;
    const answer = digest === null ? { missing: { code, message } } : { digest, bytes };
    return { ...response, answer, ...(expectedNodes !== null && { expectedNodes }) };
  }

  put(response: StoredResponse): void {
    this.later(keyOfResponse(response), response);
  }

  protected override write(response: StoredResponse): void {
    const { service, operation, request, answer, etag, lastModified } = response;
    const { datedBy, convertdate, fetchedOn, requestedAt, expectedNodes = null } = response;
    const body =
      'digest' in answer
        ? [answer.digest, answer.bytes, null, null]
        : [null, 0, answer.missing.code, answer.missing.message];
    const stamp = [datedBy, convertdate, fetchedOn, requestedAt, expectedNodes];
    const sql =
      'INSERT OR REPLACE INTO cached_responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
    this.db.run(sql, service, operation, request, ...body, etag, lastModified, ...stamp);
  }

  /** Evicts responses whose bodies were evicted, and those without a body that were last requested long ago. */
  evict(now: number): void {
    const sql = `
      DELETE FROM cached_responses WHERE CASE
        WHEN digest IS NULL THEN requested_at < ?
        ELSE digest NOT IN (SELECT digest FROM cached_bodies)
      END`;
    this.db.flush();
    this.db.run(sql, now - EVICTED_AFTER_MS);
  }
}

const keyOfResponse = ({ service, operation, request }: ResponseKey): string =>
  `${service}\0${operation}\0${request}`;

const SELECT_BODY = 'SELECT digest, bytes, used_at AS usedAt FROM cached_bodies';

/** The table `cached_bodies`: size and last use of each body. */
export class CachedBodies extends Table<UsedContent> {
  put(body: UsedContent): void {
    this.later(body.digest, body);
  }

  /** Records a use, unless the recorded one is recent. */
  use(digest: Digest, now: number): void {
    const body = this.#get(digest);
    if (body === undefined || now - body.usedAt <= USE_RECORDED_EVERY_MS) return;
    this.put({ ...body, usedAt: now });
  }

  has(digest: Digest): boolean {
    return this.#get(digest) !== undefined;
  }

  totalBytes(): number {
    const sql = 'SELECT TOTAL(bytes) AS bytes FROM cached_bodies';
    this.db.flush();
    return this.db.get<{ bytes: number }>(sql)!.bytes;
  }

  all(): UsedContent[] {
    this.db.flush();
    return this.db.all(SELECT_BODY);
  }

  remove(bodies: readonly Pick<UsedContent, 'digest'>[]): void {
    const sql = 'DELETE FROM cached_bodies WHERE digest = ?';
    this.db.flush();
    this.db.transaction(() => {
      for (const { digest } of bodies) this.db.run(sql, digest);
    });
  }

  protected override write({ digest, bytes, usedAt }: UsedContent): void {
    this.db.run('INSERT OR REPLACE INTO cached_bodies VALUES (?, ?, ?)', digest, bytes, usedAt);
  }

  #get(digest: Digest): UsedContent | undefined {
    return this.waiting.get(digest) ?? this.db.get(`${SELECT_BODY} WHERE digest = ?`, digest);
  }
}

/** The responses that any machine has received. */
export interface SharedResponses {
  /** Returns the response that was put last, with the tag that `put` needs to replace it. */
  get(key: ResponseKey): Promise<{ response: StoredResponse; etag: string } | undefined>;
  /** Puts a response in place of the one that was read. If another machine was faster, its response stays. */
  put(response: StoredResponse, etag: string | undefined): Promise<void>;
}

/** An entry that was not used for longer is evicted. A range that is converted once a quarter keeps its entries. */
export const EVICTED_AFTER_MS = 100 * 24 * 60 * 60 * 1000;

/** Recorded use, in milliseconds since the epoch, of each entry used since its table was opened. */
export type Uses<Key> = Map<Key, number>;

/** Forgets the uses, and returns the keys of the uses that have to be recorded. */
export function takeStale<Key>(uses: Uses<Key>, now: number): Key[] {
  const stale = [...uses].filter(([, usedAt]) => now - usedAt > USE_RECORDED_EVERY_MS);
  uses.clear();
  return stale.map(([key]) => key);
}
