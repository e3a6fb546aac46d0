/** Finds the published master that a request means. */
import { join } from 'node:path';
import type { ArticleRequest } from '../../model/article.ts';
import { articleKey, configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { MANIFEST_FILE, manifestLines } from '../../run/output/manifest.ts';
import { publishedAsset } from '../../run/output/publish.ts';
import type { Published } from '../../run/output/published.ts';
import { statIfExists } from '../../support/files.ts';
import { groupBy } from '../../support/group-by.ts';

/** A GLB that is published, or one like it. */
export interface PublishedMaster {
  /** The configuration that it shows; missing for one that is not published. */
  id?: ArticleRequest;
  sha256: Digest;
  read(): Promise<Uint8Array>;
}

/** Finds the master that a request means; without one, the configurations that fit. */
export type FindPublished = (
  request: ArticleRequest,
) => Promise<{ master?: PublishedMaster; candidates: ArticleRequest[] }>;

/** The fields that a request may leave out. */
const CHOICES = ['finalarticlenumber', 'reinitstring', 'metareinitstring'] as const;

/**
 * Opens the published masters of an output folder; they are read again when its manifest is another.
 *
 * @returns Finds the master of the configuration that a request names, or which led to it. Of one that leaves out some
 *   of its fields, it is the default configuration if that fits, else the only one that fits; or there is none, and the
 *   configurations that fit are the candidates.
 * @example
 * ```ts
 * const find = publishedMasters(publishedIn('output/demo', Date.now));
 * await find(request);   // → { master, candidates: [] }
 * ```
 */
export function publishedMasters(published: Published): FindPublished {
  let read: { version: string; index: ReturnType<typeof readIndex> } | undefined;
  return async (request) => {
    await published.refresh();
    const facts = await statIfExists(join(published.dir, MANIFEST_FILE));
    if (facts === undefined) return { candidates: [] };
    const version = `${facts.bytes} ${facts.modifiedMs}`;
    if (read?.version !== version) read = { version, index: readIndex(published) };
    const { exact, byArticle } = await read.index;
    const named = exact.get(configurationKey(request));
    if (named !== undefined) return { master: named, candidates: [] };
    const fitting = (byArticle.get(articleKey(request)) ?? []).filter(({ id }) =>
      CHOICES.every((name) => request[name] === '' || request[name] === id[name]),
    );
    const one = fitting.find(({ isDefault }) => isDefault) ?? (fitting.length === 1 && fitting[0]);
    if (one) return { master: one.master, candidates: [] };
    return { candidates: fitting.map(({ id }) => id) };
  };
}

/** The masters by each request that led to one and by their own id, and the configurations by article. */
async function readIndex(published: Published) {
  const exact = new Map<string, PublishedMaster>();
  const configurations: { id: ArticleRequest; isDefault: boolean; master: PublishedMaster }[] = [];
  for await (const line of manifestLines(published.dir)) {
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    const { glb: path, sha256 } = asset;
    const id = configurationId(line);
    const master = { id, sha256, read: () => published.read({ path, sha256 }) };
    for (const request of [...line.requested, id]) exact.set(configurationKey(request), master);
    const isDefault = line.requested.some((request) =>
      CHOICES.every((name) => request[name] === ''),
    );
    configurations.push({ id, isDefault, master });
  }
  return { exact, byArticle: groupBy(configurations, ({ id }) => articleKey(id)) };
}
