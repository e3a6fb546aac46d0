/** `bodies.db` in the cache folder: small contents, and which contents were derived from others. It can be lost without harm. */
import type { Digest } from '../../model/snapshot.ts';
import { isConverterError } from '../../support/errors.ts';
import { removeFile } from '../../support/files.ts';
import { openSqlite, type Sqlite, Table } from './sqlite.ts';

/** Largest size of a row. Up to here a row is written faster (2 KiB: 25 µs against 170, 32 KiB: 170 against 260). */
const SMALL_BYTES = 32 * 1024;

/** A use is recorded if the recorded one is older than this, so that a run without changes writes nothing. */
export const USE_RECORDED_EVERY_MS = 7 * 24 * 60 * 60 * 1000;

const PAGE = 1000;

const MIGRATIONS: readonly string[] = [
  `CREATE TABLE contents (digest TEXT NOT NULL PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE derived (
    key TEXT NOT NULL PRIMARY KEY, digest TEXT NOT NULL, bytes INTEGER NOT NULL, used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX derived_by_digest ON derived (digest);`,
];

/** Pages of 8 KiB: rows of 2 KiB are written twice as fast as in pages of 4 KiB. */
const SET_UP = 'PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL';

/** Returns undefined if the database is damaged. */
type IfUsable = <T>(work: () => T) => T | undefined;

/** A table of a file that may be damaged. A damaged table counts as empty. */
abstract class LossyTable<Row> extends Table<Row> {
  protected readonly ifUsable: IfUsable;

  constructor(db: Sqlite, ifUsable: IfUsable) {
    super(db);
    this.ifUsable = ifUsable;
  }
}

/** The table `contents`. The reader of a content checks its digest. */
class SmallContents extends LossyTable<Uint8Array | undefined> {
  /**
   * Stores a content, also in place of other bytes under its digest.
   *
   * @param bytes - Must not change until they are written.
   * @returns Whether the content is known to exist; undefined if it has to be a file.
   */
  put(digest: Digest, bytes: Uint8Array): boolean | undefined {
    if (bytes.length > SMALL_BYTES) return undefined;
    if (this.waiting.get(digest) !== undefined) return true;
    return this.ifUsable(() => {
      this.later(digest, bytes, bytes.length);
      return false;
    });
  }

  get(digest: Digest): Uint8Array | undefined {
    if (this.waiting.has(digest)) return this.waiting.get(digest);
    const sql = 'SELECT bytes FROM contents WHERE digest = ?';
    return this.ifUsable(() => this.db.get<{ bytes: Uint8Array }>(sql, digest)?.bytes);
  }

  sizeOf(digest: Digest): number | undefined {
    if (this.waiting.has(digest)) return this.waiting.get(digest)?.length;
    const sql = 'SELECT length(bytes) AS bytes FROM contents WHERE digest = ?';
    return this.ifUsable(() => this.db.get<{ bytes: number }>(sql, digest)?.bytes);
  }

  remove(digest: Digest): void {
    this.ifUsable(() => this.later(digest, undefined));
  }

  *digests(): Iterable<Digest> {
    const sql = `SELECT digest FROM contents WHERE digest > ? ORDER BY digest LIMIT ${PAGE}`;
    const pageAfter = (digest: string) =>
      this.ifUsable(() => {
        this.db.flush();
        return this.db.all<{ digest: Digest }>(sql, digest);
      }) ?? [];
    for (let rows = pageAfter(''); rows.length > 0; rows = pageAfter(rows.at(-1)!.digest)) {
      for (const { digest } of rows) yield digest;
    }
  }

  protected override write(bytes: Uint8Array | undefined, digest: string): void {
    if (bytes === undefined) {
      this.db.run('DELETE FROM contents WHERE digest = ?', digest);
      return;
    }
    // Equal bytes are compared and not written again.
    const sql = `
      INSERT INTO contents VALUES (?, ?)
      ON CONFLICT DO UPDATE SET bytes = excluded.bytes WHERE bytes <> excluded.bytes`;
    this.db.run(sql, digest, bytes);
  }
}

/** A content of the store, and its last use. */
export interface UsedContent {
  digest: Digest;
  bytes: number;
  /** Start of the last run that used the content, to the week; milliseconds since the epoch. */
  usedAt: number;
}

/** The table `derived`: digest, size and last use of derived contents, by key. */
class DerivedEntries extends LossyTable<UsedContent | undefined> {
  /** Returns an entry, and records its use unless the recorded one is recent. */
  use(key: string, now: number): UsedContent | undefined {
    if (this.waiting.has(key)) return this.waiting.get(key);
    const sql = 'SELECT digest, bytes, used_at AS usedAt FROM derived WHERE key = ?';
    const entry = this.ifUsable(() => this.db.get<UsedContent>(sql, key));
    if (entry !== undefined && now - entry.usedAt > USE_RECORDED_EVERY_MS)
      this.put(key, { ...entry, usedAt: now });
    return entry;
  }

  put(key: string, entry: UsedContent | undefined): void {
    this.ifUsable(() => this.later(key, entry));
  }

  totalBytes(): number {
    return this.#flushedRows<{ bytes: number }>('TOTAL(bytes) AS bytes')[0]?.bytes ?? 0;
  }

  all(): UsedContent[] {
    return this.#flushedRows('digest, bytes, used_at AS usedAt');
  }

  #flushedRows<Row>(columns: string): Row[] {
    const rows = this.ifUsable(() => {
      this.db.flush();
      return this.db.all<Row>(`SELECT ${columns} FROM derived`);
    });
    return rows ?? [];
  }

  has(digest: Digest): boolean {
    const sql = 'SELECT 1 FROM derived WHERE digest = ?';
    return this.ifUsable(() => this.db.get(sql, digest)) !== undefined;
  }

  removeAll(entries: readonly Pick<UsedContent, 'digest'>[]): void {
    this.ifUsable(() =>
      this.db.transaction(() => {
        for (const { digest } of entries)
          this.db.run('DELETE FROM derived WHERE digest = ?', digest);
      }),
    );
  }

  protected override write(entry: UsedContent | undefined, key: string): void {
    if (entry === undefined) this.db.run('DELETE FROM derived WHERE key = ?', key);
    else {
      const { digest, bytes, usedAt } = entry;
      const sql = 'INSERT OR REPLACE INTO derived VALUES (?, ?, ?, ?)';
      this.db.run(sql, key, digest, bytes, usedAt);
    }
  }
}

/** An open `bodies.db`. If damage is noticed late, the database counts as empty, and contents are files. */
export class Contents {
  readonly path: string;
  readonly small: SmallContents;
  readonly derived: DerivedEntries;
  readonly #sqlite: Sqlite;
  #isDamaged = false;

  constructor(path: string, sqlite: Sqlite) {
    const ifUsable: IfUsable = (work) => this.#ifUsable(work);
    this.path = path;
    this.small = new SmallContents(sqlite, ifUsable);
    this.derived = new DerivedEntries(sqlite, ifUsable);
    this.#sqlite = sqlite;
  }

  /** Writes the rows that wait, so that other processes see them. */
  flush(): void {
    this.#ifUsable(() => this.#sqlite.flush());
  }

  shrink(): void {
    this.#ifUsable(() => {
      this.#sqlite.flush();
      this.#sqlite.all('PRAGMA incremental_vacuum');
    });
  }

  close(): void {
    this.#sqlite.close();
  }

  #ifUsable<T>(work: () => T): T | undefined {
    if (this.#isDamaged) return undefined;
    try {
      return work();
    } catch (error) {
      if (!isConverterError(error, 'STATE_INVALID')) throw error;
      this.#isDamaged = true;
      // If an open file cannot be removed, the next run removes it.
      removeDatabase(this.path).catch(() => undefined);
      return undefined;
    }
  }
}

/**
 * Opens a `bodies.db`, which need not exist yet. A damaged one is removed.
 *
 * @throws {@link ConverterError} `STATE_LOCKED`, `OUTPUT_UNWRITABLE`, `DISK_FULL`, of every method too.
 */
export async function openContents(path: string): Promise<Contents> {
  const open = () => openSqlite(path, MIGRATIONS, { setUp: SET_UP });
  const sqlite = await open().catch(async (error: unknown) => {
    if (!isConverterError(error, 'STATE_INVALID')) throw error;
    await removeDatabase(path);
    return open();
  });
  return new Contents(path, sqlite);
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await removeFile(path + suffix);
}
