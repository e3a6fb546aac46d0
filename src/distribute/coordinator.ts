/** The coordinator of a distributed run: has workers process chunks of the selection, and collects what they found out. */

import type { Distribution } from '../run/executor.ts';
import type { Run } from '../run/open/open-run.ts';
import { runId } from '../run/open/run-options.ts';
import { type Execute, logFailure } from '../run/processing.ts';
import type { ConverterError } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import {
  type ChunkResult,
  chunkNumber,
  chunksOf,
  lostResult,
  openChunkObjects,
  removeChunkObjects,
} from './chunks.ts';
import type { ChunkJob, ChunkQueue } from './queue/chunk-queue.ts';
import { runDigest } from './run-queue.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Lists stored at the same time. */
const PUTS_AT_ONCE = 16;

/** The chunks of a run on workers. */
export interface ChunkDistribution extends Distribution {
  execute: Execute;
}

/**
 * Begins the distribution of a run: workers find it in the store.
 *
 * @throws {@link ConverterError} the codes of {@link ObjectStore}.
 */
export async function distribute(
  run: Run,
  queue: ChunkQueue,
  store: ObjectStore,
): Promise<ChunkDistribution> {
  const { options, environment, metrics, output, startedAt } = run;
  const id = runId(startedAt);
  const objects = openChunkObjects(store, id);
  const { force = false, failedOnly = false } = options;
  const missing = [...output.damages.values()].flatMap(({ object }) => object ?? []);
  const digest = await runDigest(options, environment.env);
  await objects.describe({ startedAt, digest, force, failedOnly, missing });
  const table = createWorkerTable();
  let fromCache = 0;
  const jobOf = (chunk: number, to: number): ChunkJob => ({ run: id, chunk, from: 0, to });

  const execute: Execute = async (articles, progress, first, collect) => {
    const placed = articles.map((article, index) => ({ place: first + index, article }));
    const lists = new Map(chunksOf(placed).map((list) => [chunkNumber(list), list]));
    const done: ChunkJob[] = [];
    await inParallel(lists, PUTS_AT_ONCE, async ([chunk, list]) => {
      environment.signal.throwIfAborted();
      const job = jobOf(chunk, list.length);
      if ((await objects.putList(chunk, list)) === 'present' && (await objects.hasResult(job)))
        done.push(job);
    });
    function* jobs(): Iterable<ChunkJob> {
      const isDone = new Set(done.map(({ chunk }) => chunk));
      for (const [chunk, { length }] of lists) {
        // What is not begun now has no result: the next run continues.
        if (run.isOutOfTime()) return;
        if (!isDone.has(chunk)) yield jobOf(chunk, length);
      }
    }
    const take: typeof collect = (result, origin) => {
      if (result.status === 'failed' && !result.isWaiting)
        logFailure(run, progress, result.request, result.error);
      if ('built' in result) output.checks.noteWritten(result.built.sha256);
      collect(result, origin);
      progress.done++;
    };
    const onDone = async (job: ChunkJob) => {
      const result = await objects.result(job);
      for (const { result: one, place, ms } of result.results) take(one, { place, ms });
      environment.progress?.({ ...progress });
      metrics.add(result.measured);
      fromCache += result.measured.fromCache;
      table.add(result.worker, result);
    };
    const onLost = async ({ chunk, from }: ChunkJob, error?: ConverterError) => {
      const { place, article } = lists.get(chunk)![from]!;
      const reason = error && { code: error.code, message: error.message };
      take(lostResult(article.request, reason), { place, ms: 0 });
      environment.progress?.({ ...progress });
    };
    for (const job of done) await onDone(job);
    await queue.execute(jobs(), onDone, onLost);
    for (const [stage, ms] of table.takeStages()) metrics.stopwatch.add(stage, ms);
  };

  return {
    execute,
    workers: () => queue.workers().map((worker) => ({ ...worker, ...table.of(worker.name) })),
    fromCache: () => fromCache,
    remove: () => removeChunkObjects(store, id),
  };
}

type StageMs = ChunkResult['measured']['stageMs'];
type Stage = keyof StageMs;

/** What the workers of a run did. */
function createWorkerTable() {
  const none = { chunks: 0, configurations: 0, failed: 0, requests: 0, peakBytes: 0 };
  const rows = new Map<string, typeof none>();
  const stages = new Map<string, Map<Stage, number>>();
  return {
    add(worker: string, { results, measured, peakBytes }: ChunkResult): void {
      const row = rows.get(worker) ?? { ...none };
      rows.set(worker, row);
      row.chunks++;
      row.configurations += results.length;
      row.failed += results.filter(({ result }) => result.status === 'failed').length;
      row.requests += measured.requests.sent;
      row.peakBytes = Math.max(row.peakBytes, peakBytes);
      const own = stages.get(worker) ?? new Map<Stage, number>();
      stages.set(worker, own);
      for (const [stage, ms] of Object.entries(measured.stageMs) as [Stage, number][])
        own.set(stage, (own.get(stage) ?? 0) + ms);
    },
    of: (worker: string) => rows.get(worker) ?? none,
    /** Workers are in a stage at the same time: that of the one that was in it longest counts. Begins anew. */
    takeStages(): Map<Stage, number> {
      const longest = new Map<Stage, number>();
      for (const own of stages.values())
        for (const [stage, ms] of own) longest.set(stage, Math.max(longest.get(stage) ?? 0, ms));
      stages.clear();
      return longest;
    },
  };
}
