/** What a run measures: time by stage, requests, and responses that differ from the specification. */

import type { RequestEvent } from '../../source/service/service-config.ts';

/** What was measured in a part of a run, as plain data. */
export interface Measurements {
  stageMs: Partial<Record<Stage, number>>;
  /** By name of the operation, and by status of the response, `none` without one. */
  requests: ReturnType<RequestCounts['totals']>;
  /** Attempts without the login, and how long they took together, milliseconds. */
  timed: { attempts: number; ms: number };
  drift: DriftRow[];
}

/** How often responses differed from the specification in one way. */
interface DriftRow extends Record<'operation' | 'field' | 'expected' | 'found', string> {
  count: number;
}

/** The measurements of a run, at zero at first. */
export class RunMetrics {
  readonly stopwatch: Stopwatch;
  requests = new RequestCounts();
  drift = new DriftCounts();

  /** @param now - Milliseconds. */
  constructor(now: () => number) {
    this.stopwatch = new Stopwatch(now);
  }

  /** Returns what was measured since the last call, and begins anew. */
  take(): Measurements {
    const stageMs = this.stopwatch.take();
    const taken = { ...this.requests.all(), drift: this.drift.rows(), stageMs };
    this.requests = new RequestCounts();
    this.drift = new DriftCounts();
    return taken;
  }

  add(measured: Omit<Measurements, 'stageMs'>): void {
    this.requests.add(measured);
    this.drift.add(measured.drift);
  }
}

const STAGES = ['select', 'fetch', 'transform', 'write', 'publish', 'deliver'] as const;
type Stage = (typeof STAGES)[number];

/** Measures stages, which overlap: the clock of a stage runs while at least one article is in it. */
class Stopwatch {
  readonly #now: () => number;
  readonly #start: number;
  readonly #active = new Map<Stage, { inside: number; since: number }>();
  readonly #spent = new Map<Stage, number>();

  constructor(now: () => number) {
    this.#now = now;
    this.#start = now();
  }

  async during<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const entry = this.#active.get(stage) ?? { inside: 0, since: this.#now() };
    entry.inside++;
    this.#active.set(stage, entry);
    try {
      return await work();
    } finally {
      if (--entry.inside === 0) {
        this.add(stage, this.#now() - entry.since);
        this.#active.delete(stage);
      }
    }
  }

  /** Milliseconds by stage; a stage that never ran is left out. */
  stageMs(): Partial<Record<Stage, number>> {
    const ran = STAGES.filter((stage) => this.#spent.has(stage));
    return Object.fromEntries(ran.map((stage) => [stage, Math.round(this.#spent.get(stage)!)]));
  }

  totalMs(): number {
    return Math.round(this.#now() - this.#start);
  }

  /** Milliseconds by stage since the last call. */
  take(): Partial<Record<Stage, number>> {
    for (const [stage, entry] of this.#active) {
      this.add(stage, this.#now() - entry.since);
      entry.since = this.#now();
    }
    const taken = Object.fromEntries(this.#spent);
    this.#spent.clear();
    return taken;
  }

  /** Adds what a stage took, here or on a worker, milliseconds. */
  add(stage: Stage, ms: number): void {
    this.#spent.set(stage, (this.#spent.get(stage) ?? 0) + ms);
  }
}

/** Operations of the login: it happens once and takes its own time. */
const LOGIN: ReadonlySet<string> = new Set(['getPublicKey', 'getSessionToken']);

class RequestCounts {
  readonly #byOperation = new Map<string, number>();
  readonly #byStatus = new Map<string, number>();
  readonly #totals = { sent: 0, bytesReceived: 0 };
  readonly #timed = { attempts: 0, ms: 0 };

  count({ operation, status, bytes, ms }: RequestEvent): void {
    this.#totals.sent++;
    this.#totals.bytesReceived += bytes;
    increment(this.#byOperation, operation);
    increment(this.#byStatus, status === undefined ? 'none' : String(status));
    if (ms === undefined || LOGIN.has(operation)) return;
    this.#timed.attempts++;
    this.#timed.ms += ms;
  }

  /** Mean duration of an attempt without the login, milliseconds; undefined before the first. */
  meanMs(): number | undefined {
    const { attempts, ms } = this.#timed;
    return attempts === 0 ? undefined : ms / attempts;
  }

  totals() {
    return {
      ...this.#totals,
      byOperation: sorted(this.#byOperation),
      byStatus: sorted(this.#byStatus),
    };
  }

  all(): Pick<Measurements, 'requests' | 'timed'> {
    return { requests: this.totals(), timed: { ...this.#timed } };
  }

  add({ requests, timed }: Pick<Measurements, 'requests' | 'timed'>): void {
    this.#totals.sent += requests.sent;
    this.#totals.bytesReceived += requests.bytesReceived;
    for (const [name, n] of Object.entries(requests.byOperation))
      increment(this.#byOperation, name, n);
    for (const [status, n] of Object.entries(requests.byStatus))
      increment(this.#byStatus, status, n);
    this.#timed.attempts += timed.attempts;
    this.#timed.ms += timed.ms;
  }
}

function increment(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** A map as an object with sorted keys, so that the order of events does not show. */
function sorted<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Different values of drift that are remembered. */
const MOST_KNOWN = 1000;

/**
 * Elements of a list count as one field, `nodes[].text`. Values of one type are one row, whose example is
 * the first in alphabetical order, so that rows do not depend on the order of responses. @see D-784.
 */
class DriftCounts {
  readonly #rows = new Map<string, DriftRow>();
  /** Rows of values that were counted before: mostly the same few, in every answer. */
  readonly #known = new Map<string, DriftRow>();

  count({ operation, field: path, expected, found }: Omit<DriftRow, 'count'>): void {
    const exact = `${operation}\n${path}\n${expected}\n${found}`;
    const same = this.#known.get(exact);
    if (same !== undefined) {
      same.count++;
      return;
    }
    const field = path.replace(/\[\d+\]/g, '[]');
    const row = this.#rowOf({ operation, field, expected, found });
    if (this.#known.size < MOST_KNOWN) this.#known.set(exact, row);
    row.count++;
  }

  add(others: readonly DriftRow[]): void {
    for (const { count, ...other } of others) this.#rowOf(other).count += count;
  }

  /** Sorted by operation, field, expected and found. */
  rows(): DriftRow[] {
    return Object.values(sorted(this.#rows));
  }

  #rowOf({ operation, field, expected, found }: Omit<DriftRow, 'count'>): DriftRow {
    const key = JSON.stringify([operation, field, expected, typeIn(found)]);
    const row = this.#rows.get(key) ?? { operation, field, expected, found, count: 0 };
    this.#rows.set(key, row);
    if (found < row.found) row.found = found;
    return row;
  }
}

/** `string` of `string "0,5"`, `an array` of `an array of 3`. */
function typeIn(found: string): string {
  return /^(?:an? )?\w+/.exec(found)?.[0] ?? found;
}
