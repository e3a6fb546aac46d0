/** Budgets of something scarce that callers take in turn: bytes in memory, turns of the event loop. */

/** A budget that callers take in turn. */
interface Budget {
  /**
   * Waits for a share, in the order of the calls.
   *
   * @param amount - More than the total counts as the total.
   * @returns A function that returns the share; it may be called again.
   */
  take(amount: number): Promise<() => void>;
  /** Whether the whole budget is free, and no call waits. */
  isUnused(): boolean;
}

/**
 * Creates a budget.
 *
 * @example
 * ```ts
 * const bodies = createBudget(16 * 1024 * 1024);
 * const release = await bodies.take(length);
 * ```
 */
export function createBudget(total: number): Budget {
  let free = total;
  const waiting: { share: number; start: () => void }[] = [];
  const startNext = () => {
    for (let next = waiting[0]; next && next.share <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.share;
      next.start();
    }
  };
  return {
    isUnused: () => free === total && waiting.length === 0,
    async take(amount) {
      const share = Math.min(amount, total);
      await new Promise<void>((start) => {
        waiting.push({ share, start });
        startNext();
      });
      let isTaken = true;
      return () => {
        if (isTaken) free += share;
        isTaken = false;
        startNext();
      };
    },
  };
}

/** Number of bytes that may take long to decode. */
const SLOW_BYTES = 256 * 1024;
let turn: Promise<unknown> = Promise.resolve();

/**
 * Waits until this many bytes may be decoded: many bytes get their own turn of the event loop, so that signals,
 * timers and sockets are served in between. Throws the reason of the signal if the signal is aborted then.
 */
export async function turnFor(bytes = Infinity, signal?: AbortSignal): Promise<void> {
  if (bytes <= SLOW_BYTES) return;
  turn = turn.then(() => new Promise(setImmediate));
  await turn;
  signal?.throwIfAborted();
}
