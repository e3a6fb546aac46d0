/**
 * Mesh cache: derived data by content, so that prepared meshes, vertex data and packed images are made
 * once however many parts and articles use them.
 */
import { LRUCache } from 'lru-cache';

/** Derived data by a key that names its content and the options it depends on. */
export interface MeshCache {
  /** The value of a key, made with `make` where it is missing; `bytesOf` is its weight. */
  get<T>(key: string, make: () => T, bytesOf: (value: T) => number): T;
  /** The same for asynchronous work; concurrent calls for one key share it. */
  getAsync<T>(key: string, make: () => Promise<T>, bytesOf: (value: T) => number): Promise<T>;
}

/** Enough for the shared parts of a manufacturer: 18,000 of 13 KB. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Makes an empty cache.
 *
 * @param maxBytes - Weight beyond which the least recently used entries are evicted.
 */
export function createMeshCache(maxBytes: number = DEFAULT_MAX_BYTES): MeshCache {
  // In an object, since a value may be undefined.
  const entries = new LRUCache<string, { value: unknown }>({ maxSize: maxBytes });
  const pending = new Map<string, Promise<unknown>>();

  function add<T>(key: string, value: T, bytesOf: (value: T) => number): T {
    entries.set(key, { value }, { size: Math.max(1, bytesOf(value)) });
    return value;
  }

  return {
    get<T>(key: string, make: () => T, bytesOf: (value: T) => number): T {
      const known = entries.get(key);
      return known ? (known.value as T) : add(key, make(), bytesOf);
    },
    async getAsync<T>(
      key: string,
      make: () => Promise<T>,
      bytesOf: (value: T) => number,
    ): Promise<T> {
      const known = entries.get(key);
      if (known) return known.value as T;
      const running = pending.get(key) as Promise<T> | undefined;
      if (running) return running;
      const work = make();
      pending.set(key, work);
      try {
        return add(key, await work, bytesOf);
      } finally {
        pending.delete(key);
      }
    },
  };
}
