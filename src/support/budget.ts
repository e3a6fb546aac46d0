/** Budgets of something scarce that callers take in turn: bytes in memory, turns of the event loop. */

/** A budget that callers take in turn. */
export interface Budget {
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

/** A call that waits for one unit of a fair budget. */
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
        const most = Math.min(next?.share ?? Infinity, this.#mostOf(taker));
        if (share < most) next = { call, taker, share };
      }
      if (next?.share === 0) break;
    }
    return next;
  }

  #mostOf(taker: object): number {
    const mayHaveAll = taker === this.#lastTaker && this.#inARow >= this.#total;
    return mayHaveAll ? this.#total : Math.max(1, this.#total >> 1);
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

/** The amount that a share of a growing budget has, and the amount that it waits for. */
interface Held {
  amount: number;
  waiting?: { amount: number; start: () => void } | undefined;
}

/**
 * A budget whose shares grow step by step. Once it is used up, all shares wait except the oldest, which gets more than
 * there is: so each share is the oldest at some time, and none waits for ever.
 */
export class GrowingBudget {
  readonly #total: number;
  /** The shares, the oldest first. */
  readonly #shares = new Set<Held>();
  #used = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Opens a share, which is as old as its first need. */
  open(): Share {
    const share: Held = { amount: 0 };
    return {
      need: (amount) => this.#need(share, amount),
      close: () => this.#close(share),
    };
  }

  #need(share: Held, amount: number): Promise<void> | undefined {
    this.#shares.add(share);
    if (!this.#canHave(share, amount)) {
      return new Promise((start) => {
        share.waiting = { amount, start };
      });
    }
    const isLess = amount < share.amount;
    this.#give(share, amount);
    if (isLess) this.#startWaiting();
    return undefined;
  }

  #close(share: Held): void {
    if (!this.#shares.delete(share)) return;
    this.#used -= share.amount;
    this.#startWaiting();
  }

  #canHave(share: Held, amount: number): boolean {
    const [oldest] = this.#shares;
    const usedThen = this.#used - share.amount + amount;
    return share === oldest || amount <= share.amount || usedThen <= this.#total;
  }

  #give(share: Held, amount: number): void {
    this.#used += amount - share.amount;
    share.amount = amount;
  }

  #startWaiting(): void {
    for (const share of this.#shares) {
      const { waiting } = share;
      if (waiting === undefined || !this.#canHave(share, waiting.amount)) continue;
      share.waiting = undefined;
      this.#give(share, waiting.amount);
      waiting.start();
    }
  }
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
