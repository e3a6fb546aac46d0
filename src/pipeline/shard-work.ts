/** How a shard does its jobs: one that has killed its process is divided, so that a configuration fails and not the run. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChunkJob, WorkerHandlers } from '../execute/chunk-queue.ts';
import { createBudget } from '../support/budget.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import { type ChunkObjects, type ChunkResult, lostResult } from './chunks.ts';
import { createRunMetrics } from './metrics.ts';

/** Jobs of a worker at the same time: the next one begins while the last articles of one are converted. */
export const JOBS_AT_ONCE = 2;
/** After so many attempts that ended with the process a job is divided, or its only configuration fails. */
const MOST_KILLS = 2;
/** An error may be that of the moment: attempts at a job, and the pause between two, milliseconds. */
const ATTEMPTS = 3;
const PAUSE_MS = 500;

interface ShardWorkOptions {
  /** Of the run; still usable when the work is cut off. */
  objects: ChunkObjects;
  /** Does a job in this process, and stores its result. */
  work: WorkerHandlers['work'];
  /** Of the shard. */
  name: string;
  log: Logger;
}

/**
 * Opens the work of a shard.
 *
 * A note in the store says what is in work; only a process that ends by itself removes it. So a shard that is started
 * again knows which jobs its earlier process had begun when it ended. Such a job is done alone; after a second time its configurations
 * are, one by one. It is not halved as on a queue, since each half may cost two restarts, which take minutes in Kubernetes.
 *
 * @throws {@link ConverterError} the codes of the store.
 */
export async function openShardWork({ objects, work, name, log }: ShardWorkOptions) {
  const kills = await objects.attempts();
  const turns = createBudget(JOBS_AT_ONCE);

  const attempt = async (job: ChunkJob, signal: AbortSignal): Promise<void> => {
    const number = kills(job);
    await objects.putAttempt(job, number);
    try {
      await repeated(() => work(job, signal), signal);
    } catch (error) {
      await objects.removeAttempt(job, number).catch(() => {});
      throw error;
    }
  };

  const execute = async (job: ChunkJob, signal: AbortSignal): Promise<void> => {
    if (await objects.hasResult(job)) return;
    if (kills(job) < MOST_KILLS) return attempt(job, signal);
    const { chunk, from, to } = job;
    const parts: ChunkResult[] = [];
    if (to - from === 1) parts.push(await failed(job));
    else log.warn('a chunk has killed this shard: each of its articles is alone', { chunk });
    for (let place = from; place < to && to - from > 1; place++) {
      signal.throwIfAborted();
      const part = { ...job, from: place, to: place + 1 };
      await execute(part, signal);
      parts.push(await objects.result(part));
    }
    await objects.putResult(job, joinResults(name, parts));
  };

  const failed = async ({ chunk, from }: ChunkJob): Promise<ChunkResult> => {
    const { place, article } = (await objects.list(chunk))[from]!;
    const result = lostResult(article.request);
    return { ...joinResults(name, []), results: [{ place, ms: 0, result }] };
  };

  return {
    /** What has killed a process comes last. */
    inOrder: (jobs: readonly ChunkJob[]): ChunkJob[] =>
      jobs.toSorted((a, b) => kills(a) - kills(b)),
    /** Does a job, so that it has a result. @throws {@link ConverterError} the error of the work; the codes of the store. */
    async do(job: ChunkJob, signal: AbortSignal): Promise<void> {
      const release = await turns.take(kills(job) > 0 ? JOBS_AT_ONCE : 1);
      await execute(job, signal).finally(release);
    },
  };
}

async function repeated(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      const isLast = attempts === ATTEMPTS || endsRun(asConverterError(error).code);
      if (isLast || signal.aborted) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Joins what became of the parts of a job, in the order of their places.
 *
 * @example `joinResults('shard 1/2', [first, second]).results.length; // → the sum of both`
 */
export function joinResults(worker: string, parts: readonly ChunkResult[]): ChunkResult {
  const metrics = createRunMetrics(() => 0);
  for (const { measured } of parts) {
    metrics.add(measured);
    for (const [stage, ms] of Object.entries(measured.stageMs))
      metrics.stopwatch.add(stage as keyof typeof measured.stageMs, ms);
  }
  const fromCache = parts.reduce((sum, { measured }) => sum + measured.fromCache, 0);
  return {
    worker,
    results: parts.flatMap(({ results }) => results),
    measured: { ...metrics.take(), fromCache },
    peakBytes: Math.max(0, ...parts.map(({ peakBytes }) => peakBytes)),
  };
}
