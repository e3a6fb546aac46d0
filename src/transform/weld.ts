/**
 * Weld: points at the same place become one.
 *
 * Typed open-addressing hash over the float32 bits: 50 ns a point, where a Map keyed by strings takes
 * 870 (test/bench/README.md).
 */

const EMPTY = 0xffffffff;

/**
 * Joins points with bit-equal positions (−0 equals 0), or those that share a cell of a grid (D-301).
 *
 * @param positions - n × 3 float32, metres; a trailing incomplete point is ignored.
 * @param toleranceMetres - 0 joins equal positions only; else the size of a grid cell.
 * @returns `positions` in order of first appearance; `remap`: old point index → welded point index.
 */
export function weldPoints(
  positions: Float32Array,
  toleranceMetres: number,
): { positions: Float32Array; remap: Uint32Array } {
  const count = Math.floor(positions.length / 3);
  const keys = keysOf(positions, count, toleranceMetres);
  const bits = new Uint32Array(keys.buffer, keys.byteOffset, keys.length);
  const mask = tableSize(count) - 1;
  const table = new Uint32Array(mask + 1).fill(EMPTY);
  const remap = new Uint32Array(count);
  const first = new Uint32Array(count);
  let welded = 0;
  for (let i = 0; i < count; i++) {
    let slot = hash(bits[3 * i]!, bits[3 * i + 1]!, bits[3 * i + 2]!) & mask;
    for (;;) {
      const candidate = table[slot]!;
      if (candidate === EMPTY) {
        table[slot] = welded;
        first[welded] = i;
        remap[i] = welded++;
        break;
      }
      if (sameBits(bits, i, first[candidate]!)) {
        remap[i] = candidate;
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
  return { positions: gather(positions, first, welded), remap };
}

/** What is compared: the coordinates themselves without −0, or their grid cells. */
function keysOf(positions: Float32Array, count: number, tolerance: number): Float32Array {
  const keys = new Float32Array(count * 3);
  for (let i = 0; i < keys.length; i++) {
    const value = positions[i]!;
    // Adding 0 turns −0 into 0.
    keys[i] = (tolerance > 0 ? Math.round(value / tolerance) : value) + 0;
  }
  return keys;
}

function tableSize(count: number): number {
  let size = 16;
  while (size < count * 2) size *= 2;
  return size;
}

function hash(a: number, b: number, c: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 12)) >>> 0;
}

function sameBits(bits: Uint32Array, i: number, j: number): boolean {
  return (
    bits[3 * i] === bits[3 * j] &&
    bits[3 * i + 1] === bits[3 * j + 1] &&
    bits[3 * i + 2] === bits[3 * j + 2]
  );
}

function gather(positions: Float32Array, first: Uint32Array, count: number): Float32Array {
  const out = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    const from = 3 * first[i]!;
    out[3 * i] = positions[from]! + 0;
    out[3 * i + 1] = positions[from + 1]! + 0;
    out[3 * i + 2] = positions[from + 2]! + 0;
  }
  return out;
}
