/** What a run does before and after its work if other machines take part: its lock, and the run that it continues. */
import { CONTINUED_WITHIN_MS } from '../cache/durable-tables.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { ConverterError, type ErrorCode } from '../support/errors.ts';
import { findUnfinishedRun, openChunkObjects, shardName } from './chunks.ts';
import { executorOf, type RunEnvironment, type RunOptions, runId, shardOf } from './run-options.ts';
import { pipelineStore } from './shared-store.ts';
import { lockStore } from './store-lock.ts';
import { checkQueue, runDigest } from './work-queue.ts';

const CANCELLED = 'cancelled from another process';
const CANCELLED_HELP = { help: 'run again: a new run takes what is done from the cache' };

/** How often a run looks whether it was cancelled, milliseconds. */
const LOOK_MS = 2_000;

interface SharedRun {
  /** Of the run. */
  environment: RunEnvironment;
  isContinued: boolean;
  /** Ends what was prepared. @param failure - Why the run is not complete: other shards end with it, too. */
  close(failure: ConverterError | undefined): Promise<void>;
}

/**
 * Prepares a run: locks its store, and gives it the start of the run with workers that it continues.
 *
 * @throws {@link ConverterError} `USAGE` for another shard than the first; `OUTPUT_LOCKED`, `STORE_UNSUPPORTED`; the
 *   codes of the store, and those of {@link checkQueue}.
 */
export async function openSharedRun(
  options: RunOptions,
  given: RunEnvironment,
): Promise<SharedRun> {
  const { pipeline } = options;
  const executor = executorOf(options);
  const shards = shardsOf(options, given.env);
  if (pipeline.store === undefined && executor === 'local')
    return { environment: given, isContinued: false, close: async () => {} };
  if (executor === 'bullmq') await checkQueue(given.env, given.now);
  // Without the signal: the lock is given back after an interruption, too.
  const { signal: _, ...always } = given;
  const store = await pipelineStore(pipeline, always);
  const unfinished = executor === 'local' ? undefined : await findUnfinishedRun(store);
  const continued = unfinished && (await continuedRun(options, given, unfinished, shards));
  const startedAt = continued ?? given.startedAt ?? given.now();
  const environment = { ...given, startedAt };
  // Shards watch the lock: it is the sign of life of their coordinator.
  const isLocked = pipeline.store !== undefined || executor === 'shard';
  const lock = isLocked ? await lockStore(store, environment) : undefined;
  if (continued !== undefined && !(await isOpen(store, runId(continued)))) {
    // Its coordinator has completed it before this one had the lock.
    await lock?.release();
    return openSharedRun(options, given);
  }
  if (unfinished !== undefined) {
    const { abandon, reopen } = openChunkObjects(store, unfinished.id);
    await (continued === undefined ? abandon() : reopen());
  }
  const ending = new AbortController();
  const signals = [given.signal, ending.signal, ...(lock ? [lock.lost] : [])];
  const objects = openChunkObjects(store, runId(startedAt));
  const look = async () => {
    const state = await objects.look().catch(() => undefined);
    if (state?.isCancelled)
      ending.abort(new ConverterError('INTERRUPTED', CANCELLED, CANCELLED_HELP));
  };
  const timer = executor === 'local' ? undefined : setInterval(look, LOOK_MS).unref();
  return {
    environment: { ...environment, signal: AbortSignal.any(signals) },
    isContinued: continued !== undefined,
    async close(failure) {
      clearInterval(timer);
      // An interrupted run is continued; a locked one is that of another coordinator.
      if (executor === 'shard' && failure !== undefined && !isOthers(failure.code))
        await objects.end(failure).catch(({ message }: Error) => given.log.warn(message));
      await lock?.release();
    },
  };
}

const isOpen = async (store: ObjectStore, id: string) =>
  (await openChunkObjects(store, id).look()).isOpen;

const isOthers = (code: ErrorCode) => code === 'INTERRUPTED' || code === 'OUTPUT_LOCKED';

/** The number of shards of which this is the first. */
function shardsOf(options: RunOptions, env: RunEnvironment['env']): number | undefined {
  const shard = shardOf(options, env);
  if (shard === undefined || shard.index === 0) return shard?.count;
  const message = `shard: expected the first of ${shard.count} shards, which coordinates the run, received ${shardName(shard)}`;
  throw new ConverterError('USAGE', message, { help: 'start other shards with btg2gltf run' });
}

/** Returns the start of the last run with workers if it was to do the same, on any machine. */
async function continuedRun(
  options: RunOptions,
  { env, log, now }: RunEnvironment,
  { id, description }: NonNullable<Awaited<ReturnType<typeof findUnfinishedRun>>>,
  shards: number | undefined,
): Promise<number | undefined> {
  const { digest, startedAt } = description;
  const isSame = description.shards === shards && digest === (await runDigest(options, env));
  if (!isSame || Math.abs(now() - startedAt) > CONTINUED_WITHIN_MS) return undefined;
  log.info('continues a run that has not ended', { continued: id });
  return startedAt;
}

/**
 * Cancels the run with workers of a pipeline, from any machine: its coordinator ends it within seconds.
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
