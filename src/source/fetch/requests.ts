/** The requests of a fetch, and an estimate of how many it would send. */

import { referencesIn } from '../../convert/wire/parts-list.ts';
import type { ArticleKey, ArticleRequest } from '../../model/article.ts';
import { groupBy } from '../../support/group-by.ts';
import type { SnapshotRecord } from '../cache/cached-snapshots.ts';
import type { CacheableRequest, ResponseCache } from '../cache/response-cache.ts';
import { type AnswerOf, requestKey } from '../service/operations.ts';
import { type ImageContext, locateImage } from './image-location.ts';

/** GET articles. @param varcode - Variant code, or empty. @param lang - Language, if it is not the client's. */
export function articleRequest(
  { manufacturer, program, basearticlenumber, reinitstring }: ArticleRequest,
  varcode = '',
  lang?: string,
): CacheableRequest<'getArticle'> {
  const values = { manufacturer, program, basearticlenumber, reinitstring, varcode };
  return { operation: 'getArticle', values, owner: manufacturer, ...(lang && { lang }) };
}

/** The requests for an image, one for each location that may have it. Throws `IMAGE_REFUSED`. */
function imageRequests(
  reference: string,
  context: ImageContext,
  imageLocation: string | undefined,
): CacheableRequest<'getMaterial'>[] {
  const datedBy = context.manufacturer;
  return locateImage(reference, context, imageLocation).map(({ manufacturer, name }) => {
    const subject = `image ${manufacturer}/${name}`;
    const values = { manufacturer, name };
    return { operation: 'getMaterial', values, owner: manufacturer, datedBy, subject };
  });
}

type BlockRequest = CacheableRequest<'getBlock'> & { subject: string };

/** Its owner is the article's manufacturer, if the block's name has none. */
function blockRequest(name: string, datedBy: string): BlockRequest {
  const path = name.replace(/^::/, '');
  const end = path.indexOf('::');
  const owner = end > 0 ? path.slice(0, end).toUpperCase() : datedBy;
  const subject = `block ${name}`;
  return { operation: 'getBlock', values: { name }, owner, datedBy, subject };
}

/**
 * The requests for the graphics of a configuration: for its parts list, and for the bodies that the parts list names.
 *
 * @param imageLocation - Template of the locations of images, if it is not the default.
 * @see D-111, D-550.
 */
export function graphicsRequests(key: ArticleKey, imageLocation?: string) {
  const { manufacturer, basearticlenumber } = key;
  // The final number is required. If the article has none, the base number is sent instead.
  const values = { ...key, finalarticlenumber: key.finalarticlenumber || basearticlenumber };
  return {
    partsList: { operation: 'getPartsList', values, owner: manufacturer } as const,
    bodies(partsList: AnswerOf<'getPartsList'>) {
      const { blocks: names, images, warnings } = referencesIn(partsList);
      /** By canonical name. */
      const blocks = new Map<string, BlockRequest>();
      for (const [canonical, name] of names)
        blocks.set(canonical, blockRequest(name, manufacturer));
      const blockManufacturers = [...new Set(Array.from(blocks.values(), ({ owner }) => owner))];
      const context = { manufacturer, blockManufacturers };
      /** The requests for an image, to be sent until one finds it. Throws `IMAGE_REFUSED`. */
      const ofImage = (reference: string) => imageRequests(reference, context, imageLocation);
      return { blocks, images, ofImage, warnings };
    },
  };
}

/**
 * Requests that a fetch would send: GET articles, GET btg, GET block and materials; and configurations that
 * were never fetched, whose blocks and images are a guess.
 */
export type RequestEstimate = Record<'articles' | 'partsLists' | 'bodies' | 'unknown', number>;

interface EstimateOptions {
  cache: ResponseCache;
  snapshots: { get(request: ArticleRequest): SnapshotRecord | undefined };
  isFresh(request: ArticleRequest): Promise<boolean>;
  languages: readonly string[];
  imageLocation: string | undefined;
}

/**
 * Estimate for an empty cache: a service of 2,000 series has about 18,000 blocks and 93,000 images, so that a
 * series has 55. A single article rarely takes more than 12.
 */
const BODIES_PER_SERIES = 55;
const BODIES_PER_CONFIGURATION = 12;

/** Counts the requests whose responses are not in the cache, or no longer fresh. @see D-807. */
export async function estimateRequests(
  requests: readonly ArticleRequest[],
  options: EstimateOptions,
): Promise<RequestEstimate> {
  const { cache, snapshots, languages, imageLocation } = options;
  const articles: CacheableRequest[] = [];
  const partsLists: CacheableRequest[] = [];
  const known = new Set<string>();
  const bodies = new Map<string, CacheableRequest>();
  const unknown: ArticleRequest[] = [];
  for (const request of requests) {
    const isFresh = await options.isFresh(request);
    for (const lang of isFresh ? [] : [undefined, ...languages])
      articles.push(articleRequest(request, '', lang));
    const record = snapshots.get(request);
    if (record === undefined) {
      unknown.push(request);
      continue;
    }
    const partsList = { ...graphicsRequests(record.key).partsList, owner: request.manufacturer };
    if (!isFresh) partsLists.push(partsList);
    for (const body of bodiesOf(record, imageLocation)) {
      const key = `${body.operation} ${requestKey(body.operation, body.values)}`;
      known.add(key);
      if (!isFresh) bodies.set(key, body);
    }
  }
  const guessed = guess(unknown, known.size, requests.length - unknown.length);
  return {
    articles: await countToSend(articles, cache),
    partsLists: unknown.length + (await countToSend(partsLists, cache)),
    bodies: guessed + (await countToSend(bodies.values(), cache)),
    unknown: unknown.length,
  };
}

async function countToSend(requests: Iterable<CacheableRequest>, cache: ResponseCache) {
  let count = 0;
  for (const request of requests) if (await cache.wouldRequest(request)) count++;
  return count;
}

/** The blocks of a configuration that was fetched before, and the first location of each image. */
function bodiesOf(record: SnapshotRecord, imageLocation: string | undefined): CacheableRequest[] {
  const { manufacturer } = record.key;
  const blocks = record.blocks.map(([name]) => blockRequest(name, manufacturer));
  const owners = { manufacturer, blockManufacturers: blocks.map(({ owner }) => owner) };
  const images = record.images.flatMap(([reference]) => {
    try {
      return imageRequests(reference, owners, imageLocation).slice(0, 1);
    } catch {
      // A refused reference is never requested.
      return [];
    }
  });
  return [...blocks, ...images];
}

/** Estimates as many bodies for each configuration as the known ones have; if none is known, uses a rule of thumb. */
function guess(unknown: readonly ArticleRequest[], bodies: number, known: number): number {
  if (known > 0) return Math.round((unknown.length * bodies) / known);
  const series = groupBy(unknown, ({ manufacturer, program }) => `${manufacturer}\0${program}`);
  return [...series.values()].reduce((sum, { length }) => {
    return sum + Math.min(BODIES_PER_SERIES, length * BODIES_PER_CONFIGURATION);
  }, 0);
}
