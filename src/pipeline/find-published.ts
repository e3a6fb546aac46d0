/** Finds published configurations by a pattern, with all that was made of them. */
import type { ArticleRequest } from '../model/article.ts';
import {
  configurationId,
  configurationKey,
  configurationLabels,
} from '../model/configuration-id.ts';
import { ConverterError } from '../support/errors.ts';
import { globMatcher } from '../support/glob.ts';
import { manifestLines } from '../write/manifest.ts';
import { publishedAsset } from '../write/publish.ts';
import { type DeliveryLine, readDeliveries } from './deliveries.ts';
import { requireManifest } from './output-folder.ts';

/** A published configuration. */
interface PublishedConfiguration {
  /** `MANUFACTURER/PROGRAM/number/configuration`, as below `articles/`. */
  name: string;
  /** Path of its GLB below the output folder. */
  glb: string;
  deliveries: DeliveryLine[];
}

/**
 * Finds the configurations of an output folder.
 *
 * @param pattern - Glob on `MANUFACTURER/PROGRAM/number`, base or final, on a number alone, or on
 *   `MANUFACTURER/PROGRAM/number/configuration`, the path below `articles/`.
 * @throws {@link ConverterError} `USAGE` if none matches, or without a manifest.
 * @example
 * ```ts
 * const [desk] = await findPublished('output/demo', 'FJEL/LINEA/LN-M');
 * desk.glb;   // → 'articles/FJEL/LINEA/LN-M-V.EI…/default.glb'
 * ```
 */
export async function findPublished(
  outputDir: string,
  pattern: string,
): Promise<PublishedConfiguration[]> {
  await requireManifest(outputDir);
  const matches = globMatcher(pattern);
  const found: (Omit<PublishedConfiguration, 'deliveries'> & { id: ArticleRequest })[] = [];
  let example: string | undefined;
  for await (const line of manifestLines(outputDir)) {
    const glb = publishedAsset(line)?.glb;
    if (glb === undefined) continue;
    const name = glb.replace(/^articles\//, '').replace(/\.glb$/, '');
    example ??= name;
    const numbers = [line.basearticlenumber, line.finalarticlenumber];
    if ([...numbers, ...configurationLabels(line), name].some(matches))
      found.push({ id: configurationId(line), name, glb });
  }
  if (found.length === 0) {
    const what = `${pattern}: expected an article of ${outputDir}, received none of its articles`;
    const help = `use MANUFACTURER/PROGRAM/number with * and ?, in quotes; the output has ${example ?? 'none'}`;
    throw new ConverterError('USAGE', what, { help });
  }
  const deliveries = [...(await readDeliveries(outputDir)).values()];
  return found.map(({ id, ...rest }) => {
    const key = configurationKey(id);
    return { ...rest, deliveries: deliveries.filter((line) => configurationKey(line) === key) };
  });
}
