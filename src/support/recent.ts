/** A cache of a number of entries. */
import { LRUCache } from 'lru-cache';

/**
 * Makes a cache of the most recently used entries, by their number. With `max` of `lru-cache`, it would allocate room for
 * all of them at once: 20 ms for 100,000.
 *
 * @example
 * ```ts
 * const known = recent<true>(2);
 * for (const key of ['a', 'b', 'c']) known.set(key, true);
 * known.has('a'); // → false
 * ```
 */
export function recent<Value extends NonNullable<unknown>>(count: number): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: count, sizeCalculation: () => 1 });
}
