/** Square fields of numbers that tile seamlessly, from seeded lattices. */
import { mix32 } from '../../src/emulator/sample/random.ts';

/** Pixels along each side of every texture. */
export const TEXTURE_SIZE = 1024;

/** TEXTURE_SIZE² numbers, row by row from the top. */
export type Field = Float32Array;

/** A number in [0, 1) for a lattice point. */
export function hashLattice(x: number, y: number, seed: number): number {
  return mix32(mix32(x + seed * 0x1f123bb5) ^ (y * 0x5bd1e995)) / 4294967296;
}

/** Smoothly interpolated lattice noise in [0, 1], with so many cells across and down. */
export function latticeNoise(cellsX: number, cellsY: number, seed: number): Field {
  const size = TEXTURE_SIZE;
  const out = new Float32Array(size * size);
  const lattice = new Float32Array(cellsX * cellsY);
  for (let y = 0; y < cellsY; y++)
    for (let x = 0; x < cellsX; x++) lattice[y * cellsX + x] = hashLattice(x, y, seed);
  const [xs, ys] = [axis(size, cellsX), axis(size, cellsY)];
  for (let y = 0; y < size; y++) {
    const [row, next, wy] = [ys.low[y]! * cellsX, ys.high[y]! * cellsX, ys.weight[y]!];
    for (let x = 0; x < size; x++) {
      const [a, b, wx] = [xs.low[x]!, xs.high[x]!, xs.weight[x]!];
      const top = lattice[row + a]! + (lattice[row + b]! - lattice[row + a]!) * wx;
      const low = lattice[next + a]! + (lattice[next + b]! - lattice[next + a]!) * wx;
      out[y * size + x] = top + (low - top) * wy;
    }
  }
  return out;
}

function axis(size: number, cells: number) {
  const [low, high] = [new Int32Array(size), new Int32Array(size)];
  const weight = new Float32Array(size);
  for (let i = 0; i < size; i++) {
    const at = (i * cells) / size;
    const cell = Math.floor(at);
    const t = at - cell;
    low[i] = cell % cells;
    high[i] = (cell + 1) % cells;
    weight[i] = t * t * (3 - 2 * t);
  }
  return { low, high, weight };
}

/** A sum of octaves of {@link latticeNoise}, each twice as fine and `gain` as strong; mean near 0.5. */
export function octaves(cellsX: number, cellsY: number, count: number, seed: number, gain = 0.5) {
  const out = latticeNoise(cellsX, cellsY, seed);
  let [total, weight] = [1, 1];
  for (let k = 1; k < count; k++) {
    weight *= gain;
    total += weight;
    const finer = latticeNoise(cellsX << k, cellsY << k, seed + k * 101);
    for (let i = 0; i < out.length; i++) out[i] = out[i]! + finer[i]! * weight;
  }
  for (let i = 0; i < out.length; i++) out[i] = out[i]! / total;
  return out;
}

/** Distance to the two nearest of scattered points, in cells: leather, pebbles. */
export function cellNoise(cells: number, seed: number) {
  const size = TEXTURE_SIZE;
  const [first, second] = [new Float32Array(size * size), new Float32Array(size * size)];
  const points = new Float32Array(cells * cells * 2);
  for (let i = 0; i < cells * cells; i++) {
    points[i * 2] = hashLattice(i, 0, seed);
    points[i * 2 + 1] = hashLattice(i, 1, seed);
  }
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [px, py] = [(x * cells) / size, (y * cells) / size];
      const [cx, cy] = [px | 0, py | 0];
      let [near, next] = [9, 9];
      for (let dy = -1; dy <= 1; dy++) {
        const row = ((cy + dy + cells) % cells) * cells;
        for (let dx = -1; dx <= 1; dx++) {
          const at = (row + ((cx + dx + cells) % cells)) * 2;
          const ex = cx + dx + points[at]! - px;
          const ey = cy + dy + points[at + 1]! - py;
          const squared = ex * ex + ey * ey;
          if (squared < near) [next, near] = [near, squared];
          else if (squared < next) next = squared;
        }
      }
      first[y * size + x] = Math.sqrt(near);
      second[y * size + x] = Math.sqrt(next);
    }
  }
  return { first, second };
}

/** 0 below `from`, 1 above `to`, smooth between. */
export function smoothstep(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
}
