/** Processes a chunk on a worker: each request is processed as the run itself would, and the results are stored. */

import { configurationKey } from '../model/configuration-id.ts';
import type { Processor } from '../run/articles/results.ts';
import { pipelineServiceId } from '../run/open/connect.ts';
import { type Run, withWorkerRun } from '../run/open/open-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { inThisProcess } from '../run/processing.ts';
import { fetchAndConvert } from '../run/processor/configuration.ts';
import { ConverterError } from '../support/errors.ts';
import { syncFolder } from '../support/files.ts';
import { groupBy } from '../support/group-by.ts';
import { inParallel } from '../support/in-parallel.ts';
import { ChunkObjects } from './chunk-objects.ts';
import { type ChunkResult, ChunkResults } from './chunk-results.ts';
import { type Placed, seriesOf } from './chunks.ts';
import type { ChunkJob, WorkerShare } from './queue/chunk-queue.ts';
import { SharedSnapshots } from './rows.ts';
import { sharedStore, storeIn } from './shared-store.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Folders synced at the same time. */
const SYNCED_AT_ONCE = 8;

/** A run that is open in this process. */
interface OpenRun {
  run: Run;
  processor: Processor;
  snapshots: SharedSnapshots | undefined;
  /** Number of responses from the cache that earlier results have reported. */
  reportedHits: number;
  close(): Promise<void>;
}

interface ChunkProcessorSettings {
  /** Name of the worker. */
  name: string;
  store: ObjectStore;
  /** Options of each run; the description of a run in the store has the rest. */
  options: RunOptions;
  environment: RunEnvironment;
}

/** Processes the chunks of a worker. The run of the last chunk stays open for the next one. */
export class ChunkProcessor {
  readonly #settings: ChunkProcessorSettings;
  #opened: { id: string; whenOpen: Promise<OpenRun> } | undefined;
  #session: Run['sources']['session'] | undefined;
  #share: WorkerShare | undefined;

  constructor(settings: ChunkProcessorSettings) {
    this.#settings = settings;
  }

  /**
   * Processes a chunk and stores its result.
   *
   * @returns The stored result; undefined if another worker has done the job.
   * @throws {@link ConverterError} `RUN_DAMAGED`, `INTERRUPTED`, the codes of the store; what a run throws.
   */
  async process(job: ChunkJob, signal: AbortSignal): Promise<ChunkResult | undefined> {
    const { store, name: worker } = this.#settings;
    const stored = new ChunkResults(store, job.run);
    if (await stored.has(job)) return undefined;
    const list = await new ChunkObjects(store, job.run).list(job);
    const { current, results, failed } = await this.#convert(job.run, list, signal);
    const { run, snapshots } = current;
    if (results.length < list.length)
      throw new ConverterError('INTERRUPTED', 'the deadline passed in the middle of a chunk');
    // Half a chunk does not contain a whole part of a series.
    if (snapshots !== undefined && job.from === 0) await putSnapshots(snapshots, list, results);
    const hits = await run.sources.session.cacheHits();
    const measured = { ...run.metrics.take(), fromCache: hits - current.reportedHits };
    current.reportedHits = hits;
    const result = { worker, results, measured, peakBytes: peakBytes() };
    await stored.put(job, result);
    run.environment.log.info('chunk is done', {
      chunk: job.chunk,
      configurations: results.length,
      failed,
    });
    return result;
  }

  /** Limits the requests of this worker, also those of the runs that it opens. */
  share(share: WorkerShare): void {
    this.#share = share;
    this.#session?.share(share);
  }

  /** Sends no request for the given time. */
  hold(milliseconds: number): void {
    this.#session?.hold(milliseconds);
  }

  /** Closes the run that is open. */
  async close(): Promise<void> {
    const closing = this.#opened;
    this.#opened = undefined;
    this.#session = undefined;
    await (await closing?.whenOpen.catch(() => undefined))?.close();
  }

  /** Processes the articles of a chunk; some have no result if the deadline of the run has passed. */
  async #convert(id: string, list: readonly Placed[], signal: AbortSignal) {
    const opened = this.#open(id);
    try {
      const current = await opened.whenOpen;
      const { run, processor, snapshots } = current;
      // The progress belongs to the run.
      const { progress: _, ...environment } = run.environment;
      const own = { ...environment, signal: AbortSignal.any([environment.signal, signal]) };
      const results: ChunkResult['results'] = [];
      const progress = { total: list.length, done: 0, failed: 0 };
      for (const series of new Set(list.map(seriesOf))) await snapshots?.load(series);
      await inThisProcess({ ...run, environment: own }, processor)(
        list.map(({ article }) => article),
        progress,
        0,
        (result, { place, ms }) => results.push({ place: list[place]!.place, ms, result }),
      );
      run.sources.database.flush();
      await syncObjects(run.output.unsynced);
      await run.sources.flushBodies?.();
      return { current, results, failed: progress.failed };
    } catch (error) {
      // The session of the run is closed; another job may succeed with a new session.
      if (this.#opened === opened) await this.close();
      throw error;
    }
  }

  /** Opens a run unless it is open, and closes the previous run. */
  #open(id: string) {
    if (this.#opened?.id === id) return this.#opened;
    const whenOpen = this.close().then(async () => {
      const opened = await openRun(this.#settings, id);
      this.#session = opened.run.sources.session;
      if (this.#share !== undefined) this.#session.share(this.#share);
      return opened;
    });
    this.#opened = { id, whenOpen };
    return this.#opened;
  }
}

/** Gives other machines the snapshots of each part of a series from which an article was read. */
async function putSnapshots(
  snapshots: SharedSnapshots,
  list: readonly Placed[],
  results: ChunkResult['results'],
): Promise<void> {
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

/** Syncs the files written here: the coordinator publishes them, and they must outlive a power cut. */
async function syncObjects(unsynced: Set<string>): Promise<void> {
  const folders = [...unsynced];
  unsynced.clear();
  await inParallel(folders, SYNCED_AT_ONCE, syncFolder);
}

/** The highest memory of this process up to now, bytes. */
function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/**
 * Opens a part of a run that the store describes, and keeps it open until it is closed. The options must be those
 * of the run.
 *
 * @param id - Id of the run.
 * @throws {@link ConverterError} `RUN_DAMAGED`, the codes of the store; what opening a run throws.
 */
async function openRun(
  { options, environment, store }: ChunkProcessorSettings,
  id: string,
): Promise<OpenRun> {
  const { startedAt, missing, ...flags } = await new ChunkObjects(store, id).description();
  const shared = { missing: new Set(missing), shared: sharedStore(store) };
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return new Promise((resolve, reject) => {
    const work = async (run: Run) => {
      const processor = await fetchAndConvert(run);
      const close = async () => {
        end();
        await whole;
      };
      resolve({ run, processor, snapshots: snapshotsOf(run), reportedHits: 0, close });
      await ended;
      // This process did a part of the run: the next run continues what other processes began.
      await run.sources.session.finish(true);
    };
    const started = { ...environment, startedAt };
    const whole = withWorkerRun({ ...options, ...flags }, started, work, shared);
    whole.catch(reject);
  });
}

/** The snapshots that the machines of a run share, if they share any. */
function snapshotsOf({ sources, output, options }: Run): OpenRun['snapshots'] {
  const store = storeIn(output);
  const service = pipelineServiceId(options.pipeline.service);
  return store && new SharedSnapshots(store, sources.database, service);
}
