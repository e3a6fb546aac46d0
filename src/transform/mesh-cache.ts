/**
 * Mesh cache: derived data by content, so that prepared meshes, vertex data and packed images are made
 * once however many parts and articles use them.
 */
import { LRUCache } from 'lru-cache';
import { CONVERTER_VERSION } from './convert-options.ts';

/** Derived data by a key that names its content and the options it depends on. */
export type MeshCache = ReturnType<typeof createMeshCache>;

/** Enough for the shared parts of a manufacturer: 18,000 of 13 KB. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** What earlier runs stored; any of it may be gone, and what it returns is as it was stored. */
interface DerivedStore {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/** How a value is stored for later runs. */
const FORMS = {
  /** Bytes, which must not change. */
  bytes: { encode: (value: unknown) => value as Uint8Array, decode: (bytes: Uint8Array) => bytes },
  json: {
    encode: (value: unknown) => new TextEncoder().encode(JSON.stringify(value)),
    decode: (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes)),
  },
};

/**
 * Makes a cache, which is empty.
 *
 * @param maxBytes - Size beyond which the least recently used entries are evicted.
 * @param derived - Stores values for later runs; where it fails, a value is made again.
 */
export function createMeshCache(maxBytes: number = DEFAULT_MAX_BYTES, derived?: DerivedStore) {
  // In an object, since a value may be undefined.
  const entries = new LRUCache<string, { value: unknown }>({ maxSize: maxBytes });
  const pending = new Map<string, Promise<unknown>>();

  function add<T>(key: string, value: T): T {
    entries.set(key, { value }, { size: bytesOf(value) });
    return value;
  }

  async function storedOr<T>(
    form: keyof typeof FORMS,
    key: string,
    make: () => Promise<T>,
  ): Promise<T> {
    if (!derived) return make();
    const { encode, decode } = FORMS[form];
    const storedKey = `${CONVERTER_VERSION} ${key}`;
    const stored = await derived.get(storedKey).catch(() => undefined);
    if (stored) return decode(stored) as T;
    const value = await make();
    await derived.put(storedKey, encode(value)).catch(() => undefined);
    return value;
  }

  return {
    /** The value of a key, made with `make` where it is missing. */
    get<T>(key: string, make: () => T): T {
      const known = entries.get(key);
      return known ? (known.value as T) : add(key, make());
    },
    /**
     * The same for asynchronous work; concurrent calls for one key share it.
     *
     * @param form - In which the value is stored for later runs. @defaultValue not stored
     */
    async getAsync<T>(key: string, make: () => Promise<T>, form?: keyof typeof FORMS): Promise<T> {
      const known = entries.get(key);
      if (known) return known.value as T;
      const made = async () => add(key, await (form ? storedOr(form, key, make) : make()));
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
