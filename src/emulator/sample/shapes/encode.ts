/**
 * Writes a shape as the JSON body of GET block.
 *
 * Coordinates are rounded to micrometres, equal ones are welded and collapsed triangles omitted, so
 * that a shape which is closed here is closed by its edges in the file.
 */
import type { Point, Shape, Surface } from './surface.ts';

/** Peculiarities of a block, as blocks of real services have them. */
interface BlockQuirks {
  /** Own position, metres; the points are written without it. */
  position?: Point;
  /** Own rotation, degrees; the points are written without it. */
  rotation?: Point;
  /** Whether triangles run clockwise seen from outside, as native geometry of the OFML family does. */
  clockwise?: boolean;
  /** Whether a texture coordinate has three floats, the third 0. */
  threeFloatUvs?: boolean;
  /** Texture indices count from 1. */
  oneBasedUvs?: boolean;
  /** `C` is not written. */
  withoutClosed?: boolean;
}

/** Blocks that differ only in their measures, which are part of the name, in millimetres. */
interface BlockFamily {
  /** Makes the shape from the measures in metres: a name has as many as this function has parameters. */
  make: (...metres: number[]) => Shape;
  quirks?: BlockQuirks;
}

/** Families by name. */
export type BlockFamilies = Readonly<Record<string, BlockFamily>>;

/** Collects numbers in groups and gives equal groups the same index. */
class Welder {
  readonly numbers: number[] = [];
  readonly #known = new Map<string, number>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  /** Returns a function that gives the index of each group of a source. A group is compared once, not per triangle. */
  indexer(source: readonly number[]): (group: number) => number {
    const indices: number[] = [];
    return (group) => (indices[group] ??= this.#add(source, group * this.#size));
  }

  #add(source: readonly number[], from: number): number {
    let key = '';
    for (let k = 0; k < this.#size; k++) key += `${micrometres(source[from + k]!)},`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const index = this.#known.size;
    this.#known.set(key, index);
    for (let k = 0; k < this.#size; k++) this.numbers.push(micrometres(source[from + k]!) / 1e6);
    return index;
  }
}

/** Rounds to micrometres; never returns −0. */
function micrometres(metres: number): number {
  return Math.round(metres * 1e6) + 0;
}

/** Makes the block body of a shape. */
export function encodeBlock(name: string, shape: Shape, quirks: BlockQuirks = {}) {
  const points = new Welder(3);
  const uvs = new Welder(2);
  const surfaces = shape.map((surface) => encodeSurface(surface, points, uvs, quirks));
  return {
    N: name,
    P: quirks.position ?? [0, 0, 0],
    R: quirks.rotation ?? [0, 0, 0],
    V: points.numbers,
    T: quirks.threeFloatUvs ? withThird(uvs.numbers) : uvs.numbers,
    A: surfaces,
  };
}

function encodeSurface(surface: Surface, points: Welder, uvs: Welder, quirks: BlockQuirks) {
  const { positions, triangles } = surface;
  const F: number[] = [];
  const TI: number[] = [];
  const [second, third] = quirks.clockwise ? [2, 1] : [1, 2];
  const firstUv = quirks.oneBasedUvs ? 1 : 0;
  const pointOf = points.indexer(positions);
  const uvOf = uvs.indexer(surface.uvs ?? []);
  for (let t = 0; t < triangles.length; t += 3) {
    const [i, j, k] = [triangles[t]!, triangles[t + second]!, triangles[t + third]!];
    const [a, b, c] = [pointOf(i), pointOf(j), pointOf(k)];
    if (a === b || b === c || c === a) continue;
    F.push(a, b, c);
    if (surface.uvs === undefined) continue;
    TI.push(uvOf(i) + firstUv, uvOf(j) + firstUv, uvOf(k) + firstUv);
  }
  return quirks.withoutClosed ? { F, TI } : { F, TI, C: surface.closed };
}

function withThird(numbers: readonly number[]): number[] {
  const out: number[] = [];
  for (let i = 0; i < numbers.length; i += 2) out.push(numbers[i]!, numbers[i + 1]!, 0);
  return out;
}
