/**
 * The definitions that the series of Brenkhoff share: upholstery, layers, the plan symbol.
 */
import { blockName } from '../blocks/blocks.ts';
import type { Part, Values } from '../definition.ts';
import { partsOn, solid } from '../tree.ts';
import { choices, materialOf, pictured, text } from './properties.ts';

/** Material of Brenkhoff's shared program. */
export const brnk = (name: string): string => `BRNK::BASIS::${name}`;

/** Layer of a series. */
export const layer = (program: string, mode: string): string => `72_BRNK_${program}_${mode}`;

/** Cloth or leather of a chair. */
export const UPHOLSTERY = choices('STOFF', 'BEZUG', text('Bezug', 'Upholstery'), [
  pictured('PETROL', 'PE', 'Webstoff petrol', 'Woven cloth, petrol', brnk('STOFF_PETROL')),
  pictured('GRAU', 'GR', 'Webstoff grau', 'Woven cloth, grey', brnk('STOFF_GRAU')),
  pictured('ROST', 'RO', 'Webstoff rost', 'Woven cloth, rust', brnk('STOFF_ROST')),
  pictured('LEDER CO', 'LC', 'Leder cognac', 'Leather, cognac', brnk('LEDER_COGNAC'), 180),
  pictured('LEDER SW', 'LS', 'Leder schwarz', 'Leather, black', brnk('LEDER_SCHWARZ'), 180),
]);

/** Material of the chosen cover. */
export const cloth = (values: Values): string => materialOf(UPHOLSTERY, values);

/** The plan symbol of a chair and the attach point of a table: both invisible. */
export function bodySymbol(program: string, size: number): Part[] {
  const symbol = blockName('BRNK::BASIS', 'SYMBOL', size * 1000, size * 1000);
  const inPlan = partsOn(layer(program, 'D2').toLowerCase());
  const attached = partsOn(layer(program, 'ATTACH_TISCH'));
  return [
    inPlan(symbol, brnk('SYMBOL'), [-size / 2, 0, -size / 2]),
    attached(solid('sphere', [0.01]), brnk('SYMBOL'), [0, 0, size / 2]),
  ];
}
