/**
 * Weld: points at the same place become one.
 *
 * Typed open-addressing hash over the float32 bits: 50 ns a point, where a Map keyed by strings takes
 * 870 (test/bench/README.md).
 */

import { scratch } from './scratch.ts';

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
  const out = new Float32Array(3 * count);
  // What is compared: the coordinates themselves without −0, or their grid cells.
  const keys = toleranceMetres > 0 ? new Float32Array(3 * count) : out;
  const bits = new Uint32Array(keys.buffer);
  const mask = tableSize(count) - 1;
  const table = scratch(0, Uint32Array, mask + 1).fill(EMPTY);
  const remap = new Uint32Array(count);
  let welded = 0;
  for (let i = 0; i < count; i++) {
    // Written as the next welded point, and overwritten where it is none.
    const at = 3 * welded;
    // Adding 0 turns −0 into 0.
    out[at] = positions[3 * i]! + 0;
    out[at + 1] = positions[3 * i + 1]! + 0;
    out[at + 2] = positions[3 * i + 2]! + 0;
    if (keys !== out)
      for (let k = at; k < at + 3; k++) keys[k] = Math.round(out[k]! / toleranceMetres) + 0;
    const slot = slotOf(table, mask, bits, at);
    if (table[slot] === EMPTY) table[slot] = welded++;
    remap[i] = table[slot]!;
  }
  // A list of its own where the rest would take much memory.
  const isFull = welded > 0.9 * count;
  return { positions: isFull ? out.subarray(0, 3 * welded) : out.slice(0, 3 * welded), remap };
}

/** The slot of the point with the same key as the one at `at`, or the empty one where it belongs. */
function slotOf(table: Uint32Array, mask: number, bits: Uint32Array, at: number): number {
  const a = bits[at]!;
  const b = bits[at + 1]!;
  const c = bits[at + 2]!;
  let slot = hash(a, b, c) & mask;
  for (;;) {
    const candidate = table[slot]!;
    if (candidate === EMPTY) return slot;
    const other = 3 * candidate;
    if (bits[other] === a && bits[other + 1] === b && bits[other + 2] === c) return slot;
    slot = (slot + 1) & mask;
  }
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
