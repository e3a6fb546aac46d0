/** Prepares and ends a run in which other machines take part: its lock, and the run that it continues. */

import type { Sharing } from '../run/executor.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { type RunOptions, runId } from '../run/open/run-options.ts';
import { CONTINUED_WITHIN_MS } from '../source/cache/durable-tables.ts';
import { ConverterError } from '../support/errors.ts';
import { ChunkObjects, findUnfinishedRun, type UnfinishedRun } from './chunk-objects.ts';
import { pipelineStore } from './pipeline-store.ts';
import { checkQueue, runDigest } from './run-queue.ts';
import type { ObjectStore } from './store/object-store.ts';
import { lockStore } from './store-lock.ts';

const CANCELLED = 'cancelled from another process';
const CANCELLED_HELP = { help: 'run again: a new run takes what is done from the cache' };

/** How often a run checks whether it was cancelled, milliseconds. */
const LOOK_MS = 2_000;

/**
 * Prepares a run: locks its store, and gives it the start of the run with workers that it continues.
 *
 * @throws {@link ConverterError} `OUTPUT_LOCKED`, `STORE_UNSUPPORTED`; the
 *   codes of the store, and those of {@link checkQueue}.
 */
export async function openSharedRun(
  options: RunOptions,
  given: RunEnvironment,
): ReturnType<Sharing['prepare']> {
  const { pipeline, executor = 'local' } = options;
  if (executor !== 'local') await checkQueue(given.env, given.now);
  // The signal is left out: the lock must be released after an interruption, too.
  const { signal: _, ...always } = given;
  const store = await pipelineStore(pipeline, always);
  const unfinished = executor === 'local' ? undefined : await findUnfinishedRun(store);
  const continued = unfinished && (await continuedRun(options, given, unfinished));
  const startedAt = continued ?? given.startedAt ?? given.now();
  const environment = { ...given, startedAt };
  const lock = pipeline.store ? await lockStore(store, environment) : undefined;
  if (continued !== undefined && !(await isOpen(store, runId(continued)))) {
    // The coordinator of that run has completed it before this process had the lock.
    await lock?.release();
    return openSharedRun(options, given);
  }
  // A run that this one does not continue is never continued: another run has other options.
  if (unfinished !== undefined && continued === undefined)
    await new ChunkObjects(store, unfinished.id).remove();
  const ending = new AbortController();
  const signals = [given.signal, ending.signal, ...(lock ? [lock.lost] : [])];
  const objects = new ChunkObjects(store, runId(startedAt));
  const look = async () => {
    const state = await objects.look().catch(() => undefined);
    if (state?.isCancelled)
      ending.abort(new ConverterError('INTERRUPTED', CANCELLED, CANCELLED_HELP));
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

const isOpen = async (store: ObjectStore, id: string) =>
  (await new ChunkObjects(store, id).look()).isOpen;

/** Returns the start of the last run with workers, on any machine, if that run had the same work to do. */
async function continuedRun(
  options: RunOptions,
  { env, log, now }: RunEnvironment,
  { id, description }: UnfinishedRun,
): Promise<number | undefined> {
  const { digest, startedAt } = description;
  const isSame = digest === (await runDigest(options, env));
  if (!isSame || Math.abs(now() - startedAt) > CONTINUED_WITHIN_MS) return undefined;
  log.info('continues a run that has not ended', { continued: id });
  return startedAt;
}

/**
 * Cancels the run with workers of a pipeline, from any machine: its coordinator ends it within seconds.
 *
 * @returns The id of the run; undefined if there is none.
 */
export async function cancelRun(
  options: RunOptions,
  environment: Pick<RunEnvironment, 'env' | 'now' | 'random'>,
): Promise<string | undefined> {
  const store = await pipelineStore(options.pipeline, environment);
  const found = await findUnfinishedRun(store);
  if (found === undefined) return undefined;
  await new ChunkObjects(store, found.id).cancel();
  return found.id;
}
