/**
 * Blocks: qualified names ↔ shapes. A name is `<MANUFACTURER>::<PROGRAM>::<FAMILY>_<w>X<h>X<d>`
 * with measures in millimetres; what it stands for follows from the name alone.
 */
import { encodeBlock } from '../shapes/encode.ts';
import { BOARD_FAMILIES } from './boards.ts';
import type { BlockFamilies } from './family.ts';
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

/** Programs that own blocks; `BASIS` and `WOHNEN` hold what several series share. */
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
 * @throws Error for a family that is not known or measures that do not fit: a mistake here.
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

function parse(name: string): { family: string; metres: number[] } | undefined {
  const [manufacturer, program, own, ...rest] = name.split('::');
  if (own === undefined || rest.length > 0) return undefined;
  if (!OWNERS.has(`${manufacturer}::${program}`)) return undefined;
  const [, family, measures] = /^(.*?)(?:_(\d+(?:X\d+)*))?$/.exec(own)!;
  if (!Object.hasOwn(FAMILIES, family!)) return undefined;
  const millimetres = measures === undefined ? [] : measures.split('X').map(Number);
  if (millimetres.length !== FAMILIES[family!]!.measures) return undefined;
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
