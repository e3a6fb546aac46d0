/** The tables of `state.db` in the cache folder. The tables about outputs are defined here. */
import { join } from 'node:path';
import type { Decision } from '../../model/asset.ts';
import type { Digest } from '../../model/snapshot.ts';
import { refuseLinksBelow } from '../../support/file-operations.ts';
import { exists } from '../../support/files.ts';
import { CachedBodies, CachedResponses } from './cached-responses.ts';
import { CachedBuilds, CachedSnapshots } from './cached-snapshots.ts';
import { type Contents, openContents } from './contents.ts';
import { DurableTables } from './durable-tables.ts';
import { MIGRATIONS } from './schema.ts';
import { openSqlite, Table } from './sqlite.ts';

const DATABASE_FILE = 'state.db';

interface StoredDecision extends Decision {
  /** Id of the run; for `kept`, of the first run that found the configuration unchanged. */
  run: string;
}

/** The table `cached_decisions`: why the last run that processed a configuration built it or not, by output folder. */
class CachedDecisions extends Table {
  get(outputDir: string, key: string): StoredDecision | undefined {
    const sql = 'SELECT run, tier, why FROM cached_decisions WHERE output = ? AND key = ?';
    const row = this.db.get<Omit<StoredDecision, 'why'> & { why: string }>(sql, outputDir, key);
    return row && { ...row, why: this.db.json(row.why) };
  }

  /** Stores the decisions of one run in one step; a `kept` that follows a `kept` is not written again. */
  putAll(outputDir: string, run: string, decisions: Iterable<[key: string, Decision]>): void {
    const sql = 'INSERT OR REPLACE INTO cached_decisions VALUES (?, ?, ?, ?, ?)';
    this.db.transaction(() => {
      const kept = new Set(this.#keys(outputDir, "AND tier = 'kept'"));
      for (const [key, { tier, why }] of decisions) {
        if (tier === 'kept' && kept.has(key)) continue;
        this.db.run(sql, outputDir, key, run, tier, JSON.stringify(why));
      }
    });
  }

  /** Deletes the decisions of an output folder about configurations that no longer exist. */
  keepOnly(outputDir: string, known: { has(key: string): boolean }): void {
    const sql = 'DELETE FROM cached_decisions WHERE output = ? AND key = ?';
    this.db.transaction(() => {
      for (const key of this.#keys(outputDir))
        if (!known.has(key)) this.db.run(sql, outputDir, key);
    });
  }

  #keys(outputDir: string, condition = ''): string[] {
    const sql = `SELECT key FROM cached_decisions WHERE output = ? ${condition}`;
    return this.db.all<{ key: string }>(sql, outputDir).map(({ key }) => key);
  }
}

type KnownObject = Record<'bytes' | 'modifiedMs', number>;

/** The table `cached_objects`: size and time of published GLBs when their content was correct, by output folder. */
class CachedObjects extends Table<[output: string, digest: Digest, KnownObject]> {
  all(outputDir: string): Map<Digest, KnownObject> {
    const sql = `
      SELECT digest, bytes, modified_ms AS modifiedMs FROM cached_objects WHERE output = ?`;
    this.db.flush();
    const rows = this.db.all<KnownObject & { digest: Digest }>(sql, outputDir);
    return new Map(rows.map(({ digest, ...known }) => [digest, known]));
  }

  put(outputDir: string, digest: Digest, { bytes, modifiedMs }: KnownObject): void {
    this.later(`${outputDir}\0${digest}`, [outputDir, digest, { bytes, modifiedMs }]);
  }

  protected override write([outputDir, digest, { bytes, modifiedMs }]: [
    string,
    Digest,
    KnownObject,
  ]): void {
    const sql = 'INSERT OR REPLACE INTO cached_objects VALUES (?, ?, ?, ?)';
    this.db.run(sql, outputDir, digest, bytes, modifiedMs);
  }

  remove(outputDir: string, objects: readonly Digest[]): void {
    const sql = 'DELETE FROM cached_objects WHERE output = ? AND digest = ?';
    this.db.flush();
    this.db.transaction(() => {
      for (const digest of objects) this.db.run(sql, outputDir, digest);
    });
  }
}

/** An open database of a cache folder. */
export class CacheDatabase extends DurableTables {
  readonly responses = new CachedResponses(this.db);
  readonly bodies = new CachedBodies(this.db);
  readonly snapshots = new CachedSnapshots(this.db);
  readonly builds = new CachedBuilds(this.db);
  readonly decisions = new CachedDecisions(this.db);
  readonly objects = new CachedObjects(this.db);
  readonly contents: Contents;

  constructor(db: CacheDatabase['db'], contents: Contents) {
    super(db);
    this.contents = contents;
  }

  static existsIn(cacheDir: string): Promise<boolean> {
    return exists(join(cacheDir, DATABASE_FILE));
  }

  /** Writes the rows that wait for the next batch, at most a second: contents, then the rows that refer to them. */
  flush(): void {
    this.contents.flush();
    this.db.flush();
  }

  /** Closes the files, after writing the waiting rows if that is possible; no method may be called after it. */
  close(): void {
    this.runs.abandon();
    this.work.settle();
    this.db.close();
    this.contents.close();
  }
}

/**
 * Opens the database of a cache folder, which need not exist yet.
 *
 * @throws {@link ConverterError} `STATE_INVALID`, `STATE_LOCKED`, `OUTPUT_UNWRITABLE`, `DISK_FULL`.
 * @example
 * ```ts
 * const database = await openCacheDatabase('.cache');
 * database.failures.all('/srv/output');   // → []
 * ```
 */
export async function openCacheDatabase(cacheDir: string): Promise<CacheDatabase> {
  refuseLinksBelow(cacheDir);
  const path = join(cacheDir, DATABASE_FILE);
  let contents: Contents | undefined;
  const sqlite = await openSqlite(path, MIGRATIONS, { beforeBatch: () => contents?.flush() });
  try {
    contents = await openContents(join(cacheDir, 'bodies.db'));
  } catch (error) {
    sqlite.close();
    throw error;
  }
  return new CacheDatabase(sqlite, contents);
}
