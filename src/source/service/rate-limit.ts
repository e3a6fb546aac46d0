/** When a request may leave: at the rate that the service allows, and at the time that it names. */

/**
 * Creates a rate limit: requests leave at equal distances, never in bursts (D-842). The function books the next
 * departure, and returns the milliseconds until then: 0, 100, 200 for 10 a second.
 *
 * @param lastMs - The last departure before. @defaultValue none
 */
export function createRateLimit(
  perSecond: number | undefined,
  now: () => number,
  lastMs = Number.NEGATIVE_INFINITY,
): () => number {
  if (perSecond === undefined) return () => 0;
  const distanceMs = 1000 / perSecond;
  let seenMs = now();
  return () => {
    const nowMs = now();
    // A clock that was set back must not stop all requests until it is that late again.
    if (nowMs < seenMs) lastMs -= seenMs - nowMs;
    seenMs = nowMs;
    lastMs = Math.max(nowMs, lastMs + distanceMs);
    return lastMs - nowMs;
  };
}

/** Reads `Retry-After`, seconds or a date, as milliseconds from now; undefined if it cannot be read. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
