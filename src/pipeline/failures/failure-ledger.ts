/**
 * Failure ledger: what keeps failing over the nights, and when it is tried again.
 *
 * In: what was selected, then what became of each request. Out: what is due tonight, and a row for
 * each failure. An article that failed on several nights is quarantined: tried less often, and listed.
 * It must not know why something failed.
 */

import type { DurableFailures, FailureRecord } from '../../cache/durable-failures.ts';
import type { SelectedArticle } from '../../fetch/selection.ts';
import type { ArticleRequest } from '../../model/article.ts';
import { configurationKey, isConfigurationKey } from '../../model/configuration-id.ts';
import { sha256Hex } from '../../support/files.ts';
import { CONVERTER_VERSION, type ConvertOptions } from '../../transform/convert-options.ts';

/** How often something that fails is tried. */
export interface FailurePolicy {
  /** Distinct nights of failure from which it is in quarantine. */
  quarantineAfterNights: number;
  /** Days from one attempt to the next one in quarantine. */
  retryEveryNights: number;
}

/** What a ledger belongs to. */
export interface LedgerOptions {
  /** Absolute path: each output has failures of its own. */
  outputDir: string;
  policy: FailurePolicy;
  /** Options of the conversion: once they change, everything deserves another try. */
  convert: ConvertOptions;
  /** When the run began, milliseconds since 1970. */
  now: number;
  /** Configurations that are known without a selection: a run may select a part only. */
  published?: number;
}

/** A configuration, or a part of the selection by its name. */
export type Subject = ArticleRequest | { what: string };

/** What a row of `failures.jsonl` says about other nights. */
export interface LedgerRow {
  attempts: number;
  nights: number;
  /** ISO 8601, UTC. */
  firstSeen: string;
  /** ISO 8601, UTC. */
  lastSeen: string;
  quarantined: boolean;
  /** `YYYY-MM-DD` (UTC) on which a quarantined one is tried again. */
  retryOn?: string;
}

/** A request that is not tried tonight, with the failure that it had last. */
export interface Quarantined {
  request: ArticleRequest;
  error: { code: string; message: string };
}

/** The failures of one output folder, over the nights. */
export interface FailureLedger {
  /**
   * Tells what is tried tonight from what stays in quarantine; each spelling of an article counts alone.
   *
   * @param everything - Whoever asks for single articles, or for everything anew, gets all.
   */
  due(
    articles: readonly SelectedArticle[],
    everything?: boolean,
  ): { due: SelectedArticle[]; quarantined: Quarantined[] };
  /**
   * Those that failed when they were last tried, in their failing spellings only: `--failed`. A planning
   * counts where one of its children failed that are assets of their own.
   *
   * @param also - Requests that failed as far as others know, since a cache may be lost.
   */
  failing(articles: readonly SelectedArticle[], also?: Iterable<ArticleRequest>): SelectedArticle[];
  /**
   * Notes what became of an attempt.
   *
   * @param error - Missing where it succeeded.
   * @param root - Of a child that is an asset of its own: the request that turned it up.
   */
  record(subject: Subject, error?: { code: string; message: string }, root?: ArticleRequest): void;
  /** What is known of something that failed last; undefined where it did not. */
  rowOf(subject: Subject): LedgerRow | undefined;
  /**
   * Keeps what was noted.
   *
   * @param complete - Whether all that the pipeline selects was worked on or is in quarantine: what the
   *   night did not meet is then forgotten.
   */
  save(complete: boolean): void;
}

/**
 * Quarantine is for single articles: where more than this share of a selection would be in it, and
 * more than a few, it is the service that was ill, and all are tried.
 */
const MOST_QUARANTINED = { share: 0.1, few: 25 };

/**
 * Opens the ledger of an output folder.
 *
 * @example
 * ```ts
 * const ledger = openFailureLedger(state.failures, { outputDir, policy, convert, now });
 * const { due, quarantined } = ledger.due(selection.articles);
 * ledger.record(due[0].request, { code: 'BLOCK_MISSING', message: '…' });
 * ledger.rowOf(due[0].request);   // → { attempts: 3, nights: 3, …, quarantined: true, retryOn: '2026-01-10' }
 * ledger.save(true);
 * ```
 *
 * @see D-852.
 */
export function openFailureLedger(
  failures: DurableFailures,
  options: LedgerOptions,
): FailureLedger {
  const { outputDir, policy, now, published = 0 } = options;
  const today = dayOf(now);
  const conditions = sha256Hex(JSON.stringify([CONVERTER_VERSION, options.convert])).slice(0, 16);
  const records = new Map(failures.all(outputDir).map((record) => [record.request, record]));
  const known = new Set(records.keys());
  const met = new Set<string>();
  const failed = new Set<string>();
  let range = published;

  const isQuarantined = ({ nights }: FailureRecord) => nights >= policy.quarantineAfterNights;
  const retryOn = ({ lastSeen }: FailureRecord) =>
    dayOf(Date.parse(lastSeen) + policy.retryEveryNights * DAY_MS);
  const waits = (request: ArticleRequest): boolean => {
    const record = records.get(configurationKey(request));
    if (record === undefined || !isQuarantined(record)) return false;
    // What was seen on a day to come was seen before the clock was set back: it must not wait until then.
    const isOfThePast = dayOf(Date.parse(record.lastSeen)) <= today;
    return record.conditions === conditions && isOfThePast && today < retryOn(record);
  };
  /** Told of those of the selection only: children turn up once it is worked on. */
  let isIll: boolean | undefined;
  const areAllTried = () => {
    isIll ??=
      [...records.values()].filter(isOfSelection).filter(isQuarantined).length > most(range);
    return isIll;
  };

  return {
    due(articles, everything = false) {
      range = Math.max(range, articles.length);
      const waiting = everything ? [] : articles.flatMap(spellings).filter(waits);
      if (waiting.length === 0 || waiting.length > most(articles.length)) {
        return { due: [...articles], quarantined: [] };
      }
      const quarantined = waiting.map((request) => {
        const { code, message } = records.get(configurationKey(request))!;
        met.add(configurationKey(request));
        return { request, error: { code, message } };
      });
      return { due: withSpellings(articles, (request) => !waits(request)), quarantined };
    },
    failing(articles, also = []) {
      const wanted = new Set(Array.from(also, configurationKey));
      for (const { request, root } of records.values()) wanted.add(root === '' ? request : root);
      return withSpellings(articles, (request) => wanted.has(configurationKey(request)));
    },
    record(subject, error, root) {
      const key = keyOfSubject(subject);
      isIll = undefined;
      if (known.has(key)) met.add(key);
      if (error === undefined) {
        records.delete(key);
        return;
      }
      const before = records.get(key);
      const seen = new Date(now).toISOString();
      const sameNight = before !== undefined && dayOf(Date.parse(before.lastSeen)) === today;
      failed.add(key);
      records.set(key, {
        request: key,
        code: error.code,
        message: error.message,
        attempts: (before?.attempts ?? 0) + 1,
        nights: (before?.nights ?? 0) + (sameNight ? 0 : 1),
        firstSeen: before?.firstSeen ?? seen,
        lastSeen: seen,
        conditions,
        root: root === undefined ? '' : configurationKey(root),
      });
    },
    rowOf(subject) {
      const record = records.get(keyOfSubject(subject));
      if (record === undefined) return undefined;
      const { attempts, nights, firstSeen, lastSeen } = record;
      const row = { attempts, nights, firstSeen, lastSeen };
      // A part of the selection is always tried: what is behind it is not known before.
      const waits = !isPart(record) && !(record.root === '' && areAllTried());
      return isQuarantined(record) && waits
        ? { ...row, quarantined: true, retryOn: retryOn(record) }
        : { ...row, quarantined: false };
    },
    save(complete) {
      // Children turn up only where their planning does not fail.
      const isHidden = (key: string) => records.has(records.get(key)?.root ?? '');
      const forgotten = (key: string) => complete && !met.has(key) && !isHidden(key);
      failures.update(outputDir, {
        failed: [...failed].flatMap((key) => records.get(key) ?? []),
        gone: [...known].filter((key) => !records.has(key) || forgotten(key)),
      });
    },
  };
}

/** How many of some articles may be in quarantine. */
function most(articles: number): number {
  return Math.max(MOST_QUARANTINED.few, articles * MOST_QUARANTINED.share);
}

/** Neither a child that its planning turns up nor a part of the selection that failed itself. */
function isOfSelection(record: FailureRecord): boolean {
  return record.root === '' && !isPart(record);
}

/** A part of the selection by its name, no configuration. */
function isPart({ request }: FailureRecord): boolean {
  return !isConfigurationKey(request);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `YYYY-MM-DD`, UTC. */
function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function keyOfSubject(subject: Subject): string {
  return 'what' in subject ? subject.what : configurationKey(subject);
}

function spellings({ request, alike = [] }: SelectedArticle): ArticleRequest[] {
  return [request, ...alike];
}

/** Articles with those of their spellings that are wanted; without any, an article is left out. */
function withSpellings(
  articles: readonly SelectedArticle[],
  wanted: (request: ArticleRequest) => boolean,
): SelectedArticle[] {
  return articles.flatMap((article) => {
    const all = spellings(article);
    const [request, ...others] = all.filter(wanted);
    if (request === undefined) return [];
    if (others.length === all.length - 1) return [article];
    const { alike: _, ...rest } = article;
    return [others.length === 0 ? { ...rest, request } : { ...rest, request, alike: others }];
  });
}
