/**
 * Rate limit: how often something may be tried, by one sender and by all together.
 *
 * In: who tries, and a clock. Out: whether he may, or how long he has to wait.
 * It remembers no more than the attempts that it let pass.
 */

/** A limit. */
export interface RateLimitOptions {
  /** Attempts of one sender within the window. */
  perSender: number;
  /** Attempts of all senders within the window. */
  overall: number;
  /** Length of the window, milliseconds. */
  windowMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Asks for one attempt: 0 where it may be made, else the milliseconds to wait. */
export type RateLimit = (sender: string) => number;

/**
 * Creates a limit over a sliding window.
 *
 * @example
 * ```ts
 * const limit = createRateLimit({ perSender: 1, overall: 9, windowMs: 60_000, now: () => 0 });
 * limit('10.0.0.1'); // → 0
 * limit('10.0.0.1'); // → 60000
 * ```
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perSender, overall, windowMs, now } = options;
  let passed: { sender: string; atMs: number }[] = [];
  return (sender) => {
    const nowMs = now();
    // A clock that was set back must not lock everybody out.
    passed = passed.filter(({ atMs }) => atMs > nowMs - windowMs && atMs <= nowMs);
    const own = passed.filter((attempt) => attempt.sender === sender);
    const wait = Math.max(untilFree(own, perSender), untilFree(passed, overall));
    if (wait === 0) passed.push({ sender, atMs: nowMs });
    return wait;

    function untilFree(attempts: readonly { atMs: number }[], most: number): number {
      const oldest = attempts[attempts.length - most];
      return oldest === undefined ? 0 : oldest.atMs + windowMs - nowMs;
    }
  };
}
