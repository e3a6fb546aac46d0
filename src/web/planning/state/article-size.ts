/** The size of an article as it was ordered: a model may be some millimetres larger, such as by its edges. */
import type { Vec3 } from '../../../convert/model/graphics.ts';
import { readNumber } from '../../../convert/wire/value.ts';
import type { Article, ArticleProperty } from '../../../model/article.ts';
import { namedProperties } from './fields.ts';

/** Beginnings of the names of a property that is a dimension, in the order of glTF: width, height, depth. */
const NAMES = [/^(?:width|breite)/i, /^(?:height|höhe|hoehe)/i, /^(?:depth|tiefe)/i] as const;

/** Metres of the units in which articles have dimensions. */
const UNITS_METRES = [0.001, 0.01, 1] as const;

/** A property whose value differs more from the model is another dimension, such as the height of a seat. */
const TOLERANCE = { metres: 0.012, share: 0.01 };

/**
 * Width, height and depth: each is the value of a property of the article that has its name and fits the model, otherwise
 * that of the model.
 *
 * @param sizeMetres - Of the model.
 * @example
 * ```ts
 * // A desk with the property "Depth in mm" = 800, whose model has edges of 1 mm:
 * articleSizeMetres(desk, [1.6, 0.74, 0.802]); // → [1.6, 0.74, 0.8]
 * ```
 */
export function articleSizeMetres(article: Article, sizeMetres: Vec3): Vec3 {
  const properties = namedProperties(article).map(({ property }) => property);
  const ordered = sizeMetres.map((metres, axis) => {
    const named = properties.filter(({ text, name }) => NAMES[axis]!.test(text || name));
    const fitting = named.flatMap((property) => lengthsMetres(property));
    const most = Math.max(TOLERANCE.metres, metres * TOLERANCE.share);
    return fitting.find((length) => Math.abs(length - metres) <= most) ?? metres;
  });
  return ordered as unknown as Vec3;
}

/** The value in each unit: the service has no field for a unit, and only one of these lengths can fit a model. */
function lengthsMetres({ currentvalue }: ArticleProperty): number[] {
  const value = readNumber(currentvalue);
  return value === undefined ? [] : UNITS_METRES.map((unit) => value * unit);
}
