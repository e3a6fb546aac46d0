/** Where pictures of two readings differ: which pixels, and the place that a person should look at. */

/** RGBA, 8 bits, from the topmost row to the lowest. */
export interface Pixels {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A part of a picture: shares of its width and height, from its upper left corner. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A smaller difference of a colour, as a distance in RGB of 8 bits, is not seen. */
const LEAST_DISTANCE = 14;
/** Sides of the cells by which neighbouring pixels are one place. */
const CELL = 16;
/** So many pixels of a cell must differ: less is an edge that has moved by a part of a pixel. */
const LEAST_IN_CELL = 10;
/** A smaller part of a picture is not recognised. */
const NARROWEST = 0.16;
/** Largest share of the width of a picture that a marked place has. */
export const WIDEST = { moved: 0.75, drawn: 0.42 } as const;
/** Room about the difference, as a share of it. */
const ROOM = 0.25;

/** Pixels that differ between pictures of the same size. */
export interface DifferentPixels {
  width: number;
  height: number;
  /** 1 for each pixel that differs. */
  mask: Uint8Array;
  /** How many differ, of all pixels of the picture. */
  share: number;
}

/** Compares two pictures of the same camera; pixels are RGBA. */
export function differentPixels(a: Pixels, b: Pixels): DifferentPixels {
  const { width, height } = a;
  const mask = new Uint8Array(width * height);
  let count = 0;
  for (let i = 0; i < mask.length; i++) {
    let squared = 0;
    for (let at = 4 * i; at < 4 * i + 3; at++) squared += (a.pixels[at]! - b.pixels[at]!) ** 2;
    if (squared < LEAST_DISTANCE ** 2) continue;
    mask[i] = 1;
    count++;
  }
  return { width, height, mask, share: count / mask.length };
}

/** The pixels that differ in any of several comparisons. */
export function anyDifferent(all: readonly DifferentPixels[]): DifferentPixels {
  const [{ width, height, mask: first }] = all as [DifferentPixels];
  const mask = first.slice();
  for (const { mask: other } of all.slice(1))
    for (let i = 0; i < mask.length; i++) mask[i]! |= other[i]!;
  const count = mask.reduce((sum, one) => sum + one, 0);
  return { width, height, mask, share: count / mask.length };
}

/**
 * The place to look at: about the largest connected difference; where that is larger than a place may be, the part of it
 * in which most pixels differ.
 *
 * @param widest - Of {@link WIDEST}: grain and weave show near by only, a moved part as a whole.
 * @returns A part with the proportions of the picture; undefined if nothing differs that can be seen.
 */
export function markedPlace(different: DifferentPixels, widest: number): Place | undefined {
  const cells = cellsOf(different);
  const largest = largestGroup(cells);
  if (largest === undefined) return undefined;
  const { columns, rows } = cells;
  const [left, right] = rangeOf(largest.map((cell) => cell % columns));
  const [top, bottom] = rangeOf(largest.map((cell) => Math.floor(cell / columns)));
  const across = Math.max((right - left + 1) / columns, (bottom - top + 1) / rows);
  const side = Math.min(widest, Math.max(NARROWEST, across * (1 + ROOM)));
  const isWhole = across <= widest;
  const middle = isWhole
    ? { x: (left + right + 1) / 2 / columns, y: (top + bottom + 1) / 2 / rows }
    : densest(cells, largest, side);
  const inside = (centre: number) => Math.min(1 - side, Math.max(0, centre - side / 2));
  return { x: inside(middle.x), y: inside(middle.y), width: side, height: side };
}

/** The share of the pixels of a place that differ. */
export function shareWithin({ width, height, mask }: DifferentPixels, part: Place): number {
  const [left, top] = [Math.floor(part.x * width), Math.floor(part.y * height)];
  const [across, down] = [Math.round(part.width * width), Math.round(part.height * height)];
  let count = 0;
  for (let y = top; y < Math.min(height, top + down); y++)
    for (let x = left; x < Math.min(width, left + across); x++) count += mask[y * width + x]!;
  return count / (across * down);
}

interface Cells {
  columns: number;
  rows: number;
  /** How many pixels of each cell differ. */
  counts: readonly number[];
}

function cellsOf({ width, height, mask }: DifferentPixels): Cells {
  const [columns, rows] = [Math.ceil(width / CELL), Math.ceil(height / CELL)];
  const counts = new Array<number>(columns * rows).fill(0);
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === 0) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    counts[Math.floor(y / CELL) * columns + Math.floor(x / CELL)]!++;
  }
  return { columns, rows, counts };
}

/** Of the groups of neighbouring cells that differ, the one with the most different pixels. */
function largestGroup({ columns, counts }: Cells): number[] | undefined {
  const left = new Set(counts.flatMap((count, cell) => (count >= LEAST_IN_CELL ? [cell] : [])));
  let best: { cells: number[]; count: number } | undefined;
  for (const first of left) {
    const cells: number[] = [];
    let count = 0;
    const open = [first];
    left.delete(first);
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      cells.push(cell);
      count += counts[cell]!;
      for (const down of [-1, 0, 1]) {
        for (const across of [-1, 0, 1]) {
          const other = cell + down * columns + across;
          if (Math.abs((other % columns) - (cell % columns)) > 1 || !left.delete(other)) continue;
          open.push(other);
        }
      }
    }
    if (best === undefined || count > best.count) best = { cells, count };
  }
  return best?.cells;
}

/** The middle of the place of a size in which most pixels of a group differ; of several, the one nearest to its middle. */
function densest({ columns, rows, counts }: Cells, group: readonly number[], side: number) {
  const own = new Set(group);
  const [across, down] = [Math.round(side * columns), Math.round(side * rows)];
  const x0 = group.reduce((sum, cell) => sum + (cell % columns), 0) / group.length;
  const y0 = group.reduce((sum, cell) => sum + Math.floor(cell / columns), 0) / group.length;
  let best = { x: x0, y: y0, count: -1, distance: 0 };
  for (let top = 0; top + down <= rows; top++) {
    for (let left = 0; left + across <= columns; left++) {
      let count = 0;
      for (let y = top; y < top + down; y++)
        for (let x = left; x < left + across; x++) {
          const cell = y * columns + x;
          if (own.has(cell)) count += counts[cell]!;
        }
      const [x, y] = [left + across / 2, top + down / 2];
      const distance = (x - x0) ** 2 + (y - y0) ** 2;
      // A few pixels more are no reason to look at a corner.
      const rounded = Math.round(count / 200);
      if (rounded > best.count || (rounded === best.count && distance < best.distance))
        best = { x, y, count: rounded, distance };
    }
  }
  return { x: best.x / columns, y: best.y / rows };
}

function rangeOf(values: readonly number[]): [least: number, most: number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}
