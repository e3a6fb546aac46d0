/**
 * A map of JSON values that are kept as bytes outside the JavaScript heap: a line of the manifest takes
 * about 4 KiB as objects and 1.2 KiB as bytes, which the garbage collector never visits.
 */
import { visibleJson } from './visible.ts';

/** A map of values that `JSON.stringify` can encode. Its order is that in which keys were first set. */
export type PackedMap<T> = ReturnType<typeof createPackedMap<T>>;

const CHUNK_BYTES = 1024 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Creates an empty map. @see D-833 */
export function createPackedMap<T>() {
  const entries = new Map<string, Uint8Array>();
  let chunk = new Uint8Array(0);

  /** Small values share a chunk: a buffer for each would cost the garbage collector more than its bytes. */
  const pack = (value: T): Uint8Array => {
    const text = visibleJson(JSON.stringify(value));
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    if (text.length * 3 > CHUNK_BYTES) return encoder.encode(text);
    if (text.length * 3 > chunk.length) chunk = new Uint8Array(CHUNK_BYTES);
    const { written } = encoder.encodeInto(text, chunk);
    const bytes = chunk.subarray(0, written);
    chunk = chunk.subarray(written);
    return bytes;
  };
  const unpack = (bytes: Uint8Array): T => JSON.parse(decoder.decode(bytes)) as T;

  return {
    get size(): number {
      return entries.size;
    },
    has: (key: string) => entries.has(key),
    /** A new copy at each call: changing it does not change the map. */
    get(key: string): T | undefined {
      const bytes = entries.get(key);
      return bytes === undefined ? undefined : unpack(bytes);
    },
    set: (key: string, value: T) => void entries.set(key, pack(value)),
    /** The value as UTF-8 JSON; read-only. */
    bytesOf: (key: string) => entries.get(key),
    /** Sets a value by its UTF-8 JSON, which must not change afterwards. */
    setBytes: (key: string, bytes: Uint8Array) => void entries.set(key, bytes),
    delete: (key: string) => void entries.delete(key),
    keys: () => entries.keys(),
    *values(): Iterable<T> {
      for (const bytes of entries.values()) yield unpack(bytes);
    },
  };
}
