/** Where the work of a run is done: in this process, by workers that take chunks of it from a queue, or by shards. */

import type { ObjectStore } from '../store/object-store.ts';
import type { Distribution } from './distribute.ts';
import type { Run } from './open-run.ts';
import { type Execute, inThisProcess } from './processing.ts';
import type { Processor } from './results.ts';
import { executorOf, runId, shardOf } from './run-options.ts';
import { pipelineStore } from './shared-store.ts';
import { queueOf } from './work-queue.ts';

/** An executor of one run. */
export interface Executor {
  execute: Execute;
  /** If workers do the work. */
  distribution?: Distribution;
  close(): Promise<void>;
}

/** Limits the requests of a run to its share, if shards divide it. */
export function shareLimits({ options, environment, session }: Run): void {
  const shard = shardOf(options, environment.env);
  if (shard !== undefined) session.share(shard);
}

const OPEN = {
  local: async (run, processor, selected) => {
    await selected;
    return { execute: inThisProcess(run, await processor(run)), close: async () => {} };
  },
  bullmq: openWorkers,
  shard: openShards,
} satisfies Record<ReturnType<typeof executorOf>, typeof openExecutor>;

/**
 * Opens the executor that the options name. A queue is connected while the run selects its articles.
 *
 * @param selected - Settles when they are selected.
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, and the codes of the store.
 */
export function openExecutor(
  run: Run,
  processor: (run: Run) => Promise<Processor>,
  selected: Promise<unknown>,
): Promise<Executor> {
  return OPEN[executorOf(run.options)](run, processor, selected);
}

async function openWorkers(
  run: Run,
  _: (run: Run) => Promise<Processor>,
  selected: Promise<unknown>,
): Promise<Executor> {
  const [{ openChunkQueue }, { distribute }] = await Promise.all([
    import('../execute/bullmq-coordinator.ts'),
    import('./distribute.ts'),
  ]);
  const { pipeline } = run.options;
  const { env, log, now, signal } = run.environment;
  const store = await storeOf(run);
  const queue = await openChunkQueue({
    ...(await queueOf(pipeline, env, store)),
    run: runId(run.startedAt),
    log,
    signal,
    now,
  });
  try {
    await selected;
    const distribution = await distribute(run, queue, store);
    return { execute: distribution.execute, distribution, close: queue.close };
  } catch (error) {
    await queue.close();
    throw error;
  }
}

/** The one that is open: what its account was allowed before, it will be allowed again. */
async function storeOf({ options, environment, stores }: Run): Promise<ObjectStore> {
  return stores.shared ?? pipelineStore(options.pipeline, environment);
}

/** This program is the first shard: it works in the run that it coordinates. */
async function openShards(
  run: Run,
  processor: (run: Run) => Promise<Processor>,
  selected: Promise<unknown>,
): Promise<Executor> {
  await selected;
  const [{ createShardQueue }, { openShardWork }, { createChunkWork, snapshotsOf }, ...others] =
    await Promise.all([
      import('./shard-queue.ts'),
      import('./shard-work.ts'),
      import('./worker.ts'),
      import('./distribute.ts'),
      import('./chunks.ts'),
    ]);
  const [{ distribute }, { openChunkObjects, shardName }] = others;
  const { environment, options, startedAt } = run;
  const { log, now } = environment;
  const shard = shardOf(options, environment.env)!;
  shareLimits(run);
  const store = await storeOf(run);
  const own = {
    run: asWorker(run),
    processor: await processor(asWorker(run)),
    snapshots: snapshotsOf(run),
    // The report asks the session itself.
    cacheHits: async () => 0,
    close: async () => {},
  };
  const name = shardName(shard);
  const { work } = createChunkWork({
    store,
    now,
    name: () => name,
    open: async () => own,
  }).handlers;
  // Without the signal: after an interruption it is noted that nothing is in work.
  const { signal: _, ...always } = environment;
  const objects = openChunkObjects(await pipelineStore(options.pipeline, always), runId(startedAt));
  const queue = createShardQueue(
    run,
    shard,
    openChunkObjects(store, runId(startedAt)),
    await openShardWork({ objects, work, name, log }),
  );
  const distribution = await distribute(run, queue, store, shard.count);
  return { execute: distribution.execute, distribution, close: queue.close };
}

/** The coordinator logs failures when it collects them, and the store knows what was in work when it was killed. */
function asWorker(run: Run): Run {
  const log = { ...run.environment.log, warn() {} };
  const notes = { ...run.notes, during: <T>(_: string, task: () => Promise<T>) => task() };
  return { ...run, environment: { ...run.environment, log }, notes };
}
