/** Opens one SQLite file. All calls are synchronous and short, and every error has a code. */
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { makePrivateFile } from '../support/files.ts';

type SqlValue = string | number | null;

/** A row by column name. */
export type Row = Readonly<Record<string, SqlValue>>;

/** An open SQLite file. Statements are prepared once; the parameters replace their `?` in order. */
export interface Sqlite {
  run(sql: string, ...parameters: SqlValue[]): void;
  get(sql: string, ...parameters: SqlValue[]): Row | undefined;
  all(sql: string, ...parameters: SqlValue[]): Row[];
  /** Parses a column that contains JSON. @throws {@link ConverterError} `STATE_INVALID` if it does not. */
  json<T>(column: SqlValue | undefined): T;
  /** Runs work in one transaction, which is rolled back if the work throws. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** Base of the classes that each own a table or two. */
export class Table {
  protected readonly db: Sqlite;

  constructor(db: Sqlite) {
    this.db = db;
  }
}

const BUSY_TIMEOUT_MS = 10_000;

/** Error codes by SQLite result code; any other means that the file cannot be written. */
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
  4874: 'DISK_FULL', // no room for the shared memory of its processes
};

/**
 * Opens a database file, creates it if it is missing, and migrates its schema to the newest version.
 *
 * The file and those that SQLite writes beside it have mode 0600. WAL mode: a killed process loses
 * nothing that was committed.
 *
 * @param migrations - SQL by schema version: entry n brings version n to n + 1.
 * @param busyTimeoutMs - How long to wait for another process that writes. @defaultValue 10,000
 * @throws {@link ConverterError} `STATE_INVALID` for a file that is not a database or comes from a newer
 *   version; `STATE_LOCKED`, `OUTPUT_UNWRITABLE`, `DISK_FULL`. The file is left unchanged then.
 */
export async function openSqlite(
  path: string,
  migrations: readonly string[],
  { busyTimeoutMs = BUSY_TIMEOUT_MS }: { busyTimeoutMs?: number } = {},
): Promise<Sqlite> {
  await makePrivateFile(path);
  const { default: Libsql } = await import('libsql');
  const guard = guardFor(path);
  const db = guard(() => new Libsql(path));
  const exec = (sql: string): void => void guard(() => db.exec(sql));
  const statements = new Map<string, ReturnType<typeof db.prepare>>();
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const sqlite: Sqlite = {
    run: (sql, ...parameters) => void guard(() => prepare(sql).run(parameters)),
    get: (sql, ...parameters) => guard(() => prepare(sql).get(parameters)) as Row | undefined,
    all: (sql, ...parameters) => guard(() => prepare(sql).all(parameters)) as Row[],
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
        // The rollback may fail for the same reason; the first error is the one to report.
        tolerate(() => db.exec('ROLLBACK'));
        throw error;
      }
    },
    close: () => {
      // Another reader checkpoints later: the end of a run does not wait for it.
      tolerate(() => db.exec('PRAGMA busy_timeout = 0'));
      tolerate(() => db.pragma('wal_checkpoint(TRUNCATE)'));
      db.close();
    },
  };
  try {
    exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    exec('PRAGMA journal_mode = WAL');
    // In WAL mode NORMAL keeps the file consistent through a power cut; only the last commits may be lost.
    exec('PRAGMA synchronous = NORMAL');
    migrate(path, sqlite, exec, migrations);
  } catch (error) {
    tolerate(() => db.close());
    throw error;
  }
  return sqlite;
}

function migrate(
  path: string,
  sqlite: Sqlite,
  exec: (sql: string) => void,
  migrations: readonly string[],
): void {
  const version = (): number => Number(sqlite.get('PRAGMA user_version')?.user_version);
  if (version() === migrations.length) return;
  sqlite.transaction(() => {
    // Another process may have migrated the file since.
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
      // The low byte is the primary code: libsql has no names for the extended ones.
      const code = CODES[rawCode] ?? CODES[rawCode & 0xff] ?? 'OUTPUT_UNWRITABLE';
      throw new ConverterError(code, `cannot use the state ${path}: ${message}`, { cause });
    }
  };
}

function tolerate(work: () => unknown): void {
  try {
    work();
  } catch {
    // The caller has a better error to throw, or nothing left to do.
  }
}
