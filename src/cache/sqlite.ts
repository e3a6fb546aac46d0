/**
 * Database: one SQLite file with what earlier runs knew.
 *
 * In: a path and the list of schema changes. Out: an open database at the newest schema.
 * It must not know a table: each has a file of its own. All calls are synchronous and short.
 */

import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { makePrivateFile } from '../support/files.ts';

/** A value of a column. */
export type SqlValue = string | number | null;

/** A row by column name. */
export type Row = Readonly<Record<string, SqlValue>>;

/** A prepared statement; parameters stand for its `?` in order. */
export interface Statement {
  run(...parameters: SqlValue[]): void;
  get(...parameters: SqlValue[]): Row | undefined;
  all(...parameters: SqlValue[]): Row[];
}

/** An open database. */
export interface Database {
  prepare(sql: string): Statement;
  /**
   * Reads a column that holds JSON.
   *
   * @throws {@link ConverterError} `STATE_INVALID` where it does not: somebody was at the file.
   */
  json<T>(column: SqlValue | undefined): T;
  /** Runs work in one transaction; it is rolled back where the work throws. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** How a database is opened. */
export interface DatabaseOptions {
  /** How long to wait for another process that writes, in ms. @defaultValue 10,000 */
  busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 10_000;

/** What SQLite's result codes mean to us; any other says that the file cannot be written. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  1: 'STATE_INVALID', // error: no such table or column
  5: 'STATE_LOCKED', // busy
  6: 'STATE_LOCKED', // locked
  11: 'STATE_INVALID', // corrupt
  13: 'DISK_FULL', // full
  17: 'STATE_INVALID', // schema
  19: 'INTERNAL', // constraint
  20: 'INTERNAL', // mismatch
  21: 'INTERNAL', // misuse
  26: 'STATE_INVALID', // not a database
  522: 'STATE_INVALID', // the file ends too early
  4874: 'DISK_FULL', // no room for what its processes share
};

/**
 * Opens a database file, makes it where there is none, and brings its schema up to date.
 *
 * The file is its owner's alone (0600), and so is what SQLite keeps beside it. WAL mode: a killed
 * process loses nothing that was committed.
 *
 * @param migrations - SQL by schema version: entry n brings version n to n + 1. Only ever appended to.
 * @throws {@link ConverterError} `STATE_INVALID` for a file that is no database or a newer version's;
 *   `STATE_LOCKED`, `OUTPUT_UNWRITABLE`, `DISK_FULL`. What stands in the file stays as it is then.
 */
export async function openDatabase(
  path: string,
  migrations: readonly string[],
  { busyTimeoutMs = BUSY_TIMEOUT_MS }: DatabaseOptions = {},
): Promise<Database> {
  await makePrivateFile(path);
  const { default: Libsql } = await import('libsql');
  const guard = guardFor(path);
  const db = guard(() => new Libsql(path));
  const statement = (sql: string): Statement => {
    const prepared = guard(() => db.prepare(sql));
    return {
      run: (...parameters) => void guard(() => prepared.run(parameters)),
      get: (...parameters) => guard(() => prepared.get(parameters)) as Row | undefined,
      all: (...parameters) => guard(() => prepared.all(parameters)) as Row[],
    };
  };
  const exec = (sql: string): void => void guard(() => db.exec(sql));
  const database: Database = {
    prepare: statement,
    json: (column) => {
      try {
        return JSON.parse(String(column));
      } catch (cause) {
        const message = `cannot use the state ${path}: expected JSON in a row, received other text`;
        throw new ConverterError('STATE_INVALID', message, { cause });
      }
    },
    transaction: (work) => {
      exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        exec('COMMIT');
        return result;
      } catch (error) {
        // The first error is the one that matters: the rollback may fail for the same reason.
        tolerate(() => db.exec('ROLLBACK'));
        throw error;
      }
    },
    close: () => {
      // Who else reads will tidy up: nothing is worth waiting for at the end.
      tolerate(() => db.exec('PRAGMA busy_timeout = 0'));
      tolerate(() => db.pragma('wal_checkpoint(TRUNCATE)'));
      db.close();
    },
  };
  try {
    exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    exec('PRAGMA journal_mode = WAL');
    // In WAL mode NORMAL keeps the file whole through a power cut; only the last commits may be lost.
    exec('PRAGMA synchronous = NORMAL');
    migrate(path, database, exec, migrations);
  } catch (error) {
    tolerate(() => db.close());
    throw error;
  }
  return database;
}

function migrate(
  path: string,
  database: Database,
  exec: (sql: string) => void,
  migrations: readonly string[],
): void {
  const version = (): number => Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version() === migrations.length) return;
  database.transaction(() => {
    // Read again: another process may have been faster.
    const found = version();
    if (found > migrations.length) {
      const message = `${path}: expected state of version ${migrations.length} or older, found ${found}, which a newer btg2gltf wrote`;
      throw new ConverterError('STATE_INVALID', message);
    }
    for (const sql of migrations.slice(found)) exec(sql);
    exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function guardFor(path: string): <T>(work: () => T) => T {
  return (work) => {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof ConverterError) throw cause;
      const { rawCode = 0, message } = cause as Error & { rawCode?: number };
      // The low byte is the primary code: the extended ones have no name in libsql.
      const code = CODES[rawCode] ?? CODES[rawCode & 0xff] ?? 'OUTPUT_UNWRITABLE';
      throw new ConverterError(code, `cannot use the state ${path}: ${message}`, { cause });
    }
  };
}

function tolerate(work: () => unknown): void {
  try {
    work();
  } catch {
    // Whoever calls this has a better error to throw, or nothing left to do.
  }
}
