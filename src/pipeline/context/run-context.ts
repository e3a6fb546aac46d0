/**
 * Run context: all that one run has open.
 *
 * In: a job and what a run is handed. Out: stores, state, client and what was published before.
 * It must not do any of the run's work.
 */
import { join } from 'node:path';
import { type ContentStore, openFileStore } from '../../cache/content-store.ts';
import { type CacheDatabase, openCacheDatabase } from '../../cache/database.ts';
import type { Fetcher } from '../../fetch/fetch-article.ts';
import type { CatalogueLine } from '../../model/asset.ts';
import type { Digest } from '../../model/snapshot.ts';
import { removeStaleTemporaries, temporaryFolder } from '../../support/files.ts';
import type { Logger } from '../../support/log.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import { openCatalogue } from '../../write/manifest.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import { openDeadline } from './deadline.ts';
import { createDriftCounts, type DriftCounts } from './drift.ts';
import { openPrevious, type PreviousLines } from './previous-lines.ts';
import { createRequestCounts, type RequestCounts } from './request-counts.ts';
import { openService, type Service, type ServiceTools } from './service-setup.ts';
import { createStopwatch, type Stopwatch } from './stopwatch.ts';

/** What is to be done. */
export interface Job {
  pipeline: Pipeline;
  /** A glob on `MANUFACTURER/PROGRAM/number`, base or final; only these are worked on. */
  only?: string;
  /** At most that many configurations are worked on. */
  limit?: number;
  /** Fetch and build everything anew. */
  force?: boolean;
  /** Only what failed in earlier runs. */
  failedOnly?: boolean;
  /** Build what is published but damaged or missing. */
  repair?: boolean;
  /** Publish though a gate refuses. */
  accept?: boolean;
  /** Instant at which the run is to end, milliseconds since 1970. */
  until?: number;
  /** More failures than that refuse the result. */
  maxFailures?: { count: number } | { share: number };
}

/** How far a run is. */
export interface Progress {
  total: number;
  done: number;
  failed: number;
}

/** What a run is handed from outside. */
export interface RunTools extends Omit<ServiceTools, 'onRequest' | 'onDrift'> {
  log: Logger;
  /** Instant at which the run began, which gives it its id; by default it begins now. */
  startedAt?: number;
  progress?: (progress: Progress) => void;
  /** Told while articles are chosen how many the catalogue has shown so far. */
  selecting?: (found: number) => void;
  /** Handed the planning behind each permanent identifier that is selected. */
  onPlanning?: (id: string, topLevelArticle: unknown) => Promise<void>;
}

/** All that a run has open. */
export interface RunContext {
  job: Job;
  tools: RunTools;
  /** Instant at which the run began, milliseconds since 1970. */
  startedAt: number;
  stopwatch: Stopwatch;
  requests: RequestCounts;
  drift: DriftCounts;
  /** Answers of the service, by content. */
  bodies: ContentStore;
  /** Published GLBs, by content. */
  objects: ContentStore;
  state: CacheDatabase;
  previous: PreviousLines;
  previousCatalogue: PackedMap<CatalogueLine>;
  /** What fetches from the service; both are opened when first asked for. */
  fetcher(): Promise<Fetcher>;
  /** Answers that came from the cache instead of the service. */
  cacheHits(): Promise<number>;
  /** Drops what is in flight and logs out, where the service was opened at all. */
  closeService(): Promise<void>;
  /** Whether the service has every request wait: that is no time that an article takes. */
  isServiceHeld(): boolean;
  /** Whether the time that the job was given is over. */
  isOutOfTime(): boolean;
  /** Notes that a published GLB is not what it should be. */
  noteDamaged(object: Digest): void;
  /** Whether a GLB of this size stands in the store, as far as is known without reading it. */
  holdsObject(object: Digest, bytes: number | undefined): Promise<boolean>;
  /** The next run of this job goes on where this one ends. */
  leaveUnfinished(): void;
  /** It worked on a part: the next run goes on where the interrupted ones ended that this one continues. */
  leaveOthersUnfinished(): void;
}

/** Name of the folder of bodies in the cache folder, and of GLBs in the output folder. */
export const OBJECTS_FOLDER = 'objects';

/** Name of the folder of runs in the output folder. */
export const RUNS_FOLDER = 'runs';

/**
 * The id of a run: the UTC time at which it began, without the colons that some file systems refuse.
 *
 * @example
 * ```ts
 * runId(Date.UTC(2026, 10, 21, 2));   // → '2026-11-21T02-00-00.000Z'
 * ```
 */
export function runId(startedAt: number): string {
  return new Date(startedAt).toISOString().replaceAll(':', '-');
}

/**
 * Opens a run, does some work with it and closes it, whatever becomes of the work.
 *
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `STATE_INVALID`, `STORE_DAMAGED`, or what the work throws.
 */
export async function withRun<T>(
  job: Job,
  tools: RunTools,
  work: (run: RunContext) => Promise<T>,
): Promise<T> {
  const { outputDir, cacheDir, service: content } = job.pipeline;
  const cacheTemporaries = temporaryFolder(cacheDir);
  await removeStaleTemporaries(temporaryFolder(outputDir));
  await removeStaleTemporaries(cacheTemporaries);
  const state = await openCacheDatabase(cacheDir);
  const bodies = openFileStore({
    dir: join(cacheDir, OBJECTS_FOLDER),
    tmpDir: cacheTemporaries,
    repair: true,
    dropDamaged: true,
  });
  const startedAt = tools.startedAt ?? tools.now();
  const requests = createRequestCounts();
  const drift = createDriftCounts();
  let service: Promise<Service> | undefined;
  let client: Service['client'] | undefined;
  let begun: ReturnType<CacheDatabase['runs']['begin']> | undefined;
  const openFetcher = async (): Promise<Fetcher> => {
    const told = { onRequest: requests.count, onDrift: drift.count };
    service = openService(content, { ...tools, ...told });
    ({ client } = await service);
    const { createFetcher } = await import('../../fetch/fetch-article.ts');
    const identity = { service: client.id, output: outputDir, pid: process.pid };
    begun = state.runs.begin({ ...identity, startedAt });
    return createFetcher({
      client,
      store: bodies,
      database: state,
      now: startedAt,
      force: job.force ?? false,
      retryMissing: job.failedOnly ?? false,
      interruptedSince: begun.interruptedSince,
      interruptedUntil: begun.interruptedUntil,
      freshness: job.pipeline.freshness,
      imageLocation: content.imageLocation,
    });
  };
  let fetcher: Promise<Fetcher> | undefined;
  const closeService = async () => {
    // A service that could not be opened has said so where it was asked for.
    await service?.then((opened) => opened.close()).catch(() => undefined);
  };
  const objects = openObjects(outputDir, job.force || job.repair);
  const damaged = new Set<Digest>();
  // Many configurations share an object.
  const sizes = new Map<Digest, Promise<number | undefined>>();
  const sizeOf = (object: Digest) => {
    const known = sizes.get(object) ?? objects.sizeOf(object);
    sizes.set(object, known);
    return known;
  };
  const deadline = openDeadline(job.until, tools.now, closeService);
  let isUnfinished = false;
  let isPart = false;
  // What cannot be read is built anew, as if it had never been there.
  const onDamaged = (where: string, problem: string) =>
    tools.log.warn('a line is left out, since it cannot be read', { where, problem });
  const lenient = job.repair ? { onDamaged } : {};
  try {
    const result = await work({
      job,
      tools,
      startedAt,
      stopwatch: createStopwatch(tools.now),
      requests,
      drift,
      bodies,
      objects,
      state,
      previous: await openPrevious(outputDir, lenient),
      previousCatalogue: await openCatalogue(outputDir, lenient),
      fetcher: () => {
        fetcher ??= openFetcher();
        return fetcher;
      },
      cacheHits: async () => {
        // A service that could not be opened has answered nothing, and said why where it was asked for.
        const opened = await fetcher?.catch(() => undefined);
        const counts = [...(opened?.counts.values() ?? [])];
        return counts.reduce((sum, { cached }) => sum + cached, 0);
      },
      closeService,
      isServiceHeld: () => client?.isHeld() ?? false,
      isOutOfTime: deadline.isOver,
      noteDamaged: (object) => void damaged.add(object),
      holdsObject: async (object, bytes) =>
        !damaged.has(object) && (await sizeOf(object)) === bytes,
      leaveUnfinished: () => {
        isUnfinished = true;
      },
      leaveOthersUnfinished: () => {
        isPart = true;
      },
    });
    if (begun !== undefined && !isUnfinished) {
      const { evictUnused } = await import('../../cache/eviction.ts');
      const maxBytes = job.pipeline.cacheMaxBytes;
      await evictUnused({
        store: bodies,
        database: state,
        now: startedAt,
        maxBytes,
        run: begun.id,
      });
      state.runs.finish(begun.id, isPart);
    }
    return result;
  } finally {
    deadline.close();
    await closeService();
    state.close();
  }
}

/**
 * Opens the store of published GLBs of an output folder.
 *
 * @param repair - Damaged GLBs are written anew when they are built again: `--force`.
 *
 * @see D-740, D-848.
 */
export function openObjects(outputDir: string, repair = false): ContentStore {
  return openFileStore({
    repair,
    dir: join(outputDir, OBJECTS_FOLDER),
    tmpDir: temporaryFolder(outputDir),
    extension: '.glb',
  });
}
