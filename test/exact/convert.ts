/**
 * Convert: raw bodies through the converter to a GLB, as a black box.
 */

import type { ConvertOptions } from '../../src/convert/transform/convert-options.ts';
import { transformArticle } from '../../src/convert/transform/transform-article.ts';
import { writeGlb } from '../../src/convert/write/glb.ts';
import type { Loss } from '../../src/model/asset.ts';
import { articleKeyOf } from '../helpers/article-key.ts';
import { type Bodies, snapshotOf, transformedWith } from '../helpers/snapshot.ts';

/** Manufacturer and series of the key under which all articles are converted. */
export const SERIES = 'GEN::RANGE';
const KEY = articleKeyOf('1', { manufacturer: 'GEN', program: 'RANGE' });

/** Converts them; holes in the article are left open, and losses are added to the list. */
export async function convert(
  bodies: Bodies,
  options: Partial<ConvertOptions> = {},
  losses: Loss[] = [],
): Promise<Uint8Array> {
  const scene = await transformArticle({
    ...snapshotOf(bodies, KEY),
    ...transformedWith({ allowMissingParts: true, ...options }),
  });
  losses.push(...scene.losses);
  return writeGlb(scene);
}
