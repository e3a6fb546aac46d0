/**
 * The definitions that the series of Brenkhoff share: upholstery, layers, the plan symbol.
 */
import { blockName } from '../blocks/blocks.ts';
import type { Part, PropertyDefinition, Values } from '../definition.ts';
import { imp, solid } from '../tree.ts';
import { choice, choices, pick, text } from './properties.ts';

/** Material of Brenkhoff's shared program. */
export const brnk = (name: string): string => `BRNK::BASIS::${name}`;

/** Layer of a series. */
export const layer = (program: string, mode: string): string => `72_BRNK_${program}_${mode}`;

const COVERS: Readonly<Record<string, string>> = {
  PETROL: brnk('STOFF_PETROL'),
  GRAU: brnk('STOFF_GRAU'),
  ROST: brnk('STOFF_ROST'),
  'LEDER CO': brnk('LEDER_COGNAC'),
  'LEDER SW': brnk('LEDER_SCHWARZ'),
};

/** Cloth or leather of a chair. */
export const UPHOLSTERY: PropertyDefinition = choices(
  'STOFF',
  'BEZUG',
  text('Bezug', 'Upholstery'),
  [
    choice('PETROL', 'PE', 'Webstoff petrol', 'Woven cloth, petrol', {
      preview: 'STOFF_PETROL.JPG',
    }),
    choice('GRAU', 'GR', 'Webstoff grau', 'Woven cloth, grey', { preview: 'STOFF_GRAU.JPG' }),
    choice('ROST', 'RO', 'Webstoff rost', 'Woven cloth, rust', { preview: 'STOFF_ROST.JPG' }),
    choice('LEDER CO', 'LC', 'Leder cognac', 'Leather, cognac', {
      surcharge: 180,
      preview: 'LEDER_COGNAC.JPG',
    }),
    choice('LEDER SW', 'LS', 'Leder schwarz', 'Leather, black', {
      surcharge: 180,
      preview: 'LEDER_SCHWARZ.JPG',
    }),
  ],
);

/** Material of the chosen cover. */
export const cloth = (values: Values): string => pick(COVERS, values, 'STOFF');

/** The plan symbol of a chair and the attach point of a table: both invisible. */
export function bodySymbol(program: string, size: number): Part[] {
  return [
    imp(blockName('BRNK::BASIS', 'SYMBOL', size * 1000, size * 1000), {
      at: [-size / 2, 0, -size / 2],
      mat: brnk('SYMBOL'),
      lay: layer(program, 'D2').toLowerCase(),
    }),
    solid('sphere', [0.01], {
      at: [0, 0, size / 2],
      mat: brnk('SYMBOL'),
      lay: layer(program, 'ATTACH_TISCH'),
    }),
  ];
}
