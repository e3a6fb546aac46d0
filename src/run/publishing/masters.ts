/** The published GLBs of which others are made. */
import type { ArticleRequest } from '../../model/article.ts';
import { configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { assignPaths } from '../output/article-path.ts';
import { manifestLines } from '../output/manifest.ts';
import { publishedAsset } from '../output/publish.ts';

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
    const isDefault = line.requested.some(isWithoutConfiguration);
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

function isWithoutConfiguration({ reinitstring, metareinitstring }: ArticleRequest): boolean {
  return reinitstring === '' && metareinitstring === '';
}
