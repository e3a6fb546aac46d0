/** Delivery after a run and alone; what it needs is loaded only where a pipeline asks for it. */
import { BROWSER_VARIABLE, findBrowser } from './pictures/browser.ts';
import { type LastPublication, openLastPublication } from '../run/output/last-publication.ts';
import { checkRun, type Run, withRun } from '../run/open-run.ts';
import { lockOutput } from '../run/output/lock.ts';
import type { RunEnvironment, RunOptions } from '../run/run-options.ts';
import { openSharedRun } from '../distribute/lifecycle.ts';

/**
 * Checks what deliveries need of this machine, before anything is requested: a variable that names no browser.
 *
 * @throws {@link ConverterError} `USAGE`.
 */
export async function checkDeliveries({ pipeline }: RunOptions, { env }: RunEnvironment) {
  const { pictures, profiles } = pipeline.deliver ?? {};
  if (pictures === undefined && profiles === undefined) return;
  await findBrowser(undefined, env[BROWSER_VARIABLE], pipeline.cacheDir);
}

/** What the pipeline makes of the published files, and what has changed since the last publication. */
export async function deliverWanted(run: Run, last: LastPublication) {
  const delivered = run.options.pipeline.deliver && (await deliverAll(run));
  const { afterPublish } = await import('./after-publish.ts');
  const { sent, ...after } = await afterPublish(run, last);
  if (sent !== undefined) {
    delivered?.deliveries.push(sent.counts);
    delivered?.failures.push(...sent.failures);
  }
  return { delivered, ...after };
}

async function deliverAll(run: Run) {
  const { deliver } = await import('./deliver.ts');
  return run.metrics.stopwatch.during('deliver', () => deliver(run));
}

/** As after a run, but for the report. */
async function deliverAlone(run: Run) {
  if (run.options.pipeline.deliver === undefined) return undefined;
  const last = openLastPublication(run);
  await last.begin();
  const { delivered, settle } = await deliverWanted(run, last);
  await settle();
  return delivered;
}

/**
 * Makes of the published files what the pipeline asks for, such as pictures, and sends what waits for the webhook: without
 * requests to the service.
 *
 * @returns Undefined where it asks for nothing.
 * @throws {@link ConverterError} an error before anything was made, such as `OUTPUT_LOCKED`.
 */
export async function deliverPipeline(options: RunOptions, environment: RunEnvironment) {
  checkRun(options, environment);
  await checkDeliveries(options, environment);
  const locks = [await lockOutput(options.pipeline.outputDir, environment.now())];
  try {
    const shared = await openSharedRun(options, environment);
    locks.unshift(() => shared.close());
    return await withRun(options, shared.environment, deliverAlone, 'owner');
  } finally {
    for (const release of locks)
      await release().catch((error: Error) => environment.log.warn(error.message));
  }
}
