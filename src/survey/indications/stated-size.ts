/** The size of an article as its properties state it. */

import { readNumber } from '../../convert/wire/value.ts';
import type { Article } from '../../model/article.ts';

/** Possible lengths of width, height and depth, metres; none where no property states one. */
export type StatedSize = readonly [readonly number[], readonly number[], readonly number[]];

/** Names of a property that is a dimension, in the order of glTF: width, height, depth. */
const NAMES = [
  /^(?:width|breite|largeur|breedte|bredd)/i,
  /^(?:height|höhe|hoehe|hauteur|hoogte|höjd)/i,
  /^(?:depth|tiefe|profondeur|diepte|djup)/i,
] as const;

/** Metres of the units in which properties state lengths. */
const UNITS_METRES = [0.001, 0.01, 1] as const;
/** A piece of furniture is between these. */
const PLAUSIBLE_METRES = [0.05, 10] as const;

/** Reads the stated lengths; the service has no field for their unit, so that several may be possible. */
export function statedSize({ propclasses, ocd }: Article): StatedSize {
  const properties = [...(ocd?.propclasses ?? []), ...propclasses].flatMap((one) => one.properties);
  return NAMES.map((pattern) => {
    const named = properties.filter(({ text, name }) => pattern.test(text) || pattern.test(name));
    return named.flatMap(({ currentvalue }) => {
      const value = readNumber(currentvalue);
      if (value === undefined) return [];
      const lengths = UNITS_METRES.map((unit) => value * unit);
      return lengths.filter(
        (length) => length >= PLAUSIBLE_METRES[0] && length <= PLAUSIBLE_METRES[1],
      );
    });
  }) as unknown as StatedSize;
}
