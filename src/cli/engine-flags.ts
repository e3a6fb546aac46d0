/** When the engine collects garbage and compiles code, by what a process does. */
import { setFlagsFromString } from 'node:v8';
import { growHeap } from '../run/conversions/garbage.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { workerCount } from '../support/worker-count.ts';

/** How much the heap grows before garbage is collected, in percent. */
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

/** Sets how the engine works in a process that executes a pipeline; all its threads take it over. */
export function setEngineFlags(
  { pipeline, executor, workers }: RunOptions,
  role: 'run' | 'worker' | 'server' = 'run',
): void {
  const makes = pipeline.deliver && (role === 'worker' || workerCount(workers) > 1);
  if (role === 'server') growHeap(GROWTH.server);
  else if (executor === 'bullmq') {
    growHeap(GROWTH.coordinator);
    compileLater();
  } else if (makes) growHeap(GROWTH.makers);
}

/** How much a function runs before it is compiled again, in bytes of its code: in coordinators, and in Node.js 20. */
const INTERRUPT_BUDGET = { coordinator: 2_000_000, default: 67_584 };

let isCompiledLater = false;
/**
 * A coordinator computes for seconds while its workers compute for minutes, so most of its functions are not worth
 * compiling again. With 2,000 configurations and three profiles, its code takes 5.1 s instead of 6.5 s of the processor
 * (three pairs). Later versions of Node.js do not have the flag.
 */
function compileLater(): void {
  if (isCompiledLater || !process.version.startsWith('v20.')) return;
  isCompiledLater = true;
  const set = (budget: number) => setFlagsFromString(`--interrupt-budget=${budget}`);
  set(INTERRUPT_BUDGET.coordinator);
  // As with the growth of the heap, for the compiled code that is written at the end.
  process.prependOnceListener('exit', () => set(INTERRUPT_BUDGET.default));
}
