/**
 * Estimate requests: how many a fetch would send, without sending one.
 *
 * In: article requests and what earlier runs knew. Out: numbers, exact for what was fetched before and
 * by a rule of thumb for the rest. It must not ask for anything.
 */

import type { SnapshotRecord } from '../cache/cached-snapshots.ts';
import type { CacheDatabase } from '../cache/database.ts';
import { joinKey } from '../cache/request-key.ts';
import type { Recall } from '../cache/response-cache.ts';
import type { ArticleRequest } from '../model/article.ts';
import { configurationKey } from '../model/configuration-id.ts';
import { canonicalName } from '../service/wire-value.ts';
import { locateImage } from './image-location.ts';

/** What a fetch would send. */
export interface RequestEstimate {
  /** GET articles. */
  articles: number;
  /** GET btg. */
  partsLists: number;
  /** GET block and GET materials. */
  bodies: number;
  /** Configurations that were never fetched: their blocks and images are a guess. */
  unknown: number;
}

/** What is known. */
export interface EstimateOptions {
  service: string;
  state: CacheDatabase;
  recall: Recall;
  /** Whether all of an article is known to hold; see `Fetcher.kept`. */
  kept(request: ArticleRequest): Promise<unknown>;
  /** How an image reference becomes a place to ask. */
  imageLocation?: string;
}

/**
 * Without any experience: a service of 2,000 series has about 18,000 blocks and 93,000 images, so that a
 * series has 55; and an article on its own rarely takes more than 12.
 */
const BODIES_PER_SERIES = 55;
const BODIES_PER_CONFIGURATION = 12;

/**
 * Counts what is not in the cache, or no longer holds.
 *
 * @example
 * ```ts
 * await estimateRequests([desk], { service, state, recall });
 * // → { articles: 1, partsLists: 1, bodies: 12, unknown: 1 }
 * ```
 *
 * @see D-807.
 */
export async function estimateRequests(
  requests: readonly ArticleRequest[],
  options: EstimateOptions,
): Promise<RequestEstimate> {
  const { service, state, recall } = options;
  const estimate = { articles: 0, partsLists: 0, bodies: 0, unknown: 0 };
  const bodies = new Set<string>();
  const inDoubt = new Map<string, Body>();
  const unknown: ArticleRequest[] = [];
  for (const request of requests) {
    const { manufacturer } = request;
    const kept = (await options.kept(request)) !== undefined;
    const article = {
      operation: 'getArticle',
      request: articleKey(request),
      manufacturer,
    } as const;
    if (!kept && (await recall.wouldAsk(article))) estimate.articles++;
    const record = state.snapshots.get(service, configurationKey(request));
    if (record === undefined) {
      unknown.push(request);
      continue;
    }
    const partsList = {
      operation: 'getPartsList',
      request: configurationKey(record.key),
      manufacturer,
    } as const;
    if (!kept && (await recall.wouldAsk(partsList))) estimate.partsLists++;
    for (const body of bodiesOf(record, options)) {
      const key = joinKey(body.operation, body.request);
      bodies.add(key);
      if (!kept) inDoubt.set(key, body);
    }
  }
  for (const body of inDoubt.values()) if (await recall.wouldAsk(body)) estimate.bodies++;
  estimate.partsLists += unknown.length;
  estimate.unknown = unknown.length;
  estimate.bodies += guess(unknown, bodies.size, requests.length - unknown.length);
  return estimate;
}

interface Body {
  operation: 'getBlock' | 'getMaterial';
  request: string;
  manufacturer: string;
}

/** As a fetch asks for it where no variant code is needed. */
function articleKey(request: ArticleRequest): string {
  const { manufacturer, program, basearticlenumber, reinitstring } = request;
  return joinKey(
    manufacturer.toUpperCase(),
    program.toUpperCase(),
    basearticlenumber,
    reinitstring,
    '',
  );
}

/** Blocks and images of a configuration that was fetched before. */
function bodiesOf(record: SnapshotRecord, { imageLocation }: EstimateOptions): Body[] {
  const { manufacturer } = record.key;
  const blocks = record.blocks.map(([name]): Body => {
    const owner = canonicalName(name).split('::')[0] || manufacturer;
    return { operation: 'getBlock', request: joinKey(name), manufacturer: owner };
  });
  const owners = { manufacturer, blockManufacturers: blocks.map((block) => block.manufacturer) };
  const images = record.images.flatMap(([reference]) => imageOf(reference, owners, imageLocation));
  return [...blocks, ...images];
}

/** The first place of an image; a reference that is refused is never asked for. */
function imageOf(
  reference: string,
  owners: Parameters<typeof locateImage>[1],
  imageLocation: string | undefined,
): Body[] {
  try {
    const [first] = locateImage(reference, owners, imageLocation);
    if (first === undefined) return [];
    const request = joinKey(first.manufacturer, first.name);
    return [{ operation: 'getMaterial', request, manufacturer: first.manufacturer }];
  } catch {
    return [];
  }
}

/** As many for each as the known ones have; where none is known, a rule of thumb. */
function guess(unknown: readonly ArticleRequest[], bodies: number, known: number): number {
  if (known > 0) return Math.round((unknown.length * bodies) / known);
  const series = new Map<string, number>();
  for (const { manufacturer, program } of unknown) {
    const name = joinKey(manufacturer, program);
    series.set(name, (series.get(name) ?? 0) + 1);
  }
  return [...series.values()].reduce(
    (sum, articles) => sum + Math.min(BODIES_PER_SERIES, articles * BODIES_PER_CONFIGURATION),
    0,
  );
}
