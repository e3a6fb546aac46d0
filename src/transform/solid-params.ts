/**
 * Solid parameters: the numbers of a `block`, `frame`, `cyl`, `sphere` or `ellipsoid` node.
 *
 * The shape of `params` is not specified: an array, a string of numbers separated by blanks, commas
 * or `;`, and an object are read.
 */
import { readNumber } from '../service/wire-value.ts';

/** Parameter names of each solid in the order of the array form, with the names of the object form. */
const WIDTH = ['w', 'width', 'x'];
const HEIGHT = ['h', 'height', 'y'];
const DEPTH = ['d', 'depth', 'z'];
const THICKNESS = ['t', 'th', 'thick', 'thickness'];
const LENGTH = ['l', 'len', 'length'];
const RADIUS = ['r', 'rad', 'radius'];

const PARAMETERS = {
  block: [WIDTH, HEIGHT, DEPTH],
  frame: [WIDTH, HEIGHT, DEPTH, THICKNESS],
  cyl: [LENGTH, RADIUS],
  sphere: [RADIUS],
  ellipsoid: [['rx'], ['ry'], ['rz']],
} as const;

/** A solid's type. */
export type SolidType = keyof typeof PARAMETERS;

/**
 * Reads the parameters of a solid.
 *
 * @param params - As received.
 * @returns Positive lengths in metres, in the order of the array form; undefined where one is
 * missing, is no number, or is not above zero.
 *
 * @example
 * ```ts
 * solidLengths('cyl', '0.7; 0.03'); // → [0.7, 0.03]
 * solidLengths('cyl', { Radius: 0.03, L: 0.7 }); // → [0.7, 0.03]
 * ```
 *
 * @see D-200.
 */
export function solidLengths(type: SolidType, params: unknown): number[] | undefined {
  const names = PARAMETERS[type];
  const values = valuesOf(params, names);
  const lengths: number[] = [];
  for (let i = 0; i < names.length; i++) {
    const value = readNumber(values[i]);
    if (value === undefined || value <= 0) return undefined;
    lengths.push(value);
  }
  return lengths;
}

function valuesOf(params: unknown, names: readonly (readonly string[])[]): unknown[] {
  if (Array.isArray(params)) return params;
  if (typeof params === 'string') return params.split(/[\s,;]+/).filter((part) => part !== '');
  if (typeof params !== 'object' || params === null) return [];
  const byName = new Map(
    Object.entries(params).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  return names.map((aliases) => byName.get(aliases.find((alias) => byName.has(alias)) ?? ''));
}
