/** A budget of something scarce, such as bytes in memory, that is taken in turn. */

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
