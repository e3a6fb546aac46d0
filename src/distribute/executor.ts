/** Where the work of a run is done: in this process, or by workers that take chunks of it from a queue. */
import type { ObjectStore } from './store/object-store.ts';
import type { Distribution } from './coordinator.ts';
import type { Run } from '../run/open-run.ts';
import { type Execute, inThisProcess } from '../run/articles/processing.ts';
import type { Processor } from '../run/articles/results.ts';
import { executorOf, runId } from '../run/run-options.ts';
import { pipelineStore } from './pipeline-store.ts';
import { queueOf } from './run-queue.ts';

/** An executor of one run. */
export interface Executor {
  execute: Execute;
  /** If workers do the work. */
  distribution?: Distribution;
  close(): Promise<void>;
}

const OPEN = {
  local: async (run, processor, selected) => {
    await selected;
    return { execute: inThisProcess(run, await processor(run)), close: async () => {} };
  },
  bullmq: openWorkers,
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
    import('./queue/coordinator.ts'),
    import('./coordinator.ts'),
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
