/** What a run measures: time by stage, requests, and responses that differ from the specification. */

import type { RequestEvent, ServiceDrift } from '../../source/service/service-config.ts';
import type { RunReport } from '../report/run-report.ts';

/** What was measured in a part of a run, as plain data. */
export interface Measurements {
  /** Milliseconds by stage. */
  stageMs: Partial<Record<Stage, number>>;
  requests: Pick<RunReport['requests'], 'sent' | 'bytesReceived' | 'byOperation' | 'byStatus'>;
  /** Attempts without the login, and how long they took together, milliseconds. */
  timed: { attempts: number; ms: number };
  drift: RunReport['drift'];
}

/** Creates the measurements of a run, at zero. @param now - Milliseconds. */
export function createRunMetrics(now: () => number) {
  const stopwatch = createStopwatch(now);
  let requests = createRequestCounts();
  let drift = createDriftCounts();
  const take = (): Measurements => {
    const taken = { ...requests.all(), drift: drift.rows(), stageMs: stopwatch.take() };
    requests = createRequestCounts();
    drift = createDriftCounts();
    return taken;
  };
  return {
    stopwatch,
    requests: {
      count: (event: RequestEvent) => requests.count(event),
      meanMs: () => requests.meanMs(),
      totals: () => requests.all().requests,
    },
    drift: { count: (one: ServiceDrift) => drift.count(one), rows: () => drift.rows() },
    /** Returns what was measured since the last call, and begins anew. */
    take,
    /** Adds what a worker measured. */
    add(measured: Omit<Measurements, 'stageMs'>): void {
      requests.add(measured);
      drift.add(measured.drift);
    },
  };
}

const STAGES = ['select', 'fetch', 'transform', 'write', 'publish', 'deliver'] as const;
type Stage = (typeof STAGES)[number];

/** Stages overlap: the clock of a stage runs while at least one article is in it. */
function createStopwatch(now: () => number) {
  const start = now();
  const active = new Map<Stage, { inside: number; since: number }>();
  const spent = new Map<Stage, number>();
  return {
    async during<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
      const entry = active.get(stage) ?? { inside: 0, since: now() };
      entry.inside++;
      active.set(stage, entry);
      try {
        return await work();
      } finally {
        if (--entry.inside === 0) {
          spent.set(stage, (spent.get(stage) ?? 0) + now() - entry.since);
          active.delete(stage);
        }
      }
    },
    /** Milliseconds by stage; a stage that never ran is left out. */
    stageMs: (): Partial<Record<Stage, number>> =>
      Object.fromEntries(
        STAGES.filter((s) => spent.has(s)).map((s) => [s, Math.round(spent.get(s)!)]),
      ),
    totalMs: () => Math.round(now() - start),
    /** Milliseconds by stage since the last call. */
    take(): Partial<Record<Stage, number>> {
      for (const [stage, entry] of active) {
        spent.set(stage, (spent.get(stage) ?? 0) + now() - entry.since);
        entry.since = now();
      }
      const taken = Object.fromEntries(spent);
      spent.clear();
      return taken;
    },
    /** Adds what a stage took on a worker, milliseconds. */
    add: (stage: Stage, ms: number) => void spent.set(stage, (spent.get(stage) ?? 0) + ms),
  };
}

/** Operations of the login: it happens once and takes its own time. */
const LOGIN: ReadonlySet<string> = new Set(['getPublicKey', 'getSessionToken']);

function createRequestCounts() {
  const byOperation = new Map<string, number>();
  const byStatus = new Map<string, number>();
  const totals = { sent: 0, bytesReceived: 0 };
  const timed = { attempts: 0, ms: 0 };
  return {
    /** Counts one attempt. */
    count({ operation, status, bytes, ms }: RequestEvent): void {
      totals.sent++;
      totals.bytesReceived += bytes;
      increment(byOperation, operation);
      increment(byStatus, status === undefined ? 'none' : String(status));
      if (ms === undefined || LOGIN.has(operation)) return;
      timed.attempts++;
      timed.ms += ms;
    },
    /** Mean duration of an attempt without the login, milliseconds; undefined before the first. */
    meanMs: () => (timed.attempts === 0 ? undefined : timed.ms / timed.attempts),
    all: (): Pick<Measurements, 'requests' | 'timed'> => ({
      requests: { ...totals, byOperation: sorted(byOperation), byStatus: sorted(byStatus) },
      timed: { ...timed },
    }),
    add({ requests, timed: other }: Pick<Measurements, 'requests' | 'timed'>): void {
      totals.sent += requests.sent;
      totals.bytesReceived += requests.bytesReceived;
      for (const [name, n] of Object.entries(requests.byOperation)) increment(byOperation, name, n);
      for (const [status, n] of Object.entries(requests.byStatus)) increment(byStatus, status, n);
      timed.attempts += other.attempts;
      timed.ms += other.ms;
    },
  };
}

function increment(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** A map as an object with sorted keys, so that the order of events does not show. */
function sorted<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

type DriftRow = RunReport['drift'][number];

/** Different values of drift that are remembered. */
const MOST_KNOWN = 1000;

/**
 * Elements of a list count as one field, `nodes[].text`. Values of one type are one row, whose example is
 * the first in alphabetical order, so that rows do not depend on the order of responses.
 *
 * @see D-784.
 */
function createDriftCounts() {
  const rows = new Map<string, DriftRow>();
  /** Rows of values that were counted before: mostly the same few, in every answer. */
  const known = new Map<string, DriftRow>();
  const rowOf = ({ operation, field, expected, found }: Omit<DriftRow, 'count'>): DriftRow => {
    const key = JSON.stringify([operation, field, expected, typeIn(found)]);
    const row = rows.get(key) ?? { operation, field, expected, found, count: 0 };
    rows.set(key, row);
    if (found < row.found) row.found = found;
    return row;
  };
  return {
    count({ operation, field: path, expected, found }: ServiceDrift): void {
      const exact = `${operation}\n${path}\n${expected}\n${found}`;
      const same = known.get(exact);
      if (same !== undefined) {
        same.count++;
        return;
      }
      const field = path.replace(/\[\d+\]/g, '[]');
      const row = rowOf({ operation, field, expected, found });
      if (known.size < MOST_KNOWN) known.set(exact, row);
      row.count++;
    },
    add(others: readonly DriftRow[]): void {
      for (const { count, ...other } of others) rowOf(other).count += count;
    },
    /** Sorted by operation, field, expected and found. */
    rows: (): DriftRow[] => Object.values(sorted(rows)),
  };
}

/** `string` of `string "0,5"`, `an array` of `an array of 3`. */
function typeIn(found: string): string {
  return /^(?:an? )?\w+/.exec(found)?.[0] ?? found;
}
