/** The quarantine of one run: what of its selection is tried, and what becomes of it. */

import type { ArticleRequest } from '../../model/article.ts';
import { configurationKey, parseConfigurationKey } from '../../model/configuration-id.ts';
import type { SelectedArticle, Selection, SelectionFailure } from '../../source/fetch/selection.ts';
import { createBudget } from '../../support/budget.ts';
import type { Result, ResultOrigin, Results } from '../articles/results.ts';
import { limited } from '../articles/select.ts';
import type { ManifestLine } from '../lists/manifest-line.ts';
import type { Run } from '../open/open-run.ts';
import { snapshotSource } from '../processor/configuration.ts';
import type { FailedBefore } from '../report/collect.ts';
import {
  FailureHistory,
  type HistoryOptions,
  type KilledWork,
  keyOf,
  type Subject,
} from './history.ts';

/** Requests of a selection at the same time; the client limits them further. */
const REQUESTS_AT_ONCE = 1000;

/** Place of what is not tried: before all that is. */
const NOT_TRIED = -1;

/**
 * The quarantine of a run: what of its selection is tried, and what becomes of it. What is quarantined
 * is added to the results as failed, and so is what a `build` cannot build because it could not be fetched. @see D-852.
 */
export class Quarantine {
  readonly #run: Run;
  readonly #results: Results;
  readonly #command: 'run' | 'fetch' | 'build';
  readonly #history: FailureHistory;
  /** What was in work when a run was killed, by request. */
  readonly #suspects: ReadonlySet<string>;
  /** Whether what is in quarantine is tried like all else. */
  readonly #isAll: boolean | undefined;
  readonly #turns = createBudget(REQUESTS_AT_ONCE);
  /** The request of the planning of each child that is an asset of its own. */
  readonly #roots = new Map<string, ArticleRequest>();
  #dates: ReturnType<NonNullable<HistoryOptions['dates']>>;

  constructor(
    run: Run,
    results: Results,
    command: 'run' | 'fetch' | 'build',
    killed: readonly KilledWork[] = [],
  ) {
    const { options, environment, sources, output, startedAt } = run;
    const { lines, carts } = output.previous;
    this.#run = run;
    this.#results = results;
    this.#command = command;
    this.#suspects = new Set(killed.map(({ request }) => request));
    // A recording requests everything anew by itself: that is no demand for what killed a run.
    const isForced = options.force && environment.onAnswer === undefined;
    this.#isAll = options.only !== undefined || options.failedOnly || isForced;
    this.#history = new FailureHistory(sources.database.failures, {
      ...{ ...options.pipeline, now: startedAt, published: lines.size - carts.size, command },
      ...{ ...snapshotFacts(run), dates: () => this.#dates },
    });
    const { quarantineAfterKills: mostKills } = options.pipeline.failures;
    for (const work of killed)
      if (work.isNew && work.kills >= mostKills) this.#history.recordKills(work);
  }

  historyOf(subject: Subject): FailedBefore | undefined {
    return this.#history.historyOf(subject);
  }

  /**
   * Sends a request of the selection. What was in work when a run was killed is sent alone, and what killed several
   * runs is not sent. @throws {@link ConverterError} `KILLED_THE_RUN`
   */
  async send<T>(subject: Subject, send: () => Promise<T>): Promise<T> {
    if (!this.#isAll && this.#history.hasKilled(subject)) throw this.#history.refused(subject);
    const key = keyOf(subject);
    const release = await this.#turns.take(this.#suspects.has(key) ? REQUESTS_AT_ONCE : 1);
    return this.#run.notes.during(key, send).finally(release);
  }

  /** Whether a request is not tried in this run; if many of the range wait, only those of carts are not. */
  isUntried(request: ArticleRequest): boolean {
    return !this.#isAll && this.#history.isWaiting(request);
  }

  isOfCart(request: ArticleRequest): boolean {
    return this.#history.isOfCart(request);
  }

  /** Returns the request of the planning of a child that is an asset of its own, or the request itself. */
  rootOf(request: ArticleRequest): ArticleRequest {
    return this.#knownRootOf(request) ?? request;
  }

  filter(articles: readonly SelectedArticle[]): readonly SelectedArticle[] {
    // The children of a planning that only carts select are of a cart too.
    const marked = articles.map(
      (article): SelectedArticle =>
        this.isOfCart(this.rootOf(article.request)) ? { ...article, onlyCarts: true } : article,
    );
    const { tried, lookedAt, quarantined } = this.#history.split(marked, this.#isAll);
    for (const { request, error } of quarantined) {
      const result = { status: 'failed', request, key: undefined, error } as const;
      this.#results.add(result, { place: NOT_TRIED, ms: 0 });
    }
    // After the others, since their requests are likely to fail.
    return lookedAt.length === 0 ? tried : [...tried, ...lookedAt];
  }

  /** Whether a request was in work when a run was killed: then it is processed alone. */
  isSuspect(request: ArticleRequest): boolean {
    return this.#suspects.size > 0 && this.#suspects.has(configurationKey(request));
  }

  /** Returns what the run is to process: all, or what failed (`--failed`); and what of it is tried. */
  async select(
    selected: Selection,
  ): Promise<{ selection: Selection; tried: readonly SelectedArticle[] }> {
    const { options, sources, output } = this.#run;
    if (this.#command !== 'build')
      this.#dates = await (await sources.session.fetcher()).conversionDates();
    // The limit counts what failed, not all among which it is searched.
    const articles = options.failedOnly
      ? this.#history.failedBefore(
          selected.articles,
          failedRequests(output.previous.lines.values()),
        )
      : selected.articles;
    const selection = limited({ ...selected, articles }, options.limit);
    return { selection, tried: this.filter(selection.articles) };
  }

  collect(result: Result, origin: ResultOrigin): void {
    const root = this.rootOf(result.request);
    for (const { request } of result.unplaced ?? [])
      this.#roots.set(configurationKey(request), root);
    const isWaiting = result.status === 'failed' && result.isWaiting;
    this.#results.add(result, isWaiting ? { ...origin, place: NOT_TRIED } : origin);
  }

  /** Stores what failed and what no longer does. @param isComplete - Whether the run met all that is selected. */
  record(notSelected: readonly SelectionFailure[], isComplete: boolean): void {
    for (const { result, place } of this.#results.all()) {
      if (place === NOT_TRIED) continue;
      const error = result.status === 'failed' ? result.error : undefined;
      this.#history.record(result.request, error, this.#knownRootOf(result.request));
    }
    for (const failure of notSelected) this.#history.record(failure, failure);
    this.#history.save(isComplete);
  }

  #knownRootOf(request: ArticleRequest): ArticleRequest | undefined {
    return this.#roots.size === 0 ? undefined : this.#roots.get(configurationKey(request));
  }
}

function snapshotFacts(run: Run): Pick<HistoryOptions, 'hasSnapshot' | 'isComplete' | 'ownersOf'> {
  const { service, database } = snapshotSource(run);
  const summaryOf = (request: string) => database.snapshots.summary(service, request);
  return {
    hasSnapshot: (request) => database.snapshots.get(service, request) !== undefined,
    isComplete: (request) => summaryOf(request) !== undefined,
    ownersOf: (request) => {
      const { manufacturer } = parseConfigurationKey(request);
      const stamps = summaryOf(request)?.stamps ?? [];
      const owners = stamps.flatMap(({ owner, datedBy }) => [owner, datedBy]);
      return new Set([manufacturer, ...owners].map((owner) => owner.toUpperCase()));
    },
  };
}

function* failedRequests(lines: Iterable<ManifestLine>): Iterable<ArticleRequest> {
  for (const { status, requested } of lines) if (status === 'failed') yield* requested;
}
