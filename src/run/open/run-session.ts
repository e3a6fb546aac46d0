/** The session of a run with the service, which is opened on first use. */
import type { ContentStore } from '../../source/cache/content-store.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import type { Fetcher } from '../../source/fetch/fetch-article.ts';
import type { LimitShare } from '../../source/service/service-config.ts';
import type { ConverterError } from '../../support/errors.ts';
import { languagesOf, openService, pipelineServiceId, type Service } from './connect.ts';
import type { createRunMetrics } from './metrics.ts';
import type { RunEnvironment, RunOptions } from './run-options.ts';
import type { SharedSources } from './shared-sources.ts';

interface SessionOptions {
  options: RunOptions;
  environment: RunEnvironment;
  /** Milliseconds since 1970. */
  startedAt: number;
  metrics: ReturnType<typeof createRunMetrics>;
  bodies: ContentStore;
  database: CacheDatabase;
  /** What several machines share. */
  shared: SharedSources | undefined;
  /** Whether the service is waited for from the first request on. */
  waitsForFirstAnswer: boolean;
}

/** The session of a run. */
export type ServiceSession = ReturnType<typeof createServiceSession>;

/** Creates the session with the service, which is opened on first use. */
export function createServiceSession(opening: SessionOptions) {
  const { options, environment, startedAt, metrics, bodies, database, shared } = opening;
  const { waitsForFirstAnswer } = opening;
  const { service: content, outputDir, freshness, cacheMaxBytes } = options.pipeline;
  let service: Promise<Service> | undefined;
  let client: Service['client'] | undefined;
  let fetcher: Promise<Fetcher> | undefined;
  let begun: ReturnType<CacheDatabase['runs']['begin']> | undefined;
  const closing = new AbortController();
  let limitShare: LimitShare | undefined;

  const onOutage = (failure: ConverterError | undefined) => {
    const { log } = environment;
    if (failure === undefined) return log.info('the service answers again');
    const seconds = content.giveUpAfterMs / 1000;
    const reason = failure.message;
    log.warn(`the service does not answer: all requests wait for at most ${seconds} s`, { reason });
  };

  const openFetcher = async (): Promise<Fetcher> => {
    const { count: onRequest } = metrics.requests;
    const callbacks = { onRequest, onDrift: metrics.drift.count, onOutage };
    service = openService(content, { ...environment, ...callbacks, waitsForFirstAnswer });
    ({ client } = await service);
    if (limitShare !== undefined) client.traffic.share(limitShare);
    const { createFetcher } = await import('../../source/fetch/fetch-article.ts');
    const [, ...others] = languagesOf(content);
    const idIn = (lang: string) => pipelineServiceId({ ...content, lang });
    const identity = { service: client.id, output: outputDir, pid: process.pid };
    begun = database.runs.begin({ ...identity, startedAt });
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
      imageLocation: content.imageLocation,
      shared: shared?.responses,
      languages: Object.fromEntries(others.map((lang) => [lang, idIn(lang)])),
    });
  };

  return {
    fetcher: (): Promise<Fetcher> => {
      fetcher ??= openFetcher();
      return fetcher;
    },
    /** Returns the number of responses taken from the cache. */
    cacheHits: async (): Promise<number> => {
      // A service that could not be opened has reported its error already.
      const opened = await fetcher?.catch(() => undefined);
      const counts = [...(opened?.counts.values() ?? [])];
      return counts.reduce((sum, { cached }) => sum + cached, 0);
    },
    /** Whether the client holds back every request because the service is overloaded. */
    isPaused: () => client?.traffic.state === 'paused',
    /** Limits the requests of this process to its share of the limits of the pipeline. */
    share(share: LimitShare): void {
      limitShare = share;
      client?.traffic.share(share);
    },
    /** Holds every request for so many milliseconds. */
    hold: (ms: number): void => client?.traffic.hold(ms),
    /** Milliseconds of all such pauses up to now. */
    pausedMs: () => client?.traffic.pausedMs ?? 0,
    /** Aborted when the run is interrupted, and when the session closes: work in progress ends then. */
    ended: AbortSignal.any([environment.signal, closing.signal]),
    /** Drops requests in flight and logs out. */
    close: async (): Promise<void> => {
      closing.abort();
      await service?.then((opened) => opened.close()).catch(() => undefined);
    },
    /** Records that the result was refused, or that nothing was selected: the next run requests the listings again. */
    refuse: (): void => {
      if (begun !== undefined) database.runs.refuse(begun.id);
    },
    /**
     * Writes what waits, marks the run as finished and evicts from the cache; without it, the next run resumes this one.
     *
     * @param keepEarlierRunsResumable - The run processed a part: the next one still resumes those before it.
     */
    finish: async (keepEarlierRunsResumable: boolean): Promise<void> => {
      database.flush();
      if (begun === undefined) return;
      const { evictUnused } = await import('../../source/cache/eviction.ts');
      const cache = { store: bodies, database, now: startedAt };
      await evictUnused({ ...cache, maxBytes: cacheMaxBytes, run: begun.id });
      database.runs.finish(begun.id, keepEarlierRunsResumable);
    },
  };
}
