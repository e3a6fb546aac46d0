/** The coordinator of shards, the first of them: it plans who does which chunks, does its own, and waits for the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChunkJob, ChunkQueue } from '../execute/chunk-queue.ts';
import { jobsOfShard, type Shard } from '../execute/shard.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import { type ChunkObjects, shardName } from './chunks.ts';
import type { Run } from './open-run.ts';
import { JOBS_AT_ONCE, type openShardWork } from './shard-work.ts';

/** How often the coordinator looks for results, milliseconds. */
const LOOK_MS = 1_000;
/** Results looked for at the same time. */
const LOOKS_AT_ONCE = 16;
/** How long the others may continue after the deadline, as the coordinator does, milliseconds. */
const LATE_MS = 15_000;
/** Without any result, until the log names who is waited for, milliseconds. */
const SILENT_MS = 60_000;

/**
 * Creates the queue of a run that shards divide.
 *
 * @param own - Does the jobs of this shard.
 */
export function createShardQueue(
  { environment, isOutOfTime }: Run,
  shard: Shard,
  objects: ChunkObjects,
  own: Awaited<ReturnType<typeof openShardWork>>,
): ChunkQueue {
  const { log, now } = environment;
  const names = Array.from({ length: shard.count }, (_, index) => shardName({ ...shard, index }));
  let waiting = names.map((): ChunkJob[] => []);
  /** Whose chunks are which. */
  const owners = new Map<number, number>();

  const execute: ChunkQueue['execute'] = async (jobs, onDone) => {
    waiting = names.map(() => []);
    for (const job of jobs) waiting[owners.get(job.chunk)!]!.push(job);
    const ending = new AbortController();
    const signal = AbortSignal.any([environment.signal, ending.signal]);
    let reported = Promise.resolve();
    const report = (index: number, job: ChunkJob): Promise<void> => {
      waiting[index]!.splice(waiting[index]!.indexOf(job), 1);
      reported = reported.then(() => onDone(job));
      return reported;
    };

    const doOwn = () =>
      inParallel(own.inOrder(waiting[shard.index]!), JOBS_AT_ONCE, async (job) => {
        signal.throwIfAborted();
        if (isOutOfTime()) return;
        try {
          await own.do(job, signal);
        } catch (error) {
          // The next run continues what the deadline has cut off.
          if (isOutOfTime() && !signal.aborted && isConverterError(error, 'INTERRUPTED')) return;
          throw error;
        }
        await report(shard.index, job);
      });

    /** Reports results that are there, and returns how many. Each shard does its jobs in the order of the plan. */
    const collect = async (): Promise<number> => {
      const next = waiting.flatMap((jobs, index) =>
        index === shard.index ? [] : jobs.slice(0, JOBS_AT_ONCE).map((job) => ({ index, job })),
      );
      let found = 0;
      await inParallel(next, LOOKS_AT_ONCE, async ({ index, job }) => {
        if (!(await objects.hasResult(job))) return;
        found++;
        await report(index, job);
      });
      return found;
    };

    const awaitOthers = async (): Promise<void> => {
      let lastAt = now();
      let lateAt: number | undefined;
      while (waiting.some((jobs, index) => index !== shard.index && jobs.length > 0)) {
        signal.throwIfAborted();
        await throwIfEnded(objects);
        if ((await collect()) > 0) {
          lastAt = now();
          continue;
        }
        if (isOutOfTime()) lateAt ??= now();
        if (lateAt !== undefined && now() - lateAt >= LATE_MS) return;
        if (now() - lastAt >= SILENT_MS) {
          lastAt = now();
          const shards = names.filter((_, index) => waiting[index]!.length > 0);
          log.warn('waits for the chunks of other shards', { shards });
        }
        await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    };

    // The first error ends the work of both.
    const end = (error: unknown) => ending.abort(error);
    await Promise.allSettled([doOwn().catch(end), awaitOthers().catch(end)]);
    ending.signal.throwIfAborted();
  };

  return {
    async plan(jobs) {
      for (let index = 0; index < shard.count; index++)
        for (const { chunk } of jobsOfShard(jobs, { ...shard, index })) owners.set(chunk, index);
      await objects.putPlan(jobs);
    },
    execute,
    workers: () =>
      names.map((name, index) => ({
        name,
        state: waiting[index]!.length > 0 ? 'working' : 'idle',
      })),
    close: async () => {},
  };
}

/** @throws {@link ConverterError} of a shard that has ended the run. */
async function throwIfEnded(objects: ChunkObjects): Promise<void> {
  if ((await objects.look()).ending === undefined) return;
  const { code, message } = await objects.ending();
  throw new ConverterError(code, message);
}
