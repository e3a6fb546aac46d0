/** Snapshots between runs: how they are stored, loaded, and compared. */

import { decodeArticle } from '../../convert/wire/article.ts';
import type { ArticleRequest, PlanningChild } from '../../model/article.ts';
import { articleLabel, configurationKey } from '../../model/configuration-id.ts';
import type { ArticleSnapshot, Digest, Fetched } from '../../model/snapshot.ts';
import type { WarningCode } from '../../model/warning.ts';
import { ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import type {
  CachedSnapshots,
  SnapshotRecord,
  SnapshotSummary,
} from '../cache/cached-snapshots.ts';
import type { ResponseCacheOptions } from '../cache/response-cache.ts';
import { IMAGE_LOCATION_DEFAULT } from './image-location.ts';

/**
 * Loads the snapshot of the last fetch of a request, without a network.
 *
 * @throws {@link ConverterError} `SNAPSHOT_MISSING`; `STORE_DAMAGED` if the body of its article is lost.
 */
export async function loadSnapshot(
  source: Required<Pick<ResponseCacheOptions, 'service' | 'database' | 'store'>>,
  request: ArticleRequest,
): Promise<ArticleSnapshot> {
  const { service, database, store } = source;
  const record = database.snapshots.get(service, configurationKey(request));
  if (record === undefined) {
    const article = articleLabel(request);
    const message = `${article}: expected a snapshot in the cache, received none`;
    throw new ConverterError('SNAPSHOT_MISSING', message, { article });
  }
  const { key, partsList, warnings, unplaced, translations: stored } = record;
  const articleDigest = record.article;
  const article = decodeArticle(await store.get(articleDigest));
  const [blocks, images] = [new Map(record.blocks), new Map(record.images)];
  const translate = async ([lang, digest]: [string, Digest]) => {
    return { lang, digest, article: decodeArticle(await store.get(digest)) };
  };
  const translations = stored && (await Promise.all(stored.map(translate)));
  const some = { ...(translations && { translations }), ...(unplaced && { unplaced }) };
  return { key, article, articleDigest, partsList, blocks, images, warnings, ...some };
}

/** Options besides responses that the snapshots of a fetcher depend on. */
interface FetchedWith {
  imageLocation: string | undefined;
  /** Languages of translations. */
  languages: readonly string[];
}

/** The snapshots of one service in the database, which a fetcher reads and writes. */
export function storedSnapshots(table: CachedSnapshots, service: string, fetchedWith: FetchedWith) {
  return {
    get: (request: ArticleRequest) => table.get(service, configurationKey(request)),

    /** The summary of the last snapshot of a request, if it was fetched with the same options. */
    summary(request: ArticleRequest, children: readonly PlanningChild[] | undefined) {
      const found = table.summary(service, configurationKey(request));
      return found?.optionsDigest === optionsDigest(fetchedWith, children) ? found : undefined;
    },

    /**
     * Puts a snapshot in place of the last one of the request.
     *
     * @param stamps - Stamps of all its responses; undefined if a body of it failed.
     */
    put(
      request: ArticleRequest,
      children: readonly PlanningChild[] | undefined,
      snapshot: ArticleSnapshot,
      stamps: SnapshotSummary['stamps'] | undefined,
    ): void {
      const isReusable = snapshot.unplaced === undefined && stamps !== undefined;
      const summary = isReusable
        ? {
            key: snapshot.key,
            ...snapshotDigests(snapshot),
            optionsDigest: optionsDigest(fetchedWith, children),
            stamps,
          }
        : undefined;
      table.put(service, configurationKey(request), recordOf(snapshot), summary);
    },
  };
}

function recordOf(snapshot: ArticleSnapshot): SnapshotRecord {
  const { key, articleDigest: article, partsList, warnings, translations, unplaced } = snapshot;
  return {
    key,
    article,
    partsList,
    blocks: [...snapshot.blocks],
    images: [...snapshot.images],
    warnings,
    translations: translations?.map(({ lang, digest }) => [lang, digest]),
    unplaced,
  };
}

/** Increase whenever a fetch gathers other bodies, other warnings or another summary from the same responses. */
const FETCH_VERSION = '3';

/** @param children - Children of a stored planning. */
function optionsDigest(
  { imageLocation = IMAGE_LOCATION_DEFAULT, languages }: FetchedWith,
  children?: readonly PlanningChild[],
): string {
  const planning = children === undefined ? '' : sha256Hex(JSON.stringify(children));
  return JSON.stringify([FETCH_VERSION, imageLocation, planning, ...languages]);
}

/** Codes of warnings about the article and not its GLB. Such warnings are new in each run, and no reason to rebuild. */
export const REPORTED: ReadonlySet<WarningCode> = new Set([
  'ARTICLE_REPORTED',
  'CONFIGURATION_INVALID',
  'META_CHILD_WITHOUT_PLACEMENT',
  'TRANSLATION_MISSING',
]);

/** Digests what a snapshot says of its GLB, and of its article. */
export function snapshotDigests(
  snapshot: Parameters<typeof inputsDigest>[0] & Parameters<typeof answersDigest>[0],
): Record<'inputs' | 'answers', Digest> {
  return { inputs: inputsDigest(snapshot), answers: answersDigest(snapshot) };
}

/**
 * Digests the parts list, the blocks, the images and the warnings that concern them; neither the identity of
 * the article nor any option. A missing body counts by its code, so that the digest changes once it exists.
 *
 * @see D-745.
 */
function inputsDigest(
  snapshot: Pick<ArticleSnapshot, 'partsList' | 'blocks' | 'images' | 'warnings'>,
): Digest {
  const [blocks, images] = [contentsOf(snapshot.blocks), contentsOf(snapshot.images)];
  const warnings = snapshot.warnings.filter(({ code }) => !REPORTED.has(code));
  return sha256Hex(JSON.stringify({ partsList: snapshot.partsList, blocks, images, warnings }));
}

/** Digests the answers about the article, in each language, and the findings about it: its texts come from these only. */
function answersDigest(
  snapshot: Pick<ArticleSnapshot, 'articleDigest' | 'translations' | 'warnings'>,
): Digest {
  const { articleDigest, translations = [] } = snapshot;
  const languages = translations.map(({ lang, digest }) => [lang, digest]);
  const warnings = snapshot.warnings.filter(({ code }) => REPORTED.has(code));
  return sha256Hex(JSON.stringify({ article: articleDigest, languages, warnings }));
}

/** Contents sorted by name, each with its digest, or the code of why it is missing. */
function contentsOf(fetched: ReadonlyMap<string, Fetched>): [name: string, content: string][] {
  return Array.from(fetched, ([name, body]): [string, string] => {
    return [name, 'digest' in body ? body.digest : body.missing.code];
  }).sort(([a], [b]) => (a < b ? -1 : 1));
}
