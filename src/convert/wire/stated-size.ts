/** The size of an article as its properties state it. */
import type { Article } from '../../model/article.ts';
import { readNumber } from './value.ts';

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

/**
 * Reads the lengths that properties state, each in every unit: the service has no field for a unit.
 *
 * @example
 * ```ts
 * statedSize(desk); // with the property "Width" = 1600: [[1.6, 16, 1600], [], []]
 * ```
 *
 * @see Spec 2.2 (`currentvalue`).
 */
export function statedSize({ propclasses, ocd }: Article): StatedSize {
  const classes = [...propclasses, ...(ocd?.propclasses ?? [])];
  const properties = classes.flatMap((one) => one.properties);
  return NAMES.map((pattern) => {
    const named = properties.filter(({ text, name }) => pattern.test(text) || pattern.test(name));
    return named.flatMap(({ currentvalue }) => {
      const value = readNumber(currentvalue);
      return value === undefined ? [] : UNITS_METRES.map((unit) => value * unit);
    });
  }) as unknown as StatedSize;
}
