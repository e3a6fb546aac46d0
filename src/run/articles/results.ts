/** What became of the requests of a run, collected by configuration until the manifest is written. */

import type { ArticleKey, ArticleRequest } from '../../model/article.ts';
import type { Built, Decision } from '../../model/asset.ts';
import {
  articleLabel,
  configurationKey,
  parseConfigurationKey,
} from '../../model/configuration-id.ts';
import type { Digest, UnplacedChild } from '../../model/snapshot.ts';
import type { Warning } from '../../model/warning.ts';
import type { SelectedArticle } from '../../source/fetch/selection.ts';
import { PackedMap } from '../../support/packed-map.ts';
import type { Spool } from '../../support/spool.ts';
import { cutText, TEXT_LIMITS } from '../../support/text-limits.ts';
import type { CatalogueEntry, ManifestLine } from '../lists/manifest-line.ts';
import type { PreviousOutput } from '../open/output.ts';

/** The result of one request. If several requests resolve to one configuration, each has its own result. */
export type Result = BuiltResult | SkippedResult | FreshResult | FetchedResult | FailedResult;

/** The result of a request whose snapshot was read: `converted` has a new GLB, `unchanged` the published one. */
export interface BuiltResult extends Pick<ManifestLine, 'convertdate' | 'source'> {
  status: 'converted' | 'unchanged';
  request: ArticleRequest;
  key: ArticleKey;
  built: Built;
  /** Catalogue entries in each language of the pipeline. */
  catalogue: CatalogueEntry[];
  /** Digest as in the line of its manifest. */
  answers: Digest;
  decision: Decision;
  /** Children of a planning that become assets of their own. */
  unplaced?: UnplacedChild[];
}

/** The result of a request whose snapshot was read and contains nothing to draw. */
export interface SkippedResult
  extends Omit<BuiltResult, 'status' | 'built'>,
    Required<Pick<ManifestLine, 'warnings' | 'reason'>> {
  status: 'skipped';
}

/** The result of a request with a fresh snapshot and a published GLB: nothing was read, its lines are unchanged. */
export interface FreshResult {
  status: 'fresh';
  request: ArticleRequest;
  key: ArticleKey;
  unplaced?: never;
}

interface FetchedResult {
  status: 'fetched';
  request: ArticleRequest;
  key: ArticleKey;
  warnings: Warning[];
  unplaced?: UnplacedChild[];
}

/** The result of a request that failed. */
export interface FailedResult {
  status: 'failed';
  request: ArticleRequest;
  /** Undefined if the request could not be resolved. */
  key: ArticleKey | undefined;
  error: { code: string; message: string };
  /** Whether the request stays in quarantine, with its last error: checking it counts as no attempt. */
  isWaiting?: true;
  unplaced?: never;
}

/** Processes one article. */
export interface Processor {
  /** May throw: an error of the article becomes its result, one that ends the run ends it. */
  process(selected: SelectedArticle): Promise<Result>;
  /** Returns the configuration of a request that failed, without a request to the service. */
  resolve?(request: ArticleRequest): Promise<ArticleKey | undefined>;
}

/** Where a result comes from. */
export interface ResultOrigin {
  /** Index of the article among all that the run processes: results arrive in any order. */
  place: number;
  /** Time spent on it including waiting, milliseconds. */
  ms: number;
}

/** A result and where it comes from. */
export interface CollectedResult extends ResultOrigin {
  result: Result;
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

/**
 * All results of a run. They are stored as bytes, so that 50,000 of them do not load the heap; that a
 * configuration is fresh takes its request only, which the selection has anyway.
 *
 * A request that failed before it was resolved is filed under the configuration that it resolved to in the
 * previous run, so that its published GLB stays known as `lastGood`. One too many for its configuration fails.
 *
 * @see D-833.
 */
export class Results {
  readonly #previous: Pick<PreviousOutput, 'keyOfRequest'>;
  /** One by one, because a list would be packed anew with each result that is added to it. */
  readonly #packed: PackedMap<CollectedResult>;
  readonly #decoded = new Map<string, CollectedResult>();
  #decodedBytes = 0;
  readonly #fresh = new Map<string, { request: ArticleRequest; place: number; ms: number }>();
  /** How many results of each configuration are stored as bytes. */
  readonly #counts = new Map<string, number>();
  /** Bytes of the results of each configuration that has several. */
  readonly #sizes = new Map<string, number>();

  /** @param spool - Where the bytes are. @defaultValue one in memory */
  constructor(previous: Pick<PreviousOutput, 'keyOfRequest'>, spool?: Spool) {
    this.#previous = previous;
    this.#packed = new PackedMap(spool);
  }

  /** Returns the results of the requests of a configuration, in the order of the selection. */
  of(key: string): CollectedResult[] {
    const count = this.#counts.get(key) ?? 0;
    if (count === 0) return this.#freshOf(key);
    const indices = Array.from({ length: count }, (_, index) => index);
    const collected = indices.map((index) => {
      const name = nameOf(key, index);
      return this.#decoded.get(name) ?? this.#packed.get(name)!;
    });
    return [...this.#freshOf(key), ...collected].sort((a, b) => a.place - b.place);
  }

  /** Returns request and time of a configuration that is fresh and has no other result. */
  onlyFreshOf(key: string): { request: ArticleRequest; ms: number } | undefined {
    return this.#counts.get(key) === 0 ? this.#fresh.get(key) : undefined;
  }

  /** Returns the last result of a configuration whose snapshot was read. */
  readOf(key: string) {
    if ((this.#counts.get(key) ?? 0) === 0) return undefined;
    return this.of(key)
      .map(({ result }) => result)
      .findLast((result) => 'catalogue' in result);
  }

  add(result: Result, origin: ResultOrigin): void {
    const key = this.#keyOf(result);
    const isFull = this.#sizeOf(key) > MAX_BYTES;
    const own = isFull ? configurationKey(result.request) : key;
    if (key !== own) this.#put(own, { ...origin, result: oneTooMany(result.request) });
    else this.#put(key, { ...origin, result });
  }

  /** Keys of `configurationKey`, in no particular order. */
  keys(): Iterable<string> {
    return this.#counts.keys();
  }

  *all(): Iterable<CollectedResult> {
    for (const key of this.#counts.keys()) yield* this.of(key);
  }

  #keyOf({ key, request }: Result): string {
    if (key !== undefined) return configurationKey(key);
    return this.#previous.keyOfRequest(request) ?? configurationKey(request);
  }

  #sizeOf(key: string): number {
    return this.#sizes.get(key) ?? this.#packed.bytesOf(key)?.length ?? 0;
  }

  #freshOf(key: string): CollectedResult[] {
    const found = this.#fresh.get(key);
    if (found === undefined) return [];
    const { request, place, ms } = found;
    return [{ result: new Fresh(request, key), place, ms }];
  }

  #put(key: string, collected: CollectedResult): void {
    const { result, place, ms } = collected;
    const count = this.#counts.get(key) ?? 0;
    if (result.status === 'fresh' && !this.#fresh.has(key)) {
      this.#fresh.set(key, { request: result.request, place, ms });
      this.#counts.set(key, count);
      return;
    }
    const name = nameOf(key, count);
    const length = this.#packed.set(name, collected);
    this.#counts.set(key, count + 1);
    if (count > 0) this.#sizes.set(key, this.#sizeOf(key) + length);
    this.#decodedBytes += length;
    if (this.#decodedBytes <= MOST_DECODED_BYTES) this.#decoded.set(name, collected);
  }
}

function nameOf(key: string, index: number): string {
  return index === 0 ? key : `${key} ${index}`;
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
