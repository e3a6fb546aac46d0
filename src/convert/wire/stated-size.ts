/** The size of an article as its properties state it. */
import type { Article } from '../../model/article.ts';
import type { Vec3 } from '../model/graphics.ts';
import { readNumber } from './value.ts';

/** A property with its value. */
export interface StatedValue {
  name: string;
  /** What a person reads instead of the name. */
  text: string;
  value: string;
}

/** Possible lengths of width, height and depth, metres; none where no property states one. */
export type StatedSize = readonly [readonly number[], readonly number[], readonly number[]];

/** Beginnings of the names of a property that is a dimension, in the order of glTF: width, height, depth. */
const NAMES = [
  /^(?:width|breite|largeur|breedte|bredd)/i,
  /^(?:height|höhe|hoehe|hauteur|hoogte|höjd)/i,
  /^(?:depth|tiefe|profondeur|diepte|djup)/i,
] as const;

/** Metres of the units in which properties state lengths. */
const UNITS_METRES = [0.001, 0.01, 1] as const;

/** A property whose value differs more from the model is another dimension, such as the height of a seat. */
const TOLERANCE = { metres: 0.012, share: 0.01 };

/** The properties of an article, without those of its children, in the order of the catalogue. */
export function statedValues({ propclasses, ocd }: Article): StatedValue[] {
  const properties = [...(ocd?.propclasses ?? []), ...propclasses].flatMap((one) => one.properties);
  return properties.map(({ name, text, currentvalue: value }) => ({ name, text, value }));
}

/**
 * Reads the lengths that properties state, each in every unit: the service has no field for a unit.
 *
 * @example
 * ```ts
 * statedSize([{ name: 'B', text: 'Width', value: '1600' }]); // → [[1.6, 16, 1600], [], []]
 * ```
 *
 * @see Spec 2.2 (`currentvalue`).
 */
export function statedSize(properties: readonly StatedValue[]): StatedSize {
  return NAMES.map((pattern) => {
    const named = properties.filter(({ text, name }) => pattern.test(text) || pattern.test(name));
    return named.flatMap(({ value }) => {
      const length = readNumber(value);
      return length === undefined ? [] : UNITS_METRES.map((unit) => length * unit);
    });
  }) as unknown as StatedSize;
}

/**
 * The size of an article as it was ordered: a model may be some millimetres larger, such as by its edges. Each length is
 * that of the first property that states it and fits the model, otherwise that of the model.
 *
 * @param modelMetres - Size of the model in the order of glTF: width, height, depth.
 * @returns The same order, metres.
 * @example
 * ```ts
 * // A desk whose model has edges of 1 mm:
 * orderedSize([{ name: 'T', text: 'Depth in mm', value: '800' }], [1.6, 0.74, 0.802]); // → [1.6, 0.74, 0.8]
 * ```
 */
export function orderedSize(properties: readonly StatedValue[], modelMetres: Vec3): Vec3 {
  const stated = statedSize(properties);
  return modelMetres.map((metres, axis) => {
    const most = Math.max(TOLERANCE.metres, metres * TOLERANCE.share);
    return stated[axis]!.find((length) => Math.abs(length - metres) <= most) ?? metres;
  }) as unknown as Vec3;
}
