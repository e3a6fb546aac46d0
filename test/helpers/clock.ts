/** A clock that a test moves, for what is given `now` and `startTimer`. */
import { setImmediate } from 'node:timers/promises';
import { type StartTimer, startTimer } from '../../src/source/service/service-config.ts';

export interface TestClock {
  readonly now: () => number;
  readonly startTimer: StartTimer;
  /** How many timers are running. */
  timers(): number;
  /** Moves on; calls what is due in its order, and lets each do all that needs nothing from outside. */
  advance(ms: number): Promise<void>;
}

/**
 * Creates a clock that begins at 0.
 *
 * @param options - Timers of fewer milliseconds than `realBelowMs` are real, such as pauses that mean nothing to a test.
 */
export function createTestClock({ realBelowMs = 0 } = {}): TestClock {
  const running = new Set<{ atMs: number; callback: () => void }>();
  let nowMs = 0;
  return {
    now: () => nowMs,
    startTimer(callback, ms) {
      if (ms < realBelowMs) return startTimer(callback, ms);
      const timer = { atMs: nowMs + ms, callback };
      running.add(timer);
      return () => void running.delete(timer);
    },
    timers: () => running.size,
    async advance(ms) {
      const endMs = nowMs + ms;
      await setImmediate();
      for (;;) {
        const [next] = [...running].sort((a, b) => a.atMs - b.atMs);
        if (next === undefined || next.atMs > endMs) break;
        running.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.callback();
        await setImmediate();
      }
      nowMs = endMs;
    },
  };
}
