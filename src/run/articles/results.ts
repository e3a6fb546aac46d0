/** Collects the results of a run by configuration, until the manifest is written. */

import type { ArticleKey, ArticleRequest } from '../../model/article.ts';
import {
  articleLabel,
  configurationKey,
  parseConfigurationKey,
} from '../../model/configuration-id.ts';
import type { FailedResult, FreshResult, Result } from '../../model/result.ts';
import type { SelectedArticle } from '../../source/fetch/selection.ts';
import { PackedMap } from '../../support/packed-map.ts';
import type { Spool } from '../../support/spool.ts';
import { cutText, TEXT_LIMITS } from '../../support/text-limits.ts';
import type { PreviousOutput } from '../open/run-output.ts';

/** Processes one article. */
export interface Processor {
  /** May throw: an error of the article becomes its result, one that ends the run ends it. */
  process(selected: SelectedArticle): Promise<Result>;
  /** Returns the configuration of a request that failed, without a request to the service. */
  resolve?(request: ArticleRequest): Promise<ArticleKey | undefined>;
}

/** A result and where it came from. */
interface CollectedResult {
  result: Result;
  /** Index of the article among all that the run processes: results arrive in any order. */
  place: number;
  /** Time spent on it including waiting, milliseconds. */
  ms: number;
}

/** Most bytes of the results of one configuration: their requests are in one line of the manifest. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Results are kept as objects, too, until they take so many bytes: each is read five times, which takes 20 µs from bytes. */
const MOST_DECODED_BYTES = 4 * 1024 * 1024;

/** A fresh result. Its key is parsed on demand, since hardly anything needs it. */
class Fresh implements FreshResult {
  readonly status = 'fresh';
  readonly request: ArticleRequest;
  readonly #key: string;

  constructor(request: ArticleRequest, key: string) {
    this.request = request;
    this.#key = key;
  }

  get key(): ArticleKey {
    return parseConfigurationKey(this.#key);
  }
}

/** All results of a run. */
export type Results = ReturnType<typeof createResults>;

/**
 * Creates an empty collection. Results are stored as bytes, so that 50,000 of them do not load the heap; that a
 * configuration is fresh takes its request only, which the selection has anyway.
 *
 * A request that failed before it was resolved is filed under the configuration that it resolved to in the
 * previous run, so that its published GLB stays known as `lastGood`. One too many for its configuration fails.
 *
 * @see D-833.
 */
export function createResults(
  { keyOfRequest }: Pick<PreviousOutput, 'keyOfRequest'>,
  spool?: Spool,
) {
  // One by one, because a list would be packed anew with each result that is added to it.
  const results = new PackedMap<CollectedResult>(spool);
  const decoded = new Map<string, CollectedResult>();
  let decodedBytes = 0;
  const fresh = new Map<string, { request: ArticleRequest; place: number; ms: number }>();
  /** How many are stored as bytes. */
  const counts = new Map<string, number>();
  /** Of those with several. */
  const sizes = new Map<string, number>();
  const sizeOf = (key: string) => sizes.get(key) ?? results.bytesOf(key)?.length ?? 0;
  const nameOf = (key: string, index: number) => (index === 0 ? key : `${key} ${index}`);
  const freshOf = (key: string): CollectedResult[] => {
    const found = fresh.get(key);
    if (found === undefined) return [];
    const { request, place, ms } = found;
    return [{ result: new Fresh(request, key), place, ms }];
  };
  const of = (key: string): CollectedResult[] => {
    const count = counts.get(key) ?? 0;
    if (count === 0) return freshOf(key);
    const indices = Array.from({ length: count }, (_, index) => index);
    const collected = indices.map((index) => {
      const name = nameOf(key, index);
      return decoded.get(name) ?? results.get(name)!;
    });
    return [...freshOf(key), ...collected].sort((a, b) => a.place - b.place);
  };
  const keyOf = ({ key, request }: Result) =>
    key === undefined
      ? (keyOfRequest(request) ?? configurationKey(request))
      : configurationKey(key);
  const put = (key: string, collected: CollectedResult) => {
    const { result, place, ms } = collected;
    const count = counts.get(key) ?? 0;
    if (result.status === 'fresh' && !fresh.has(key)) {
      fresh.set(key, { request: result.request, place, ms });
      counts.set(key, count);
      return;
    }
    const name = nameOf(key, count);
    const length = results.set(name, collected);
    counts.set(key, count + 1);
    if (count > 0) sizes.set(key, sizeOf(key) + length);
    decodedBytes += length;
    if (decodedBytes <= MOST_DECODED_BYTES) decoded.set(name, collected);
  };
  return {
    /** Returns the results of the requests of a configuration, in the order of the selection. */
    of,
    /** Returns request and time of a configuration that is fresh and has no other result. */
    onlyFreshOf: (key: string) => (counts.get(key) === 0 ? fresh.get(key) : undefined),
    /** Returns the last result of a configuration whose snapshot was read. */
    readOf: (key: string) =>
      (counts.get(key) ?? 0) === 0
        ? undefined
        : of(key)
            .map(({ result }) => result)
            .findLast((result) => 'catalogue' in result),
    add(result: Result, origin: { place: number; ms: number }): void {
      const key = keyOf(result);
      const isFull = sizeOf(key) > MAX_BYTES;
      const own = isFull ? configurationKey(result.request) : key;
      if (key !== own) put(own, { ...origin, result: oneTooMany(result.request) });
      else put(key, { ...origin, result });
    },
    /** Keys of `configurationKey`, in no particular order. */
    keys: () => counts.keys(),
    *all(): Iterable<CollectedResult> {
      for (const key of counts.keys()) yield* of(key);
    },
  };
}

function oneTooMany(request: ArticleRequest): FailedResult {
  const expected = `results of at most ${MAX_BYTES} bytes of all requests for one configuration`;
  const message = `${articleLabel(request)}: expected ${expected}, received more`;
  return {
    status: 'failed',
    request,
    key: undefined,
    error: { code: 'CONFIGURATION_SHARED', message: cutText(message, TEXT_LIMITS.message) },
  };
}
