/**
 * Latest: a map of bounded size that forgets what it was given first.
 */

/** A map that holds the latest entries. */
export interface Latest<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/**
 * Makes a map of at most `limit` entries.
 *
 * @example
 * ```ts
 * const two = createLatest<number>(2);
 * for (const [index, key] of ['a', 'b', 'c'].entries()) two.set(key, index);
 * two.get('a');   // → undefined
 * ```
 */
export function createLatest<V>(limit: number): Latest<V> {
  // Two halves instead of one ordered map: entries that are deleted from its front make that slow.
  const half = Math.max(1, Math.ceil(limit / 2));
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set: (key, value) => {
      if (young.size >= half && !young.has(key)) [young, old] = [new Map(), young];
      young.set(key, value);
    },
  };
}
