/** The quarantine of one run: what of its selection is tried, and what becomes of it. */

import type { ArticleRequest } from '../../model/article.ts';
import type { ManifestLine } from '../../model/asset.ts';
import { configurationKey, parseConfigurationKey } from '../../model/configuration-id.ts';
import type { KilledWork } from '../../source/cache/durable-tables.ts';
import type { ConversionDates } from '../../source/cache/freshness.ts';
import type { SelectedArticle, Selection, SelectionFailure } from '../../source/fetch/selection.ts';
import { createBudget } from '../../support/budget.ts';
import type { Results } from '../articles/results.ts';
import { limited } from '../articles/select.ts';
import type { Run } from '../open/open-run.ts';
import { snapshotSource } from '../processor/configuration.ts';
import { keyOf, openFailureHistory, type Subject } from './history.ts';

/** The quarantine of one run; see {@link openQuarantine}. */
export type Quarantine = ReturnType<typeof openQuarantine>;

/** Requests of a selection at the same time; the client limits them further. */
const REQUESTS_AT_ONCE = 1000;

/** Place of what is not tried: before all that is. */
const NOT_TRIED = -1;

/**
 * Opens the quarantine of a run: what of its selection is tried, and what becomes of it. What is quarantined
 * is added to the results as failed, and so is what a `build` cannot build because it could not be fetched.
 *
 * @param killed - What was in work when a run was killed.
 * @see D-852.
 */
export function openQuarantine(
  run: Run,
  results: Results,
  command: 'run' | 'fetch' | 'build',
  killed: readonly KilledWork[] = [],
) {
  const { options, environment, sources, output, startedAt, notes } = run;
  const { lines } = output.previous;
  const { service, database } = snapshotSource(run);
  const hasSnapshot = (request: string) => database.snapshots.get(service, request) !== undefined;
  const summaryOf = (request: string) => database.snapshots.summary(service, request);
  const isComplete = (request: string) => summaryOf(request) !== undefined;
  const ownersOf = (request: string) => {
    const { manufacturer } = parseConfigurationKey(request);
    const stamps = summaryOf(request)?.stamps ?? [];
    const owners = stamps.flatMap(({ owner, datedBy }) => [owner, datedBy]);
    return new Set([manufacturer, ...owners].map((owner) => owner.toUpperCase()));
  };
  let dates: ConversionDates | undefined;
  const published = lines.size - output.previous.carts.size;
  const history = openFailureHistory(database.failures, {
    ...{ ...options.pipeline, now: startedAt, published, command },
    ...{ hasSnapshot, isComplete, ownersOf, dates: () => dates },
  });
  const { quarantineAfterKills: mostKills } = options.pipeline.failures;
  for (const work of killed) if (work.isNew && work.kills >= mostKills) history.recordKills(work);
  const suspects = new Set(killed.map(({ request }) => request));
  // A recording requests everything anew by itself: that is no demand for what killed a run.
  const isForced = options.force && environment.onAnswer === undefined;
  const isAll = options.only !== undefined || options.failedOnly || isForced;
  const turns = createBudget(REQUESTS_AT_ONCE);
  const roots = new Map<string, ArticleRequest>();
  const knownRootOf = (request: ArticleRequest) =>
    roots.size === 0 ? undefined : roots.get(configurationKey(request));
  const rootOf = (request: ArticleRequest) => knownRootOf(request) ?? request;

  const filter = (articles: readonly SelectedArticle[]): readonly SelectedArticle[] => {
    // The children of a planning that only carts select are of a cart too.
    const marked = articles.map(
      (article): SelectedArticle =>
        history.isOfCart(rootOf(article.request)) ? { ...article, onlyCarts: true } : article,
    );
    const { tried, lookedAt, quarantined } = history.split(marked, isAll);
    for (const { request, error } of quarantined) {
      const result = { status: 'failed', request, key: undefined, error } as const;
      results.add(result, { place: NOT_TRIED, ms: 0 });
    }
    // After the others, since their requests are likely to fail.
    return lookedAt.length === 0 ? tried : [...tried, ...lookedAt];
  };
  return {
    historyOf: history.historyOf,
    /**
     * Sends a request of the selection. What was in work when a run was killed is sent alone, and what killed several
     * runs is not sent.
     *
     * @throws {@link ConverterError} `KILLED_THE_RUN`
     */
    async send<T>(subject: Subject, send: () => Promise<T>): Promise<T> {
      if (!isAll && history.hasKilled(subject)) throw history.refused(subject);
      const key = keyOf(subject);
      const release = await turns.take(suspects.has(key) ? REQUESTS_AT_ONCE : 1);
      return notes.during(key, send).finally(release);
    },
    /** Whether a request is not tried in this run; if many of the range wait, only those of carts are not. */
    isUntried: (request: ArticleRequest) => !isAll && history.isWaiting(request),
    /** Whether only carts select a request that the run processes. */
    isOfCart: history.isOfCart,
    /** Returns the request of the planning of a child that is an asset of its own, or the request itself. */
    rootOf,
    /** Selects those of some articles that are tried. */
    filter,
    /** Whether it was in work when a run was killed: then it is processed alone. */
    isSuspect: (one: ArticleRequest) => suspects.size > 0 && suspects.has(configurationKey(one)),
    /** Returns what the run is to process: all, or what failed (`--failed`); and what of it is tried. */
    async select(
      selected: Selection,
    ): Promise<{ selection: Selection; tried: readonly SelectedArticle[] }> {
      if (command !== 'build') dates = await (await sources.session.fetcher()).conversionDates();
      // The limit counts what failed, not all among which it is searched.
      const articles = options.failedOnly
        ? history.failedBefore(selected.articles, failedRequests(lines.values()))
        : selected.articles;
      const selection = limited({ ...selected, articles }, options.limit);
      return { selection, tried: filter(selection.articles) };
    },
    /** Adds a result to the results of the run. */
    collect: ((result, origin) => {
      const root = rootOf(result.request);
      for (const { request } of result.unplaced ?? []) roots.set(configurationKey(request), root);
      const isWaiting = result.status === 'failed' && result.isWaiting;
      results.add(result, isWaiting ? { ...origin, place: NOT_TRIED } : origin);
    }) satisfies Results['add'],
    /** Stores what failed and what no longer does. @param isComplete - Whether the run met all that is selected. */
    record(notSelected: readonly SelectionFailure[], isComplete: boolean) {
      for (const { result, place } of results.all()) {
        if (place === NOT_TRIED) continue;
        const error = result.status === 'failed' ? result.error : undefined;
        history.record(result.request, error, knownRootOf(result.request));
      }
      for (const failure of notSelected) history.record(failure, failure);
      history.save(isComplete);
    },
  };
}

function* failedRequests(lines: Iterable<ManifestLine>): Iterable<ArticleRequest> {
  for (const { status, requested } of lines) if (status === 'failed') yield* requested;
}
