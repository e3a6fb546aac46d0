/** The time at which a run stops. */
import type { ServiceSession } from './run-session.ts';

/** How long work in progress may continue after the deadline, milliseconds: most requests take less. */
const GRACE_MS = 10_000;
/** How often it is checked in this time whether the service imposes a pause, milliseconds. */
const LOOK_MS = 250;
/** Longest timer of Node, milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Opens the deadline of a run; work in progress may continue for a short time. @see D-834 */
export function openDeadline(
  until: number | undefined,
  now: () => number,
  { isPaused, close: drop }: Pick<ServiceSession, 'isPaused' | 'close'>,
) {
  if (until === undefined) return { isOver: () => false, close() {} };
  const beginsInMs = Math.min(Math.max(0, until - now()), LONGEST_TIMER_MS);
  const waitOrDrop = (leftMs: number) => {
    // In a pause nothing is in progress.
    if (leftMs <= 0 || isPaused()) void drop();
    else timer = setTimeout(waitOrDrop, Math.min(leftMs, LOOK_MS), leftMs - LOOK_MS).unref();
  };
  const graceMs = Math.min(GRACE_MS, until + GRACE_MS - now());
  let timer = setTimeout(waitOrDrop, beginsInMs, graceMs).unref();
  return { isOver: () => now() >= until, close: () => clearTimeout(timer) };
}
