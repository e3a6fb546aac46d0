/**
 * Top list: the largest few of very many, in memory for a few.
 */

/** Keeps the largest of what it is shown. */
export interface TopList<T> {
  add(item: T): void;
  /** The largest, largest first; of equal ones the first added. */
  items(): T[];
}

/**
 * Creates an empty list.
 *
 * @param limit - How many are kept.
 * @param sizeOf - What they are compared by.
 */
export function createTopList<T>(limit: number, sizeOf: (item: T) => number): TopList<T> {
  let kept: T[] = [];
  const cut = () => {
    kept = kept.sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, limit);
  };
  return {
    add(item) {
      kept.push(item);
      if (kept.length >= limit * 4) cut();
    },
    items() {
      cut();
      return [...kept];
    },
  };
}
