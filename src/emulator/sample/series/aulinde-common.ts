/**
 * The definitions that the series of Aulinde share: woods, cloths, lacquers, layers, the plan symbol.
 */
import { blockName, heightOnFloor } from '../blocks/blocks.ts';
import type { Choice, Part, Values } from '../definition.ts';
import type { Point } from '../shapes/surface.ts';
import { imp, type NodeOptions, top } from '../tree.ts';
import { choices, materialOf, pictured, text } from './properties.ts';

/** Material of Aulinde's shared program. */
export const home = (name: string): string => `AULI::WOHNEN::${name}`;

/** Name of a block that all series of Aulinde share. */
export const shared = (family: string, ...measures: number[]): string =>
  blockName('AULI::WOHNEN', family, ...measures);

/** Layer of a series. */
export const layer = (program: string, mode: string): string => `72_AULI_${program}_${mode}`;

/** Wood of a piece. */
export const WOOD = choices('HOLZ', 'OBERFLÄCHE', text('Holz', 'Wood'), [
  pictured('Eiche natur', 'EICHE', 'Eiche natur geölt', 'Natural oak, oiled', home('EICHE NATUR')),
  pictured('Nussbaum', 'NUSS', 'Nussbaum geölt', 'Walnut, oiled', home('NUSSBAUM'), 140),
  pictured('Esche', 'ESCHE', 'Esche weiß pigmentiert', 'Ash, white pigmented', home('ESCHE')),
]);

/** A cloth or leather: the name of its texture has no blank. */
const covering = (...row: Parameters<typeof pictured>): Choice => {
  const made = pictured(...row);
  return { ...made, preview: made.preview!.replace(' ', '_') };
};

/** Cover of a sofa. */
export const COVER = choices('BEZUG', 'BEZUG', text('Bezug', 'Cover'), [
  covering('Sand', 'SAND', 'Webstoff sand', 'Woven cloth, sand', home('STOFF SAND')),
  covering('Moosgrün', 'MOOSGRÜN', 'Webstoff moosgrün', 'Woven cloth, moss', home('STOFF MOOS')),
  covering('Rost', 'ROST', 'Webstoff rost', 'Woven cloth, rust', home('STOFF ROST')),
  covering('Leder Cognac', 'LEDER', 'Leder cognac', 'Leather, cognac', home('LEDER COGNAC'), 620),
]);

/** Material of the chosen cover. */
export const cover = (values: Values): string => materialOf(COVER, values);

/** Material of the chosen wood: `''` lying, ` HOCH` upright, ` GEDREHT` along a swept part. */
export function wood(values: Values, kind: '' | ' HOCH' | ' GEDREHT' = ''): string {
  return materialOf(WOOD, values) + kind;
}

/** A board by its measures in millimetres. */
export function board(w: number, h: number, d: number, options?: NodeOptions): Part {
  return imp(shared('PLATTE', w, h, d), options);
}

/** Three leaning legs about the axis, at a distance from it in metres. */
export function threeLegs(leg: string, reach: number, lean: number, lay: string, values: Values) {
  const rot = [0, 0, lean] as const;
  const at = [reach, heightOnFloor(leg, rot), 0] as const;
  return [90, 210, 330].map((turn) =>
    top({ rot: [0, turn, 0], lay }, [imp(leg, { at, rot, mat: wood(values, ' HOCH') })]),
  );
}

/** The plan symbol and the texts of the plan: invisible. */
export function plan(program: string, w: number, d: number, at: Point = [0, 0, 0]): Part[] {
  const symbol = shared('SYMBOL', w * 1000, d * 1000);
  return ['D2', 'TEXT', 'DIMENSIONS'].map((mode, i) =>
    imp(symbol, { at: [at[0], i * 0.001, at[2]], mat: home('SYMBOL'), lay: layer(program, mode) }),
  );
}
