/**
 * The definitions that the series of Aulinde share: woods, cloths, lacquers, layers, the plan symbol.
 */
import { blockName } from '../blocks/blocks.ts';
import type { Part, PropertyDefinition, Values } from '../definition.ts';
import type { Point } from '../shapes/surface.ts';
import { imp, type NodeOptions } from '../tree.ts';
import { choice, choices, text } from './properties.ts';

/** Material of Aulinde's shared program. */
export const home = (name: string): string => `AULI::WOHNEN::${name}`;

/** Name of a block that all series of Aulinde share. */
export const shared = (family: string, ...measures: number[]): string =>
  blockName('AULI::WOHNEN', family, ...measures);

/** Layer of a series. */
export const layer = (program: string, mode: string): string => `72_AULI_${program}_${mode}`;

/** Wood of a piece. */
export const WOOD: PropertyDefinition = choices('HOLZ', 'OBERFLÄCHE', text('Holz', 'Wood'), [
  choice('Eiche natur', 'EICHE', 'Eiche natur geölt', 'Natural oak, oiled', {
    preview: 'EICHE NATUR.JPG',
  }),
  choice('Nussbaum', 'NUSS', 'Nussbaum geölt', 'Walnut, oiled', {
    surcharge: 140,
    preview: 'NUSSBAUM.JPG',
  }),
  choice('Esche', 'ESCHE', 'Esche weiß pigmentiert', 'Ash, white pigmented', {
    preview: 'ESCHE.JPG',
  }),
]);

/** Cover of a sofa. */
export const COVER: PropertyDefinition = choices('BEZUG', 'BEZUG', text('Bezug', 'Cover'), [
  choice('Sand', 'SAND', 'Webstoff sand', 'Woven cloth, sand', { preview: 'STOFF_SAND.JPG' }),
  choice('Moosgrün', 'MOOSGRÜN', 'Webstoff moosgrün', 'Woven cloth, moss', {
    preview: 'STOFF_MOOS.JPG',
  }),
  choice('Rost', 'ROST', 'Webstoff rost', 'Woven cloth, rust', { preview: 'STOFF_ROST.JPG' }),
  choice('Leder Cognac', 'LEDER', 'Leder cognac', 'Leather, cognac', {
    surcharge: 620,
    preview: 'LEDER_COGNAC.JPG',
  }),
]);

const COVERS: Readonly<Record<string, string>> = {
  Sand: home('STOFF SAND'),
  Moosgrün: home('STOFF MOOS'),
  Rost: home('STOFF ROST'),
  'Leder Cognac': home('LEDER COGNAC'),
};

/** Material of the chosen cover. */
export const cover = (values: Values): string => COVERS[values.BEZUG ?? ''] ?? home('STOFF SAND');

/** Material of the chosen wood: `''` lying, ` HOCH` upright, ` GEDREHT` along a swept part. */
export function wood(values: Values, kind: '' | ' HOCH' | ' GEDREHT' = ''): string {
  return home((values.HOLZ ?? 'Eiche natur').toUpperCase() + kind);
}

/** A board by its measures in millimetres. */
export function board(w: number, h: number, d: number, options: NodeOptions): Part {
  return imp(shared('PLATTE', w, h, d), options);
}

/** The plan symbol and the texts of the plan: invisible. */
export function plan(program: string, w: number, d: number, at: Point = [0, 0, 0]): Part[] {
  const symbol = shared('SYMBOL', w * 1000, d * 1000);
  return ['D2', 'TEXT', 'DIMENSIONS'].map((mode, i) =>
    imp(symbol, { at: [at[0], i * 0.001, at[2]], mat: home('SYMBOL'), lay: layer(program, mode) }),
  );
}
