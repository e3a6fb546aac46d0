/**
 * Block names and their shapes: `<MANUFACTURER>::<PROGRAM>::<FAMILY>_<w>X<h>X<d>`, in millimetres.
 *
 * The shape of a block follows from its name alone.
 */
import { type BlockFamilies, encodeBlock } from '../shapes/encode.ts';
import { type Point, placed } from '../shapes/surface.ts';
import { BOARD_FAMILIES } from './boards.ts';
import { FRAME_FAMILIES } from './frames.ts';
import { LIGHT_FAMILIES } from './lights.ts';
import { METAL_FAMILIES } from './metalwork.ts';
import { SEATING_FAMILIES } from './seating.ts';

const FAMILIES: BlockFamilies = {
  ...BOARD_FAMILIES,
  ...METAL_FAMILIES,
  ...SEATING_FAMILIES,
  ...FRAME_FAMILIES,
  ...LIGHT_FAMILIES,
};

/** Programs with blocks of their own; several series share `BASIS` and `WOHNEN`. */
const OWNERS: ReadonlySet<string> = new Set([
  'FJEL::BASIS',
  'FJEL::LINEA',
  'FJEL::DEPOT',
  'FJEL::FORUM',
  'BRNK::BASIS',
  'BRNK::AKTA',
  'BRNK::KONVA',
  'AULI::WOHNEN',
  'AULI::SALUN',
  'AULI::REGALO',
  'AULI::LUMO',
]);

/** Largest measure of a block, millimetres. */
const LARGEST = 4000;

/**
 * The name of a block; measures are rounded to whole millimetres.
 *
 * @throws Error for an unknown family or wrong measures: an error of this range.
 *
 * @example
 * ```ts
 * blockName('FJEL::BASIS', 'PLATTE', 1200, 19, 400);
 * // → 'FJEL::BASIS::PLATTE_1200X19X400'
 * ```
 */
export function blockName(owner: string, family: string, ...millimetres: number[]): string {
  const rounded = millimetres.map(Math.round);
  const name = `${owner}::${family}${rounded.length > 0 ? `_${rounded.join('X')}` : ''}`;
  if (parse(name) === undefined) throw new Error(`sample range: no block ${name}`);
  return name;
}

/**
 * How far a block is raised to touch the floor with its lowest point when it is turned.
 *
 * @returns Metres, in steps of 10 µm.
 */
export function heightOnFloor(name: string, rot: Point): number {
  const { family, metres } = parse(name)!;
  const lowest = placed(FAMILIES[family]!.make(...metres), { rot }).flatMap(({ positions }) =>
    positions.filter((_, k) => k % 3 === 1),
  );
  return Math.round(-Math.min(...lowest) * 1e5) / 1e5 + 0;
}

function parse(name: string): { family: string; metres: number[] } | undefined {
  const [manufacturer, program, own, ...rest] = name.split('::');
  if (own === undefined || rest.length > 0) return undefined;
  if (!OWNERS.has(`${manufacturer}::${program}`)) return undefined;
  const [, family, measures] = /^(.*?)(?:_(\d+(?:X\d+)*))?$/.exec(own)!;
  if (!Object.hasOwn(FAMILIES, family!)) return undefined;
  const millimetres = measures === undefined ? [] : measures.split('X').map(Number);
  if (millimetres.length !== FAMILIES[family!]!.make.length) return undefined;
  if (millimetres.some((value) => value < 1 || value > LARGEST)) return undefined;
  return { family: family!, metres: millimetres.map((value) => value / 1000) };
}

/** The raw JSON body of GET block by exact name; undefined if there is no such block. */
export function blockBody(name: string): Uint8Array | undefined {
  const block = parse(name);
  if (block === undefined) return undefined;
  const { make, quirks } = FAMILIES[block.family]!;
  return new TextEncoder().encode(JSON.stringify(encodeBlock(name, make(...block.metres), quirks)));
}
