/** How much the heap of a process grows before the engine collects garbage. */
import { setFlagsFromString } from 'node:v8';
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
   * again. Five profiles of 185 configurations take 23.5 s on two processors with 470 MiB, by default 28 s with 420.
   */
  makers: 300,
};

/** Sets how garbage is collected in a process that executes a pipeline; all its threads take it over. */
export function setGarbageFlags(
  { pipeline, executor, workers }: RunOptions,
  role: 'run' | 'worker' = 'run',
): void {
  const makes = pipeline.deliver && (role === 'worker' || workerCount(workers) > 1);
  if (executor === 'bullmq') setGrowth(GROWTH.coordinator);
  else if (makes) setGrowth(GROWTH.makers);
}

function setGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  // Compiled code that is written at the end (start.ts) would be valid for the next start with this flag only.
  process.prependOnceListener('exit', () => setFlagsFromString('--heap-growing-percent=0'));
}
