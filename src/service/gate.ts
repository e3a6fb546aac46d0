/**
 * Gate: when the service says "not so fast", every request waits, not only the one that was told.
 *
 * In: answers with status 429 or 503, a known pace, and a clock. Out: a promise that resolves when it may go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createPace } from './pace.ts';

/** Longest pause that a service can impose: it must not be able to stop a night by one header. */
const LONGEST_PAUSE_MS = 60 * 60 * 1000;
const FIRST_PAUSE_MS = 500;
const LONGEST_OWN_PAUSE_MS = 60_000;

/** One gate for all requests to a service. */
export interface Gate {
  /** Resolves when every pause is over, at the pace of the service where one is known. */
  wait(): Promise<void>;
  /** Closes the gate for as long as `Retry-After` says, or ever longer where it says nothing. */
  close(retryAfter: string | undefined): void;
  /** Whether everybody waits until a pause is over. */
  isClosed(): boolean;
  /** Tells that an answer came through: the next pause of our own starts small again. */
  passed(): void;
}

/** What a gate is made of. */
export interface GateParts {
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  now: () => number;
  /** 0 to 1, spreads pauses of our own. */
  random: () => number;
  /** Requests a second where the service's limit is known. */
  perSecond?: number | undefined;
  /** Ends every pause: whoever waited is told elsewhere that the run was stopped. */
  signal: AbortSignal;
}

/**
 * Creates an open gate.
 *
 * @see D-710, D-842 (pace).
 */
export function createGate({ now, random, perSecond, signal }: GateParts): Gate {
  const pace = createPace(perSecond, now);
  let refusals = 0;
  let pauses = 0;
  let allOver: Promise<unknown> = Promise.resolve();
  const pause = async (ms: number) => {
    pauses += 1;
    await sleep(ms, undefined, { signal }).catch(() => {});
    pauses -= 1;
  };
  return {
    async wait() {
      // Loops: while it waited, another answer may have closed the gate for longer.
      do {
        while (pauses > 0) await allOver;
        const ms = pace();
        if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
      } while (pauses > 0);
    },
    close(retryAfter) {
      const asked = readRetryAfter(retryAfter, now());
      const own = Math.min(FIRST_PAUSE_MS * 2 ** refusals, LONGEST_OWN_PAUSE_MS);
      // Only a pause of our own grows, and only once for all that were refused together.
      if (asked === undefined && pauses === 0) refusals += 1;
      const ms = Math.min(asked ?? own * (1 + random()), LONGEST_PAUSE_MS);
      allOver = Promise.all([allOver, pause(ms)]);
    },
    isClosed: () => pauses > 0,
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
