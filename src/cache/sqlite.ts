/** Opens one SQLite file. All calls are synchronous and short, and every error has a code. */
import type Libsql from 'libsql';
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { exists, makePrivateFile } from '../support/files.ts';

type SqlValue = string | number | null;

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

/** An open SQLite file. Statements are prepared once; the parameters replace their `?` in order. */
class Sqlite {
  readonly #path: string;
  readonly #db: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();

  constructor(path: string, Database: typeof Libsql) {
    this.#path = path;
    this.#db = this.#guard(() => new Database(path));
  }

  run(sql: string, ...parameters: SqlValue[]): void {
    this.#guard(() => this.#prepare(sql).run(parameters));
  }

  /** The first row; the caller knows its type, since every table is STRICT. */
  get<Row>(sql: string, ...parameters: SqlValue[]): Row | undefined {
    return this.all<Row>(sql, ...parameters)[0];
  }

  all<Row>(sql: string, ...parameters: SqlValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(parameters)) as Row[];
  }

  /** Runs several statements without parameters. */
  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  /** Parses a column that contains JSON. @throws {@link ConverterError} `STATE_INVALID` if it does not. */
  json<T>(column: string): T {
    try {
      return JSON.parse(column);
    } catch (cause) {
      throw this.#unusable('STATE_INVALID', 'expected JSON in a row, received other text', cause);
    }
  }

  /** Runs work in one transaction, which is rolled back if the work throws. */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      // The rollback may fail for the same reason; the first error is the one to report.
      tolerate(() => this.#db.exec('ROLLBACK'));
      throw error;
    }
  }

  /** Brings the schema to the newest version. */
  migrate(migrations: readonly string[]): void {
    const version = () => this.get<{ user_version: number }>('PRAGMA user_version')!.user_version;
    if (version() === migrations.length) return;
    this.transaction(() => {
      // Another process may have migrated the file since.
      const found = version();
      if (found > migrations.length) {
        const message = `${this.#path}: expected a database of version ${migrations.length} or older, received version ${found} of a newer btg2gltf`;
        throw new ConverterError('STATE_INVALID', message);
      }
      for (const sql of migrations.slice(found)) this.exec(sql);
      this.exec(`PRAGMA user_version = ${migrations.length}`);
    });
  }

  close(): void {
    // Another reader checkpoints later: the end of a run does not wait for it.
    tolerate(() => this.#db.exec('PRAGMA busy_timeout = 0'));
    tolerate(() => this.#db.pragma('wal_checkpoint(TRUNCATE)'));
    this.#db.close();
  }

  #prepare(sql: string): Libsql.Statement {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof ConverterError) throw cause;
      const { rawCode = 0, message } = cause as Error & { rawCode?: number };
      // The low byte is the primary code: libsql has no names for the extended ones.
      const code = CODES[rawCode] ?? CODES[rawCode & 0xff] ?? 'OUTPUT_UNWRITABLE';
      throw this.#unusable(code, message, cause);
    }
  }

  #unusable(code: ErrorCode, why: string, cause: unknown): ConverterError {
    return new ConverterError(code, `${this.#path}: expected a usable database, received: ${why}`, {
      cause,
    });
  }
}

/**
 * Opens a database file with mode 0600, creates it if it is missing, and migrates its schema; entry n of the
 * migrations brings version n to n + 1.
 *
 * @throws {@link ConverterError} `STATE_INVALID`, `STATE_LOCKED`, `OUTPUT_UNWRITABLE`, `DISK_FULL`; the file is
 *   left unchanged then.
 */
export async function openSqlite(
  path: string,
  migrations: readonly string[],
  { busyTimeoutMs = BUSY_TIMEOUT_MS }: { busyTimeoutMs?: number } = {},
): Promise<Sqlite> {
  await makePrivateFile(path);
  // SQLite follows links: here they are refused.
  for (const suffix of ['-journal', '-wal', '-shm']) await exists(path + suffix);
  const sqlite = new Sqlite(path, (await import('libsql')).default);
  try {
    sqlite.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    sqlite.exec('PRAGMA journal_mode = WAL');
    // In WAL mode NORMAL keeps the file consistent through a power cut; only the last commits may be lost.
    sqlite.exec('PRAGMA synchronous = NORMAL');
    sqlite.migrate(migrations);
  } catch (error) {
    tolerate(() => sqlite.close());
    throw error;
  }
  return sqlite;
}

/** Base of the classes that each own a table or two. */
export class Table {
  protected readonly db: Sqlite;

  constructor(db: Sqlite) {
    this.db = db;
  }
}

function tolerate(work: () => unknown): void {
  try {
    work();
  } catch {
    // The caller has a better error to throw, or nothing left to do.
  }
}
