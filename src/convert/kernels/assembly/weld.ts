/** Points at the same place become one. */
import { allocateList, get, set } from './arena';

const EMPTY: u32 = 0xffffffff;

/**
 * Joins points with bit-equal positions (−0 equals 0), or those that share a cell of a grid, in a hash table over
 * the float32 bits.
 *
 * @param positions - x y z a point, f32; becomes the welded points, in order of first appearance.
 * @param toleranceMetres - 0 joins equal positions only; else the size of a grid cell.
 * @param remap - u32 a point: its welded point.
 * @returns The number of welded points.
 */
export function weld(positions: usize, count: i32, toleranceMetres: f64, remap: usize): i32 {
  // What is compared: the coordinates themselves without −0, or their grid cells.
  const keys = toleranceMetres > 0 ? allocateList<f32>(3 * count) : positions;
  const mask = tableSize(count) - 1;
  const table = allocateList<u32>(mask + 1);
  memory.fill(table, 0xff, <usize>(mask + 1) * 4);
  let welded: i32 = 0;
  for (let i = 0; i < count; i++) {
    // Written as the next welded point, and overwritten where it is none.
    const at = 3 * welded;
    // Adding 0 turns −0 into 0.
    const x = get<f32>(positions, 3 * i) + 0;
    const y = get<f32>(positions, 3 * i + 1) + 0;
    const z = get<f32>(positions, 3 * i + 2) + 0;
    set<f32>(positions, at, x);
    set<f32>(positions, at + 1, y);
    set<f32>(positions, at + 2, z);
    if (keys !== positions) {
      set<f32>(keys, at, cellOf(x, toleranceMetres));
      set<f32>(keys, at + 1, cellOf(y, toleranceMetres));
      set<f32>(keys, at + 2, cellOf(z, toleranceMetres));
    }
    const slot = slotOf(table, mask, keys, at);
    if (get<u32>(table, slot) === EMPTY) set<u32>(table, slot, welded++);
    set<u32>(remap, i, get<u32>(table, slot));
  }
  return welded;
}

/** Half rounds up, as in `Math.round`. */
function cellOf(value: f32, sizeMetres: f64): f32 {
  const cells = <f64>value / sizeMetres;
  const above = ceil(cells);
  return <f32>((above - 0.5 > cells ? above - 1 : above) + 0);
}

/** The slot of the point with the same key as the one at `at`, or the empty one where it belongs. */
function slotOf(table: usize, mask: i32, keys: usize, at: i32): i32 {
  const a = get<u32>(keys, at);
  const b = get<u32>(keys, at + 1);
  const c = get<u32>(keys, at + 2);
  let slot = <i32>hash(a, b, c) & mask;
  while (true) {
    const candidate = get<u32>(table, slot);
    if (candidate === EMPTY) return slot;
    const other = 3 * candidate;
    if (
      get<u32>(keys, other) === a &&
      get<u32>(keys, other + 1) === b &&
      get<u32>(keys, other + 2) === c
    )
      return slot;
    slot = (slot + 1) & mask;
  }
}

/** Slots for so many entries, of which at most half are used. */
export function tableSize(count: i32): i32 {
  let size = 16;
  while (size < count * 2) size *= 2;
  return size;
}

/** Mixes three numbers. */
export function hash(a: u32, b: u32, c: u32): u32 {
  let h = (a * 0x9e3779b1) ^ (b * 0x85ebca77) ^ (c * 0xc2b2ae3d);
  h = (h ^ (h >>> 15)) * 0x2c1b3c6d;
  return h ^ (h >>> 12);
}
