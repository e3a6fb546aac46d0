/** The size that pages and feeds of a shop have of a configuration. */
import { orderedSize } from '../../convert/wire/stated-size.ts';
import type { CatalogueLine } from '../../run/lists/manifest-line.ts';

/**
 * The size as it was ordered, to a tenth of a millimetre; null without a GLB.
 *
 * @example
 * ```ts
 * // A desk with the property "Depth in mm" = 800, whose model has edges of 1 mm:
 * publishedSize(line); // → { width: 1600, depth: 800, height: 740 }
 * ```
 */
export function publishedSize({
  properties,
  sizeMillimetres,
}: Pick<CatalogueLine, 'properties' | 'sizeMillimetres'>): CatalogueLine['sizeMillimetres'] {
  if (sizeMillimetres === null) return null;
  const { width, depth, height } = sizeMillimetres;
  const ordered = orderedSize(properties, [width / 1000, height / 1000, depth / 1000]);
  const [x, y, z] = ordered.map((metres) => Math.round(metres * 10_000) / 10);
  return { width: x!, depth: z!, height: y! };
}
