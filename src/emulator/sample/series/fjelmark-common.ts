/**
 * The definitions that the series of Fjelmark share: finishes, block names, layers, small assemblies.
 */
import { blockName } from '../blocks/blocks.ts';
import type { Part, PropertyDefinition, Values } from '../definition.ts';
import type { Point } from '../shapes/surface.ts';
import { imp, type NodeOptions, solid } from '../tree.ts';
import { choice, choices, pick, text } from './properties.ts';

/** Material name of Fjelmark's shared program. */
export const basis = (name: string): string => `FJEL::BASIS::${name}`;

/** Name of a block that all series of Fjelmark share. */
export const shared = (family: string, ...measures: number[]): string =>
  blockName('FJEL::BASIS', family, ...measures);

/** Layer of a series: mode and tag, such as `D3` and `SCHUB 1`. */
export const layer = (program: string, mode: string): string => `72_FJEL_${program}_${mode}`;

const TOPS: Readonly<Record<string, string>> = {
  EI: basis('EICHE'),
  NB: basis('NUSSBAUM'),
  BU: basis('BUCHE'),
  WS: basis('WEISS'),
  LG: basis('LICHTGRAU'),
};

const FRAMES: Readonly<Record<string, string>> = {
  SW: basis('PULVER_SCHWARZ'),
  WS: basis('PULVER_WEISS'),
  SI: basis('PULVER_SILBER'),
};

/** Finish of a top or a carcass. */
export const DECOR: PropertyDefinition = choices('DEKOR', 'OBERFLÄCHE', text('Dekor', 'Finish'), [
  choice('EI', 'EI', 'Eiche furniert', 'Oak veneer', { surcharge: 85, preview: 'EICHE.JPG' }),
  choice('NB', 'NB', 'Nussbaum furniert', 'Walnut veneer', {
    surcharge: 120,
    preview: 'NUSSBAUM.JPG',
  }),
  choice('BU', 'BU', 'Buche furniert', 'Beech veneer', { surcharge: 60, preview: 'BUCHE.JPG' }),
  choice('WS', 'WS', 'Weiß', 'White'),
  choice('LG', 'LG', 'Lichtgrau', 'Light grey'),
]);

/** Finish of a metal frame. */
export const FRAME: PropertyDefinition = choices(
  'GESTELL',
  'OBERFLÄCHE',
  text('Gestell', 'Frame'),
  [
    choice('SW', 'SW', 'Schwarz', 'Black'),
    choice('WS', 'WE', 'Weiß', 'White'),
    choice('SI', 'SI', 'Silber', 'Silver', { surcharge: 15 }),
  ],
);

/** Material of a lying board in the chosen finish. */
export const decor = (values: Values): string => pick(TOPS, values, 'DEKOR');

/** Material of an upright board: the grain runs up. */
export function upright(values: Values): string {
  const name = decor(values);
  return isVeneer(values) ? `${name}_HOCH` : name;
}

/** Material of a top that is larger than a tile of veneer: one wide leaf, in which nothing repeats. */
export function wide(values: Values): string {
  const name = decor(values);
  return isVeneer(values) ? `${name}_BREIT` : name;
}

/** Material of a front: the grain runs up by exchanged axes. */
export function front(values: Values): string {
  const name = decor(values);
  return isVeneer(values) ? `${name}_FRONT` : name;
}

function isVeneer(values: Values): boolean {
  return ['EI', 'NB', 'BU'].includes(values.DEKOR ?? '');
}

/** Material of the chosen frame. */
export const frame = (values: Values): string => pick(FRAMES, values, 'GESTELL');

/** A board by its measures in millimetres. */
export function board(w: number, h: number, d: number, options: NodeOptions): Part {
  return imp(shared('PLATTE', w, h, d), options);
}

/** Glides on the floor at the given points (x, z in metres). */
export function glides(points: readonly (readonly [number, number])[], diameter = 40): Part[] {
  const name = shared('GLEITER', diameter);
  return points.map(([x, z]) => imp(name, { at: [x, 0, z], mat: basis('KUNSTSTOFF') }));
}

/** The invisible nodes of every article: plan symbol, origin and attach points. */
export function invisible(program: string, w: number, d: number, at: Point = [0, 0, 0]): Part[] {
  return [
    imp(shared('SYMBOL', w * 1000, d * 1000), {
      at,
      mat: basis('SYMBOL'),
      lay: layer(program, 'D2'),
    }),
    solid(
      'sphere',
      { r: 0.01 },
      { at: [0, 0, 0], mat: basis('SYMBOL'), lay: layer(program, 'ORIGIN') },
    ),
    solid('block', [0.02, 0.02, 0.02], {
      at: [at[0] + w, 0, at[2]],
      mat: basis('SYMBOL'),
      lay: layer(program, 'ATTACH_R'),
    }),
  ];
}
