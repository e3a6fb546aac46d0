/** The coordinator of a distributed run: makes workers process chunks of the selection, and collects the results. */

import type { Executor } from '../run/executor.ts';
import type { Run } from '../run/open/open-run.ts';
import { runId } from '../run/open/run-options.ts';
import { logFailure } from '../run/processing.ts';
import type { ConverterError } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import {
  ChunkObjects,
  type ChunkResult,
  type DeliveryResult,
  type RunDescription,
} from './chunk-objects.ts';
import { chunkNumber, chunksOf, type Placed } from './chunks.ts';
import { DeliveryJobs } from './delivery-jobs.ts';
import { DeliveryJobKinds } from './job-kinds.ts';
import { pipelineStore } from './pipeline-store.ts';
import { type ChunkJob, type ChunkQueue, CONVERT } from './queue/chunk-queue.ts';
import { openRunQueue, runDigest } from './run-queue.ts';
import { storeIn } from './shared-store.ts';

const PUTS_AT_ONCE = 16;
/** The error of an article that was the only one in a job which has killed its workers. */
const KILLED = {
  code: 'KILLED_THE_RUN',
  message: 'expected to be processed, but two workers died meanwhile',
};

/**
 * Opens an executor whose workers take chunks from a queue, which is connected while the run selects its articles.
 *
 * @param selected - Settles when the articles are selected.
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, and the codes of the store.
 */
export async function openWorkers(run: Run, selected: Promise<unknown>): Promise<Executor> {
  const { options, environment, output, startedAt } = run;
  // The store that the run has open is used again, because it remembers the rights that its account had.
  const store = storeIn(output) ?? (await pipelineStore(options.pipeline, environment));
  const kinds = await DeliveryJobKinds.of(options.pipeline, environment.env);
  const queue = await openRunQueue(run, store, kinds.queues);
  try {
    await selected;
    const objects = new ChunkObjects(store, runId(startedAt));
    await objects.describe(await describe(run));
    const distribution = new ChunkDistribution(run, queue, objects);
    const workers = new DeliveryJobs({
      ...{ run: runId(startedAt), queue, objects, kinds, log: environment.log },
      onResult: (result) => distribution.addMade(result),
    });
    return {
      execute: (...round) => distribution.execute(...round),
      ...{ distribution, workers },
      close: () => queue.close(),
    };
  } catch (error) {
    await queue.close();
    throw error;
  }
}

async function describe({ options, environment, output, startedAt }: Run): Promise<RunDescription> {
  const { force = false, failedOnly = false } = options;
  const missing = [...output.damages.values()].flatMap(({ object }) => object ?? []);
  const digest = await runDigest(options, environment.env);
  return { startedAt, digest, force, failedOnly, missing };
}

type Execution = Parameters<Executor['execute']>;
type Distribution = NonNullable<Executor['distribution']>;

/** Articles that workers process together. */
interface Round {
  /** The articles of each chunk, by its number. */
  chunks: ReadonlyMap<number, readonly Placed[]>;
  progress: Execution[1];
  collect: Execution[3];
}

class ChunkDistribution implements Distribution {
  readonly #run: Run;
  readonly #queue: ChunkQueue;
  readonly #objects: ChunkObjects;
  readonly #table = createWorkerTable();
  #fromCache = 0;

  constructor(run: Run, queue: ChunkQueue, objects: ChunkObjects) {
    this.#run = run;
    this.#queue = queue;
    this.#objects = objects;
  }

  async execute(...[articles, progress, first, collect]: Execution): Promise<void> {
    const { environment, metrics, startedAt } = this.#run;
    const placed = articles.map((article, index) => ({ place: first + index, article }));
    const chunks = new Map(chunksOf(placed).map((list) => [chunkNumber(list), list]));
    const run = runId(startedAt);
    const jobs = Array.from(chunks, ([chunk, { length }]) => {
      return { run, kind: CONVERT, chunk, from: 0, to: length };
    });
    /** Jobs that workers did for an earlier coordinator of this run. */
    const done = new Set<ChunkJob>();
    await inParallel(jobs, PUTS_AT_ONCE, async (job) => {
      environment.signal.throwIfAborted();
      const put = await this.#objects.putList(job.chunk, chunks.get(job.chunk)!);
      if (put === 'present' && (await this.#objects.hasResult(job))) done.add(job);
    });
    const round = { chunks, progress, collect };
    for (const job of done) await this.#collect(job, round);
    await this.#queue.execute(CONVERT, this.#inTime(jobs.filter((job) => !done.has(job))), {
      onDone: (job) => this.#collect(job, round),
      onLost: (job, error) => this.#giveUp(job, error, round),
    });
    for (const [stage, ms] of this.#table.takeStages()) metrics.stopwatch.add(stage, ms);
  }

  workers(): ReturnType<Distribution['workers']> {
    const workers = this.#queue.workers();
    return workers.map(({ name, state }) => ({ name, state, ...this.#table.of(name) }));
  }

  /** Counts what a worker has made for deliveries. */
  addMade({ worker, made, peakBytes }: DeliveryResult): void {
    this.#table.addMade(worker, made.length, peakBytes);
  }

  fromCache(): number {
    return this.#fromCache;
  }

  remove(): Promise<void> {
    return this.#objects.remove();
  }

  /** The jobs that begin before the deadline; the others have no result, and the next run continues with them. */
  *#inTime(jobs: readonly ChunkJob[]): Iterable<ChunkJob> {
    for (const job of jobs) {
      if (this.#run.isOutOfTime()) return;
      yield job;
    }
  }

  async #collect(job: ChunkJob, round: Round): Promise<void> {
    const result = await this.#objects.result<ChunkResult>(job);
    for (const { result: one, place, ms } of result.results) this.#add(one, { place, ms }, round);
    this.#run.environment.progress?.({ ...round.progress });
    this.#run.metrics.add(result.measured);
    this.#fromCache += result.measured.fromCache;
    this.#table.add(result.worker, result);
  }

  /** @param error - Error of the job; undefined if the job has killed its workers. */
  async #giveUp(
    { chunk, from }: ChunkJob,
    error: ConverterError | undefined,
    round: Round,
  ): Promise<void> {
    const { place, article } = round.chunks.get(chunk)![from]!;
    const { code, message } = error ?? KILLED;
    const { request } = article;
    const failed = { status: 'failed', request, key: undefined, error: { code, message } } as const;
    this.#add(failed, { place, ms: 0 }, round);
    this.#run.environment.progress?.({ ...round.progress });
  }

  #add(...[result, origin, { progress, collect }]: [...Parameters<Round['collect']>, Round]): void {
    if (result.status === 'failed' && !result.isWaiting)
      logFailure(this.#run, progress, result.request, result.error);
    if ('built' in result) this.#run.output.checks.noteWritten(result.built.sha256);
    collect(result, origin);
    progress.done++;
  }
}

type StageMs = ChunkResult['measured']['stageMs'];
type Stage = keyof StageMs;

function createWorkerTable() {
  const none = { chunks: 0, configurations: 0, made: 0, failed: 0, requests: 0, peakBytes: 0 };
  const rows = new Map<string, typeof none>();
  const stages = new Map<string, Map<Stage, number>>();
  const rowOf = (worker: string, peakBytes: number) => {
    const row = rows.get(worker) ?? { ...none };
    rows.set(worker, row);
    row.chunks++;
    row.peakBytes = Math.max(row.peakBytes, peakBytes);
    return row;
  };
  return {
    addMade(worker: string, tasks: number, peakBytes: number): void {
      rowOf(worker, peakBytes).made += tasks;
    },
    add(worker: string, { results, measured, peakBytes }: ChunkResult): void {
      const row = rowOf(worker, peakBytes);
      row.configurations += results.length;
      row.failed += results.filter(({ result }) => result.status === 'failed').length;
      row.requests += measured.requests.sent;
      const own = stages.get(worker) ?? new Map<Stage, number>();
      stages.set(worker, own);
      for (const [stage, ms] of Object.entries(measured.stageMs) as [Stage, number][])
        own.set(stage, (own.get(stage) ?? 0) + ms);
    },
    of: (worker: string) => rows.get(worker) ?? none,
    /** Takes the time of each stage, and begins anew. Workers run in parallel: the longest time of a worker counts. */
    takeStages(): Map<Stage, number> {
      const longest = new Map<Stage, number>();
      for (const own of stages.values())
        for (const [stage, ms] of own) longest.set(stage, Math.max(longest.get(stage) ?? 0, ms));
      stages.clear();
      return longest;
    },
  };
}
