/** Mutate bytes: what lines, disks and servers do to a body, whatever it holds. */
import type { Chance } from './chance.ts';

type Mutation = (bytes: Uint8Array, chance: Chance) => Uint8Array;

/** Bytes that mean something to a decoder of JSON or JPEG. */
const TELLING = [0x00, 0xff, 0x7f, 0x80, 0x22, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x2d, 0x30, 0x5c];
/** Markers and sizes of JPEGs, big-endian. */
const WORDS = [0x0000, 0x0001, 0xffff, 0x7fff, 0x4001, 0xffd8, 0xffd9, 0xffc0, 0xffc2, 0xffda];

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, chance) {
    return changed(bytes, chance, (value) => value ^ (1 << chance.below(8)));
  },
  function anyByte(bytes, chance) {
    return changed(bytes, chance, () => chance.below(256));
  },
  function tellingByte(bytes, chance) {
    return changed(bytes, chance, () => chance.pick(TELLING));
  },
  function word(bytes, chance) {
    const at = chance.below(Math.max(1, bytes.length - 1));
    const value = chance.pick(WORDS);
    const out = bytes.slice();
    out.set([value >> 8, value & 255].slice(0, out.length - at), at);
    return out;
  },
  function cutEnd(bytes, chance) {
    return bytes.slice(0, chance.below(bytes.length));
  },
  function cutStart(bytes, chance) {
    return bytes.slice(chance.below(bytes.length));
  },
  function cutPart(bytes, chance) {
    const [from, to] = span(bytes, chance);
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  function insert(bytes, chance) {
    const at = chance.below(bytes.length);
    const noise = Uint8Array.from({ length: 1 + chance.below(16) }, () => chance.below(256));
    return joined(bytes.subarray(0, at), noise, bytes.subarray(at));
  },
  function twice(bytes, chance) {
    const [from, to] = span(bytes, chance);
    return joined(bytes.subarray(0, to), bytes.subarray(from));
  },
  function swap(bytes, chance) {
    const [from, to] = span(bytes, chance);
    const middle = from + chance.below(to - from);
    const { length } = bytes;
    return joined(
      bytes.subarray(0, from),
      bytes.subarray(middle, to),
      bytes.subarray(from, middle),
      bytes.subarray(to, length),
    );
  },
  function blankOut(bytes, chance) {
    const [from, to] = span(bytes, chance);
    return bytes.slice().fill(chance.pick(TELLING), from, to);
  },
];

/** Damages a body in one to four places. */
export function mutateBytes(bytes: Uint8Array, chance: Chance): Uint8Array {
  let out = bytes;
  for (let left = 1 + chance.below(4); left > 0; left--) {
    if (out.length === 0) return out;
    out = chance.pick(MUTATIONS)(out, chance);
  }
  return out;
}

function changed(bytes: Uint8Array, chance: Chance, by: (value: number) => number): Uint8Array {
  const out = bytes.slice();
  const at = chance.below(out.length);
  out[at] = by(out[at]!);
  return out;
}

/** A part that is not empty; short ones are as likely as long ones. */
function span(bytes: Uint8Array, chance: Chance): [from: number, to: number] {
  const from = chance.below(bytes.length);
  const longest = chance.oneIn(2) ? 16 : bytes.length;
  return [from, Math.min(bytes.length, from + 1 + chance.below(longest))];
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
