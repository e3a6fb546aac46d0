/**
 * The definitions that the series of Fjelmark share: finishes, block names, layers, small assemblies.
 */
import { blockName } from '../blocks/blocks.ts';
import type { Part, Values } from '../definition.ts';
import type { Point } from '../shapes/surface.ts';
import { imp, type NodeOptions, partsOn, solid } from '../tree.ts';
import { choice, choices, materialOf, pictured, text } from './properties.ts';

/** Material name of Fjelmark's shared program. */
export const basis = (name: string): string => `FJEL::BASIS::${name}`;

/** Name of a block that all series of Fjelmark share. */
export const shared = (family: string, ...measures: number[]): string =>
  blockName('FJEL::BASIS', family, ...measures);

/** Layer of a series: mode and tag, such as `D3` and `SCHUB 1`. */
export const layer = (program: string, mode: string): string => `72_FJEL_${program}_${mode}`;

/** Finish of a top or a carcass. */
export const DECOR = choices('DEKOR', 'OBERFLÄCHE', text('Dekor', 'Finish'), [
  pictured('EI', 'EI', 'Eiche furniert', 'Oak veneer', basis('EICHE'), 85),
  pictured('NB', 'NB', 'Nussbaum furniert', 'Walnut veneer', basis('NUSSBAUM'), 120),
  pictured('BU', 'BU', 'Buche furniert', 'Beech veneer', basis('BUCHE'), 60),
  choice('WS', 'WS', 'Weiß', 'White', { mat: basis('WEISS') }),
  choice('LG', 'LG', 'Lichtgrau', 'Light grey', { mat: basis('LICHTGRAU') }),
]);

/** Finish of a metal frame. */
export const FRAME = choices('GESTELL', 'OBERFLÄCHE', text('Gestell', 'Frame'), [
  choice('SW', 'SW', 'Schwarz', 'Black', { mat: basis('PULVER_SCHWARZ') }),
  choice('WS', 'WE', 'Weiß', 'White', { mat: basis('PULVER_WEISS') }),
  choice('SI', 'SI', 'Silber', 'Silver', { surcharge: 15, mat: basis('PULVER_SILBER') }),
]);

/** Material of a lying board in the chosen finish. */
export const decor = (values: Values): string => materialOf(DECOR, values);

/** Material of an upright board: the grain runs up. */
export const upright = (values: Values): string => veneer(values, '_HOCH');

/** Material of a top that is larger than a tile of veneer: one wide leaf, in which nothing repeats. */
export const wide = (values: Values): string => veneer(values, '_BREIT');

/** Material of a front: the grain runs up by exchanged axes. */
export const front = (values: Values): string => veneer(values, '_FRONT');

/** Whether the finish has a grain. */
export const isVeneer = ({ DEKOR = '' }: Values): boolean => ['EI', 'NB', 'BU'].includes(DEKOR);

function veneer(values: Values, kind: string): string {
  return decor(values) + (isVeneer(values) ? kind : '');
}

/** Material of the chosen frame. */
export const frame = (values: Values): string => materialOf(FRAME, values);

/** A board by its measures in millimetres. */
export function board(w: number, h: number, d: number, options?: NodeOptions): Part {
  return imp(shared('PLATTE', w, h, d), options);
}

/** Glides on the floor at the given points (x, z in metres). */
export function glides(points: readonly (readonly [number, number])[], diameter = 40): Part[] {
  const name = shared('GLEITER', diameter);
  return points.map(([x, z]) => imp(name, { at: [x, 0, z], mat: basis('KUNSTSTOFF') }));
}

/** The invisible nodes of every article: plan symbol, origin and attach points. */
export function invisible(program: string, w: number, d: number, at: Point = [0, 0, 0]): Part[] {
  const place = (mode: string, shape: string | Part, point: Point): Part =>
    partsOn(layer(program, mode))(shape, basis('SYMBOL'), point);
  return [
    place('D2', shared('SYMBOL', w * 1000, d * 1000), at),
    place('ORIGIN', solid('sphere', { r: 0.01 }), [0, 0, 0]),
    place('ATTACH_R', solid('block', [0.02, 0.02, 0.02]), [at[0] + w, 0, at[2]]),
  ];
}
