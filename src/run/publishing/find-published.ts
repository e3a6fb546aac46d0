/** Finds published configurations by a pattern, with all that was made of them. */
import type { ArticleRequest } from '../../model/article.ts';
import { configurationKey, configurationLabels } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { ConverterError } from '../../support/errors.ts';
import { globMatcher } from '../../support/glob.ts';
import { type DeliveryLine, readDeliveries } from '../output/delivered-files.ts';
import type { Published } from '../output/published.ts';
import { mastersOf } from './masters.ts';

interface PublishedConfiguration {
  /** `MANUFACTURER/PROGRAM/number/configuration`, as below `articles/`. */
  name: string;
  /** Path of its GLB below the output folder, or its key. */
  glb: string;
  sha256: Digest;
  deliveries: DeliveryLine[];
}

/**
 * Finds published configurations.
 *
 * @param pattern - Glob on `MANUFACTURER/PROGRAM/number`, base or final, on a number alone, or on
 *   `MANUFACTURER/PROGRAM/number/configuration`, the path below `articles/`.
 * @throws {@link ConverterError} `USAGE` if none matches, or without a manifest.
 * @example
 * ```ts
 * const [desk] = await findPublished(publishedIn('output/demo', Date.now), 'FJEL/LINEA/LN-M');
 * desk.glb;   // → 'articles/FJEL/LINEA/LN-M-V.EI…/default.glb'
 * ```
 */
export async function findPublished(
  published: Published,
  pattern: string,
): Promise<PublishedConfiguration[]> {
  await published.requireManifest();
  const { dir, name } = published;
  const matches = globMatcher(pattern);
  const found: (Omit<PublishedConfiguration, 'deliveries'> & { id: ArticleRequest })[] = [];
  let example: string | undefined;
  for (const { id, glb, link, sha256 } of await mastersOf(dir)) {
    const own = link.replace(/^articles\//, '').replace(/\.glb$/, '');
    example ??= own;
    const numbers = [id.basearticlenumber, id.finalarticlenumber];
    if ([...numbers, ...configurationLabels(id), own].some(matches))
      found.push({ id, name: own, glb, sha256 });
  }
  if (found.length === 0) {
    const what = `${pattern}: expected an article of ${name}, received none of its articles`;
    const help = `use MANUFACTURER/PROGRAM/number with * and ?, in quotes; the output has ${example ?? 'none'}`;
    throw new ConverterError('USAGE', what, { help });
  }
  const deliveries = [...(await readDeliveries(dir)).values()];
  return found.map(({ id, ...rest }) => {
    const key = configurationKey(id);
    return { ...rest, deliveries: deliveries.filter((line) => configurationKey(line) === key) };
  });
}
