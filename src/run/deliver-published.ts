/** Delivery without a run: makes the deliveries of a pipeline from its published files. */

import type { RunParts } from './executor.ts';
import { withLockedRun } from './locked-run.ts';
import type { RunEnvironment } from './open/run-environment.ts';
import type { RunOptions } from './open/run-options.ts';
import { followPublication } from './publishing/after-publication.ts';
import type { Delivered } from './publishing/deliveries.ts';
import { LastPublication } from './publishing/last-publication.ts';

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
    const { delivered, settle } = await followPublication(run, last, parts.deliveries);
    await settle();
    return delivered;
  });
}
