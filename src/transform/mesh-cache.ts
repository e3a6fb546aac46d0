/**
 * Mesh cache: what was made of contents, for as long as memory allows.
 *
 * Prepared meshes, vertex data and packed images are made once however many parts and articles use
 * them; the least recently used go first. It knows only sizes, never what it holds.
 */

/** Keeps derived data by a key that tells its content. */
export interface MeshCache {
  /** The value of a key, made by `make` where it is not there; `bytesOf` says what it weighs. */
  get<T>(key: string, make: () => T, bytesOf: (value: T) => number): T;
  /** The same for work that takes time; made once however many ask at the same time. */
  getAsync<T>(key: string, make: () => Promise<T>, bytesOf: (value: T) => number): Promise<T>;
}

interface Entry {
  value: unknown;
  bytes: number;
}

/** Enough for the shared parts of a manufacturer: 18,000 of 13 KB. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Makes an empty cache.
 *
 * @param maxBytes - Weight beyond which the least recently used entries are dropped.
 */
export function createMeshCache(maxBytes: number = DEFAULT_MAX_BYTES): MeshCache {
  // A Map keeps the order of insertion: an entry that is used goes to the end.
  const entries = new Map<string, Entry>();
  const pending = new Map<string, Promise<unknown>>();
  let total = 0;

  function recall(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (!entry) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  }

  function remember(key: string, value: unknown, bytes: number): void {
    entries.set(key, { value, bytes });
    total += bytes;
    for (const [oldest, entry] of entries) {
      if (total <= maxBytes) break;
      entries.delete(oldest);
      total -= entry.bytes;
    }
  }

  return {
    get<T>(key: string, make: () => T, bytesOf: (value: T) => number): T {
      const known = recall(key);
      if (known) return known.value as T;
      const value = make();
      remember(key, value, bytesOf(value));
      return value;
    },
    async getAsync<T>(
      key: string,
      make: () => Promise<T>,
      bytesOf: (value: T) => number,
    ): Promise<T> {
      const known = recall(key);
      if (known) return known.value as T;
      const running = pending.get(key);
      if (running) return running as Promise<T>;
      const work = make();
      pending.set(key, work);
      try {
        const value = await work;
        remember(key, value, bytesOf(value));
        return value;
      } finally {
        pending.delete(key);
      }
    },
  };
}
