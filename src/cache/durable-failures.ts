/**
 * Failures: what failed when it was last tried, and for how long. Owns the table `failures`.
 *
 * In: failures by output folder and request. Out: the same on another night; what succeeds leaves.
 * It must not know when something is tried again.
 */
import type { Database, Row } from './sqlite.ts';

/** Something that failed when it was last tried. */
export interface FailureRecord {
  /** What was asked for, as one text. */
  request: string;
  /** Of the last attempt. */
  code: string;
  /** Of the last attempt. */
  message: string;
  /** Runs that tried it since it last succeeded. */
  attempts: number;
  /** Distinct days (UTC) among them. */
  nights: number;
  /** ISO 8601, UTC: when the first of these runs began. */
  firstSeen: string;
  /** ISO 8601, UTC: when the last of these runs began. */
  lastSeen: string;
  /** Digest of what else decides whether it fails: options and converter. */
  conditions: string;
  /** Request that turned it up while it was worked on; empty where it was selected itself. */
  root: string;
}

/** The table `failures`. */
export interface Failures {
  /** @param output - Absolute path of the output folder. */
  all(output: string): FailureRecord[];
  /** Replaces some records and removes others, both or neither. */
  update(output: string, changes: FailureChanges): void;
}

/** What a night changes. */
export interface FailureChanges {
  failed: Iterable<FailureRecord>;
  /** Requests that fail no longer. */
  gone: Iterable<string>;
}

/** Schema of the table, in SQL. */
export const FAILURES_V1 = `
  CREATE TABLE failures (
    output TEXT NOT NULL,
    request TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    nights INTEGER NOT NULL,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    conditions TEXT NOT NULL,
    root TEXT NOT NULL,
    PRIMARY KEY (output, request)
  ) STRICT, WITHOUT ROWID;`;

/** Opens the table. */
export function openFailures(db: Database): Failures {
  const select = db.prepare('SELECT * FROM failures WHERE output = ? ORDER BY request');
  const replace = db.prepare(
    'INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM failures WHERE output = ? AND request = ?');
  return {
    all: (output) => select.all(output).map(fromRow),
    update: (output, { failed, gone }) =>
      db.transaction(() => {
        for (const request of gone) remove.run(output, request);
        for (const record of failed) {
          const { request, code, message, attempts, nights } = record;
          const { firstSeen, lastSeen, conditions, root } = record;
          const columns = [code, message, attempts, nights, firstSeen, lastSeen, conditions, root];
          replace.run(output, request, ...columns);
        }
      }),
  };
}

function fromRow(row: Row): FailureRecord {
  const text = (column: string): string => String(row[column]);
  return {
    request: text('request'),
    code: text('code'),
    message: text('message'),
    attempts: Number(row.attempts),
    nights: Number(row.nights),
    firstSeen: text('first_seen'),
    lastSeen: text('last_seen'),
    conditions: text('conditions'),
    root: text('root'),
  };
}
