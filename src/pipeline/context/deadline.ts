/**
 * Deadline: the instant at which a run is to end.
 *
 * In: an instant. Out: whether it is over. What is still in flight some seconds later is dropped.
 */

/** How long what is under way may go on, milliseconds: most requests take less. */
const GRACE_MS = 10_000;
/** Longest timer that Node can set, milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A deadline; it does not keep the process alive. */
export interface Deadline {
  isOver(): boolean;
  /** Ends the watch. */
  close(): void;
}

/**
 * Watches a deadline.
 *
 * @param until - Milliseconds since 1970; undefined: never.
 * @param drop - Drops what is in flight.
 *
 * @see D-834.
 */
export function openDeadline(
  until: number | undefined,
  now: () => number,
  drop: () => void,
): Deadline {
  if (until === undefined) return { isOver: () => false, close() {} };
  const ms = Math.min(Math.max(0, until + GRACE_MS - now()), LONGEST_TIMER_MS);
  const timer = setTimeout(drop, ms).unref();
  return { isOver: () => now() >= until, close: () => clearTimeout(timer) };
}
