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

/** Collects numbers in groups of a size and gives equal groups the same index. */
function welder(size: number) {
  const numbers: number[] = [];
  const known = new Map<string, number>();
  /** Returns a function that gives the index of each group of a source. A group is compared once, not per triangle. */
  const indexer = (source: readonly number[]) => {
    const indices: number[] = [];
    return (group: number): number =>
      (indices[group] ??= indexOf(source.slice(group * size, (group + 1) * size)));
  };
  const indexOf = (metres: readonly number[]): number => {
    const rounded = metres.map(micrometres);
    const key = rounded.join();
    const index = known.get(key) ?? known.size;
    if (index === known.size) {
      known.set(key, index);
      numbers.push(...rounded.map((value) => value / 1e6));
    }
    return index;
  };
  return { numbers, indexer };
}

type Welder = ReturnType<typeof welder>;

/** Rounds to micrometres; never returns −0. */
function micrometres(metres: number): number {
  return Math.round(metres * 1e6) + 0;
}

/** Makes the block body of a shape. */
export function encodeBlock(name: string, shape: Shape, quirks: BlockQuirks = {}) {
  const points = welder(3);
  const uvs = welder(2);
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
