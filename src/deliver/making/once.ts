/** Work that is done once for all who need its result, such as a texture that many masters have. */
import { LRUCache } from 'lru-cache';

/**
 * Does work, or returns the result of the same work, which may have been done in another thread.
 *
 * @param key - What is done, and what with.
 * @param work - Its result is plain data. Its error is that of this call alone: the next one tries again.
 */
export type Once = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Most bytes of results that are kept: the textures of a series, which its articles share. */
const KEPT_BYTES = 64e6;
/** What an entry takes without key and result, about. */
const ENTRY_BYTES = 500;

/**
 * Makes a function that keeps results, those of the last use first.
 *
 * @example
 * ```ts
 * const once = createOnce();
 * await once(`webp ${digest}`, () => encode(texture));   // encodes
 * await once(`webp ${digest}`, () => encode(texture));   // → the same bytes
 * ```
 */
export function createOnce(): Once {
  const kept = new LRUCache<string, { result: unknown }>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ result }, key) => ENTRY_BYTES + 2 * key.length + bytesIn(result),
  });
  const running = new Map<string, Promise<unknown>>();
  const once = async (key: string, work: () => Promise<unknown>): Promise<unknown> => {
    const known = kept.get(key);
    if (known !== undefined) return known.result;
    const others = running.get(key);
    if (others !== undefined) {
      try {
        return await others;
      } catch {
        return once(key, work);
      }
    }
    const own = work();
    running.set(key, own);
    try {
      const result = await own;
      kept.set(key, { result });
      return result;
    } finally {
      running.delete(key);
    }
  };
  return once as Once;
}

function bytesIn(result: unknown): number {
  if (result instanceof Uint8Array) return result.length;
  if (typeof result !== 'object' || result === null) return 0;
  return Object.values(result).reduce((sum, value) => sum + bytesIn(value), 0);
}
