/** The durable tables of `state.db`: data that no service can answer again. A run that ended well leaves no rows. */
import { hostname } from 'node:os';
import { hasEnded } from '../../support/file-operations.ts';
import { Table } from './sqlite.ts';

interface RunRow {
  id: number;
  service: string;
  output: string;
  host: string;
  pid: number;
  startedAt: number;
}

/** How long a run may reuse the responses of an interrupted run: less than a day, for a nightly schedule. */
export const CONTINUED_WITHIN_MS = 20 * 60 * 60 * 1000;

/** Process id of a run that is over; no process has this id. */
const NO_PROCESS = 0;

/** Names of the runs of this process: process ids are reused, and containers share them. */
const own = new Set<string>();

const COLUMNS = 'id, service, output, host, pid, started_at AS startedAt';
const INSERT = `
  INSERT INTO durable_runs (service, output, host, pid, started_at) VALUES (?, ?, ?, ?, ?)
  RETURNING ${COLUMNS}`;

/** After this time without a note, a run sends no requests any more. */
const UNSEEN_MS = 10_000;
const UPDATE_SEEN = 'UPDATE durable_runs SET seen_at = ?, paused_until = ? WHERE id = ?';
const SELECT_SEEN = `
  SELECT ${COLUMNS}, paused_until AS pausedUntilMs FROM durable_runs
  WHERE service = (SELECT service FROM durable_runs WHERE id = ?) AND seen_at > ? ORDER BY id`;

const SELECT_REFUSAL =
  'SELECT started_at AS refusedAt FROM durable_refusals WHERE service = ? AND output = ?';
const DELETE_REFUSAL = 'DELETE FROM durable_refusals WHERE service = ? AND output = ?';

class DurableRuns extends Table {
  /** Names of the runs that were begun here and did not finish, by id. */
  readonly #begun = new Map<number, string>();

  /**
   * Records that a run begins.
   *
   * @returns `interruptedSince`: the start of the first of the interrupted runs that this one continues
   *   (same service and output, at most {@link CONTINUED_WITHIN_MS} ago, no longer running), else its own.
   *   `interruptedUntil`: the latest of these starts: its own, unless the clock was set back.
   *   `refusedAt`: the start of the last run whose result was refused, if none was published since.
   */
  begin({ service, output, startedAt, pid }: Omit<RunRow, 'id' | 'host'>) {
    return this.db.transaction(() => {
      const dead = this.#all().filter((row) => !mayRun(row, startedAt));
      const recent = dead.filter((row) => isRecent(row, startedAt));
      for (const row of dead) if (!recent.includes(row)) this.#delete(row);
      const continued = recent.filter((row) => row.service === service && row.output === output);
      const row = this.db.get<RunRow>(INSERT, service, output, hostname(), pid, startedAt)!;
      const { id } = row;
      this.#begun.set(id, nameOf(row));
      own.add(nameOf(row));
      const starts = [startedAt, ...continued.map((run) => run.startedAt)];
      const refusal = this.db.get<{ refusedAt: number }>(SELECT_REFUSAL, service, output);
      const interruptedSince = Math.min(...starts);
      return { id, interruptedSince, interruptedUntil: Math.max(...starts), ...refusal };
    });
  }

  /** Records that the result of a run was refused, or that the run selected nothing. The run can still be continued. */
  refuse(id: number): void {
    this.db.run(
      'INSERT OR REPLACE INTO durable_refusals SELECT service, output, started_at FROM durable_runs WHERE id = ?',
      id,
    );
  }

  /**
   * Records that a run ended, and deletes it and the runs that it continued.
   *
   * @param isPart - The run processed a part of the work of the earlier runs, which can still be continued.
   */
  finish(id: number, isPart = false): void {
    this.db.transaction(() => {
      const finished = this.#all().find((row) => row.id === id);
      if (finished === undefined) return;
      const { service, output, startedAt } = finished;
      this.#untrack(id);
      if (!isPart) this.db.run(DELETE_REFUSAL, service, output);
      for (const row of this.#all()) {
        const same = !isPart && row.service === service && row.output === output;
        if (row.id === id || (same && !mayRun(row, startedAt))) this.#delete(row);
      }
    });
  }

  /** Start of the oldest run that uses this cache now, other than `except`; undefined if there is none. */
  oldestRunning(now: number, except?: number): number | undefined {
    return this.#all().find((row) => row.id !== except && mayRun(row, now))?.startedAt;
  }

  /**
   * Notes that a run sends requests now, as it does every second or so.
   *
   * @param ownUntilMs - Until when it has to pause, milliseconds since 1970.
   * @returns The starts of all runs of its service that do, and until when one of them has to pause.
   */
  see(id: number, now: number, ownUntilMs: number): { starts: number[]; pausedUntilMs: number } {
    this.db.run(UPDATE_SEEN, now, ownUntilMs, id);
    const rows = this.db
      .all<RunRow & { pausedUntilMs: number }>(SELECT_SEEN, id, now - UNSEEN_MS)
      .filter((row) => mayRun(row, now));
    const pauses = rows.map(({ pausedUntilMs }) => pausedUntilMs);
    return {
      starts: rows.map((row) => row.startedAt),
      pausedUntilMs: Math.max(0, ...pauses),
    };
  }

  isInUse(output: string, now: number): boolean {
    return this.#all().some((row) => row.output === output && mayRun(row, now));
  }

  /** Marks the runs that were begun here and did not finish as interrupted. */
  abandon(): void {
    for (const id of [...this.#begun.keys()]) {
      this.#untrack(id);
      try {
        this.db.run('UPDATE durable_runs SET pid = ? WHERE id = ?', NO_PROCESS, id);
      } catch {
        // The cause of the interruption may prevent this too; the process id shows the same after the process ends.
      }
    }
  }

  #all(): RunRow[] {
    return this.db.all(`SELECT ${COLUMNS} FROM durable_runs ORDER BY started_at, id`);
  }

  #delete({ id }: RunRow): void {
    this.db.run('DELETE FROM durable_runs WHERE id = ?', id);
  }

  #untrack(id: number): void {
    own.delete(this.#begun.get(id) ?? '');
    this.#begun.delete(id);
  }
}

/** Work that was in progress when a run was killed. */
export interface KilledWork {
  /** Key of the request of a configuration, or the name of a request of the selection. */
  request: string;
  kills: number;
  isNew: boolean;
}

/**
 * The table `durable_work`: the requests that a run has in work, and those in work when a run was killed, until each is
 * processed to its end. Its rows have an owner, of which one run at a time may use them.
 */
class DurableWork extends Table {
  /** Requests that finished or are about to start in this turn of the event loop. One commit notes all (80 µs each). */
  #finished: [owner: string, request: string][] = [];
  #starting: [owner: string, request: string][] = [];
  #isNoted: Promise<void> | undefined;

  /** Counts a kill for every request that an earlier run left in work; returns all that were in work in any kill. */
  begin(owner: string): KilledWork[] {
    const select = `
      SELECT request, kills + in_work AS kills, in_work AS isNew FROM durable_work WHERE output = ?`;
    const update = `
      UPDATE durable_work SET kills = kills + in_work, in_work = 0 WHERE output = ? AND in_work = 1`;
    return this.#commit(() => {
      const rows = this.db.all<Omit<KilledWork, 'isNew'> & { isNew: number }>(select, owner);
      this.db.run(update, owner);
      return rows.map((row) => ({ ...row, isNew: row.isNew === 1 }));
    });
  }

  /** Records a request that is about to start, in the next turn of the event loop. */
  start(owner: string, request: string): Promise<void> {
    this.#starting.push([owner, request]);
    this.#isNoted ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#isNoted = undefined;
        try {
          this.#settle();
          resolve();
        } catch (error) {
          this.#starting = [];
          reject(error);
        }
      });
    });
    return this.#isNoted;
  }

  /** Records that a request was processed to its end, with or without a failure. */
  finish(owner: string, request: string): void {
    this.#finished.push([owner, request]);
    if (this.#finished.length === 1) setImmediate(() => this.settle());
  }

  /** Writes the rows that wait, if that is possible. Otherwise the next start writes them, or fails. */
  settle(): void {
    try {
      this.#settle();
    } catch {
      // Requests that remain count as in work if the run is killed.
    }
  }

  /** Records that the run ends by itself, and not because of the requests in work. */
  stop(owner: string): void {
    this.settle();
    try {
      this.db.run('DELETE FROM durable_work WHERE output = ? AND kills = 0', owner);
      this.db.run('UPDATE durable_work SET in_work = 0 WHERE output = ? AND in_work = 1', owner);
    } catch {
      // The cause of the end may prevent this too. The end then counts as a kill.
    }
  }

  #settle(): void {
    if (this.#finished.length + this.#starting.length > 0) this.#commit(() => {});
  }

  #commit<T>(work: () => T): T {
    const remove = 'DELETE FROM durable_work WHERE output = ? AND request = ?';
    const note = `
      INSERT INTO durable_work VALUES (?, ?, 1, 0)
      ON CONFLICT (output, request) DO UPDATE SET in_work = 1`;
    const result = this.db.transaction(() => {
      for (const finished of this.#finished) this.db.run(remove, ...finished);
      for (const started of this.#starting) this.db.run(note, ...started);
      return work();
    });
    [this.#finished, this.#starting] = [[], []];
    return result;
  }
}

interface FailureRecord {
  request: string;
  /** Code of the last attempt's failure, as is the message. */
  code: string;
  message: string;
  /** Runs that tried the request since it last succeeded. */
  attempts: number;
  /** Distinct days (UTC) among the attempts. */
  nights: number;
  /** ISO 8601, UTC: start of the first of these runs. */
  firstSeen: string;
  /** ISO 8601, UTC: start of the last of these runs. */
  lastSeen: string;
  /** Digest of the other conditions of the failure: options and converter; `fetch` prefixes its name. */
  conditions: string;
  /** Request whose processing selected this one; empty if the request was selected itself. */
  root: string;
  /** State of the data of each manufacturer that the request needs, at the last attempt; as far as it was known. */
  dates: Readonly<Record<string, string>>;
}

/** The table `durable_failures`: requests that failed at their last attempt; a success removes the row. */
class DurableFailures extends Table {
  all(output: string): FailureRecord[] {
    const sql = `
      SELECT request, code, message, attempts, nights, first_seen AS firstSeen,
        last_seen AS lastSeen, conditions, root, dates
      FROM durable_failures WHERE output = ? ORDER BY request`;
    const rows = this.db.all<Omit<FailureRecord, 'dates'> & { dates: string }>(sql, output);
    return rows.map(({ dates, ...row }) => ({ ...row, dates: this.db.json(dates) }));
  }

  /** Stores the requests that failed, and deletes those that no longer fail, in one transaction. */
  update(
    output: string,
    { failed, gone }: { failed: Iterable<FailureRecord>; gone: Iterable<string> },
  ): void {
    const deletion = 'DELETE FROM durable_failures WHERE output = ? AND request = ?';
    const sql = 'INSERT OR REPLACE INTO durable_failures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
    this.db.transaction(() => {
      for (const request of gone) this.db.run(deletion, output, request);
      for (const record of failed) {
        const { request, code, message, attempts, nights } = record;
        // A store may have the rows of an earlier version.
        const { firstSeen, lastSeen, conditions, root, dates = {} } = record;
        const columns = [code, message, attempts, nights, firstSeen, lastSeen, conditions, root];
        this.db.run(sql, output, request, ...columns, JSON.stringify(dates));
      }
    });
  }
}

/**
 * The table `durable_permanent_ids`: the plannings behind permanent identifiers, which no operation of the
 * service answers. A service is given by the base address of its API. @see Spec 9 rule 7; D-802.
 */
class DurablePermanentIds extends Table {
  /** The top-level article as received; undefined if the identifier is not known. */
  get(service: string, id: string): unknown {
    const sql = 'SELECT article FROM durable_permanent_ids WHERE service = ? AND id = ?';
    const row = this.db.get<{ article: string }>(sql, systemOf(service), id);
    return row && this.db.json(row.article);
  }

  all(service: string): { id: string; article: unknown }[] {
    const sql = 'SELECT id, article FROM durable_permanent_ids WHERE service = ? ORDER BY id';
    const rows = this.db.all<{ id: string; article: string }>(sql, systemOf(service));
    return rows.map(({ id, article }) => ({ id, article: this.db.json(article) }));
  }

  put(service: string, id: string, topLevelArticle: unknown): void {
    const sql = 'INSERT OR REPLACE INTO durable_permanent_ids VALUES (?, ?, ?)';
    this.db.run(sql, systemOf(service), id, JSON.stringify(topLevelArticle));
  }
}

/** The system of a service: an address or an emulator, without language, profile and currency. */
function systemOf(baseUrl: string): string {
  const address =
    /^https?:/i.test(baseUrl) && URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl;
  return address.replace(/\/+$/, '');
}

/** Whether a run may still run. That of another host is not visible here: its runs count as running while recent. */
function mayRun(row: RunRow, now: number): boolean {
  if (row.pid === NO_PROCESS) return false;
  if (row.host !== hostname()) return isRecent(row, now);
  if (row.pid === process.pid) return own.has(nameOf(row));
  return !hasEnded(row.pid);
}

function isRecent({ startedAt }: RunRow, now: number): boolean {
  return Math.abs(now - startedAt) < CONTINUED_WITHIN_MS;
}

function nameOf({ id, service, output, pid, startedAt }: RunRow): string {
  return JSON.stringify([id, service, output, pid, startedAt]);
}

/** The durable tables of an open database. */
export class DurableTables extends Table {
  readonly permanentIds = new DurablePermanentIds(this.db);
  readonly failures = new DurableFailures(this.db);
  readonly runs = new DurableRuns(this.db);
  readonly work = new DurableWork(this.db);
}
