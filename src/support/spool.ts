/**
 * Bytes that a run keeps and seldom reads: outside the JavaScript heap, which the garbage collector visits, and above
 * some MiB in a file, so that the memory of a run hardly grows with its configurations.
 */
import { openScratchFile, type ScratchFile } from './scratch-file.ts';

/** Size of a chunk, which is written and read as a whole: a system call for each value would take longer. */
const CHUNK_BYTES = 64 * 1024;
/** Most bytes that stay in memory; most runs need no file. */
const MOST_BYTES_IN_MEMORY = 16 * 1024 * 1024;
/** Number of chunks of the file kept in memory: the chunks of a few maps that are read in the same order. */
const MOST_CHUNKS_READ = 8;
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Stores values as bytes, each by its place. @see D-833 */
export class Spool {
  readonly #file: ScratchFile | undefined;
  readonly #chunks: (Uint8Array | { offset: number; length: number })[] = [];
  #last = new Uint8Array(0);
  #used = 0;
  #bytesInMemory = 0;
  /** Chunks of the file by their numbers; the last one was read last. */
  readonly #read = new Map<number, Uint8Array>();

  /** @param file - Without a file, everything stays in memory. */
  constructor(file?: ScratchFile) {
    this.#file = file;
  }

  /** Opens a spool with a file in a folder for temporary files; close it after its last use. */
  static async openIn(folder: string): Promise<Spool> {
    return new Spool(await openScratchFile(folder));
  }

  close(): void {
    this.#file?.close();
  }

  /** Adds bytes; returns their place. */
  add(bytes: Uint8Array): number {
    const place = this.#take(bytes.length);
    this.#last.set(bytes, this.#used + LENGTH_BYTES);
    this.#end(bytes.length);
    return place;
  }

  /** Adds a text as UTF-8; returns its place. */
  addText(text: string): number {
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    const most = text.length * 3;
    if (LENGTH_BYTES + most > CHUNK_BYTES) return this.add(encoder.encode(text));
    const place = this.#take(most);
    this.#end(encoder.encodeInto(text, this.#last.subarray(this.#used + LENGTH_BYTES)).written);
    return place;
  }

  /** The bytes at a place; read-only, and valid until something else is read. */
  bytesAt(place: number): Uint8Array {
    const chunk = this.#chunkAt(Math.floor(place / CHUNK_BYTES));
    const start = place % CHUNK_BYTES;
    const length = new DataView(chunk.buffer).getUint32(start);
    return chunk.subarray(start + LENGTH_BYTES, start + LENGTH_BYTES + length);
  }

  textAt(place: number): string {
    return decoder.decode(this.bytesAt(place));
  }

  #take(length: number): number {
    const needed = LENGTH_BYTES + length;
    if (this.#used + needed > this.#last.length) {
      this.#moveLastToFile();
      this.#last = new Uint8Array(Math.max(CHUNK_BYTES, needed));
      this.#chunks.push(this.#last);
      this.#bytesInMemory += this.#last.length;
      this.#used = 0;
    }
    return (this.#chunks.length - 1) * CHUNK_BYTES + this.#used;
  }

  #end(length: number): void {
    new DataView(this.#last.buffer).setUint32(this.#used, length);
    this.#used += LENGTH_BYTES + length;
  }

  #moveLastToFile(): void {
    if (this.#file === undefined || this.#bytesInMemory <= MOST_BYTES_IN_MEMORY) return;
    const { length } = this.#last;
    const offset = this.#file.append(this.#last);
    if (offset === undefined) return;
    this.#chunks[this.#chunks.length - 1] = { offset, length };
    this.#bytesInMemory -= length;
  }

  #chunkAt(number: number): Uint8Array {
    const chunk = this.#chunks[number]!;
    if (chunk instanceof Uint8Array) return chunk;
    const known = this.#read.get(number);
    this.#read.delete(number);
    const bytes = known ?? this.#memoryFor(chunk.length);
    if (known === undefined) this.#file!.read(bytes, chunk.offset);
    this.#read.set(number, bytes);
    return bytes;
  }

  /** Memory of the chunk that was not read for longest, or new memory. */
  #memoryFor(length: number): Uint8Array {
    const [oldest] = this.#read;
    if (oldest === undefined || this.#read.size < MOST_CHUNKS_READ) return new Uint8Array(length);
    const [number, bytes] = oldest;
    this.#read.delete(number);
    return bytes.length === length ? bytes : new Uint8Array(length);
  }
}
