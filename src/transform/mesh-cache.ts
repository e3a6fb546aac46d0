/**
 * Mesh cache: derived data by content, so that prepared meshes, vertex data and packed images are made
 * once however many parts and articles use them.
 */
import { LRUCache } from 'lru-cache';

/** Derived data by a key that names its content and the options it depends on. */
export type MeshCache = ReturnType<typeof createMeshCache>;

/** Enough for the shared parts of a manufacturer: 18,000 of 13 KB. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Makes an empty cache.
 *
 * @param maxBytes - Size beyond which the least recently used entries are evicted.
 */
export function createMeshCache(maxBytes: number = DEFAULT_MAX_BYTES) {
  // In an object, since a value may be undefined.
  const entries = new LRUCache<string, { value: unknown }>({ maxSize: maxBytes });
  const pending = new Map<string, Promise<unknown>>();

  function add<T>(key: string, value: T): T {
    entries.set(key, { value }, { size: bytesOf(value) });
    return value;
  }

  return {
    /** The value of a key, made with `make` where it is missing. */
    get<T>(key: string, make: () => T): T {
      const known = entries.get(key);
      return known ? (known.value as T) : add(key, make());
    },
    /** The same for asynchronous work; concurrent calls for one key share it. */
    async getAsync<T>(key: string, make: () => Promise<T>): Promise<T> {
      const known = entries.get(key);
      if (known) return known.value as T;
      const made = async () => add(key, await make());
      const running = pending.get(key) ?? made().finally(() => pending.delete(key));
      pending.set(key, running);
      return running as Promise<T>;
    },
  };
}

/** Bytes of all typed arrays in a value, and a few for everything else. */
function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return Math.max(8, value.byteLength);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, entry) => sum + bytesOf(entry), 8);
}
