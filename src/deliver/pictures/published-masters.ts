/** Finds the published master that a request means. */
import { join } from 'node:path';
import type { ArticleRequest } from '../../model/article.ts';
import { articleKey, configurationId, configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { MANIFEST_FILE, manifestLines } from '../../run/output/manifest.ts';
import { publishedAsset } from '../../run/output/publish.ts';
import type { Published } from '../../run/output/published.ts';
import { statIfExists } from '../../support/files.ts';

/** A GLB that is published, or one like it. */
export interface PublishedMaster {
  sha256: Digest;
  read(): Promise<Uint8Array>;
}

interface Configuration {
  id: ArticleRequest;
  isDefault: boolean;
  master: PublishedMaster;
}

/** What a request means: a master; or none, and the configurations that fit. */
interface Found {
  master?: PublishedMaster;
  candidates: ArticleRequest[];
}

/** The fields that a request may leave out. */
const CHOICES = ['finalarticlenumber', 'reinitstring', 'metareinitstring'] as const;

/**
 * The published masters of an output folder; they are read again when its manifest is another.
 *
 * @example
 * ```ts
 * const masters = new PublishedMasters(publishedIn('output/demo', Date.now));
 * await masters.find(request);   // → { master, candidates: [] }
 * ```
 */
export class PublishedMasters {
  readonly #published: Published;
  /** What was read of a manifest, and of which. */
  #read: { version: string; index: Promise<MasterIndex> } | undefined;

  constructor(published: Published) {
    this.#published = published;
  }

  /**
   * Finds the configuration that a request names, or which led to it. Of one that leaves out some of its fields, it is
   * the default configuration if that fits, else the only one that fits.
   */
  async find(request: ArticleRequest): Promise<Found> {
    const published = this.#published;
    await published.refresh();
    const facts = await statIfExists(join(published.dir, MANIFEST_FILE));
    if (facts === undefined) return { candidates: [] };
    const version = `${facts.bytes} ${facts.modifiedMs}`;
    if (this.#read?.version !== version) this.#read = { version, index: readIndex(published) };
    const { exact, byArticle } = await this.#read.index;
    const named = exact.get(configurationKey(request));
    if (named !== undefined) return { master: named, candidates: [] };
    const fitting = (byArticle.get(articleKey(request)) ?? []).filter(({ id }) =>
      CHOICES.every((name) => request[name] === '' || request[name] === id[name]),
    );
    const one = fitting.find(({ isDefault }) => isDefault) ?? (fitting.length === 1 && fitting[0]);
    if (one) return { master: one.master, candidates: [] };
    return { candidates: fitting.map(({ id }) => id) };
  }
}

interface MasterIndex {
  /** By each request that led to one, and its own id. */
  exact: ReadonlyMap<string, PublishedMaster>;
  byArticle: ReadonlyMap<string, readonly Configuration[]>;
}

async function readIndex(published: Published): Promise<MasterIndex> {
  const exact = new Map<string, PublishedMaster>();
  const byArticle = new Map<string, Configuration[]>();
  for await (const line of manifestLines(published.dir)) {
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    const { glb: path, sha256 } = asset;
    const master = { sha256, read: () => published.read({ path, sha256 }) };
    const id = configurationId(line);
    for (const request of [...line.requested, id]) exact.set(configurationKey(request), master);
    const isDefault = line.requested.some((request) =>
      CHOICES.every((name) => request[name] === ''),
    );
    const key = articleKey(id);
    const known = byArticle.get(key);
    if (known === undefined) byArticle.set(key, [{ id, isDefault, master }]);
    else known.push({ id, isDefault, master });
  }
  return { exact, byArticle };
}
