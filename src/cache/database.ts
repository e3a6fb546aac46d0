/** The tables of `state.db` in the cache folder. All their SQL is here, except that of the durable ones (durable-tables.ts). */
import { join } from 'node:path';
import type { ArticleKey } from '../model/article.ts';
import type { Built } from '../model/asset.ts';
import type { Decision } from '../model/result.ts';
import type { Digest, Fetched, UnplacedChild, Warning } from '../model/snapshot.ts';
import { refuseLinksBelow } from '../support/file-operations.ts';
import { openContents, USE_RECORDED_EVERY_MS } from './contents.ts';
import { DurableTables } from './durable-tables.ts';
import type { FreshnessStamp } from './freshness.ts';
import { MIGRATIONS } from './schema.ts';
import { openSqlite, Table } from './sqlite.ts';

const DATABASE_FILE = 'state.db';
/** Small contents, beside the folder of the others. */
const CONTENTS_FILE = 'bodies.db';

const DAY_MS = 24 * 60 * 60 * 1000;

/** An entry without a use for longer is evicted: a range that is converted once a quarter still finds it. */
const EVICTED_AFTER_MS = 100 * DAY_MS;

/** Recorded use, in milliseconds since the epoch, of what was used since its table was opened. */
type Uses<Key> = Map<Key, number>;

/** Forgets the uses, and returns the keys of those that have to be recorded. */
function takeStale<Key>(uses: Uses<Key>, now: number): Key[] {
  const stale = [...uses].filter(([, usedAt]) => now - usedAt > USE_RECORDED_EVERY_MS);
  uses.clear();
  return stale.map(([key]) => key);
}

/** A cached response and what decides whether it is fresh. */
export interface StoredResponse extends Omit<FreshnessStamp, 'owner'> {
  /** Name of the service: address, profile, languages and currency. */
  service: string;
  /** Operation, such as `getBlock`. */
  operation: string;
  /** See `requestKey` of the table of operations. */
  request: string;
  /** The body by digest, or that the service has none. */
  answer: Fetched;
  /** Validators; empty if the service sent none. */
  etag: string;
  lastModified: string;
}

type ResponseRow = Omit<StoredResponse, 'answer'> &
  Record<'digest' | 'code' | 'message', string> & { bytes: number };

/** The columns of a response under the names of its fields. */
const SELECT_RESPONSE = `
  SELECT service, operation, request, digest, bytes, missing_code AS code, missing_message AS message,
    etag, last_modified AS lastModified, manufacturer AS datedBy, convertdate,
    fetched_on AS fetchedOn, requested_at AS requestedAt
  FROM cached_responses WHERE service = ? AND operation = ? AND request = ?`;

/** The table `cached_responses`; their bodies are in the content store. */
class CachedResponses extends Table<StoredResponse> {
  get(key: Pick<StoredResponse, 'service' | 'operation' | 'request'>): StoredResponse | undefined {
    const waiting = this.waiting.get(keyOfResponse(key));
    if (waiting !== undefined) return waiting;
    const row = this.db.get<ResponseRow>(SELECT_RESPONSE, key.service, key.operation, key.request);
    if (row === undefined) return undefined;
    const { digest, bytes, code, message, ...response } = row;
    const answer = digest === null ? { missing: { code, message } } : { digest, bytes };
    return { ...response, answer };
  }

  put(response: StoredResponse): void {
    this.later(keyOfResponse(response), response);
  }

  protected override write(response: StoredResponse): void {
    const { service, operation, request, answer, etag, lastModified } = response;
    const { datedBy, convertdate, fetchedOn, requestedAt } = response;
    const body =
      'digest' in answer
        ? [answer.digest, answer.bytes, null, null]
        : [null, 0, answer.missing.code, answer.missing.message];
    const stamp = [datedBy, convertdate, fetchedOn, requestedAt];
    const sql =
      'INSERT OR REPLACE INTO cached_responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
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

function keyOfResponse(key: Pick<StoredResponse, 'service' | 'operation' | 'request'>): string {
  return `${key.service}\0${key.operation}\0${key.request}`;
}

/** One body of the content store. */
interface CachedBody {
  digest: Digest;
  bytes: number;
  /** Start of the run that used it last, to the week; milliseconds since the epoch. */
  usedAt: number;
}

const SELECT_BODY = 'SELECT digest, bytes, used_at AS usedAt FROM cached_bodies';

/** The table `cached_bodies`: size and last use of each body. */
class CachedBodies extends Table<CachedBody> {
  put(body: CachedBody): void {
    this.later(body.digest, body);
  }

  /** Records that a body was used, unless its recorded use is recent. */
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

  all(): CachedBody[] {
    this.db.flush();
    return this.db.all(SELECT_BODY);
  }

  remove(bodies: readonly Pick<CachedBody, 'digest'>[]): void {
    const sql = 'DELETE FROM cached_bodies WHERE digest = ?';
    this.db.flush();
    this.db.transaction(() => {
      for (const { digest } of bodies) this.db.run(sql, digest);
    });
  }

  protected override write({ digest, bytes, usedAt }: CachedBody): void {
    this.db.run('INSERT OR REPLACE INTO cached_bodies VALUES (?, ?, ?)', digest, bytes, usedAt);
  }

  #get(digest: Digest): CachedBody | undefined {
    return this.waiting.get(digest) ?? this.db.get(`${SELECT_BODY} WHERE digest = ?`, digest);
  }
}

/** A snapshot as it is stored: all bodies by digest, maps as sorted lists. */
export interface SnapshotRecord {
  key: ArticleKey;
  /** Body of GET articles. */
  article: Digest;
  /** Body of GET btg. */
  partsList: Digest;
  blocks: [name: string, fetched: Fetched][];
  images: [reference: string, fetched: Fetched][];
  warnings: Warning[];
  /** Bodies of GET articles in further languages. */
  translations?: [lang: string, article: Digest][] | undefined;
  /** Children of a planning that its parts list does not contain; missing if there are none. */
  unplaced?: UnplacedChild[] | undefined;
}

/** What decides without its bodies whether a snapshot is fresh. */
export interface SnapshotSummary {
  key: ArticleKey;
  /** Digest of all that a GLB depends on. */
  inputs: Digest;
  /** Digest of the fetch options that decide what a snapshot contains. */
  optionsDigest: string;
  /** Stamps of the responses that it was made from. */
  stamps: FreshnessStamp[];
}

/** A snapshot as JSON. */
type WaitingSnapshot = Record<'service' | 'request' | 'record', string> & {
  summary: string | null;
};
type SnapshotRow = { id: number; summary: string | null; record: string; used_at: number | null };

/** Records that are read at a time. */
const PAGE = 500;
const DIGEST = /"([0-9a-f]{64})"/g;
const WITH_USES = 'cached_snapshots LEFT JOIN cached_snapshot_uses USING (id)';

/** The tables `cached_snapshots` and `cached_snapshot_uses`. A request is given by its key. */
class CachedSnapshots extends Table<WaitingSnapshot> {
  readonly #uses: Uses<number> = new Map();

  get(service: string, request: string): SnapshotRecord | undefined {
    const waiting = this.waiting.get(`${service}\0${request}`);
    if (waiting !== undefined) return this.db.json(waiting.record);
    const row = this.#row('record', service, request);
    return row && this.db.json(row.record);
  }

  /** The services with ids of this beginning and hex digits: none, the only one, or the first and the last. */
  servicesOf(beginning: string): string[] {
    const range = 'FROM cached_snapshots WHERE service BETWEEN ? AND ?';
    const sql = `SELECT MIN(service) AS service ${range} UNION SELECT MAX(service) ${range}`;
    const [from, to] = [beginning, `${beginning}g`];
    this.db.flush();
    const rows = this.db.all<{ service: string | null }>(sql, from, to, from, to);
    return rows.flatMap(({ service }) => service ?? []);
  }

  /** Undefined if there is no snapshot, if a body of it failed, and if children of it have no place. */
  summary(service: string, request: string): SnapshotSummary | undefined {
    const waiting = this.waiting.get(`${service}\0${request}`);
    if (waiting !== undefined)
      return waiting.summary === null ? undefined : this.db.json(waiting.summary);
    const row = this.#row('summary', service, request);
    return row?.summary ? this.db.json(row.summary) : undefined;
  }

  /** One large column, since both take twice as long to read; records the use. */
  #row(column: 'record' | 'summary', service: string, request: string): SnapshotRow | undefined {
    const sql = `SELECT id, ${column}, used_at FROM ${WITH_USES} WHERE service = ? AND request = ?`;
    const row = this.db.get<SnapshotRow>(sql, service, request);
    if (row !== undefined) this.#uses.set(row.id, row.used_at ?? 0);
    return row;
  }

  put(service: string, request: string, record: SnapshotRecord, summary?: SnapshotSummary): void {
    const stored = summary === undefined ? null : JSON.stringify(summary);
    const waiting = { service, request, summary: stored, record: JSON.stringify(record) };
    this.later(`${service}\0${request}`, waiting, waiting.record.length);
  }

  protected override write({ service, request, summary, record }: WaitingSnapshot): void {
    const sql = `
      INSERT INTO cached_snapshots (service, request, summary, record) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET summary = excluded.summary, record = excluded.record
      RETURNING id`;
    const { id } = this.db.get<SnapshotRow>(sql, service, request, summary, record)!;
    this.#uses.set(id, this.#uses.get(id) ?? 0);
  }

  /** The bodies of each snapshot, and the recorded use of that snapshot. */
  *bodies(): Iterable<{ digests: Digest[]; usedAt: number }> {
    const sql = `SELECT id, record, used_at FROM ${WITH_USES} WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
    this.db.flush();
    const pageAfter = (id: number) => this.db.all<SnapshotRow>(sql, id);
    for (let rows = pageAfter(0); rows.length > 0; rows = pageAfter(rows.at(-1)!.id)) {
      for (const { record, used_at } of rows) {
        const digests = Array.from(record.matchAll(DIGEST), ([, digest]) => digest!);
        yield { digests, usedAt: used_at ?? 0 };
      }
    }
  }

  /** Records what was used since the table was opened, and evicts what was not used for long. */
  evict(now: number): void {
    const { db } = this;
    const longAgo = now - EVICTED_AFTER_MS;
    db.flush();
    db.transaction(() => {
      for (const id of takeStale(this.#uses, now)) {
        db.run('INSERT OR REPLACE INTO cached_snapshot_uses VALUES (?, ?)', id, now);
      }
      const first = 'INSERT OR IGNORE INTO cached_snapshot_uses SELECT id, ? FROM cached_snapshots';
      db.run(first, now);
      const unused = 'WHERE id IN (SELECT id FROM cached_snapshot_uses WHERE used_at < ?)';
      db.run(`DELETE FROM cached_snapshots ${unused}`, longAgo);
      db.run('DELETE FROM cached_snapshot_uses WHERE used_at < ?', longAgo);
    });
  }
}

/** The table `cached_builds`: GLBs by the digest of their sources, also of runs that published no manifest. */
class CachedBuilds extends Table<string> {
  readonly #uses: Uses<Digest> = new Map();

  get(source: Digest): Built | undefined {
    const waiting = this.waiting.get(source);
    if (waiting !== undefined) return this.db.json(waiting);
    const sql = 'SELECT record, used_at FROM cached_builds WHERE source = ?';
    const row = this.db.get<{ record: string; used_at: number }>(sql, source);
    if (row === undefined) return undefined;
    this.#uses.set(source, row.used_at);
    return this.db.json(row.record);
  }

  put(source: Digest, built: Built): void {
    this.later(source, JSON.stringify(built));
  }

  protected override write(record: string, source: Digest): void {
    this.db.run(
      'INSERT OR REPLACE INTO cached_builds (source, record) VALUES (?, ?)',
      source,
      record,
    );
  }

  /** Records what was used since the table was opened, and evicts what was not used for long. */
  evict(now: number): void {
    this.db.flush();
    this.db.transaction(() => {
      for (const source of takeStale(this.#uses, now)) {
        this.db.run('UPDATE cached_builds SET used_at = ? WHERE source = ?', now, source);
      }
      this.db.run('UPDATE cached_builds SET used_at = ? WHERE used_at = 0', now);
      this.db.run('DELETE FROM cached_builds WHERE used_at < ?', now - EVICTED_AFTER_MS);
    });
  }
}

/** A decision and the run that made it. */
interface StoredDecision extends Decision {
  /** Id of the run; for `kept` the first that found it so. */
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

/** What is known of a published GLB without reading it. */
type KnownObject = Record<'bytes' | 'modifiedMs', number>;

/** The table `cached_objects`: size and time of published GLBs, by output folder, when their content was right. */
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

type Contents = Awaited<ReturnType<typeof openContents>>;

/** An open database of a cache folder. */
export class CacheDatabase extends DurableTables {
  readonly responses = new CachedResponses(this.db);
  readonly bodies = new CachedBodies(this.db);
  readonly snapshots = new CachedSnapshots(this.db);
  readonly builds = new CachedBuilds(this.db);
  readonly decisions = new CachedDecisions(this.db);
  readonly objects = new CachedObjects(this.db);
  /** Small contents, and the entries of derived data. */
  readonly contents: Contents;

  constructor(db: CacheDatabase['db'], contents: Contents) {
    super(db);
    this.contents = contents;
  }

  /** Writes what waits for the next batch, at most a second: contents, then what refers to them. */
  flush(): void {
    this.contents.flush();
    this.db.flush();
  }

  /** Closes the files, after what waits is written, if that is possible; no method may be called after it. */
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
    contents = await openContents(join(cacheDir, CONTENTS_FILE));
  } catch (error) {
    sqlite.close();
    throw error;
  }
  return new CacheDatabase(sqlite, contents);
}
