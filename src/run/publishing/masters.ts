/** The published GLBs of which others are made, and what was made of them. */
import type { ArticleRequest } from '../../model/article.ts';
import { configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { ConverterError } from '../../support/errors.ts';
import { globMatcher } from '../../support/glob.ts';
import { configurationLabels } from '../lists/manifest-line.ts';
import { assignPaths } from '../output/article-path.ts';
import { readDeliveries } from '../output/delivered-files.ts';
import { manifestLines } from '../output/manifest.ts';
import { publishedAsset } from '../output/publish.ts';
import type { Published } from '../output/published.ts';

/** A published master. */
export interface Master {
  id: ArticleRequest;
  /** Path of its file. */
  glb: string;
  /** Path of its link below `articles/`, whether it has one or not: files of deliveries are named by it. */
  link: string;
  sha256: Digest;
  bytes: number;
  /** Whether it was requested without a configuration. */
  isDefault: boolean;
  /** Only carts select it: it is the planning of one customer. */
  isOnlyOfCarts: boolean;
}

/** Lists the published masters, in the order of the manifest. */
export async function mastersOf(outputDir: string): Promise<Master[]> {
  const masters: Master[] = [];
  const unlinked = new Map<string, Master>();
  const keys: string[] = [];
  for await (const line of manifestLines(outputDir)) {
    const asset = publishedAsset(line);
    const key = configurationKey(line);
    keys.push(key);
    if (asset === undefined) continue;
    const { bytes = 0 } = line.glb === undefined ? (line.lastGood ?? {}) : line;
    const isDefault = line.requested.some(
      ({ reinitstring, metareinitstring }) => reinitstring === '' && metareinitstring === '',
    );
    const master = {
      ...{ id: configurationId(line), ...asset, link: asset.glb, bytes },
      ...{ isDefault, isOnlyOfCarts: line.onlyCarts === true },
    };
    masters.push(master);
    if (!asset.glb.startsWith('articles/')) unlinked.set(key, master);
  }
  if (unlinked.size === 0) return masters;
  for (const [key, link] of assignPaths(keys)) {
    const master = unlinked.get(key);
    if (master !== undefined) master.link = link;
  }
  return masters;
}

/**
 * Finds published configurations.
 *
 * @param pattern - Glob on `MANUFACTURER/PROGRAM/number`, base or final, on a number alone, or on
 *   `MANUFACTURER/PROGRAM/number/configuration`, the path below `articles/`.
 * @returns The path of each below `articles/` as its name, and that of its GLB below the output folder, or its key.
 * @throws {@link ConverterError} `USAGE` if none matches, or without a manifest.
 * @example
 * ```ts
 * const [desk] = await findPublished(publishedIn('output/demo', Date.now), 'FJEL/LINEA/LN-M');
 * desk.glb;   // → 'articles/FJEL/LINEA/LN-M-V.EI…/default.glb'
 * ```
 */
export async function findPublished(published: Published, pattern: string) {
  await published.requireManifest();
  const { dir, name } = published;
  const matches = globMatcher(pattern);
  const found: (Pick<Master, 'id' | 'glb' | 'sha256'> & { name: string })[] = [];
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
