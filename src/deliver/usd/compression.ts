/**
 * Compression of crate files: blocks of LZ4, and lists of integers as differences (AOUSD Core Specification 1.0.1,
 * section 16.3; LZ4 block format, github.com/lz4/lz4, doc/lz4_Block_format.md). No package of npm writes such blocks in a
 * browser without a binary.
 */

const LEAST_MATCH = 4;
/** The last match begins so many bytes before the end at least; the last bytes are literals. */
const [LAST_MATCH, LAST_LITERALS] = [12, 5];
const MOST_DISTANCE = 65_535;
const HASH_BITS = 14;

/**
 * Compresses bytes to one block, after the byte that says so.
 *
 * @example
 * ```ts
 * compressed(new Uint8Array(1000)).length; // → 15
 * ```
 */
export function compressed(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(input.length + Math.ceil(input.length / 255) + 17);
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  /** By the hash of four bytes, one more than where they were last. */
  const last = new Int32Array(1 << HASH_BITS);
  let written = 1;

  const writeLength = (length: number) => {
    let rest = length - 15;
    for (; rest >= 255; rest -= 255) output[written++] = 255;
    output[written++] = rest;
  };
  const writeLiterals = (from: number, to: number, matchNibble: number) => {
    const length = to - from;
    output[written++] = (Math.min(length, 15) << 4) | matchNibble;
    if (length >= 15) writeLength(length);
    output.set(input.subarray(from, to), written);
    written += length;
  };

  let [at, unwritten] = [0, 0];
  while (at < input.length - LAST_MATCH) {
    const four = view.getUint32(at, true);
    const hash = Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS);
    const earlier = last[hash]! - 1;
    last[hash] = at + 1;
    const isMatch =
      earlier >= 0 && at - earlier <= MOST_DISTANCE && view.getUint32(earlier, true) === four;
    if (!isMatch) {
      at++;
      continue;
    }
    const start = at;
    at += LEAST_MATCH;
    while (at < input.length - LAST_LITERALS && input[at] === input[earlier + at - start]) at++;
    const length = at - start - LEAST_MATCH;
    writeLiterals(unwritten, start, Math.min(length, 15));
    output[written++] = (start - earlier) & 0xff;
    output[written++] = (start - earlier) >> 8;
    if (length >= 15) writeLength(length);
    unwritten = at;
  }
  writeLiterals(unwritten, input.length, 0);
  return output.subarray(0, written);
}

/** Codes of two bits: the most common difference, or how many bytes the difference has. */
const CODES = { common: 0, byte: 1, short: 2, long: 3 } as const;

/** Compresses integers of 32 bits: each as its difference from the one before, in as few bytes as that needs. */
export function compressedIntegers(values: ArrayLike<number>): Uint8Array {
  const common = commonDifference(values);
  const codesAt = 4;
  let at = codesAt + Math.ceil(values.length / 4);
  const encoded = new Uint8Array(at + 4 * values.length);
  const view = new DataView(encoded.buffer);
  view.setInt32(0, common, true);
  let before = 0;
  for (let i = 0; i < values.length; i++) {
    const difference = (values[i]! - before) | 0;
    before = values[i]!;
    let code: number = CODES.common;
    if (difference !== common) {
      if (difference === (difference << 24) >> 24) {
        view.setInt8(at, difference);
        code = CODES.byte;
      } else if (difference === (difference << 16) >> 16) {
        view.setInt16(at, difference, true);
        code = CODES.short;
      } else {
        view.setInt32(at, difference, true);
        code = CODES.long;
      }
      at += 1 << (code - 1);
    }
    encoded[codesAt + (i >> 2)]! |= code << (2 * (i & 3));
  }
  return compressed(encoded.subarray(0, at));
}

/** The most common difference; of several, the largest one. */
function commonDifference(values: ArrayLike<number>): number {
  const counts = new Map<number, number>();
  let [before, common, most] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const difference = (values[i]! - before) | 0;
    before = values[i]!;
    const count = (counts.get(difference) ?? 0) + 1;
    counts.set(difference, count);
    if (count > most || (count === most && difference > common)) {
      [common, most] = [difference, count];
    }
  }
  return common;
}
