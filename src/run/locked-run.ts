/** A run that changes what is published: under the lock of its output folder, and of its store. */

import { ConverterError } from '../support/errors.ts';
import type { RunParts } from './executor.ts';
import { type Run, withRun } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import { checkRun, executorOf, type RunOptions } from './open/run-options.ts';
import { lockOutput } from './output/lock.ts';

/**
 * Opens a run, works with it and closes it; others publish neither to its output folder nor to its store meanwhile.
 *
 * @throws {@link ConverterError} `USAGE`, `OUTPUT_LOCKED`; what opening a run, or the work, throws.
 */
export async function withLockedRun<T>(
  options: RunOptions,
  environment: RunEnvironment,
  parts: RunParts,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  checkRun(options, environment);
  expectParts(options, parts);
  const { deliveries, sharing } = parts;
  const { pipeline } = options;
  if (pipeline.deliver) await deliveries?.check(pipeline, environment);
  const locks = [await lockOutput(pipeline.outputDir, environment.now())];
  try {
    const shared = await sharing?.prepare(options, environment);
    if (shared !== undefined) locks.unshift(shared.close);
    return await withRun(options, shared?.environment ?? environment, work, sharing?.open);
  } finally {
    // A lock that remains is taken over later; the result of the run is more important.
    for (const release of locks)
      await release().catch((error: Error) => environment.log.warn(error.message));
  }
}

/** What a pipeline asks for is never left out without a word. */
function expectParts(options: RunOptions, { deliveries, sharing }: RunParts): void {
  const missing = [
    options.pipeline.deliver && !deliveries && 'deliveries, for deliver:',
    executorOf(options) !== 'local' && !sharing && 'other machines, for the executor',
  ].filter(Boolean);
  if (missing.length > 0)
    throw new ConverterError('INTERNAL', `parts: expected ${missing.join(' and ')}, received none`);
}
