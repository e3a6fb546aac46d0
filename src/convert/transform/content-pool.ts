/** Content pool: equal arrays become one array, so that comparing them is comparing identities. */

type Bytes = Float32Array | Uint16Array | Uint32Array | Uint8Array;

const hashes = new WeakMap<Bytes, number>();

/** Distinct arrays, each with a number. */
export class ContentPool {
  readonly #buckets = new Map<number, Bytes[]>();
  readonly #ids = new Map<Bytes, number>();

  /** The first array of equal type and content. */
  intern<T extends Bytes>(array: T): T {
    if (this.#ids.has(array)) return array;
    const hash = hashOf(array);
    const bucket = this.#buckets.get(hash) ?? [];
    const known = bucket.find((other) => isEqual(other, array));
    if (known) return known as T;
    bucket.push(array);
    this.#buckets.set(hash, bucket);
    this.#ids.set(array, this.#ids.size);
    return array;
  }

  /** The number of an interned array within this pool, in order of appearance. */
  idOf(array: Bytes): number {
    return this.#ids.get(array)!;
  }
}

/** Words that are read of an array for its hash at most: those of a long one lie apart. */
const MOST_HASHED = 8_192;

/** FNV-1a over 32-bit words; kept with the array, which may be shared by many articles. */
function hashOf(array: Bytes): number {
  const known = hashes.get(array);
  if (known !== undefined) return known;
  const { words, rest } = wordsOf(array);
  let hash = 0x811c9dc5 ^ array.byteLength;
  const step = Math.ceil(words.length / MOST_HASHED);
  for (let i = 0; i < words.length; i += step) hash = Math.imul(hash ^ words[i]!, 0x01000193);
  for (const byte of rest) hash = Math.imul(hash ^ byte, 0x01000193);
  hash ^= hash >>> 15;
  hashes.set(array, hash);
  return hash;
}

function isEqual(a: Bytes, b: Bytes): boolean {
  // Not by constructor: bytes of a database are a Buffer, those of a file or a response need not be.
  const isSameType = a[Symbol.toStringTag] === b[Symbol.toStringTag];
  if (!isSameType || a.byteLength !== b.byteLength) return false;
  const [x, y] = [wordsOf(a), wordsOf(b)];
  for (let i = 0; i < x.words.length; i++) if (x.words[i] !== y.words[i]) return false;
  return x.rest.every((byte, i) => byte === y.rest[i]);
}

/** The bytes in fours, and those behind them. */
function wordsOf(array: Bytes): { words: Uint32Array; rest: Uint8Array } {
  const given = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  // Words are read at multiples of four; an image may lie anywhere in its buffer.
  const bytes = array.byteOffset % 4 === 0 ? given : given.slice();
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return { words, rest: bytes.subarray(4 * words.length) };
}
