/** The failures of an output folder over all runs: their history, and which of them are tried. */

import { type ConvertLimit, conversionText } from '../../convert/transform/convert-options.ts';
import type { ArticleRequest } from '../../model/article.ts';
import {
  articleLabel,
  configurationKey,
  isConfigurationKey,
} from '../../model/configuration-id.ts';
import type { FailedResult } from '../../model/result.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import type { KilledWork } from '../../source/cache/durable-tables.ts';
import type { ConversionDates } from '../../source/cache/freshness.ts';
import { everyRequest, type SelectedArticle } from '../../source/fetch/selection.ts';
import { ConverterError, type ErrorCode } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import type { Pipeline } from '../file/pipeline-file.ts';

type FailureRecord = ReturnType<CacheDatabase['failures']['all']>[number];

type Limited = Pick<Pipeline, 'service' | 'limits' | 'convert'>;

type HistoryOptions = Pick<Pipeline, 'outputDir' | 'failures'> &
  Limited & {
    /** Start of the run, milliseconds since 1970. */
    now: number;
    /** Number of configurations known without a selection: a run may select a part only. */
    published?: number;
    /** What is tried: `fetch` builds nothing, `build` fetches nothing. @defaultValue `run` */
    command?: 'run' | 'fetch' | 'build';
    /** Whether the snapshot of a request is in the cache. */
    hasSnapshot?: (request: string) => boolean;
    /** Whether each of its bodies is, too. */
    isComplete?: (request: string) => boolean;
    /** The manufacturers whose data a request needs, as far as they are known. */
    ownersOf?: (request: string) => Iterable<string>;
    /** Returns the conversion dates of the catalogue, once they are known. */
    dates?: () => Pick<ConversionDates, 'stateOf'> | undefined;
  };

/** A configuration; or a part of the selection, or a request of it, by its name. */
export type Subject = ArticleRequest | { what: string };

/**
 * Quarantine is for single articles: if more than this share of a selection, and more than a few, would be
 * in it, the service had failed and all are tried.
 */
const MOST_QUARANTINED = { share: 0.1, few: 25 };

/** As long as fewer wait, a look at each of them is cheap. */
const LOOKED_AT = { share: 0.01, few: 20 };

/** Of what was in work in several runs that were killed, after the first alone. */
const KILLED_THE_RUN = 'KILLED_THE_RUN' satisfies ErrorCode;

/** Codes of failures that take long, or much memory, to try again. */
const COSTLY: ReadonlySet<string> = new Set([
  KILLED_THE_RUN,
  'OUT_OF_MEMORY',
  'ARTICLE_TIMEOUT',
] satisfies ErrorCode[]);

/** Codes with which an article or its parts list cannot be fetched; a conversion may end with them for want of a body. */
const OF_FETCH: ReadonlySet<string> = new Set([
  'HTTP_STATUS',
  'HTTP_TIMEOUT',
  'HTTP_CONNECTION',
  'RESPONSE_INVALID',
  'RESPONSE_TOO_LARGE',
  'REDIRECT_REFUSED',
  'QUERY_TOO_LONG',
  'PARTS_LIST_INVALID',
] satisfies ErrorCode[]);

/** Codes that no conversion ends with. */
const UNFETCHED: ReadonlySet<string> = new Set([
  'ARTICLE_NOT_FOUND',
  'ARTICLE_REPORTED',
  'CONFIGURATION_REFUSED',
] satisfies ErrorCode[]);

type CodesOf<Options, Name extends keyof Options> = Record<Name, readonly ErrorCode[]>;
type NumberOf<Options> = {
  [K in keyof Options]-?: Options[K] extends number ? K : never;
}[keyof Options];

/** What fails by each limit; it is tried again once the limit has changed. Total: a new limit has to be placed. */
const FAILS_BY: {
  service: CodesOf<Pipeline['service'], NumberOf<Pipeline['service']>>;
  limits: CodesOf<Pipeline['limits'], keyof Pipeline['limits']>;
  convert: CodesOf<Pipeline['convert'], ConvertLimit>;
} = {
  service: {
    timeoutMs: ['HTTP_TIMEOUT'],
    maxResponseBytes: ['RESPONSE_TOO_LARGE'],
    maxJsonValues: ['RESPONSE_TOO_LARGE'],
    // What they limit fails no article, or ends the run.
    maxBytesInFlight: [],
    concurrency: [],
    retries: [],
    backoffMs: [],
    giveUpAfterMs: [],
    maxPauseMs: [],
    maxTotalPauseMs: [],
  },
  limits: {
    articleTimeoutMs: ['ARTICLE_TIMEOUT'],
    conversionHeapMb: ['OUT_OF_MEMORY'],
    maxTextCharacters: [],
    maxCartValues: ['CART_INVALID'],
    maxCarts: ['CARTS_LIMITED'],
    maxCartBytes: ['CARTS_LIMITED'],
  },
  convert: {
    maxNodes: ['SCENE_TOO_LARGE'],
    maxTriangles: ['SCENE_TOO_LARGE'],
    maxSceneBytes: ['SCENE_TOO_LARGE'],
    maxPixelsInFlight: [],
    maxListedLosses: [],
  },
};

/** Returns the value of each limit that makes something fail with a code, as `limits.conversionHeapMb=1024`. */
function limitsOf(options: Limited, code: string): string[] {
  return Object.entries(FAILS_BY).flatMap(([section, codes]) => {
    const values: Readonly<Record<string, unknown>> = options[section as keyof Limited];
    const names = Object.entries(codes).filter(([, those]) => those.includes(code as ErrorCode));
    return names.map(([name]) => `${section}.${name}=${values[name]}`);
  });
}

/** Beginning of the conditions of a failure that `fetch` recorded. */
const BY_FETCH = 'fetch ';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Opens the failure history of an output folder: `split` what is tried, `record` each attempt, then `save`.
 *
 * @see D-852.
 */
export function openFailureHistory(table: CacheDatabase['failures'], options: HistoryOptions) {
  const { outputDir, failures: policy, now, published = 0 } = options;
  const { command = 'run', hasSnapshot = () => true, isComplete = () => true } = options;
  const { ownersOf = () => [], dates = () => undefined } = options;
  const today = dayOf(now);
  const conversion = conversionText(options.convert);
  /** What else decides whether something fails with a code: options, converter and limits. */
  const conditionsOf = (code: string) =>
    sha256Hex([conversion, ...limitsOf(options, code)].join('\n')).slice(0, 16);
  const records = new Map(table.all(outputDir).map((record) => [record.request, record]));
  const known = new Set(records.keys());
  /** Failures without a snapshot, which only the halves of a run need to know. */
  const withoutSnapshot = new Set(
    command === 'run' ? [] : [...known].filter((key) => !hasSnapshot(key)),
  );
  /** Whether fetching failed, so that only fetching ends it. */
  const isUnfetched = (key: string) => {
    const record = records.get(key);
    if (record === undefined) return false;
    const { code, conditions: stored } = record;
    if (withoutSnapshot.has(key) || stored.startsWith(BY_FETCH) || UNFETCHED.has(code)) return true;
    // A conversion that lacks a body fails with such a code too, but its snapshot is not complete.
    return OF_FETCH.has(code) && isComplete(key);
  };
  const datesOf = (key: string): FailureRecord['dates'] => {
    const known = dates();
    if (known === undefined || !isConfigurationKey(key)) return {};
    return Object.fromEntries(Array.from(ownersOf(key), (owner) => [owner, known.stateOf(owner)]));
  };
  /** Whether data that it needs was converted since it failed. */
  const hasNewData = (record: FailureRecord) =>
    Object.entries(record.dates).some(([owner, before]) => {
      const state = dates()?.stateOf(owner) ?? '';
      return state !== '' && state !== before;
    });
  const met = new Set<string>();
  const failed = new Set<string>();
  let selected = published;
  /** Requests of carts: they always wait in quarantine, however many they are. */
  const carts = new Set<string>();

  const isQuarantined = ({ code, nights }: FailureRecord) =>
    code === KILLED_THE_RUN || nights >= policy.quarantineAfterNights;
  const retryOn = ({ lastSeen }: FailureRecord) =>
    dayOf(Date.parse(lastSeen) + policy.retryEveryNights * DAY_MS);
  const isWaiting = (subject: Subject): boolean => {
    const record = records.size === 0 ? undefined : records.get(keyOf(subject));
    if (record === undefined || !isQuarantined(record)) return false;
    // The halves of a run try everything but what would end them.
    if (command !== 'run' && record.code !== KILLED_THE_RUN) return false;
    // A date in the future was recorded before the clock was set back: it must not delay the next attempt.
    const isPast = dayOf(Date.parse(record.lastSeen)) <= today;
    const isSame = record.conditions.endsWith(conditionsOf(record.code));
    if (!isSame || !isPast || today >= retryOn(record)) return false;
    return COSTLY.has(record.code) || carts.has(record.request) || !hasNewData(record);
  };
  /** Whether so many of the selection failed that none is quarantined; children appear only later. */
  let tooMany: boolean | undefined;
  const areTooMany = () => {
    if (tooMany !== undefined) return tooMany;
    const own = [...records.values()].filter(
      (record) => record.root === '' && !isPart(record) && !carts.has(record.request),
    );
    tooMany = own.filter(isQuarantined).length > mostQuarantined(selected);
    return tooMany;
  };

  const splitBy = (
    articles: readonly SelectedArticle[],
    isUntried: (request: ArticleRequest) => boolean,
    isLookedAt: (request: ArticleRequest) => boolean,
  ) => {
    if (records.size === 0) return { tried: articles, lookedAt: [], quarantined: [] };
    const lookedAt: SelectedArticle[] = [];
    const quarantined: { request: ArticleRequest; error: FailedResult['error'] }[] = [];
    for (const article of articles.flatMap(everyRequest)) {
      const { request } = article;
      if (!isUntried(request)) continue;
      const key = configurationKey(request);
      const { code, message } = records.get(key)!;
      met.add(key);
      if (!isLookedAt(request)) quarantined.push({ request, error: { code, message } });
      else {
        const isOfFetch = OF_FETCH.has(code) || isUnfetched(key) || !isComplete(key);
        lookedAt.push({ ...article, quarantined: { code, message, isOfFetch } });
      }
    }
    const tried = withRequests(articles, (request) => !isUntried(request));
    return { tried, lookedAt, quarantined };
  };
  const mayBeLookedAt = (key: string) => !COSTLY.has(records.get(key)!.code) && !carts.has(key);
  /** An older snapshot is that of the last good fetch: a build of it would look like a good one. */
  const cannotBuild = (request: ArticleRequest) =>
    command === 'build' && isUnfetched(configurationKey(request));
  /** Whether a result replaces or ends the stored failure: not if the command did not try what failed. */
  const counts = (key: string, error: FailedResult['error'] | undefined) => {
    if (command === 'build') return !isUnfetched(key) && error?.code !== 'SNAPSHOT_MISSING';
    return command === 'run' || error !== undefined || isUnfetched(key);
  };

  const add = (key: string, error: FailedResult['error'], root = ''): FailureRecord => {
    const before = records.get(key);
    const seen = new Date(now).toISOString();
    const isSameDay = before !== undefined && dayOf(Date.parse(before.lastSeen)) === today;
    const record = {
      request: key,
      code: error.code,
      message: error.message,
      attempts: (before?.attempts ?? 0) + 1,
      nights: (before?.nights ?? 0) + (isSameDay ? 0 : 1),
      firstSeen: before?.firstSeen ?? seen,
      lastSeen: seen,
      conditions: `${command === 'fetch' ? BY_FETCH : ''}${conditionsOf(error.code)}`,
      root,
      dates: datesOf(key),
    };
    records.set(key, record);
    return record;
  };

  return {
    /**
     * Splits requests into those that are tried and those that are not, with their last failure: those in
     * quarantine, and of a `build` those that could not be fetched. If few are in quarantine, they are looked at.
     *
     * @param isAll - Whether those in quarantine are tried like all others.
     */
    split(articles: readonly SelectedArticle[], isAll = false) {
      const range = articles.filter(({ onlyCarts }) => !onlyCarts);
      const ofCarts = articles.filter(({ onlyCarts }) => onlyCarts).flatMap(requestsOf);
      for (const request of ofCarts) carts.add(configurationKey(request));
      selected = Math.max(selected, range.length);
      const waiting = isAll ? [] : range.flatMap(requestsOf).filter(isWaiting);
      const areAllTried = waiting.length > mostQuarantined(range.length);
      const areFew = waiting.length < atLeast(LOOKED_AT, range.length);
      const isTriedNow = (request: ArticleRequest) =>
        isAll || (areAllTried && !carts.has(configurationKey(request)));
      return splitBy(
        articles,
        (request) => cannotBuild(request) || (!isTriedNow(request) && isWaiting(request)),
        (request) => areFew && command === 'run' && mayBeLookedAt(configurationKey(request)),
      );
    },
    isWaiting,
    /** Whether it is not tried because it has killed runs. */
    hasKilled: (subject: Subject) =>
      records.get(keyOf(subject))?.code === KILLED_THE_RUN && isWaiting(subject),
    /** The error of a request of the selection that has killed runs. */
    refused(subject: Subject): ConverterError {
      const key = keyOf(subject);
      met.add(key);
      const name = 'what' in subject ? subject.what : articleLabel(subject);
      return new ConverterError(KILLED_THE_RUN, `${name}: ${records.get(key)!.message}`);
    },
    isOfCart: (request: ArticleRequest) => carts.size > 0 && carts.has(configurationKey(request)),
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
      for (const { request, root } of records.values()) wanted.add(root === '' ? request : root);
      return withRequests(articles, (request) => wanted.has(configurationKey(request)));
    },
    /**
     * Records an attempt.
     *
     * @param error - Undefined if it succeeded.
     * @param root - Of a child that is an asset of its own: the request of its planning.
     */
    record(subject: Subject, error?: FailedResult['error'], root?: ArticleRequest): void {
      if (error === undefined && known.size === 0 && records.size === 0) return;
      const key = keyOf(subject);
      tooMany = undefined;
      if (known.has(key)) met.add(key);
      if (!counts(key, error)) return;
      if (error === undefined) {
        records.delete(key);
        return;
      }
      failed.add(key);
      add(key, error, root === undefined ? '' : configurationKey(root));
    },
    /** Records and stores at once that runs were killed with a configuration in work. */
    recordKills({ request, kills }: KilledWork): void {
      const message = `expected to be processed, but ${kills} runs were killed meanwhile, the last with nothing else in work`;
      const record = add(request, { code: KILLED_THE_RUN, message }, records.get(request)?.root);
      known.add(request);
      table.update(outputDir, { failed: [record], gone: [] });
    },
    /** Returns the history of something that failed last; undefined if it did not. */
    historyOf(subject: Subject) {
      const record = records.get(keyOf(subject));
      if (record === undefined) return undefined;
      const { attempts, nights, firstSeen, lastSeen } = record;
      // A part of the selection is always tried: what it contains is not known before.
      const isExempt = isPart(record) || (record.root === '' && areTooMany());
      const quarantined = isQuarantined(record) && !isExempt;
      const retry = quarantined && { retryOn: retryOn(record) };
      return { attempts, nights, firstSeen, lastSeen, quarantined, ...retry };
    },
    /** Stores what was recorded; after a complete run, what it did not meet is deleted. */
    save(isComplete: boolean): void {
      // Children appear only if their planning does not fail.
      const isHidden = (key: string) => records.has(records.get(key)?.root ?? '');
      // A build does not try the parts of the selection.
      const isUntried = (key: string) => command === 'build' && isPart(records.get(key)!);
      const isGone = (key: string) =>
        isComplete && !met.has(key) && !isHidden(key) && !isUntried(key);
      table.update(outputDir, {
        failed: [...failed].flatMap((key) => records.get(key) ?? []),
        gone: [...known].filter((key) => !records.has(key) || isGone(key)),
      });
    },
  };
}

function mostQuarantined(articles: number): number {
  return atLeast(MOST_QUARANTINED, articles);
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
