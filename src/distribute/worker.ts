/** A worker of distributed runs: processes the chunks that a queue hands to it, as the run itself would. */

import { configurationKey } from '../model/configuration-id.ts';
import type { Processor } from '../run/articles/results.ts';
import { pipelineServiceId } from '../run/open/connect.ts';
import { type Run, withWorkerRun } from '../run/open/open-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { inThisProcess } from '../run/processing.ts';
import { fetchAndConvert } from '../run/processor/configuration.ts';
import { concurrencyOf, sharedConcurrency } from '../source/service/service-config.ts';
import { ConverterError } from '../support/errors.ts';
import { syncFolder } from '../support/files.ts';
import { groupBy } from '../support/group-by.ts';
import { inParallel } from '../support/in-parallel.ts';
import {
  type ChunkResult,
  openChunkObjects,
  type Placed,
  type RunDescription,
  seriesOf,
} from './chunks.ts';
import { pipelineStore } from './pipeline-store.ts';
import type { ChunkJob, WorkerHandlers, WorkerShare } from './queue/chunk-queue.ts';
import { openSharedSnapshots } from './rows.ts';
import { queueOf } from './run-queue.ts';
import { sharedStore, storeIn } from './shared-store.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Jobs of a worker at the same time: the next one begins while the last articles of one are converted. */
const JOBS_AT_ONCE = 2;
/** Folders synced at the same time. */
const SYNCED_AT_ONCE = 8;

/** A run that is open here. */
export interface OpenRun {
  run: Run;
  processor: Processor;
  /** Of the store. */
  snapshots: ReturnType<typeof openSharedSnapshots> | undefined;
  /** Responses taken from the cache since the last call. */
  cacheHits(): Promise<number>;
  close(): Promise<void>;
}

/**
 * How long a worker that is to stop continues its chunks, milliseconds. A container is killed after 30 s, and the end of
 * a connection to a queue that does not answer takes 8 s.
 */
const GRACE_MS = 20_000;

/** What a worker did for a chunk. */
interface ChunkFigures {
  /** Configurations by status. */
  configurations: Record<string, number>;
  /** Requests by status of the response, or `none`. */
  requests: Record<string, number>;
  bytesReceived: number;
  /** Responses from the cache. */
  fromCache: number;
}

/** What those who watch a worker learn, such as its status server; plain data. */
export type WorkerEvent =
  /** Whether it is connected to the queue, and not stopping. */
  | { kind: 'ready'; isReady: boolean }
  /** The part of the limits of the service that it has, from 0 to 1. */
  | { kind: 'share'; part: number }
  /** A chunk has ended after so many milliseconds; without figures, it failed or was given back. */
  | { kind: 'chunk'; ms: number; figures?: ChunkFigures | undefined }
  /** Memory of its process, bytes. */
  | { kind: 'memory'; bytes: number };

type Watch = (event: WorkerEvent) => void;

/** How often a worker reports its memory, milliseconds. */
const MEMORY_MS = 5_000;

/**
 * Works for runs of a pipeline until the signal aborts: then it ends its chunks, within 30 s.
 *
 * @param name - That of {@link createWorkerName}.
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`; `WORKER_REFUSED` if a
 *   run has another version or other options; the codes of the store.
 */
export async function runWorker(
  options: RunOptions,
  environment: RunEnvironment,
  name: string,
  watch: Watch = () => {},
): Promise<void> {
  const { env, log, signal } = environment;
  const { openQueueWorker } = await import('./queue/worker.ts');
  // Not the signal of the process: the results of the chunks that it continues are still to be stored.
  const cut = new AbortController();
  const onPause = (ms: number) => worker.pauseAll(ms);
  const own = { ...environment, signal: cut.signal, onPause };
  const store = await pipelineStore(options.pipeline, own);
  const work = createChunkWork({
    ...{ store, now: environment.now, watch },
    name: () => name,
    open: (id) => openPart(options, own, store, id),
  });
  const concurrency = concurrencyOf(options.pipeline.service);
  const onShare = (share: WorkerShare) => {
    work.handlers.onShare(share);
    const requests = sharedConcurrency(concurrency, share);
    watch({ kind: 'share', part: requests / concurrency });
    const { count: workers } = share;
    if (requests === 0)
      log.info('waits, since more workers are there than requests', { workers, concurrency });
  };
  const worker = await openQueueWorker({
    name,
    ...(await queueOf(options.pipeline, env, store)),
    jobsAtOnce: JOBS_AT_ONCE,
    mostWorkers: concurrency,
    handlers: {
      ...{ ...work.handlers, onShare },
      onPause(milliseconds) {
        work.handlers.onPause(milliseconds);
        log.debug('holds its requests, as another worker does', { milliseconds });
      },
      onCutOff: (isCutOff) => watch({ kind: 'ready', isReady: !isCutOff && !signal.aborted }),
    },
    log,
    now: environment.now,
  });
  log.info('worker is ready');
  watch({ kind: 'ready', isReady: true });
  const reportMemory = () => watch({ kind: 'memory', bytes: process.memoryUsage.rss() });
  reportMemory();
  const timer = setInterval(reportMemory, MEMORY_MS).unref();
  const stop = () => {
    watch({ kind: 'ready', isReady: false });
    void worker.stop(GRACE_MS).finally(() => cut.abort(signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await worker.ended;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    await work.close();
  }
}

/**
 * Opens a part of a run that is described in the store; the options must be those of the run.
 *
 * @param id - Of the run.
 * @throws {@link ConverterError} `RUN_DAMAGED`, the codes of the store; what opening a run throws.
 */
async function openPart(
  options: RunOptions,
  environment: RunEnvironment,
  store: ObjectStore,
  id: string,
): Promise<OpenRun> {
  const description = await openChunkObjects(store, id).description();
  const started = await startRun(options, environment, store, description);
  let reported = 0;
  const cacheHits = async () => {
    const before = reported;
    reported = await started.run.sources.session.cacheHits();
    return reported - before;
  };
  return { ...started, snapshots: snapshotsOf(started.run), cacheHits };
}

/** The snapshots that the machines of a run share, if they share any. */
function snapshotsOf({ sources, output, options }: Run): OpenRun['snapshots'] {
  const store = storeIn(output);
  return (
    store &&
    openSharedSnapshots(store, sources.database, pipelineServiceId(options.pipeline.service))
  );
}

export interface ChunkWorkSettings {
  store: ObjectStore;
  /** Of the worker. */
  name(): string;
  /** Opens a run that has jobs, by its id. */
  open(id: string): Promise<OpenRun>;
  /** Clock, milliseconds. */
  now(): number;
  watch?: Watch;
}

/**
 * Creates what a worker does with the jobs of its queue.
 *
 * @returns The handlers, and a function that closes what they opened.
 */
export function createChunkWork({ store, name, open, now, watch }: ChunkWorkSettings): {
  handlers: WorkerHandlers;
  close(): Promise<void>;
} {
  let opened: Promise<OpenRun & { id: string }> | undefined;
  let share: WorkerShare | undefined;
  let session: Run['sources']['session'] | undefined;

  const begin = async (id: string): Promise<OpenRun & { id: string }> => {
    const begun = await open(id);
    session = begun.run.sources.session;
    if (share !== undefined) session.share(share);
    return { ...begun, id };
  };
  const close = async (): Promise<void> => {
    const closing = opened;
    opened = undefined;
    session = undefined;
    await (await closing?.catch(() => undefined))?.close();
  };
  const openRunOf = async (id: string): Promise<OpenRun> => {
    const current = await opened?.catch(() => undefined);
    if (current?.id !== id) {
      await close();
      opened = begin(id);
    }
    return opened!;
  };

  /** Undefined if another worker has done it. */
  const processChunk = async (
    job: ChunkJob,
    signal: AbortSignal,
  ): Promise<ChunkResult | undefined> => {
    const objects = openChunkObjects(store, job.run);
    if (await objects.hasResult(job)) return undefined;
    const list = (await objects.list(job.chunk)).slice(job.from, job.to);
    const current = await openRunOf(job.run);
    const { run, processor } = current;
    // The progress is that of the run.
    const { progress: _, ...environment } = run.environment;
    const own = { ...environment, signal: AbortSignal.any([environment.signal, signal]) };
    const results: ChunkResult['results'] = [];
    const progress = { total: list.length, done: 0, failed: 0 };
    try {
      for (const series of new Set(list.map(seriesOf))) await current.snapshots?.load(series);
      const execute = inThisProcess({ ...run, environment: own }, processor);
      await execute(
        list.map(({ article }) => article),
        progress,
        0,
        (result, { place, ms }) => results.push({ place: list[place]!.place, ms, result }),
      );
      run.sources.database.flush();
      await syncObjects(run.output.unsynced);
      await run.sources.flushBodies?.();
    } catch (error) {
      // Its session is closed; another job may succeed with a new one.
      if (opened !== undefined && (await opened.catch(() => undefined)) === current) await close();
      throw error;
    }
    if (results.length < list.length)
      throw new ConverterError('INTERRUPTED', 'the deadline passed in the middle of a chunk');
    await putSnapshots(current, job, list, results);
    const measured = { ...run.metrics.take(), fromCache: await current.cacheHits() };
    const result = { worker: name(), results, measured, peakBytes: peakBytes() };
    await objects.putResult(job, result);
    const { chunk } = job;
    environment.log.info('chunk is done', {
      chunk,
      configurations: results.length,
      failed: progress.failed,
    });
    return result;
  };

  const work = async (job: ChunkJob, signal: AbortSignal): Promise<void> => {
    const begunAt = now();
    const end = (result?: ChunkResult) =>
      watch?.({ kind: 'chunk', ms: now() - begunAt, figures: result && figuresOf(result) });
    try {
      const result = await processChunk(job, signal);
      if (result !== undefined) end(result);
    } catch (error) {
      end();
      throw error;
    }
  };

  return {
    close,
    handlers: {
      work,
      onShare(current) {
        share = current;
        session?.share(current);
      },
      onPause: (milliseconds) => session?.hold(milliseconds),
    },
  };
}

function figuresOf({ results, measured }: ChunkResult): ChunkFigures {
  const configurations: Record<string, number> = {};
  for (const { result } of results)
    configurations[result.status] = (configurations[result.status] ?? 0) + 1;
  const { requests, fromCache } = measured;
  return {
    configurations,
    requests: requests.byStatus,
    bytesReceived: requests.bytesReceived,
    fromCache,
  };
}

/** Gives other machines the snapshots of each part of a series of which one was read; halves of a chunk have no whole part. */
async function putSnapshots(
  { snapshots }: OpenRun,
  { from }: ChunkJob,
  list: readonly Placed[],
  results: ChunkResult['results'],
): Promise<void> {
  if (snapshots === undefined || from > 0) return;
  const byPlace = new Map(results.map(({ place, result }) => [place, result]));
  const parts = groupBy(list, (one) => `${one.part} ${seriesOf(one)}`);
  for (const own of parts.values()) {
    const read = own
      .map(({ place }) => byPlace.get(place))
      .filter((one) => one?.status !== 'fresh');
    if (read.length === 0) continue;
    const requests = own.map(({ article }) => configurationKey(article.request));
    const sources = read.flatMap((one) => (one && 'source' in one ? one.source : []));
    await snapshots.put(seriesOf(own[0]!), own[0]!.part, requests, sources);
  }
}

/** The coordinator publishes what is written here: it must outlive a power cut. */
async function syncObjects(unsynced: Set<string>): Promise<void> {
  const folders = [...unsynced];
  unsynced.clear();
  await inParallel(folders, SYNCED_AT_ONCE, syncFolder);
}

/** The highest memory of this process up to now, bytes. */
function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** Opens a run that stays open until it is closed. */
async function startRun(
  options: RunOptions,
  environment: RunEnvironment,
  store: ObjectStore,
  { startedAt, missing, ...flags }: RunDescription,
): Promise<Pick<OpenRun, 'run' | 'processor' | 'close'>> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return new Promise((resolve, reject) => {
    const shared = { missing: new Set(missing), shared: sharedStore(store) };
    const started = { ...environment, startedAt };
    const work = async (run: Run) => {
      const processor = await fetchAndConvert(run);
      const close = async () => {
        end();
        await whole;
      };
      resolve({ run, processor, close });
      await ended;
      // A part of a run: the next one continues what others began.
      await run.sources.session.finish(true);
    };
    const whole = withWorkerRun({ ...options, ...flags }, started, work, shared);
    whole.catch(reject);
  });
}
