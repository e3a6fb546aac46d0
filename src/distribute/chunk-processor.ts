/** Does a job on a worker: each request is processed, and each file made, as the run itself would, and results are stored. */

import { WorkerDeliveries } from '../deliver/open-deliveries.ts';
import { configurationKey } from '../model/configuration-id.ts';
import type { Run } from '../run/open/open-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import type { DeliveryTask } from '../run/publishing/deliveries.ts';
import { openWorkerRun } from '../run/worker-run.ts';
import { asConverterError, ConverterError, endsRun, sentError } from '../support/errors.ts';
import { groupBy } from '../support/group-by.ts';
import { inParallel } from '../support/in-parallel.ts';
import { ChunkObjects, type ChunkResult, type DeliveryResult } from './chunk-objects.ts';
import { type Placed, seriesOf } from './chunks.ts';
import { type ChunkJob, CONVERT, type WorkerShare } from './queue/chunk-queue.ts';
import { SharedSnapshots } from './rows.ts';
import { sharedStore, storeIn } from './shared-store.ts';
import type { ObjectStore } from './store/object-store.ts';

interface ChunkProcessorSettings {
  name: string;
  store: ObjectStore;
  /** Options of each run; the description of a run in the store has the rest. */
  options: RunOptions;
  environment: RunEnvironment;
}

/** Tasks of a job at the same time: while one is made, the next is read. */
const TASKS_AT_ONCE = 2;

/** What became of a job. */
export type JobResult = ({ kind: 'converted' } & ChunkResult) | ({ kind: 'made' } & DeliveryResult);

/** Does the jobs of a worker. The run of the last job stays open for the next one. */
export class ChunkProcessor {
  readonly #settings: ChunkProcessorSettings;
  #opened: { id: string; whenOpen: ReturnType<typeof openRun> } | undefined;
  #session: Run['sources']['session'] | undefined;
  #share: WorkerShare | undefined;

  constructor(settings: ChunkProcessorSettings) {
    this.#settings = settings;
  }

  /**
   * Does a job and stores its result.
   *
   * @returns The stored result; undefined if another worker has done the job.
   * @throws {@link ConverterError} `RUN_DAMAGED`, `INTERRUPTED`, the codes of the store; what a run throws.
   */
  async process(job: ChunkJob, signal: AbortSignal): Promise<JobResult | undefined> {
    const objects = new ChunkObjects(this.#settings.store, job.run);
    if (await objects.hasResult(job)) return undefined;
    return job.kind === CONVERT
      ? { kind: 'converted', ...(await this.#process(job, objects, signal)) }
      : { kind: 'made', ...(await this.#make(job, objects, signal)) };
  }

  async #process(job: ChunkJob, objects: ChunkObjects, signal: AbortSignal): Promise<ChunkResult> {
    const list = await objects.list<Placed>(job);
    const { current, results, failed } = await this.#convert(job.run, list, signal);
    const { work, snapshots } = current;
    if (results.length < list.length)
      throw new ConverterError('INTERRUPTED', 'the deadline passed in the middle of a chunk');
    // Half a chunk does not contain a whole part of a series.
    if (snapshots !== undefined && job.from === 0) await putSnapshots(snapshots, list, results);
    const measured = await work.takeMeasured();
    const result = { worker: this.#settings.name, results, measured, peakBytes: peakBytes() };
    await objects.putResult(job, result);
    const { log } = work.run.environment;
    log.info('chunk is done', { chunk: job.chunk, configurations: results.length, failed });
    return result;
  }

  /** Makes the files of the tasks of a job; a task that cannot be made is a part of the result. */
  async #make(job: ChunkJob, objects: ChunkObjects, signal: AbortSignal): Promise<DeliveryResult> {
    const tasks = await objects.list<DeliveryTask>(job);
    const { work, deliveries } = await this.#open(job.run).whenOpen;
    const made: DeliveryResult['made'] = [];
    await inParallel([...tasks.entries()], TASKS_AT_ONCE, async ([at, task]) => {
      signal.throwIfAborted();
      made[at] = await deliveries.make(task).then(
        (ms) => ({ ms }),
        (thrown: unknown) => {
          signal.throwIfAborted();
          // Others can do what this machine cannot.
          if (endsRun(asConverterError(thrown).code)) throw thrown;
          return { error: sentError(thrown) };
        },
      );
    });
    await deliveries.sync();
    await work.share();
    const result = { worker: this.#settings.name, made, peakBytes: peakBytes() };
    await objects.putResult(job, result);
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
    const closed = await closing?.whenOpen.catch(() => undefined);
    await closed?.deliveries.close();
    await closed?.work.close();
  }

  /** Processes the articles of a chunk; some have no result if the deadline of the run has passed. */
  async #convert(id: string, list: readonly Placed[], signal: AbortSignal) {
    const opened = this.#open(id);
    try {
      const current = await opened.whenOpen;
      const { work, snapshots } = current;
      for (const series of new Set(list.map(seriesOf))) await snapshots?.load(series);
      const articles = list.map(({ article }) => article);
      const { results: inOrder, failed } = await work.process(articles, signal);
      const results = inOrder.map((one) => ({ ...one, place: list[one.place]!.place }));
      return { current, results, failed };
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
      this.#session = opened.work.run.sources.session;
      if (this.#share !== undefined) this.#session.share(this.#share);
      return opened;
    });
    const opened = { id, whenOpen };
    this.#opened = opened;
    // The next job opens it again.
    whenOpen.catch(() => {
      if (this.#opened === opened) this.#opened = undefined;
    });
    return opened;
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

/** The highest memory of this process up to now, bytes. */
function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** Opens a run that the store describes, and the snapshots that its machines share, if they share any. */
async function openRun({ options, environment, store }: ChunkProcessorSettings, id: string) {
  const { startedAt, missing, ...flags } = await new ChunkObjects(store, id).description();
  const shared = { missing: new Set(missing), shared: sharedStore(store, environment.now) };
  // Memory for one browser: a machine has several workers.
  const own = { ...options, ...flags, memory: 1 };
  const work = await openWorkerRun(own, { ...environment, startedAt }, shared);
  const { sources, output } = work.run;
  const objects = storeIn(output);
  const snapshots = objects && new SharedSnapshots(objects, sources.database, work.service);
  return { work, snapshots, deliveries: new WorkerDeliveries(work.run) };
}
