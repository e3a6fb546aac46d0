/** Budgets that the requests of a client take in turn: requests in flight, and bytes of answers. */

interface FairCall {
  takers: ReadonlySet<object>;
  start: (taker: object) => void;
}

/**
 * A budget that is shared evenly: the next unit is for the taker that has the fewest, then for the call that waits
 * longest. One taker has at most half, so that the others find some when they come, unless it got as many units in a
 * row as there are.
 */
export class FairBudget {
  #total: number;
  #taken = 0;
  readonly #calls = new Set<FairCall>();
  readonly #shares = new WeakMap<object, number>();
  #lastTaker: object | undefined;
  #inARow = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Total number of units, which may change at any time. */
  get total(): number {
    return this.#total;
  }

  set total(next: number) {
    this.#total = next;
    this.#startNext();
  }

  /** Waits for one unit. @param takers - May change while waiting; without any, the call is a taker of its own. */
  async take(takers: ReadonlySet<object>): Promise<{ taker: object; giveBack: () => void }> {
    const taker = await new Promise<object>((start) => {
      this.#calls.add({ takers, start });
      this.#startNext();
    });
    const giveBack = () => {
      this.#shares.set(taker, this.#shares.get(taker)! - 1);
      this.#taken -= 1;
      this.#startNext();
    };
    return { taker, giveBack };
  }

  #startNext(): void {
    while (this.#taken < this.#total) {
      const next = this.#findNext();
      if (next === undefined) return;
      const { call, taker, share } = next;
      this.#calls.delete(call);
      this.#shares.set(taker, share + 1);
      this.#taken += 1;
      this.#inARow = taker === this.#lastTaker ? this.#inARow + 1 : 1;
      this.#lastTaker = taker;
      call.start(taker);
    }
  }

  #findNext(): { call: FairCall; taker: object; share: number } | undefined {
    let next: { call: FairCall; taker: object; share: number } | undefined;
    for (const call of this.#calls) {
      for (const taker of call.takers.size > 0 ? call.takers : [call]) {
        const share = this.#shares.get(taker) ?? 0;
        const mayHaveAll = taker === this.#lastTaker && this.#inARow >= this.#total;
        const own = mayHaveAll ? this.#total : Math.max(1, this.#total >> 1);
        const most = Math.min(next?.share ?? Infinity, own);
        if (share < most) next = { call, taker, share };
      }
      if (next?.share === 0) break;
    }
    return next;
  }
}

/** A share that grows. */
export interface Share {
  /**
   * Changes the amount of the share.
   *
   * @returns A promise to wait for, unless the share has the amount at once.
   */
  need(amount: number): Promise<void> | undefined;
  /** Returns the whole share; it may be called again. */
  close(): void;
}

interface Held {
  amount: number;
  waiting?: { amount: number; start: () => void } | undefined;
}

/**
 * Creates a budget whose shares grow step by step. Once it is used up, all shares wait except the oldest, which gets
 * more than there is: so each share is the oldest at some time, and none waits for ever.
 *
 * @returns A function that opens a share, which is as old as its first need.
 */
export function createGrowingBudget(total: number): () => Share {
  /** The shares, the oldest first. */
  const shares = new Set<Held>();
  let used = 0;
  const canHave = (share: Held, amount: number): boolean => {
    const [oldest] = shares;
    return share === oldest || amount <= share.amount || used - share.amount + amount <= total;
  };
  const startWaiting = (): void => {
    for (const share of shares) {
      const { waiting } = share;
      if (waiting === undefined || !canHave(share, waiting.amount)) continue;
      share.waiting = undefined;
      used += waiting.amount - share.amount;
      share.amount = waiting.amount;
      waiting.start();
    }
  };
  return () => {
    const share: Held = { amount: 0 };
    return {
      need(amount) {
        shares.add(share);
        if (!canHave(share, amount)) {
          return new Promise((start) => {
            share.waiting = { amount, start };
          });
        }
        const isLess = amount < share.amount;
        used += amount - share.amount;
        share.amount = amount;
        if (isLess) startWaiting();
        return undefined;
      },
      close() {
        if (!shares.delete(share)) return;
        used -= share.amount;
        startWaiting();
      },
    };
  };
}
