/** Budgets of something scarce that is taken in turn: bytes in memory, turns of the event loop. */

/** A budget. */
export interface Budget {
  /**
   * Waits for a share, in the order of the calls.
   *
   * @param amount - More than all is all.
   * @returns A function that gives the share back; it may be called again.
   */
  take(amount: number): Promise<() => void>;
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

/** Bytes that may take long to decode. */
const SLOW_BYTES = 256 * 1024;
let turn: Promise<unknown> = Promise.resolve();

/**
 * Waits until so many bytes may be decoded: many bytes have a turn of the event loop of their own, so that signals and
 * timers are served in between. Throws the reason of the signal if it is aborted then.
 */
export async function turnFor(bytes: number, signal?: AbortSignal): Promise<void> {
  if (bytes <= SLOW_BYTES) return;
  turn = turn.then(() => new Promise(setImmediate));
  await turn;
  signal?.throwIfAborted();
}
