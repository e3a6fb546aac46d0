/** A shard other than the first: it does its chunks of the run that the first one coordinates. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChunkJob } from '../execute/chunk-queue.ts';
import { jobsOfShard, type Shard } from '../execute/shard.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { asConverterError, ConverterError, endsRun, isConverterError } from '../support/errors.ts';
import { findUnfinishedRun, openChunkObjects, type RunState, shardName } from './chunks.ts';
import type { RunEnvironment, RunOptions } from './run-options.ts';
import { pipelineStore } from './shared-store.ts';
import { openLockWatch } from './store-lock.ts';
import { runDigest } from './work-queue.ts';
import { createChunkWork, GRACE_MS, JOBS_AT_ONCE, openPart } from './worker.ts';

/** How often a shard looks what the others did, milliseconds. */
const LOOK_MS = 1_000;
/** How long it waits for a coordinator without a sign of life of one, milliseconds: it may be started last. */
const ALONE_MS = 60 * 60_000;
/** An error may be that of the moment: attempts at a job, and the pause between two, milliseconds. */
const ATTEMPTS = 3;
const PAUSE_MS = 500;

/**
 * Does the chunks of a shard, in the run that the first shard has begun or will begin.
 *
 * Started again it continues: chunks that have a result are not done again.
 *
 * @throws {@link ConverterError} `RUN_ENDED` if the run ends without being complete; `USAGE` if it has another number
 *   of shards; `WORKER_REFUSED` if it has another version or other options; `OUT_OF_TIME`; the error of its own work,
 *   which ends the run of all.
 */
export async function runShard(
  options: RunOptions,
  environment: RunEnvironment,
  shard: Shard,
): Promise<void> {
  const { signal } = environment;
  const late = new AbortController();
  signal.addEventListener(
    'abort',
    () => void setTimeout(() => late.abort(signal.reason), GRACE_MS).unref(),
    { once: true },
  );
  // Not the signal of the process: the results of the chunks that it ends are still to be stored.
  const store = await pipelineStore(options.pipeline, { ...environment, signal: late.signal });
  const digest = await runDigest(options, environment.env);
  for (;;) {
    const id = await join(store, environment, shard, digest);
    environment.log.info('joins the run', { joined: id, shard: shardName(shard) });
    if (await takePart(store, { options, environment, shard, id, late: late.signal })) return;
  }
}

/** Waits until the coordinator has described the run, and returns its id. */
async function join(
  store: ObjectStore,
  { log, now, signal }: RunEnvironment,
  shard: Shard,
  digest: string,
): Promise<string> {
  const watch = openLockWatch(store);
  const startedAt = now();
  log.info('waits for the run', { coordinator: shardName({ ...shard, index: 0 }) });
  for (;;) {
    const found = await findUnfinishedRun(store);
    // One that has failed waits for its coordinator.
    if (found !== undefined && !(await openChunkObjects(store, found.id).look()).hasEnding) {
      const misfit = misfitOf(found.description, shard, digest);
      if (misfit === undefined) return found.id;
      // That of a coordinator which has died may be replaced.
      if (await watch.isAlive(found.id)) throw misfit;
    }
    if (now() - startedAt >= ALONE_MS) throw alone(shard);
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function misfitOf(
  run: { digest: string; shards?: number | undefined },
  shard: Shard,
  digest: string,
): ConverterError | undefined {
  if (run.shards !== shard.count) {
    const expected = run.shards === undefined ? 'no shards' : `${run.shards} shards`;
    const message = `${shardName(shard)}: expected the number of shards of the run in progress, which has ${expected}, received ${shard.count}`;
    return new ConverterError('USAGE', message, {
      help: 'start all shards with the same --shard i/N',
    });
  }
  if (run.digest === digest) return undefined;
  const message = `${shardName(shard)}: expected version and options of the run in progress, received others`;
  return new ConverterError('WORKER_REFUSED', message);
}

function alone(shard: Shard): ConverterError {
  const message = `${shardName(shard)}: expected the first shard within ${ALONE_MS / 60_000} minutes, received no sign of it`;
  return new ConverterError('RUN_ENDED', message);
}

interface Part {
  options: RunOptions;
  environment: RunEnvironment;
  shard: Shard;
  /** Of the run. */
  id: string;
  /** Aborts when a process that is to stop may not continue its chunks any more. */
  late: AbortSignal;
}

/** Does the chunks of a shard until the run has ended. @returns Whether that is complete; otherwise another one follows. */
async function takePart(store: ObjectStore, part: Part): Promise<boolean> {
  const { options, environment, shard, id } = part;
  const { now, signal } = environment;
  const objects = openChunkObjects(store, id);
  const name = shardName(shard);
  const over = new AbortController();
  const cut = AbortSignal.any([part.late, over.signal]);
  const own = { ...environment, signal: cut };
  const work = createChunkWork({
    ...{ store, now, name: () => name },
    open: (run) => openPart(options, own, store, run),
  });
  work.handlers.onShare(shard);
  const planned = new Set<string>();
  const waiting: ChunkJob[] = [];
  const inWork = new Set<Promise<void>>();
  let failure: ConverterError | undefined;

  const begin = (job: ChunkJob): void => {
    const doing = attempt(() => work.handlers.work(job, cut), cut)
      .catch((error: unknown) => {
        failure ??= asConverterError(error);
      })
      .finally(() => inWork.delete(doing));
    inWork.add(doing);
  };
  const takePlans = async ({ plans }: RunState): Promise<void> => {
    for (const plan of plans.filter((one) => !planned.has(one))) {
      const jobs = await objects.plan(plan);
      planned.add(plan);
      waiting.push(...jobsOfShard(jobs, shard));
    }
  };
  const isOutOfTime = () => options.until !== undefined && now() >= options.until;

  try {
    const watch = openLockWatch(store);
    let aliveAt = now();
    for (;;) {
      const state = await objects.look();
      if (!state.isOpen) return true;
      if (state.isAbandoned) return false;
      if (state.isCancelled) throw ended(shard, 'someone has cancelled it');
      if (state.hasEnding) throw ended(shard, (await objects.ending()).message);
      if (failure !== undefined) throw await noted(failure);
      const mayBegin = !signal.aborted && !isOutOfTime();
      if (!mayBegin && inWork.size === 0) {
        signal.throwIfAborted();
        const message = `${name}: the deadline passed: ${waiting.length} chunks are left`;
        throw new ConverterError('OUT_OF_TIME', message);
      }
      await takePlans(state);
      while (mayBegin && inWork.size < JOBS_AT_ONCE && waiting.length > 0) begin(waiting.shift()!);
      if (inWork.size > 0 || (await watch.isAlive(id))) aliveAt = now();
      if (now() - aliveAt >= ALONE_MS) throw alone(shard);
      await Promise.race([sleep(LOOK_MS, undefined, { signal }).catch(() => {}), ...inWork]);
    }
  } catch (error) {
    // What is read of a run that has just ended is gone.
    const isGone = isConverterError(error, 'STORE_DAMAGED') && !(await objects.look()).isOpen;
    if (!isGone) throw error;
    return true;
  } finally {
    over.abort(new ConverterError('INTERRUPTED', 'the run has ended'));
    await Promise.all(inWork);
    await work.close();
  }

  /** Notes for the others an error that ends the run; returns it. */
  async function noted(error: ConverterError): Promise<ConverterError> {
    if (error.code === 'INTERRUPTED') return error;
    await objects.end({ code: error.code, message: `${name}: ${error.message}` });
    return error;
  }
}

async function attempt(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      const isLast = attempts === ATTEMPTS || endsRun(asConverterError(error).code);
      if (isLast || signal.aborted) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function ended(shard: Shard, why: string): ConverterError {
  const message = `${shardName(shard)}: expected the run to be completed, but it has ended: ${why}`;
  return new ConverterError('RUN_ENDED', message);
}
