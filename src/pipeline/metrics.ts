/** What a run measures: time by stage, requests, and responses that differ from the specification. */
import type { RunReport } from '../report/run-report.ts';
import type { RequestEvent, ServiceDrift } from '../service/service-config.ts';

/** Creates the measurements of a run, at zero. @param now - Milliseconds. */
export function createRunMetrics(now: () => number) {
  return {
    stopwatch: createStopwatch(now),
    requests: createRequestCounts(),
    drift: createDriftCounts(),
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
    totals: () => ({ ...totals, byOperation: sorted(byOperation), byStatus: sorted(byStatus) }),
  };
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
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
  return {
    count({ operation, field: path, expected, found }: ServiceDrift): void {
      const exact = `${operation}\n${path}\n${expected}\n${found}`;
      const same = known.get(exact);
      if (same !== undefined) {
        same.count++;
        return;
      }
      const field = path.replace(/\[\d+\]/g, '[]');
      const key = JSON.stringify([operation, field, expected, typeIn(found)]);
      const row = rows.get(key) ?? { operation, field, expected, found, count: 0 };
      rows.set(key, row);
      if (known.size < MOST_KNOWN) known.set(exact, row);
      row.count++;
      if (found < row.found) row.found = found;
    },
    /** Sorted by operation, field, expected and found. */
    rows: (): DriftRow[] => Object.values(sorted(rows)),
  };
}

/** `string` of `string "0,5"`, `an array` of `an array of 3`. */
function typeIn(found: string): string {
  return /^(?:an? )?\w+/.exec(found)?.[0] ?? found;
}
