/** Delivery without a run: makes the deliveries of a pipeline from its published files. */

import type { Sharing } from '../run/executor.ts';
import { withLockedRun } from '../run/locked-run.ts';
import type { Run } from '../run/open/open-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { followPublication } from '../run/publishing/after-publication.ts';
import { LastPublication } from '../run/publishing/last-publication.ts';
import { DELIVERIES } from './hooks.ts';

/** Delivers as after a run, but without the report. */
async function deliverAlone(run: Run) {
  const { pipeline } = run.options;
  if (pipeline.deliver === undefined) return undefined;
  const last = new LastPublication(run, DELIVERIES.urlOf(pipeline));
  await last.begin();
  const { delivered, settle } = await followPublication(run, last, DELIVERIES);
  await settle();
  return delivered;
}

/**
 * Makes the deliveries of a pipeline, such as pictures, from its published files, and sends the changes that wait for
 * the webhook: without requests to the service.
 *
 * @returns Undefined if the pipeline has no deliveries.
 * @throws {@link ConverterError} An error before anything was made, such as `OUTPUT_LOCKED`.
 */
export async function deliverPipeline(
  options: RunOptions,
  environment: RunEnvironment,
  sharing?: Sharing,
) {
  return withLockedRun(
    options,
    environment,
    { ...(sharing && { sharing }), deliveries: DELIVERIES },
    deliverAlone,
  );
}
