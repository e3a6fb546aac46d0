/** Chance: choices that a seed and an index decide, so that every input can be made again alone. */

/** A stream of choices. */
export interface Chance {
  /** A whole number from 0 up to `limit`, itself left out. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
  /** True once in `many`. */
  oneIn(many: number): boolean;
}

/** The choices of one input. */
export function chanceOf(seed: number, index: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (values) => values[below(values.length)]!,
    oneIn: (many) => below(many) === 0,
  };
}
