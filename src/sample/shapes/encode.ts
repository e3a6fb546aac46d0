/**
 * Writes a shape as the JSON body of GET block.
 *
 * Coordinates are rounded to micrometres, equal ones are welded and collapsed triangles omitted, so
 * that a shape which is closed here is closed by its edges in the file.
 */
import type { Point, Shape, Surface } from './surface.ts';

/** Peculiarities of a block, as blocks of real services have them. */
export interface BlockQuirks {
  /** Own position, metres; the points are written without it. */
  position?: Point;
  /** Own rotation, degrees; the points are written without it. */
  rotation?: Point;
  /** Triangles run clockwise seen from outside, as native geometry of the OFML family does. */
  clockwise?: boolean;
  /** Three floats a texture coordinate, the third 0. */
  threeFloatUvs?: boolean;
  /** Texture indices count from 1. */
  oneBasedUvs?: boolean;
  /** `C` is not written. */
  withoutClosed?: boolean;
}

/** Blocks that differ only in their measures, which are part of the name, in millimetres. */
export interface BlockFamily {
  /** Number of measures in a name. */
  measures: number;
  /** Makes the shape from the measures in metres. */
  make: (...metres: number[]) => Shape;
  quirks?: BlockQuirks;
}

/** Families by name. */
export type BlockFamilies = Readonly<Record<string, BlockFamily>>;

/** The body of one block as a JSON value. */
export interface BlockJson {
  N: string;
  P: Point;
  R: Point;
  V: number[];
  T: number[];
  A: { F: number[]; TI: number[]; C?: boolean }[];
}

/** Collects numbers in groups and gives equal groups the same index. */
class Welder {
  readonly numbers: number[] = [];
  readonly #known = new Map<string, number>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  /** Index of the group of numbers that starts at `from`. */
  add(source: readonly number[], from: number): number {
    const group: number[] = [];
    for (let k = 0; k < this.#size; k++) group.push(micrometres(source[from + k]!));
    const key = group.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const index = this.#known.size;
    this.#known.set(key, index);
    this.numbers.push(...group);
    return index;
  }
}

function micrometres(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

/** Makes the block body of a shape. */
export function encodeBlock(name: string, shape: Shape, quirks: BlockQuirks = {}): BlockJson {
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

function encodeSurface(
  surface: Surface,
  points: Welder,
  uvs: Welder,
  quirks: BlockQuirks,
): { F: number[]; TI: number[]; C?: boolean } {
  const { positions, triangles } = surface;
  const F: number[] = [];
  const TI: number[] = [];
  const order = quirks.clockwise ? [0, 2, 1] : [0, 1, 2];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = order.map((k) => triangles[t + k]!);
    const indices = corners.map((corner) => points.add(positions, corner * 3));
    if (new Set(indices).size < 3) continue;
    F.push(...indices);
    if (surface.uvs === undefined) continue;
    for (const corner of corners) {
      TI.push(uvs.add(surface.uvs, corner * 2) + (quirks.oneBasedUvs ? 1 : 0));
    }
  }
  return quirks.withoutClosed ? { F, TI } : { F, TI, C: surface.closed };
}

function withThird(numbers: readonly number[]): number[] {
  const out: number[] = [];
  for (let i = 0; i < numbers.length; i += 2) out.push(numbers[i]!, numbers[i + 1]!, 0);
  return out;
}
