/** The durable table of what failed when it was last tried. A success removes it. */
import { Table } from './sqlite.ts';

/** Something that failed when it was last tried. */
export interface FailureRecord {
  /** Key of the request. */
  request: string;
  /** Of the last attempt, as is the message. */
  code: string;
  message: string;
  /** Runs that tried it since it last succeeded. */
  attempts: number;
  /** Distinct days (UTC) among them. */
  nights: number;
  /** ISO 8601, UTC: start of the first of these runs. */
  firstSeen: string;
  /** ISO 8601, UTC: start of the last of these runs. */
  lastSeen: string;
  /** Digest of what else decides whether it fails: options and converter. */
  conditions: string;
  /** Request whose processing selected it; empty if it was selected itself. */
  root: string;
}

/** The table `durable_failures`. */
export class DurableFailures extends Table {
  /** @param output - Absolute path of the output folder. */
  all(output: string): FailureRecord[] {
    const sql = `
      SELECT request, code, message, attempts, nights, first_seen AS firstSeen,
        last_seen AS lastSeen, conditions, root
      FROM durable_failures WHERE output = ? ORDER BY request`;
    return this.db.all(sql, output);
  }

  /** Stores what failed, and deletes the requests that no longer fail, in one transaction. */
  update(
    output: string,
    { failed, gone }: { failed: Iterable<FailureRecord>; gone: Iterable<string> },
  ): void {
    this.db.transaction(() => {
      const deletion = 'DELETE FROM durable_failures WHERE output = ? AND request = ?';
      for (const request of gone) this.db.run(deletion, output, request);
      const sql = 'INSERT OR REPLACE INTO durable_failures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
      for (const record of failed) {
        const { request, code, message, attempts, nights } = record;
        const { firstSeen, lastSeen, conditions, root } = record;
        const columns = [code, message, attempts, nights, firstSeen, lastSeen, conditions, root];
        this.db.run(sql, output, request, ...columns);
      }
    });
  }
}
