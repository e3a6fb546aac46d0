/** The session of a run with the service, which is opened on first use. */
import type { SharedResponses } from '../../source/cache/cached-responses.ts';
import type { ContentStore } from '../../source/cache/content-store.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import type { FreshnessPolicy } from '../../source/cache/freshness.ts';
import type { Fetcher } from '../../source/fetch/fetch-article.ts';
import { concurrencyOf, type LimitShare } from '../../source/service/service-config.ts';
import type { ConverterError } from '../../support/errors.ts';
import {
  languagesOf,
  openService,
  pipelineServiceId,
  type Service,
  type ServiceSection,
} from './connect.ts';
import type { RunEnvironment, ServiceEnvironment } from './run-environment.ts';
import { type BudgetMember, type BudgetPlace, ServiceBudget } from './service-budget.ts';

/** What a pipeline says of its sources. */
export interface SourceSettings {
  service: ServiceSection;
  cacheDir: string;
  /** Largest size of the cache at the end of a run. */
  cacheMaxBytes: number;
  freshness: FreshnessPolicy;
  /** Folder of what is made of the sources; the account is noted for each. */
  outputDir: string;
  /** The store that several machines share. */
  store?: object | undefined;
}

/** The options of a run that its sources heed. */
export interface SourceOptions {
  pipeline: SourceSettings;
  /** Requests everything anew. */
  force?: boolean;
  /** Requests again what the service did not have. */
  failedOnly?: boolean;
  /** Trusts the listings that led to a refused result. */
  accept?: boolean;
  /** Milliseconds since 1970 at which the run stops. */
  until?: number;
}

interface SessionOptions {
  options: SourceOptions;
  environment: ServiceEnvironment & Pick<RunEnvironment, 'log'>;
  /** Milliseconds since 1970. */
  startedAt: number;
  bodies: ContentStore;
  database: CacheDatabase;
  /** What other machines have received, and which of them send requests. */
  shared: { responses: SharedResponses; members(member: BudgetMember): BudgetPlace } | undefined;
}

/** How often those that share a cache look, milliseconds. */
const LOOK_EVERY_MS = 1000;

/** The session of a run. */
export class ServiceSession {
  readonly #opening: SessionOptions;
  readonly #closing = new AbortController();
  /** Aborted when the run is interrupted, and when the session closes: work in progress ends then. */
  readonly ended: AbortSignal;
  #service: Promise<Service> | undefined;
  #client: Service['client'] | undefined;
  #fetcher: Promise<Fetcher> | undefined;
  #begun: ReturnType<CacheDatabase['runs']['begin']> | undefined;
  #limitShare: LimitShare | undefined;
  #budget: ServiceBudget | undefined;

  constructor(opening: SessionOptions) {
    this.#opening = opening;
    this.ended = AbortSignal.any([opening.environment.signal, this.#closing.signal]);
  }

  /** Opens the service at the first call. */
  fetcher(): Promise<Fetcher> {
    this.#fetcher ??= this.#openFetcher();
    return this.#fetcher;
  }

  async #openFetcher(): Promise<Fetcher> {
    const { options, environment, startedAt, bodies, database } = this.#opening;
    const { shared } = this.#opening;
    const { service, outputDir, freshness } = options.pipeline;
    this.#service = openService(service, {
      ...environment,
      onOutage: (failure) => this.#logOutage(failure),
      onPause: (ms) => {
        this.#budget?.pause(environment.now() + ms);
        environment.onPause?.(ms);
      },
    });
    const { client } = await this.#service;
    this.#client = client;
    const { createFetcher } = await import('../../source/fetch/fetch-article.ts');
    const [, ...others] = languagesOf(service);
    const idIn = (lang: string) => pipelineServiceId({ ...service, lang });
    const identity = { service: client.id, output: outputDir, pid: process.pid };
    const begun = database.runs.begin({ ...identity, startedAt });
    this.#begun = begun;
    const member = { service: client.id, startedAt };
    const budget = new ServiceBudget({
      place: shared?.members(member) ?? this.#membersOfCache(begun.id, startedAt),
      traffic: client.traffic,
      concurrency: concurrencyOf(service),
      now: environment.now,
    });
    this.#budget = budget;
    if (this.#limitShare !== undefined) budget.share(this.#limitShare);
    await budget.open(this.ended);
    return createFetcher({
      client,
      store: bodies,
      database,
      now: startedAt,
      force: options.force ?? false,
      retryMissing: options.failedOnly ?? false,
      interruptedSince: begun.interruptedSince,
      interruptedUntil: begun.interruptedUntil,
      // What was accepted is what was shown: only what is doubted anyway is requested again.
      listingsRefusedAt: options.accept ? undefined : begun.refusedAt,
      freshness,
      imageLocation: service.imageLocation,
      shared: shared?.responses,
      languages: Object.fromEntries(others.map((lang) => [lang, idIn(lang)])),
    });
  }

  /** All that send requests from one cache, such as a run and a server of assets. */
  #membersOfCache(id: number, startedAt: number): BudgetPlace {
    const { database, environment } = this.#opening;
    return {
      lookEveryMs: LOOK_EVERY_MS,
      async see(ownUntilMs) {
        const { starts, pausedUntilMs } = database.runs.see(id, environment.now(), ownUntilMs);
        const all = [...new Set([startedAt, ...starts])].sort((a, b) => a - b);
        return { index: all.indexOf(startedAt), count: all.length, pausedUntilMs };
      },
      // Its row says that it has ended.
      async leave() {},
    };
  }

  #logOutage(failure: ConverterError | undefined): void {
    const { options, environment } = this.#opening;
    const { log } = environment;
    if (failure === undefined) {
      log.info('the service answers again');
      return;
    }
    const seconds = options.pipeline.service.giveUpAfterMs / 1000;
    const reason = failure.message;
    log.warn(`the service does not answer; trying again for at most ${seconds} s`, { reason });
  }

  /** Loads what a `previewimage` of an article refers to. */
  async preview(previewimage: string): Promise<Uint8Array> {
    await this.fetcher();
    return (await this.#client!.getPreview(previewimage)).bytes;
  }

  /** Returns the number of responses taken from the cache. */
  async cacheHits(): Promise<number> {
    // A service that could not be opened has reported its error already.
    const opened = await this.#fetcher?.catch(() => undefined);
    const counts = [...(opened?.counts.values() ?? [])];
    return counts.reduce((sum, { cached }) => sum + cached, 0);
  }

  /** Whether the client holds back every request because the service is overloaded. */
  isPaused(): boolean {
    return this.#client?.traffic.state === 'paused';
  }

  /** Limits the requests of this process to its share of the limits of the pipeline. */
  share(share: LimitShare): void {
    this.#limitShare = share;
    this.#budget?.share(share);
  }

  hold(ms: number): void {
    this.#client?.traffic.hold(ms);
  }

  /** Milliseconds of all such pauses up to now. */
  pausedMs(): number {
    return this.#client?.traffic.pausedMs ?? 0;
  }

  /** Drops requests in flight and logs out. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#budget?.close();
    await this.#service?.then((opened) => opened.close()).catch(() => undefined);
  }

  /** Records that the result was refused, or that nothing was selected: the next run requests the listings again. */
  refuse(): void {
    if (this.#begun !== undefined) this.#opening.database.runs.refuse(this.#begun.id);
  }

  /**
   * Writes what waits, marks the run as finished and evicts from the cache; without it, the next run resumes this one.
   *
   * @param keepEarlierRunsResumable - The run processed a part: the next one still resumes those before it.
   */
  async finish(keepEarlierRunsResumable: boolean): Promise<void> {
    const { options, startedAt, bodies, database } = this.#opening;
    database.flush();
    if (this.#begun === undefined) return;
    const { evictUnused } = await import('../../source/cache/eviction.ts');
    const { cacheMaxBytes: maxBytes } = options.pipeline;
    const cache = { store: bodies, database, now: startedAt };
    await evictUnused({ ...cache, maxBytes, run: this.#begun.id });
    database.runs.finish(this.#begun.id, keepEarlierRunsResumable);
  }
}
