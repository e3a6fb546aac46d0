/** Where the work of a run is done: in this process, or by workers that take chunks of it from a queue. */

import type { Distribution } from './distribute.ts';
import type { Run } from './open-run.ts';
import { type Execute, inThisProcess } from './processing.ts';
import type { Processor } from './results.ts';
import { runId } from './run-options.ts';
import { pipelineStore } from './shared-store.ts';
import { queueOf } from './work-queue.ts';

/** An executor of one run. */
export interface Executor {
  execute: Execute;
  /** If workers do the work. */
  distribution?: Distribution;
  close(): Promise<void>;
}

/**
 * Opens the executor that the options name.
 *
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, and the codes of the store.
 */
export async function openExecutor(
  run: Run,
  processor: (run: Run) => Promise<Processor>,
): Promise<Executor> {
  const { pipeline, executor = 'local' } = run.options;
  if (executor === 'local')
    return { execute: inThisProcess(run, await processor(run)), close: async () => {} };
  const [{ openChunkQueue }, { distribute }] = await Promise.all([
    import('../execute/bullmq-coordinator.ts'),
    import('./distribute.ts'),
  ]);
  const { env, log, now, signal } = run.environment;
  const id = runId(run.startedAt);
  const queue = await openChunkQueue({
    ...(await queueOf(pipeline, env)),
    run: id,
    log,
    signal,
    now,
  });
  try {
    const distribution = await distribute(
      run,
      queue,
      await pipelineStore(pipeline, run.environment),
    );
    return { execute: distribution.execute, distribution, close: queue.close };
  } catch (error) {
    await queue.close();
    throw error;
  }
}
