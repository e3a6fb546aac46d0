/**
 * Runs: which runs work with this cache, and which were interrupted. Owns the table `runs`.
 *
 * In: a run that begins or ends. Out: since when answers hold for it, and which runs still need what
 * the cache holds. A run that ended well leaves no row. It must not know what a run does.
 */
import { hostname } from 'node:os';
import { isRunning } from '../support/files.ts';
import type { Database, Row } from './sqlite.ts';

/** A run that begins. */
export interface BegunRun {
  /** Name of the service in the state. */
  service: string;
  /** Output folder. */
  output: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  pid: number;
}

/** The table `runs`. */
export interface Runs {
  /**
   * Notes that a run begins.
   *
   * @returns `heldSince`: the start of the first of the interrupted runs that this one continues (same
   *   service and output, at most {@link CONTINUED_WITHIN_MS} ago, no longer running), else its own.
   *   `heldUntil`: the latest of these starts: its own, unless the clock was set back.
   */
  begin(run: BegunRun): { id: number; heldSince: number; heldUntil: number };
  /**
   * Notes that a run came to its end: it and those that it continued are forgotten.
   *
   * @param isPart - It worked on a part of what these had to do: they are still to be continued.
   */
  finish(id: number, isPart?: boolean): void;
  /**
   * When the oldest run began that still works with this cache; undefined where none does.
   *
   * @param besides - A run that does not count: whoever asks.
   */
  oldestRunning(now: number, besides?: number): number | undefined;
  /** Notes that what this process began here and did not finish runs no more. */
  abandon(): void;
}

/**
 * How long what an interrupted run was answered may hold for the run that continues it: less than a
 * day, since the next night asks for itself.
 */
export const CONTINUED_WITHIN_MS = 20 * 60 * 60 * 1000;

/** Schema of the table, in SQL. */
export const RUNS_V1 = `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    service TEXT NOT NULL,
    output TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started_at INTEGER NOT NULL
  ) STRICT;`;

/** No process has this id: the run is over. */
const NO_PROCESS = 0;

/** Runs of this process, as {@link nameOf} has them: process ids return, in containers at once. */
const own = new Set<string>();

/** Opens the table. */
export function openRuns(db: Database): Runs {
  const insert = db.prepare(
    'INSERT INTO runs (service, output, host, pid, started_at) VALUES (?, ?, ?, ?, ?) RETURNING *',
  );
  const all = db.prepare('SELECT * FROM runs ORDER BY started_at, id');
  const one = db.prepare('SELECT * FROM runs WHERE id = ?');
  const remove = db.prepare('DELETE FROM runs WHERE id = ?');
  const end = db.prepare(`UPDATE runs SET pid = ${NO_PROCESS} WHERE id = ?`);
  const begun = new Map<number, string>();

  const begin: Runs['begin'] = ({ service, output, startedAt, pid }) =>
    db.transaction(() => {
      const dead = all.all().filter((row) => !mayRun(row, startedAt));
      const recent = dead.filter((row) => isRecent(row, startedAt));
      for (const row of dead) if (!recent.includes(row)) remove.run(row.id!);
      const continued = recent.filter((row) => row.service === service && row.output === output);
      const row = insert.get(service, output, hostname(), pid, startedAt)!;
      const id = Number(row.id);
      begun.set(id, nameOf(row));
      own.add(nameOf(row));
      const starts = [startedAt, ...continued.map((r) => Number(r.started_at))];
      return { id, heldSince: Math.min(...starts), heldUntil: Math.max(...starts) };
    });

  const finish: Runs['finish'] = (id, isPart = false) =>
    db.transaction(() => {
      const finished = one.get(id);
      if (finished === undefined) return;
      const startedAt = Number(finished.started_at);
      forget(id);
      const { service, output } = finished;
      for (const row of all.all()) {
        const same = !isPart && row.service === service && row.output === output;
        if (row.id === id || (same && !mayRun(row, startedAt))) remove.run(row.id!);
      }
    });

  const forget = (id: number): void => {
    own.delete(begun.get(id) ?? '');
    begun.delete(id);
  };

  return {
    begin,
    finish,
    oldestRunning: (now, besides) => {
      const running = all.all().filter((row) => row.id !== besides && mayRun(row, now));
      return running[0] === undefined ? undefined : Number(running[0].started_at);
    },
    abandon: () => {
      for (const id of [...begun.keys()]) {
        forget(id);
        try {
          end.run(id);
        } catch {
          // What made the run end may prevent this too; once the process is gone its id tells the same.
        }
      }
    },
  };
}

/** Of another host nobody here can tell whether it runs; for that long it counts as running. */
function mayRun(row: Row, now: number): boolean {
  if (row.pid === NO_PROCESS) return false;
  if (row.host !== hostname()) return isRecent(row, now);
  if (row.pid === process.pid) return own.has(nameOf(row));
  return isRunning(Number(row.pid));
}

function isRecent({ started_at }: Row, now: number): boolean {
  return Math.abs(now - Number(started_at)) < CONTINUED_WITHIN_MS;
}

function nameOf({ id, service, output, pid, started_at }: Row): string {
  return JSON.stringify([id, service, output, pid, started_at]);
}
