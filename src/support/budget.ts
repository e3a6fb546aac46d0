/** Budgets of something scarce that is taken in turn: bytes in memory, turns of the event loop. */

/** A budget that is taken in turn. */
interface Budget {
  /**
   * Waits for a share, in the order of the calls.
   *
   * @param amount - More than all is all.
   * @returns A function that gives the share back; it may be called again.
   */
  take(amount: number): Promise<() => void>;
  /** Whether all of it is there, and no call waits. */
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

/** A budget of which each taker has its share. */
export interface FairBudget {
  /** It may change at any time. */
  total: number;
  /** Waits for one of it; the takers may change meanwhile. Without them a call is a taker of its own. */
  take(takers: ReadonlySet<object>): Promise<{ taker: object; giveBack: () => void }>;
}

/**
 * Creates a budget that is shared evenly: the next one is for the taker that has the fewest, then for the call that
 * waits longest. One taker has at most half, so that the others find some when they come, unless as many as there are
 * went to it in a row.
 */
export function createFairBudget(total: number): FairBudget {
  interface Waiting {
    takers: ReadonlySet<object>;
    start: (taker: object) => void;
  }
  const waiting = new Set<Waiting>();
  const shares = new WeakMap<object, number>();
  let most = total;
  let taken = 0;
  let last: object | undefined;
  let inARow = 0;
  const mostOf = (taker: object) =>
    taker === last && inARow >= most ? most : Math.max(1, most >> 1);
  const findNext = () => {
    let next: { call: Waiting; taker: object; share: number } | undefined;
    for (const call of waiting) {
      for (const taker of call.takers.size > 0 ? call.takers : [call]) {
        const share = shares.get(taker) ?? 0;
        if (share < Math.min(next?.share ?? Infinity, mostOf(taker))) next = { call, taker, share };
      }
      if (next?.share === 0) break;
    }
    return next;
  };
  const deal = () => {
    while (taken < most) {
      const next = findNext();
      if (next === undefined) return;
      const { call, taker, share } = next;
      waiting.delete(call);
      shares.set(taker, share + 1);
      taken += 1;
      inARow = taker === last ? inARow + 1 : 1;
      last = taker;
      call.start(taker);
    }
  };
  return {
    get total() {
      return most;
    },
    set total(next) {
      most = next;
      deal();
    },
    async take(takers: ReadonlySet<object>) {
      const taker = await new Promise<object>((start) => {
        waiting.add({ takers, start });
        deal();
      });
      const giveBack = () => {
        shares.set(taker, shares.get(taker)! - 1);
        taken -= 1;
        deal();
      };
      return { taker, giveBack };
    },
  };
}

/** A share that grows. */
export interface Share {
  /**
   * Changes the amount of the share.
   *
   * @returns What to wait for, unless the share has the amount at once.
   */
  need(amount: number): Promise<void> | undefined;
  /** Gives all of it back; it may be called again. */
  close(): void;
}

/**
 * Creates a budget of which shares are taken bit by bit. Once it is used up, all shares wait but the oldest, which
 * gets more than there is: so each is the oldest at some time, and none waits for ever.
 *
 * @returns A function that opens a share; it is as old as its first need.
 */
export function createGrowingBudget(total: number): () => Share {
  interface Held {
    amount: number;
    waiting?: { amount: number; start: () => void } | undefined;
  }
  const shares = new Set<Held>();
  let used = 0;
  const canHave = (share: Held, amount: number) => {
    const [oldest] = shares;
    return share === oldest || amount <= share.amount || used - share.amount + amount <= total;
  };
  const give = (share: Held, amount: number) => {
    used += amount - share.amount;
    share.amount = amount;
  };
  const startWaiting = () => {
    for (const share of shares) {
      const { waiting } = share;
      if (waiting === undefined || !canHave(share, waiting.amount)) continue;
      share.waiting = undefined;
      give(share, waiting.amount);
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
        give(share, amount);
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

/** Bytes that may take long to decode. */
const SLOW_BYTES = 256 * 1024;
let turn: Promise<unknown> = Promise.resolve();

/**
 * Waits until so many bytes may be decoded: many bytes have a turn of the event loop of their own, so that signals,
 * timers and sockets are served in between. Throws the reason of the signal if it is aborted then.
 */
export async function turnFor(bytes = Infinity, signal?: AbortSignal): Promise<void> {
  if (bytes <= SLOW_BYTES) return;
  turn = turn.then(() => new Promise(setImmediate));
  await turn;
  signal?.throwIfAborted();
}
