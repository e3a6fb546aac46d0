/**
 * Responses: which body answered which request, and what vouches for it. Owns the table `responses`.
 *
 * In: a request and its answer. Out: that answer on another night. Bodies are held by digest alone.
 * It must not know whether an answer is still good: fetch judges that.
 */
import type { Fetched } from '../model/snapshot.ts';
import { FORGOTTEN_AFTER_MS } from './retention.ts';
import type { Database, Row } from './sqlite.ts';

/** What was asked. */
export interface ResponseKey {
  /** Base address and profile of the service. */
  service: string;
  /** Operation, such as `getBlock`. */
  operation: string;
  /** All that the answer depends on besides, as one text. */
  request: string;
}

/** An answer, and what tells whether it is still good. */
export interface StoredResponse extends ResponseKey {
  /** The body by digest, or that the service has none. */
  answer: Fetched;
  /** Empty where the service sent none. */
  etag: string;
  /** Empty where the service sent none. */
  lastModified: string;
  /** The manufacturer whose conversion dates vouch for the answer. */
  manufacturer: string;
  /** State of that manufacturer's data when it was asked; empty where that was not known. */
  convertdate: string;
  /** Day on which the fetch began, `YYYY-MM-DD`, UTC. */
  fetchedOn: string;
  /** When the run began that asked for it last, milliseconds since the epoch. */
  askedAt: number;
}

/** The table `responses`. */
export interface Responses {
  get(key: ResponseKey): StoredResponse | undefined;
  put(response: StoredResponse): void;
  /** Forgets the answers whose bodies the cache holds no more, and what was missing when last asked long ago. */
  tidy(now: number): void;
}

/** Schema of the table, in SQL. */
export const RESPONSES_V1 = `
  CREATE TABLE responses (
    service TEXT NOT NULL,
    operation TEXT NOT NULL,
    request TEXT NOT NULL,
    digest TEXT,
    bytes INTEGER NOT NULL,
    missing_code TEXT,
    missing_message TEXT,
    etag TEXT NOT NULL,
    last_modified TEXT NOT NULL,
    manufacturer TEXT NOT NULL,
    convertdate TEXT NOT NULL,
    fetched_on TEXT NOT NULL,
    PRIMARY KEY (service, operation, request)
  ) STRICT, WITHOUT ROWID;`;

/** Since when it is known which run asked; what was asked before that is of no run that goes on. */
export const RESPONSES_V2 = `
  ALTER TABLE responses ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;`;

/** Opens the table. */
export function openResponses(db: Database): Responses {
  const select = db.prepare(
    'SELECT * FROM responses WHERE service = ? AND operation = ? AND request = ?',
  );
  const replace = db.prepare(
    'INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const forget = db.prepare(`
    DELETE FROM responses WHERE CASE
      WHEN digest IS NULL THEN asked_at < ?
      ELSE digest NOT IN (SELECT digest FROM bodies)
    END`);
  return {
    get: ({ service, operation, request }) => {
      const row = select.get(service, operation, request);
      return row === undefined ? undefined : fromRow(row);
    },
    put: (response) => {
      const { answer } = response;
      const body = 'digest' in answer ? answer : undefined;
      const missing = 'missing' in answer ? answer.missing : undefined;
      replace.run(
        response.service,
        response.operation,
        response.request,
        body?.digest ?? null,
        body?.bytes ?? 0,
        missing?.code ?? null,
        missing?.message ?? null,
        response.etag,
        response.lastModified,
        response.manufacturer,
        response.convertdate,
        response.fetchedOn,
        response.askedAt,
      );
    },
    tidy: (now) => forget.run(now - FORGOTTEN_AFTER_MS),
  };
}

function fromRow(row: Row): StoredResponse {
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
    manufacturer: text('manufacturer'),
    convertdate: text('convertdate'),
    fetchedOn: text('fetched_on'),
    askedAt: Number(row.asked_at),
  };
}
