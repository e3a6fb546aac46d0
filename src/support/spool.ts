/**
 * Bytes that a run keeps and seldom reads: outside the JavaScript heap, which the garbage collector visits, and beyond
 * some MiB in a file, so that the memory of a run hardly grows with its configurations.
 */
import type { openScratchFile } from './scratch-file.ts';

/** Values share a chunk, which is written and read as a whole: a system call for each value would take longer. */
const CHUNK_BYTES = 64 * 1024;
/** What stays in memory: most runs need no file. */
const MOST_BYTES_IN_MEMORY = 16 * 1024 * 1024;
/** Chunks of the file that are kept in memory: those of a few maps that are read in the same order. */
const MOST_CHUNKS_READ = 8;
/** Of the length before each value. */
const LENGTH_BYTES = 4;

/** Values as bytes, each by its place. */
export type Spool = ReturnType<typeof createSpool>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Creates an empty spool. @param file - Without it everything stays in memory. @see D-833 */
export function createSpool(file?: Awaited<ReturnType<typeof openScratchFile>>) {
  const chunks: (Uint8Array | { offset: number; length: number })[] = [];
  let last = new Uint8Array(0);
  let used = 0;
  let bytesInMemory = 0;
  /** By their numbers, the one read last at the end. */
  const read = new Map<number, Uint8Array>();

  const moveLastToFile = () => {
    if (file === undefined || bytesInMemory <= MOST_BYTES_IN_MEMORY) return;
    const { length } = last;
    const offset = file.append(last);
    if (offset === undefined) return;
    chunks[chunks.length - 1] = { offset, length };
    bytesInMemory -= length;
  };
  /** Makes room for a value; returns its place. */
  const take = (length: number): number => {
    const needed = LENGTH_BYTES + length;
    if (used + needed > last.length) {
      moveLastToFile();
      last = new Uint8Array(Math.max(CHUNK_BYTES, needed));
      chunks.push(last);
      bytesInMemory += last.length;
      used = 0;
    }
    return (chunks.length - 1) * CHUNK_BYTES + used;
  };
  /** Ends a value that was written. */
  const end = (length: number) => {
    new DataView(last.buffer).setUint32(used, length);
    used += LENGTH_BYTES + length;
  };
  const chunkAt = (number: number): Uint8Array => {
    const chunk = chunks[number]!;
    if (chunk instanceof Uint8Array) return chunk;
    const known = read.get(number);
    read.delete(number);
    const bytes = known ?? memoryFor(chunk.length);
    if (known === undefined) file!.read(bytes, chunk.offset);
    read.set(number, bytes);
    return bytes;
  };
  /** That of the chunk that was not read for longest, or new memory. */
  const memoryFor = (length: number): Uint8Array => {
    const [oldest] = read;
    if (oldest === undefined || read.size < MOST_CHUNKS_READ) return new Uint8Array(length);
    const [number, bytes] = oldest;
    read.delete(number);
    return bytes.length === length ? bytes : new Uint8Array(length);
  };
  const add = (bytes: Uint8Array): number => {
    const place = take(bytes.length);
    last.set(bytes, used + LENGTH_BYTES);
    end(bytes.length);
    return place;
  };
  const bytesAt = (place: number): Uint8Array => {
    const chunk = chunkAt(Math.floor(place / CHUNK_BYTES));
    const start = place % CHUNK_BYTES;
    const length = new DataView(chunk.buffer).getUint32(start);
    return chunk.subarray(start + LENGTH_BYTES, start + LENGTH_BYTES + length);
  };

  return {
    /** Adds bytes; returns their place. */
    add,
    /** Adds a text as UTF-8; returns its place. */
    addText: (text: string): number => {
      // UTF-8 takes at most three bytes for a UTF-16 unit.
      const most = text.length * 3;
      if (LENGTH_BYTES + most > CHUNK_BYTES) return add(encoder.encode(text));
      const place = take(most);
      end(encoder.encodeInto(text, last.subarray(used + LENGTH_BYTES)).written);
      return place;
    },
    /** The bytes at a place; read-only, and valid until something else is read. */
    bytesAt,
    textAt: (place: number): string => decoder.decode(bytesAt(place)),
  };
}
