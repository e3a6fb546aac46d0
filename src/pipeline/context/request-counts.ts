/**
 * Request counts: what a run sent to the service, by operation and by status.
 */
import type { RequestEvent } from '../../service/transport.ts';

/** The login takes its own time, once. */
const LOGIN: ReadonlySet<string> = new Set(['getPublicKey', 'getSessionToken']);

/** Counts requests. */
export interface RequestCounts {
  /** Counts one attempt. */
  count(event: RequestEvent): void;
  /** Mean duration of an attempt, the login left out, milliseconds; undefined before the first. */
  meanMs(): number | undefined;
  /** The counts so far. */
  totals(): RequestTotals;
}

/** What was sent and what came back. */
export interface RequestTotals {
  sent: number;
  bytesReceived: number;
  byOperation: Record<string, number>;
  /** `none` where no answer came. */
  byStatus: Record<string, number>;
}

/** Creates counts at zero. */
export function createRequestCounts(): RequestCounts {
  const byOperation = new Map<string, number>();
  const byStatus = new Map<string, number>();
  let sent = 0;
  let bytesReceived = 0;
  let timed = { attempts: 0, ms: 0 };
  return {
    count({ operation, status, bytes, ms }) {
      sent++;
      if (ms !== undefined && !LOGIN.has(operation))
        timed = { attempts: timed.attempts + 1, ms: timed.ms + ms };
      bytesReceived += bytes;
      byOperation.set(operation, (byOperation.get(operation) ?? 0) + 1);
      const answer = status === undefined ? 'none' : String(status);
      byStatus.set(answer, (byStatus.get(answer) ?? 0) + 1);
    },
    meanMs: () => (timed.attempts === 0 ? undefined : timed.ms / timed.attempts),
    totals: () => ({
      sent,
      bytesReceived,
      byOperation: sorted(byOperation),
      byStatus: sorted(byStatus),
    }),
  };
}

/** A map as an object whose keys are in order: what came first must not show. */
export function sorted<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
