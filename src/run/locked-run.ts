/** A run that changes what is published: under the lock of its output folder, and of its store. */

import { ConverterError } from '../support/errors.ts';
import type { RunParts } from './executor.ts';
import { type Run, withRun } from './open/open-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import { checkRun, executorOf, type RunOptions } from './open/run-options.ts';
import { lockOutput } from './output/lock.ts';
import { followPublication } from './publishing/after-publication.ts';
import type { Delivered } from './publishing/deliveries.ts';
import { LastPublication } from './publishing/last-publication.ts';

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

/**
 * Makes the deliveries of a pipeline, such as pictures, from its published files, and sends the changes that wait for
 * the webhook: without requests to the service, and without a report.
 *
 * @returns Undefined if the pipeline has no deliveries.
 * @throws {@link ConverterError} An error before anything was made, such as `OUTPUT_LOCKED`.
 */
export async function deliverPipeline(
  options: RunOptions,
  environment: RunEnvironment,
  parts: RunParts,
): Promise<Delivered | undefined> {
  return withLockedRun(options, environment, parts, async (run) => {
    const { pipeline } = run.options;
    if (pipeline.deliver === undefined) return undefined;
    const last = new LastPublication(run, parts.deliveries?.urlOf(pipeline));
    await last.begin();
    const { delivered, settle } = await followPublication(
      run,
      last,
      parts.deliveries,
      options.force,
    );
    await settle();
    return delivered;
  });
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
