/** Collects the results of a run by configuration, until the manifest is written. */
import type { SelectedArticle } from '../fetch/selection.ts';
import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import { configurationKey } from '../model/configuration-id.ts';
import type { Result } from '../model/result.ts';
import { createPackedMap } from '../support/packed-map.ts';
import type { PreviousOutput } from './open-run.ts';

/** Processes one article. */
export interface Processor {
  /** May throw: an error of the article becomes its result, one that ends the run ends it. */
  process(selected: SelectedArticle): Promise<Result>;
  /** Returns the configuration of a request that failed, without a request to the service. */
  resolve?(request: ArticleRequest): Promise<ArticleKey | undefined>;
}

/** A result and where it came from. */
export interface CollectedResult {
  result: Result;
  /** Index of the article among all that the run processes: results arrive in any order. */
  place: number;
  /** Time spent on it including waiting, milliseconds. */
  ms: number;
}

/** All results of a run. */
export type Results = ReturnType<typeof createResults>;

/**
 * Creates an empty collection. Results are stored as bytes, so that 50,000 of them do not load the heap.
 *
 * A request that failed before it was resolved is filed under the configuration that it resolved to in the
 * previous run, so that its published GLB stays known as `lastGood`.
 *
 * @see D-833.
 */
export function createResults({ keyOfRequest }: Pick<PreviousOutput, 'keyOfRequest'>) {
  // One by one, because a list would be packed anew with each result that is added to it.
  const results = createPackedMap<CollectedResult>();
  const counts = new Map<string, number>();
  const placeOf = (key: string, index: number) => (index === 0 ? key : `${key} ${index}`);
  const of = (key: string) => {
    const indices = Array.from({ length: counts.get(key) ?? 0 }, (_, index) => index);
    const collected = indices.map((index) => results.get(placeOf(key, index))!);
    return collected.sort((a, b) => a.place - b.place);
  };
  const keyOf = ({ key, request }: Result) =>
    key === undefined
      ? (keyOfRequest(request) ?? configurationKey(request))
      : configurationKey(key);
  return {
    /** Returns the results of the requests of a configuration, in the order of the selection. */
    of,
    /** Returns the last result of a configuration whose snapshot was read. */
    readOf: (key: string) =>
      of(key)
        .map(({ result }) => result)
        .findLast((result) => 'catalogue' in result),
    add(result: Result, origin: { place: number; ms: number }): void {
      const key = keyOf(result);
      const count = counts.get(key) ?? 0;
      results.set(placeOf(key, count), { ...origin, result });
      counts.set(key, count + 1);
    },
    /** Keys of `configurationKey`, in no particular order. */
    keys: () => counts.keys(),
    *all(): Iterable<CollectedResult> {
      for (const key of counts.keys()) yield* of(key);
    },
  };
}
