/**
 * Gate: when the service says "not so fast", every request waits, not only the one that was told.
 *
 * In: answers with status 429 or 503, and a clock. Out: a promise that resolves when it may go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Longest pause that a service can impose: it must not be able to stop a night by one header. */
const LONGEST_PAUSE_MS = 60 * 60 * 1000;
const FIRST_PAUSE_MS = 500;
const LONGEST_OWN_PAUSE_MS = 60_000;

/** One gate for all requests to a service. */
export interface Gate {
  /** Resolves at once while the gate is open, else when the pause is over. */
  wait(signal: AbortSignal): Promise<void>;
  /** Closes the gate for as long as `Retry-After` says, or ever longer where it says nothing. */
  close(retryAfter: string | undefined): void;
  /** Tells that an answer came through: the next pause of our own starts small again. */
  passed(): void;
}

/**
 * Creates an open gate.
 *
 * @param clock.now - Milliseconds since 1970, for a `Retry-After` that is a date.
 * @param clock.random - 0 to 1, spreads pauses of our own.
 *
 * @see D-710.
 */
export function createGate(clock: { now: () => number; random: () => number }): Gate {
  // Pauses are measured by the monotonic clock: the wall clock may jump, or stand still in a test.
  let openAtMs = 0;
  let refusals = 0;
  return {
    async wait(signal) {
      // A loop: while it waited, another answer may have closed the gate for longer.
      for (let ms = openAtMs - performance.now(); ms > 0; ms = openAtMs - performance.now()) {
        await sleep(ms, undefined, { signal });
      }
    },
    close(retryAfter) {
      const nowMs = performance.now();
      const asked = readRetryAfter(retryAfter, clock.now());
      const own = Math.min(FIRST_PAUSE_MS * 2 ** refusals, LONGEST_OWN_PAUSE_MS);
      // Only a pause of our own grows, and only once for all that were refused together.
      if (asked === undefined && nowMs >= openAtMs) refusals += 1;
      const pauseMs = asked ?? own * (1 + clock.random());
      openAtMs = Math.max(openAtMs, nowMs + Math.min(pauseMs, LONGEST_PAUSE_MS));
    },
    passed() {
      refusals = 0;
    },
  };
}

/**
 * Reads `Retry-After`: seconds, or a date.
 *
 * @returns Milliseconds from now, never negative; undefined where it says nothing readable.
 *
 * @example
 * ```ts
 * readRetryAfter('3', 0); // → 3000
 * ```
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
