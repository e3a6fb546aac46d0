/**
 * Pace: when the next request may go, where a service takes only so many a second.
 *
 * In: a clock. Out: how long each request has to wait. It must not know what waits.
 */

/**
 * Creates a pace: requests leave at equal distances, never in bursts.
 *
 * @param perSecond - Requests a second; undefined: as many as come.
 * @param now - Milliseconds since 1970; may be set back.
 * @returns Books the next departure; milliseconds until then.
 *
 * @example
 * ```ts
 * const pace = createPace(10, () => 0);
 * [pace(), pace(), pace()]; // → [0, 100, 200]
 * ```
 *
 * @see D-842.
 */
export function createPace(perSecond: number | undefined, now: () => number): () => number {
  if (perSecond === undefined) return () => 0;
  const distanceMs = 1000 / perSecond;
  let seenMs = now();
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = now();
    // A clock that was set back must not hold everybody until it is that late again.
    if (nowMs < seenMs) lastMs -= seenMs - nowMs;
    seenMs = nowMs;
    lastMs = Math.max(nowMs, lastMs + distanceMs);
    return lastMs - nowMs;
  };
}
