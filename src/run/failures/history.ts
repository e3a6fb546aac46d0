/** The failures of an output folder over all runs: their history, and which of them are tried. */

import type { ArticleRequest } from '../../model/article.ts';
import {
  articleLabel,
  configurationKey,
  isConfigurationKey,
} from '../../model/configuration-id.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import { everyRequest, type SelectedArticle } from '../../source/fetch/selection.ts';
import { ConverterError } from '../../support/errors.ts';
import type { FailedResult } from '../articles/results.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import type { Run } from '../open/open-run.ts';
import type { FailedBefore } from '../report/collect.ts';
import {
  COSTLY,
  conditionsOf,
  KILLED_THE_RUN,
  type Limited,
  OF_FETCH,
  UNFETCHED,
} from './failure-codes.ts';

/** What was in work when a run was killed. */
export type KilledWork = ReturnType<Run['notes']['begin']>[number];

type FailureRecord = ReturnType<CacheDatabase['failures']['all']>[number];

/** What the history needs of a run. */
export type HistoryOptions = Pick<Pipeline, 'outputDir' | 'failures'> &
  Limited & {
    /** Start of the run, milliseconds since 1970. */
    now: number;
    /** Number of configurations known without a selection: a run may select a part only. */
    published?: number;
    /** What is tried: `fetch` builds nothing, `build` fetches nothing. @defaultValue `run` */
    command?: 'run' | 'fetch' | 'build';
    hasSnapshot?: (request: string) => boolean;
    /** Whether each body of its snapshot is in the cache, too. */
    isComplete?: (request: string) => boolean;
    /** The manufacturers whose data a request needs, as far as they are known. */
    ownersOf?: (request: string) => Iterable<string>;
    /** Returns the conversion dates of the catalogue, once they are known. */
    dates?: () => { stateOf(owner: string): string } | undefined;
  };

/** A configuration; or a part of the selection, or a request of it, by its name. */
export type Subject = ArticleRequest | { what: string };

/** If more of a selection would be in quarantine, which is for single articles, the service had failed: all are tried. */
const MOST_QUARANTINED = { share: 0.1, few: 25 };

/** As long as fewer wait, a look at each of them is cheap. */
const LOOKED_AT = { share: 0.01, few: 20 };

/** Beginning of the conditions of a failure that `fetch` recorded. */
const BY_FETCH = 'fetch ';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The failure history of an output folder: `split` what is tried, `record` each attempt, then `save`. @see D-852. */
export class FailureHistory {
  readonly #table: CacheDatabase['failures'];
  readonly #options: HistoryOptions;
  readonly #command: 'run' | 'fetch' | 'build';
  readonly #today: string;
  readonly #conditionsOf: (code: string) => string;
  /** What failed when it was last tried, by {@link keyOf}. */
  readonly #records: Map<string, FailureRecord>;
  /** Keys of what failed before this run. */
  readonly #known: Set<string>;
  /** Failures without a snapshot, which only the halves of a run need to know. */
  readonly #withoutSnapshot: ReadonlySet<string>;
  /** Keys of what this run has met again, of which it has failed, and of requests of carts. */
  readonly #met = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #carts = new Set<string>();
  /** Number of configurations among which failures are counted. */
  #selected: number;
  /** Whether so many of the selection failed that none is quarantined; undefined until it is needed. */
  #areTooMany: boolean | undefined;

  constructor(table: CacheDatabase['failures'], options: HistoryOptions) {
    const { outputDir, now, published = 0, command = 'run', hasSnapshot = () => true } = options;
    this.#table = table;
    this.#options = options;
    this.#command = command;
    this.#today = dayOf(now);
    this.#conditionsOf = conditionsOf(options);
    this.#selected = published;
    this.#records = new Map(table.all(outputDir).map((record) => [record.request, record]));
    this.#known = new Set(this.#records.keys());
    this.#withoutSnapshot = new Set(
      command === 'run' ? [] : [...this.#known].filter((key) => !hasSnapshot(key)),
    );
  }

  /**
   * Splits requests into those that are tried and those that are not, with their last failure: those in
   * quarantine, and of a `build` those that could not be fetched. If few are in quarantine, they are looked at.
   *
   * @param isAll - Whether those in quarantine are tried like all others.
   * @returns `lookedAt` are tried if their data has changed; `quarantined` are not, with their last failure.
   */
  split(articles: readonly SelectedArticle[], isAll = false) {
    const range = articles.filter(({ onlyCarts }) => !onlyCarts);
    const ofCarts = articles.filter(({ onlyCarts }) => onlyCarts).flatMap(requestsOf);
    // Requests of carts always wait in quarantine, however many they are.
    for (const request of ofCarts) this.#carts.add(configurationKey(request));
    this.#selected = Math.max(this.#selected, range.length);
    const isWaiting = (request: ArticleRequest) => this.isWaiting(request);
    const waiting = isAll ? [] : range.flatMap(requestsOf).filter(isWaiting);
    const areAllTried = waiting.length > atLeast(MOST_QUARANTINED, range.length);
    const areFew = waiting.length < atLeast(LOOKED_AT, range.length);
    const isTriedNow = (request: ArticleRequest) =>
      isAll || (areAllTried && !this.#carts.has(configurationKey(request)));
    const lookedAt: SelectedArticle[] = [];
    const quarantined: { request: ArticleRequest; error: FailedResult['error'] }[] = [];
    if (this.#records.size === 0) return { tried: articles, lookedAt, quarantined };
    // An older snapshot is that of the last good fetch: a build of it would look like a good one.
    const isUntried = (request: ArticleRequest) =>
      (this.#command === 'build' && this.#isUnfetched(configurationKey(request))) ||
      (!isTriedNow(request) && isWaiting(request));
    const mayBeLookedAt = areFew && this.#command === 'run';
    for (const article of articles.flatMap(everyRequest)) {
      const { request } = article;
      if (!isUntried(request)) continue;
      const key = configurationKey(request);
      const { code, message } = this.#records.get(key)!;
      this.#met.add(key);
      if (mayBeLookedAt && !COSTLY.has(code) && !this.#carts.has(key)) {
        const isOfFetch = OF_FETCH.has(code) || this.#isUnfetched(key) || !this.#isComplete(key);
        lookedAt.push({ ...article, quarantined: { code, message, isOfFetch } });
      } else quarantined.push({ request, error: { code, message } });
    }
    const tried = withRequests(articles, (request) => !isUntried(request));
    return { tried, lookedAt, quarantined };
  }

  /** Whether something is in quarantine, and not tried yet. */
  isWaiting(subject: Subject): boolean {
    const record = this.#records.size === 0 ? undefined : this.#records.get(keyOf(subject));
    if (record === undefined || !this.#isQuarantined(record)) return false;
    // The halves of a run try everything but what would end them.
    if (this.#command !== 'run' && record.code !== KILLED_THE_RUN) return false;
    // A date in the future was recorded before the clock was set back: it must not delay the next attempt.
    const isPast = dayOf(Date.parse(record.lastSeen)) <= this.#today;
    const isSame = record.conditions.endsWith(this.#conditionsOf(record.code));
    if (!isSame || !isPast || this.#today >= this.#retryOn(record)) return false;
    return COSTLY.has(record.code) || this.#carts.has(record.request) || !this.#hasNewData(record);
  }

  /** Whether it is not tried because it has killed runs. */
  hasKilled(subject: Subject): boolean {
    return this.#records.get(keyOf(subject))?.code === KILLED_THE_RUN && this.isWaiting(subject);
  }

  refused(subject: Subject): ConverterError {
    const key = keyOf(subject);
    this.#met.add(key);
    const name = 'what' in subject ? subject.what : articleLabel(subject);
    return new ConverterError(KILLED_THE_RUN, `${name}: ${this.#records.get(key)!.message}`);
  }

  /** Whether only carts select a request that has been split. */
  isOfCart(request: ArticleRequest): boolean {
    return this.#carts.size > 0 && this.#carts.has(configurationKey(request));
  }

  /**
   * Returns the articles with a request that failed when it was last tried, without their other requests. A
   * planning counts if a child failed that is an asset of its own.
   *
   * @param also - Requests that failed according to the manifest, since a cache may be lost.
   */
  failedBefore(
    articles: readonly SelectedArticle[],
    also: Iterable<ArticleRequest> = [],
  ): SelectedArticle[] {
    const wanted = new Set(Array.from(also, configurationKey));
    for (const { request, root } of this.#records.values())
      wanted.add(root === '' ? request : root);
    return withRequests(articles, (request) => wanted.has(configurationKey(request)));
  }

  /** Records an attempt, which failed if it has an error. @param root - Of a child: the request of its planning. */
  record(subject: Subject, error?: FailedResult['error'], root?: ArticleRequest): void {
    if (error === undefined && this.#known.size === 0 && this.#records.size === 0) return;
    const key = keyOf(subject);
    this.#areTooMany = undefined;
    if (this.#known.has(key)) this.#met.add(key);
    if (!this.#counts(key, error)) return;
    if (error === undefined) {
      this.#records.delete(key);
      return;
    }
    this.#failed.add(key);
    this.#add(key, error, root === undefined ? '' : configurationKey(root));
  }

  recordKills({ request, kills }: KilledWork): void {
    const message = `expected to be processed, but ${kills} runs were killed meanwhile, the last with nothing else in work`;
    const error = { code: KILLED_THE_RUN, message };
    const record = this.#add(request, error, this.#records.get(request)?.root);
    this.#known.add(request);
    this.#table.update(this.#options.outputDir, { failed: [record], gone: [] });
  }

  /** Returns the history of something that failed last; undefined if it did not. */
  historyOf(subject: Subject): FailedBefore | undefined {
    const record = this.#records.get(keyOf(subject));
    if (record === undefined) return undefined;
    const { attempts, nights, firstSeen, lastSeen } = record;
    // A part of the selection is always tried: what it contains is not known before.
    const isExempt = isPart(record) || (record.root === '' && this.#hasTooMany());
    const quarantined = this.#isQuarantined(record) && !isExempt;
    const retry = quarantined && { retryOn: this.#retryOn(record) };
    return { attempts, nights, firstSeen, lastSeen, quarantined, ...retry };
  }

  /** Stores what was recorded; after a complete run, what it did not meet is deleted. */
  save(isComplete: boolean): void {
    const records = this.#records;
    // Children appear only if their planning does not fail.
    const isHidden = (key: string) => records.has(records.get(key)?.root ?? '');
    // A build does not try the parts of the selection.
    const isUntried = (key: string) => this.#command === 'build' && isPart(records.get(key)!);
    const isGone = (key: string) =>
      isComplete && !this.#met.has(key) && !isHidden(key) && !isUntried(key);
    this.#table.update(this.#options.outputDir, {
      failed: [...this.#failed].flatMap((key) => records.get(key) ?? []),
      gone: [...this.#known].filter((key) => !records.has(key) || isGone(key)),
    });
  }

  /** Whether fetching failed, so that only fetching ends it. */
  #isUnfetched(key: string): boolean {
    const record = this.#records.get(key);
    if (record === undefined) return false;
    const { code, conditions } = record;
    if (this.#withoutSnapshot.has(key)) return true;
    if (conditions.startsWith(BY_FETCH) || UNFETCHED.has(code)) return true;
    // A conversion that lacks a body fails with such a code too, but its snapshot is not complete.
    return OF_FETCH.has(code) && this.#isComplete(key);
  }

  #isComplete(key: string): boolean {
    return this.#options.isComplete?.(key) ?? true;
  }

  #isQuarantined({ code, nights }: FailureRecord): boolean {
    return code === KILLED_THE_RUN || nights >= this.#options.failures.quarantineAfterNights;
  }

  #retryOn({ lastSeen }: FailureRecord): string {
    return dayOf(Date.parse(lastSeen) + this.#options.failures.retryEveryNights * DAY_MS);
  }

  /** Whether so many of the selection failed that none is quarantined; children appear only later. */
  #hasTooMany(): boolean {
    if (this.#areTooMany !== undefined) return this.#areTooMany;
    const own = [...this.#records.values()].filter(
      (record) => record.root === '' && !isPart(record) && !this.#carts.has(record.request),
    );
    const quarantined = own.filter((record) => this.#isQuarantined(record)).length;
    this.#areTooMany = quarantined > atLeast(MOST_QUARANTINED, this.#selected);
    return this.#areTooMany;
  }

  #hasNewData({ dates }: FailureRecord): boolean {
    const current = this.#options.dates?.();
    return Object.entries(dates).some(([owner, before]) => {
      const state = current?.stateOf(owner) ?? '';
      return state !== '' && state !== before;
    });
  }

  #datesOf(key: string): FailureRecord['dates'] {
    const { dates, ownersOf = () => [] } = this.#options;
    const known = dates?.();
    if (known === undefined || !isConfigurationKey(key)) return {};
    return Object.fromEntries(Array.from(ownersOf(key), (owner) => [owner, known.stateOf(owner)]));
  }

  /** Whether a result replaces or ends the stored failure: not if the command did not try what failed. */
  #counts(key: string, error: FailedResult['error'] | undefined): boolean {
    if (this.#command === 'build')
      return !this.#isUnfetched(key) && error?.code !== 'SNAPSHOT_MISSING';
    return this.#command === 'run' || error !== undefined || this.#isUnfetched(key);
  }

  #add(key: string, { code, message }: FailedResult['error'], root = ''): FailureRecord {
    const before = this.#records.get(key);
    const seen = new Date(this.#options.now).toISOString();
    const isSameDay = before !== undefined && dayOf(Date.parse(before.lastSeen)) === this.#today;
    const record = {
      request: key,
      code,
      message,
      attempts: (before?.attempts ?? 0) + 1,
      nights: (before?.nights ?? 0) + (isSameDay ? 0 : 1),
      firstSeen: before?.firstSeen ?? seen,
      lastSeen: seen,
      conditions: `${this.#command === 'fetch' ? BY_FETCH : ''}${this.#conditionsOf(code)}`,
      root,
      dates: this.#datesOf(key),
    };
    this.#records.set(key, record);
    return record;
  }
}

function atLeast({ few, share }: typeof MOST_QUARANTINED, articles: number): number {
  return Math.max(few, articles * share);
}

/** Whether a part of the selection failed rather than a configuration. */
function isPart({ request }: FailureRecord): boolean {
  return !isConfigurationKey(request);
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** The key of its request, or its name. */
export function keyOf(subject: Subject): string {
  return 'what' in subject ? subject.what : configurationKey(subject);
}

function requestsOf({ request, alike = [] }: SelectedArticle): ArticleRequest[] {
  return [request, ...alike];
}

function withRequests(
  articles: readonly SelectedArticle[],
  matches: (request: ArticleRequest) => boolean,
): SelectedArticle[] {
  return articles.flatMap((article) => {
    const [request, ...alike] = requestsOf(article).filter(matches);
    const { alike: _, ...rest } = article;
    return request === undefined ? [] : [{ ...rest, request, ...(alike.length > 0 && { alike }) }];
  });
}
