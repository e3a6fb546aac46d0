/** What a run does before and after its work if other machines take part: its lock, and the run that it continues. */
import { CONTINUED_WITHIN_MS } from '../cache/durable-tables.ts';
import { ConverterError } from '../support/errors.ts';
import { findUnfinishedRun, openChunkObjects } from './chunks.ts';
import { type RunEnvironment, type RunOptions, runId } from './run-options.ts';
import { pipelineStore } from './shared-store.ts';
import { lockStore } from './store-lock.ts';
import { runDigest } from './work-queue.ts';

/** How often a run looks whether it was cancelled, milliseconds. */
const LOOK_MS = 2_000;

/**
 * Prepares a run: locks its store, and gives it the start of the run with workers that it continues.
 *
 * @returns The environment of the run, and a function that ends what was prepared.
 * @throws {@link ConverterError} `OUTPUT_LOCKED`, `STORE_UNSUPPORTED`; the codes of the store.
 */
export async function openSharedRun(
  options: RunOptions,
  given: RunEnvironment,
): Promise<{ environment: RunEnvironment; close(): Promise<void> }> {
  const { pipeline, executor = 'local' } = options;
  if (pipeline.store === undefined && executor === 'local')
    return { environment: given, close: async () => {} };
  // Without the signal: the lock is given back after an interruption, too.
  const { signal: _, ...always } = given;
  const store = await pipelineStore(pipeline, always);
  const continued = executor === 'local' ? undefined : await continuedRun(options, given, store);
  const startedAt = continued ?? given.startedAt ?? given.now();
  const environment = { ...given, startedAt };
  const lock = pipeline.store && (await lockStore(store, environment));
  const ending = new AbortController();
  const signals = [given.signal, ending.signal, ...(lock ? [lock.lost] : [])];
  const objects = openChunkObjects(store, runId(startedAt));
  const look = async () => {
    if (!(await objects.isCancelled().catch(() => false))) return;
    ending.abort(new ConverterError('INTERRUPTED', 'cancelled from another process'));
  };
  const timer = executor === 'local' ? undefined : setInterval(look, LOOK_MS).unref();
  return {
    environment: { ...environment, signal: AbortSignal.any(signals) },
    async close() {
      clearInterval(timer);
      await lock?.release();
    },
  };
}

/** Returns the start of the last run with workers if it has not ended and was to do the same, on whatever machine. */
async function continuedRun(
  options: RunOptions,
  { env, log, now }: RunEnvironment,
  store: Parameters<typeof findUnfinishedRun>[0],
): Promise<number | undefined> {
  const found = await findUnfinishedRun(store);
  if (found === undefined) return undefined;
  const { digest, startedAt } = found.description;
  const isSame = digest === (await runDigest(options, env));
  if (!isSame || Math.abs(now() - startedAt) > CONTINUED_WITHIN_MS) return undefined;
  log.info('continues a run that has not ended', { continued: found.id });
  return startedAt;
}

/**
 * Cancels the run with workers of a pipeline, from whatever machine: its coordinator ends it within seconds.
 *
 * @returns Its id; undefined if there is none.
 */
export async function cancelRun(
  options: RunOptions,
  environment: Pick<RunEnvironment, 'env' | 'now' | 'random'>,
): Promise<string | undefined> {
  const store = await pipelineStore(options.pipeline, environment);
  const found = await findUnfinishedRun(store);
  if (found === undefined) return undefined;
  await openChunkObjects(store, found.id).cancel();
  return found.id;
}
