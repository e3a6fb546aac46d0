/** The size of an article as it was ordered: a model may be some millimetres larger, such as by its edges. */
import type { Vec3 } from '../../../convert/model/graphics.ts';
import { statedSize } from '../../../convert/wire/stated-size.ts';
import type { Article } from '../../../model/article.ts';

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
  const stated = statedSize(article);
  const ordered = sizeMetres.map((metres, axis) => {
    const most = Math.max(TOLERANCE.metres, metres * TOLERANCE.share);
    return stated[axis]!.find((length) => Math.abs(length - metres) <= most) ?? metres;
  });
  return ordered as unknown as Vec3;
}
