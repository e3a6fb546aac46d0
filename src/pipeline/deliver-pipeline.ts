/** Delivery after a run and alone; what it needs is loaded only where a pipeline asks for it. */
import { BROWSER_VARIABLE, findBrowser } from '../deliver/browser.ts';
import { checkRun, type Run, withRun } from './open-run.ts';
import { lockOutput } from './output-lock.ts';
import type { RunEnvironment, RunOptions } from './run-options.ts';
import { openSharedRun } from './shared-run.ts';

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

/** What the pipeline makes of the published files. */
export async function deliverWanted(run: Run) {
  if (run.options.pipeline.deliver === undefined) return undefined;
  const { deliver } = await import('./deliver.ts');
  return run.metrics.stopwatch.during('deliver', () => deliver(run));
}

/**
 * Makes of the published files what the pipeline asks for, such as pictures, without a network.
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
    locks.unshift(() => shared.close(undefined));
    return await withRun(options, shared.environment, deliverWanted, 'owner');
  } finally {
    for (const release of locks)
      await release().catch((error: Error) => environment.log.warn(error.message));
  }
}
