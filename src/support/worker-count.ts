/** How much work a run does at the same time. */
import { availableParallelism } from 'node:os';

/** How many threads or processes work at the same time: one for each processor, less one from four on. */
export function workerCount(given: number | undefined): number {
  const all = availableParallelism();
  return given ?? (all < 4 ? all : all - 1);
}
