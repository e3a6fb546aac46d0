/** Opens one SQLite file. All calls are synchronous and short, and every error has a code. */
import type Libsql from 'libsql';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import { exists, makePrivateFile } from '../../support/files.ts';

type SqlValue = string | number | null | Uint8Array;

const BUSY_TIMEOUT_MS = 10_000;

/** Longest time that a row waits for its batch. A killed run loses this much of its cache. */
const BATCH_MS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;

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
export class Sqlite {
  readonly #path: string;
  readonly #db: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();
  /** The rows of each table that wait, with what writes them in the transaction. */
  readonly #batch = new Map<Map<string, unknown>, () => void>();
  readonly #beforeBatch: () => void;
  #batchBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor(path: string, Database: typeof Libsql, beforeBatch = () => {}) {
    this.#path = path;
    this.#db = this.#guard(() => new Database(path));
    this.#beforeBatch = beforeBatch;
  }

  /** Adds rows to the next batch, which is written after {@link BATCH_MS}. A late failure is thrown by the next call. */
  later(rows: Map<string, unknown>, write: () => void, bytes: number): void {
    this.#batch.set(rows, write);
    this.#batchBytes += bytes;
    if (this.#hasFailed || this.#batchBytes > BATCH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.#flushLate(), BATCH_MS).unref();
  }

  /** Writes the batch in one transaction. After a failure the rows still wait. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.size === 0) return;
    this.#beforeBatch();
    this.transaction(() => {
      for (const write of this.#batch.values()) write();
    });
    for (const rows of this.#batch.keys()) rows.clear();
    this.#batch.clear();
    this.#batchBytes = 0;
    this.#hasFailed = false;
  }

  #flushLate(): void {
    try {
      this.flush();
    } catch {
      this.#hasFailed = true;
    }
  }

  run(sql: string, ...parameters: SqlValue[]): void {
    this.#guard(() => this.#prepare(sql).run(parameters));
  }

  /** Returns the first row, in 7 to 16 µs (13 to 21 by `all`); the caller knows its type: every table is STRICT. */
  get<Row>(sql: string, ...parameters: SqlValue[]): Row | undefined {
    const row = this.#guard(() => this.#prepare(sql).get(parameters)) as
      | (Row & { _metadata?: unknown })
      | undefined;
    // libsql adds the duration of the query.
    if (row !== undefined) delete row._metadata;
    return row;
  }

  all<Row>(sql: string, ...parameters: SqlValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(parameters)) as Row[];
  }

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

  /** Closes the file. Waiting rows are written, if that is possible: they can be fetched or computed again. */
  close(): void {
    tolerate(() => this.flush());
    clearTimeout(this.#timer);
    // Another reader makes the checkpoint later: the end of a run does not wait for it.
    tolerate(() => this.#db.exec('PRAGMA busy_timeout = 0'));
    tolerate(() => this.#db.pragma('wal_checkpoint(TRUNCATE)'));
    // The file is closed once its statements are garbage: libsql 0.5.29 keeps it open for them.
    this.#statements.clear();
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
 * @param options - What is called before each batch is written, and pragmas of a new file.
 * @throws {@link ConverterError} `STATE_INVALID`, `STATE_LOCKED`, `OUTPUT_UNWRITABLE`, `DISK_FULL`; the file is
 *   left unchanged then.
 */
export async function openSqlite(
  path: string,
  migrations: readonly string[],
  { beforeBatch, setUp = '' }: { beforeBatch?: () => void; setUp?: string } = {},
): Promise<Sqlite> {
  await makePrivateFile(path);
  // SQLite follows links; here they are refused.
  for (const suffix of ['-journal', '-wal', '-shm']) await exists(path + suffix);
  const sqlite = new Sqlite(path, (await import('libsql')).default, beforeBatch);
  try {
    sqlite.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};${setUp}`);
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

/**
 * Base of the classes that each own a table or two. Its rows may wait for the next batch, by key: one transaction for
 * each row would cost more than everything else. Methods still see rows that wait: those that read by key look there
 * first, all others call `db.flush` first.
 */
export class Table<Row = never> {
  protected readonly db: Sqlite;
  protected readonly waiting = new Map<string, Row>();
  readonly #writeAll = (): void => {
    for (const [key, row] of this.waiting) this.write(row, key);
  };

  constructor(db: Sqlite) {
    this.db = db;
  }

  /** Adds a row to the batch, or replaces the row of its key; `bytes` is the approximate memory of the row. */
  protected later(key: string, row: Row, bytes = 0): void {
    this.waiting.set(key, row);
    this.db.later(this.waiting, this.#writeAll, bytes);
  }

  protected write(_row: Row, _key: string): void {}
}

function tolerate(work: () => unknown): void {
  try {
    work();
  } catch {
    // The caller has a better error to throw, or nothing left to do.
  }
}
