/** A worker of distributed runs: processes the chunks from a queue as the run itself would. */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { JobKind } from '../run/executor.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { concurrencyOf } from '../source/service/service-config.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { ChunkProcessor, type JobResult } from './chunk-processor.ts';
import { hasOtherBrowser, workerJobs } from './job-kinds.ts';
import { pipelineStore } from './pipeline-store.ts';
import { type ChunkJob, CONVERT, type JobCounts } from './queue/chunk-queue.ts';
import { openPipelineWorker } from './run-queue.ts';

/**
 * How long a worker that is stopping continues its chunks, milliseconds. A container is killed after 30 s, and closing
 * a connection to a queue that does not answer takes 8 s.
 */
const GRACE_MS = 20_000;

interface ChunkFigures {
  /** Configurations by status. */
  configurations?: Record<string, number>;
  /** Requests by status of the response, or `none`. */
  requests?: Record<string, number>;
  bytesReceived?: number;
  fromCache?: number;
  /** Tasks of deliveries by what became of them: `made` or `failed`. */
  tasks?: Record<string, number>;
}

/** Events of a worker for its observers, such as its status server; plain data. */
export type WorkerEvent =
  /** Whether the worker is connected to the queue, and not stopping. */
  | { kind: 'ready'; isReady: boolean }
  /** The worker's share of the limits of the service, from 0 to 1. */
  | { kind: 'share'; part: number }
  /** Duration of a chunk that has ended; without figures, the chunk failed or was given back. */
  | { kind: 'chunk'; jobs: string; ms: number; figures?: ChunkFigures | undefined }
  /** Jobs on the queue, of all workers. */
  | { kind: 'jobs'; counts: readonly JobCounts[] }
  /** Memory of the worker's process, bytes. */
  | { kind: 'memory'; bytes: number };

type Watch = (event: WorkerEvent) => void;

const MEMORY_MS = 5_000;

/**
 * Works for runs of a pipeline until the signal aborts: then the worker finishes its chunks, within 30 s.
 *
 * @param name - Name by {@link createWorkerName}.
 * @param kinds - The kinds of jobs that it does. @defaultValue all that this machine can do
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`; `WORKER_REFUSED` if a
 *   run has another version or other options; the codes of the store.
 */
export async function runWorker(
  options: RunOptions,
  environment: RunEnvironment,
  { name, kinds }: { name: string; kinds?: readonly JobKind[] | undefined },
  watch: Watch = () => {},
): Promise<void> {
  const { log, now, signal } = environment;
  const { pipeline } = options;
  // The signal of the process is not used: the results of the chunks that continue must still be stored.
  const cut = new AbortController();
  const own = { ...environment, signal: cut.signal, onPause: (ms: number) => worker.pauseAll(ms) };
  const store = await pipelineStore(pipeline, own);
  const processor = new ChunkProcessor({ name, store, options, environment: own });
  const concurrency = concurrencyOf(pipeline.service);
  const work = async (job: ChunkJob, cancelled: AbortSignal): Promise<void> => {
    try {
      await watched(job, now, watch, () => processor.process(job, cancelled));
    } catch (error) {
      const { code, message } = asConverterError(error);
      if (job.kind !== CONVERT && code !== 'INTERRUPTED' && endsRun(code)) {
        log.error('does no more jobs of this kind', { kind: job.kind, code, message });
        worker.leave(job.kind);
      }
      throw error;
    }
  };
  const { jobsAtOnce, omitted } = await workerJobs(pipeline, environment.env, kinds);
  if (omitted !== undefined) log.info(omitted);
  const worker = await openPipelineWorker(pipeline, environment, store, {
    name,
    jobsAtOnce,
    mostWorkers: concurrency,
    handlers: {
      work,
      onShare(share) {
        processor.share(share);
        const requests = concurrencyOf(pipeline.service, share);
        watch({ kind: 'share', part: requests / concurrency });
        const { count: workers } = share;
        if (requests === 0)
          log.info('waits, since more workers are there than requests', { workers, concurrency });
      },
      onPause(milliseconds) {
        processor.hold(milliseconds);
        log.debug('holds its requests, as another worker does', { milliseconds });
      },
      onNeeds: (needs) => warnOfOtherBrowser(jobsAtOnce, needs, log),
      onCounts: (counts) => watch({ kind: 'jobs', counts }),
      onCutOff: (isCutOff) => watch({ kind: 'ready', isReady: !isCutOff && !signal.aborted }),
    },
  });
  log.info('worker is ready');
  watch({ kind: 'ready', isReady: true });
  const timer = reportMemory(watch);
  const stop = () => {
    watch({ kind: 'ready', isReady: false });
    void worker.stop(GRACE_MS).finally(() => cut.abort(signal.reason));
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await worker.ended;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    await processor.close();
  }
}

function reportMemory(watch: Watch): NodeJS.Timeout {
  const report = () => watch({ kind: 'memory', bytes: process.memoryUsage.rss() });
  report();
  return setInterval(report, MEMORY_MS).unref();
}

function warnOfOtherBrowser(
  own: Readonly<Record<string, number>>,
  needs: readonly string[],
  log: RunEnvironment['log'],
): void {
  if (hasOtherBrowser(own, needs))
    log.warn('takes no pictures, since the run has another browser: pixels would differ');
}

/** Does a job, and says how long that took and what it did; nothing if another worker had done it. */
async function watched(
  { kind: jobs }: ChunkJob,
  now: () => number,
  watch: Watch,
  work: () => Promise<JobResult | undefined>,
): Promise<void> {
  const begunAt = now();
  const end = (figures?: ChunkFigures) =>
    watch({ kind: 'chunk', jobs, ms: now() - begunAt, figures });
  try {
    const result = await work();
    if (result !== undefined) end(figuresOf(result));
  } catch (error) {
    end();
    throw error;
  }
}

function figuresOf(done: JobResult): ChunkFigures {
  if (done.kind === 'made') {
    const failed = done.made.filter((one) => 'error' in one).length;
    return { tasks: { made: done.made.length - failed, failed } };
  }
  const { results, measured } = done;
  const configurations: Record<string, number> = {};
  for (const { result } of results)
    configurations[result.status] = (configurations[result.status] ?? 0) + 1;
  const { requests, fromCache } = measured;
  return {
    configurations,
    requests: requests.byStatus,
    bytesReceived: requests.bytesReceived,
    fromCache,
  };
}

/** A name that no other worker has: `<host>-<process id>-<random>`. */
export function createWorkerName(): string {
  return `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
}
