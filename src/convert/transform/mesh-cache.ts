/**
 * Mesh cache: derived data by content, so that prepared meshes, vertex data and packed images are made
 * once however many parts and articles use them.
 */
import { LRUCache } from 'lru-cache';
import { CONVERTER_VERSION } from './convert-options.ts';

/** Derived data by a key that names its content and the options it depends on. */
export interface MeshCache {
  /** Returns the value of a key, made with `make` if it is missing. */
  get<T>(key: string, make: () => T): T;
  /**
   * The same for asynchronous work; concurrent calls for one key share it.
   *
   * @param stored - Whether later runs may use the value: plain data and typed arrays, not undefined.
   */
  getAsync<T>(key: string, make: () => Promise<T>, stored?: 'stored'): Promise<T>;
}

/** Size for the shared parts of a manufacturer: 18,000 of 13 KB. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** Values that earlier runs stored. Any of them may be gone; values are returned as they were stored. */
interface DerivedStore {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/**
 * Makes a cache, which is empty.
 *
 * @param maxBytes - Size beyond which the least recently used entries are evicted.
 * @param derived - Stores values for later runs; if that fails, a value is made again.
 */
export function createMeshCache(
  maxBytes: number = DEFAULT_MAX_BYTES,
  derived?: DerivedStore,
): MeshCache {
  // Values are wrapped in an object, since a value may be undefined.
  const entries = new LRUCache<string, { value: unknown }>({ maxSize: maxBytes });
  const pending = new Map<string, Promise<unknown>>();

  function add<T>(key: string, value: T): T {
    entries.set(key, { value }, { size: bytesOf(value) });
    return value;
  }

  return {
    get<T>(key: string, make: () => T): T {
      const known = entries.get(key);
      return known ? (known.value as T) : add(key, make());
    },
    async getAsync<T>(key: string, make: () => Promise<T>, stored?: 'stored'): Promise<T> {
      const known = entries.get(key);
      if (known) return known.value as T;
      const made = async () =>
        add(key, await (stored && derived ? storedOr(derived, key, make) : make()));
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

async function storedOr<T>(store: DerivedStore, key: string, make: () => Promise<T>): Promise<T> {
  const storedKey = `${CONVERTER_VERSION} ${FORMAT} ${key}`;
  const stored = await store.get(storedKey).catch(() => undefined);
  if (stored) return decode(stored) as T;
  const value = await make();
  if (bytesOf(value) <= MAX_STORED_BYTES)
    await store.put(storedKey, encode(value)).catch(() => undefined);
  return value;
}

/** Version of the format. Raise it with each change of {@link encode} or of a stored value, such as `PreparedMesh`. */
const FORMAT = 2;

/** Largest stored value: a copy of a larger one would take too much memory. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

const ARRAYS = { Uint8Array, Uint16Array, Uint32Array, Int32Array, Float32Array, Float64Array };

const aligned = (at: number) => Math.ceil(at / 8) * 8;

/** Encodes as four bytes with the length of a JSON text, the text, then each typed array, all aligned to 8 bytes. */
function encode(value: unknown): Uint8Array {
  const arrays: { at: number; bytes: Uint8Array }[] = [];
  let end = 0;
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key) {
    // The entry is read before `toJSON` of a Buffer has converted it.
    const entry = this[key];
    if (ArrayBuffer.isView(entry)) {
      const kinds = Object.entries(ARRAYS);
      const [kind, { BYTES_PER_ELEMENT }] = kinds.find(([, type]) => entry instanceof type)!;
      const at = end;
      arrays.push({ at, bytes: new Uint8Array(entry.buffer, entry.byteOffset, entry.byteLength) });
      end = aligned(end + entry.byteLength);
      return { $: kind, at, length: entry.byteLength / BYTES_PER_ELEMENT };
    }
    // JSON has no negative zero.
    if (Object.is(entry, -0)) return { $: '-0' };
    const isLikeThese = typeof entry === 'object' && entry !== null && '$' in entry;
    return isLikeThese ? { $: 'object', entries: Object.entries(entry) } : entry;
  });
  const json = new TextEncoder().encode(text);
  const start = aligned(4 + json.length);
  const stored = new Uint8Array(start + end);
  new DataView(stored.buffer).setUint32(0, json.length);
  stored.set(json, 4);
  for (const { at, bytes } of arrays) stored.set(bytes, start + at);
  return stored;
}

/** Decodes a value. Its typed arrays are views of the given bytes, which are copied only if they are not aligned. */
function decode(given: Uint8Array): unknown {
  const { buffer, byteOffset } = given.byteOffset % 8 === 0 ? given : given.slice();
  const length = new DataView(buffer, byteOffset).getUint32(0);
  const start = byteOffset + aligned(4 + length);
  const text = new TextDecoder().decode(new Uint8Array(buffer, byteOffset + 4, length));
  return JSON.parse(text, (_, entry) => {
    if (entry?.$ === undefined) return entry;
    if (entry.$ === '-0') return -0;
    if (entry.$ === 'object') return Object.fromEntries(entry.entries);
    const kind = entry.$ as keyof typeof ARRAYS;
    return new ARRAYS[kind](buffer as ArrayBuffer, start + entry.at, entry.length);
  });
}
