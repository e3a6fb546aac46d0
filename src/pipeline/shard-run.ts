/** A shard other than the first: it does its chunks of the run that the first one coordinates. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChunkJob } from '../execute/chunk-queue.ts';
import { jobsOfShard, type Shard } from '../execute/shard.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { asConverterError, ConverterError, isConverterError } from '../support/errors.ts';
import { findLastRun, isUnfinished, openChunkObjects, type RunState, shardName } from './chunks.ts';
import type { RunEnvironment, RunOptions } from './run-options.ts';
import { JOBS_AT_ONCE, openShardWork } from './shard-work.ts';
import { pipelineStore } from './shared-store.ts';
import { openLockWatch } from './store-lock.ts';
import { runDigest } from './work-queue.ts';
import { createChunkWork, GRACE_MS, openPart, type WorkerEvent } from './worker.ts';

/** How often a shard looks what the others did, milliseconds. */
const LOOK_MS = 1_000;
/** How long it waits for a coordinator without a sign of life of one, milliseconds: it may be started last. */
const ALONE_MS = 60 * 60_000;
/** The same, if the last run has ended not long ago: a coordinator that starts again does so within a minute. */
const ALONE_AFTER_RUN_MS = 60_000;
/** How long ago a run may have ended that this shard was to take part in, milliseconds. */
const RECENT_MS = 60 * 60_000;
/** How much longer than its work a process that is to stop uses the store, milliseconds. */
const NOTING_MS = 5_000;

/**
 * Does the chunks of a shard, in the run that the first shard has begun or will begin.
 *
 * Started again it continues: chunks that have a result are not done again.
 *
 * @throws {@link ConverterError} `RUN_ENDED` if the run ends without being complete, or no coordinator is there;
 *   `USAGE` if it has another number of shards; `WORKER_REFUSED` if it has another version or other options;
 *   `OUT_OF_TIME`; the error of its own work, which ends the run of all.
 */
export async function runShard(
  options: RunOptions,
  environment: RunEnvironment,
  shard: Shard,
): Promise<void> {
  const { signal } = environment;
  // Not the signal of the process: the results of the chunks that it ends are still to be stored.
  const storing = delayed(signal, GRACE_MS + NOTING_MS);
  const store = await pipelineStore(options.pipeline, { ...environment, signal: storing });
  const digest = await runDigest(options, environment.env);
  for (;;) {
    const id = await join(store, environment, shard, digest);
    if (id === undefined) return environment.log.info('the run was complete already');
    environment.log.info('joins the run', { joined: id, shard: shardName(shard) });
    const late = delayed(signal, GRACE_MS);
    if (await takePart(store, { options, environment, shard, id, late })) return;
  }
}

/** A signal that aborts so many milliseconds after another one. */
function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController();
  const abort = () => void setTimeout(() => late.abort(signal.reason), ms).unref();
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return late.signal;
}

/** Waits until the coordinator has described the run, and returns its id; undefined if it is complete already. */
async function join(
  store: ObjectStore,
  { log, now, signal }: RunEnvironment,
  shard: Shard,
  digest: string,
): Promise<string | undefined> {
  const watch = openLockWatch(store);
  const startedAt = now();
  let aliveAt = startedAt;
  /** What ended the last run before this shard was there: its coordinator may start again. */
  let known: RunState['ending'];
  log.info('waits for the run', { coordinator: shardName({ ...shard, index: 0 }) });
  for (let isFirst = true; ; isFirst = false) {
    const last = await findLastRun(store);
    const { ending, completion } = last?.state ?? {};
    if (isFirst) known = ending;
    if (ending !== undefined && ending.etag !== known?.etag)
      throw ended(shard, (await last!.objects.ending()).message);
    const renewed = await watch.renewed();
    if (renewed !== undefined) aliveAt = now();
    if (last !== undefined && ending === undefined && isUnfinished(last.state)) {
      const misfit = misfitOf(await last.objects.description(), shard, digest);
      if (misfit === undefined) return last.id;
      // That of a coordinator which has died may be replaced.
      if (renewed === last.id) throw misfit;
    }
    const endedAt = (completion ?? ending)?.modifiedAt;
    const isRecent = endedAt !== undefined && startedAt - endedAt < RECENT_MS;
    const aloneMs = now() - aliveAt;
    if (isRecent && aloneMs >= ALONE_AFTER_RUN_MS) {
      if (completion !== undefined) return undefined;
      throw ended(shard, (await last!.objects.ending()).message);
    }
    if (aloneMs >= ALONE_MS) throw alone(shard);
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
  const { log, now, signal } = environment;
  const objects = openChunkObjects(store, id);
  const name = shardName(shard);
  const over = new AbortController();
  const cut = AbortSignal.any([part.late, over.signal]);
  const progress = openProgress(environment);
  const chunkWork = createChunkWork({
    ...{ store, now, name: () => name },
    open: (run) => openPart(options, { ...environment, signal: cut }, store, run),
    watch: progress.watch,
  });
  const { work, onShare } = chunkWork.handlers;
  onShare(shard);
  const own = await openShardWork({ objects, work, name, log });
  const planned = new Set<string>();
  let waiting: ChunkJob[] = [];
  const inWork = new Set<Promise<void>>();
  let failure: ConverterError | undefined;

  const begin = (job: ChunkJob): void => {
    const doing = own
      .do(job, cut)
      .then(() => progress.finish(job))
      .catch((error: unknown) => {
        failure ??= asConverterError(error);
      })
      .finally(() => inWork.delete(doing));
    inWork.add(doing);
  };
  const takePlans = async ({ plans }: RunState): Promise<void> => {
    for (const plan of plans.filter((one) => !planned.has(one))) {
      const jobs = jobsOfShard(await objects.plan(plan), shard);
      planned.add(plan);
      progress.add(jobs);
      waiting = own.inOrder([...waiting, ...jobs]);
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
      if (state.ending !== undefined) throw ended(shard, (await objects.ending()).message);
      if (failure !== undefined) throw await noted(failure);
      const mayBegin = !signal.aborted && !isOutOfTime();
      if (!mayBegin && inWork.size === 0) {
        signal.throwIfAborted();
        const message = `${name}: the deadline passed: ${waiting.length} chunks are left`;
        throw new ConverterError('OUT_OF_TIME', message);
      }
      await takePlans(state);
      while (mayBegin && inWork.size < JOBS_AT_ONCE && waiting.length > 0) begin(waiting.shift()!);
      if (inWork.size > 0 || (await watch.renewed()) === id) aliveAt = now();
      if (now() - aliveAt >= ALONE_MS) throw alone(shard);
      await Promise.race([sleep(LOOK_MS, undefined, { signal }).catch(() => {}), ...inWork]);
    }
  } catch (error) {
    // What is read of a run that has just ended is gone.
    const isGone = isConverterError(error, 'RUN_DAMAGED') && !(await objects.look()).isOpen;
    if (!isGone) throw error;
    return true;
  } finally {
    over.abort(new ConverterError('INTERRUPTED', 'the run has ended'));
    await Promise.all(inWork);
    await chunkWork.close();
  }

  /** Notes for the others an error that ends the run; returns it. */
  async function noted(error: ConverterError): Promise<ConverterError> {
    if (error.code === 'INTERRUPTED') return error;
    await objects.end({ code: error.code, message: `${name}: ${error.message}` });
    return error;
  }
}

/** Counts the configurations of this shard. */
function openProgress({ progress }: RunEnvironment) {
  const counts = { total: 0, done: 0, failed: 0 };
  const show = () => progress?.({ ...counts });
  return {
    add(jobs: readonly ChunkJob[]): void {
      for (const { from, to } of jobs) counts.total += to - from;
      show();
    },
    finish({ from, to }: ChunkJob): void {
      counts.done += to - from;
      show();
    },
    watch(event: WorkerEvent): void {
      if (event.kind === 'chunk') counts.failed += event.figures?.configurations.failed ?? 0;
    },
  };
}

function ended(shard: Shard, why: string): ConverterError {
  const message = `${shardName(shard)}: expected the run to be completed, but it has ended: ${why}`;
  return new ConverterError('RUN_ENDED', message);
}
