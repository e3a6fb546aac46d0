/** How much the heap of a process grows before the engine collects garbage. */
import { growHeap } from '../run/conversions/garbage.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { workerCount } from '../support/worker-count.ts';

/** Growth in percent, by what a process does. */
const GROWTH = {
  /**
   * By default the heap quadruples, since a coordinator waits more than it computes. With 20,000 configurations and three
   * profiles it had 548 MiB, of which 110 were used.
   */
  coordinator: 40,
  /**
   * The heap of a thread that makes files is small beside the memory of images, for which the engine collects again and
   * again. Five profiles of 185 configurations take a fifth less time on two processors (28.7 s, 36.2 s; a run that also
   * converts them 34.8 s, 42.4 s), and 100 MiB more.
   */
  makers: 300,
  /**
   * A server of assets has a heap of 30 MB, and the garbage of many requests at the same time is not garbage yet when the
   * engine looks. With 200 clients its memory stays at 324 MiB; by default it grows from 355 to 436 MiB, and no more
   * requests are answered.
   */
  server: 20,
};

/** Sets how garbage is collected in a process that executes a pipeline; all its threads take it over. */
export function setHeapGrowth(
  { pipeline, executor, workers }: RunOptions,
  role: 'run' | 'worker' | 'server' = 'run',
): void {
  const makes = pipeline.deliver && (role === 'worker' || workerCount(workers) > 1);
  if (role === 'server') growHeap(GROWTH.server);
  else if (executor === 'bullmq') growHeap(GROWTH.coordinator);
  else if (makes) growHeap(GROWTH.makers);
}
