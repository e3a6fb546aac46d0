/** The work of a run on a queue: workers take chunks of it. */

import type { Executor } from '../run/executor.ts';
import type { Run } from '../run/open/open-run.ts';
import { runId } from '../run/open/run-options.ts';
import { pipelineStore } from './pipeline-store.ts';
import { queueOf } from './run-queue.ts';
import { storeIn } from './shared-store.ts';
import type { ObjectStore } from './store/object-store.ts';

/**
 * Opens an executor whose workers take chunks from a queue, which is connected while the run selects its articles.
 *
 * @param selected - Settles when they are selected.
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, and the codes of the store.
 */
export async function openWorkers(run: Run, selected: Promise<unknown>): Promise<Executor> {
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
async function storeOf({ options, environment, output }: Run): Promise<ObjectStore> {
  return storeIn(output) ?? pipelineStore(options.pipeline, environment);
}
