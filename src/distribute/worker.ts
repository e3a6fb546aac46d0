/** A worker of distributed runs: processes the chunks from a queue as the run itself would. */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import type { RunOptions } from '../run/open/run-options.ts';
import { concurrencyOf } from '../source/service/service-config.ts';
import type { ChunkResult } from './chunk-objects.ts';
import { ChunkProcessor } from './chunk-processor.ts';
import { pipelineStore } from './pipeline-store.ts';
import type { ChunkJob, WorkerShare } from './queue/chunk-queue.ts';
import { openPipelineWorker } from './run-queue.ts';

/** Jobs of a worker at the same time: the next job begins while the last articles of another are converted. */
const JOBS_AT_ONCE = 2;
/**
 * How long a worker that is stopping continues its chunks, milliseconds. A container is killed after 30 s, and closing
 * a connection to a queue that does not answer takes 8 s.
 */
const GRACE_MS = 20_000;

interface ChunkFigures {
  /** Configurations by status. */
  configurations: Record<string, number>;
  /** Requests by status of the response, or `none`. */
  requests: Record<string, number>;
  bytesReceived: number;
  fromCache: number;
}

/** Events of a worker for its observers, such as its status server; plain data. */
export type WorkerEvent =
  /** Whether the worker is connected to the queue, and not stopping. */
  | { kind: 'ready'; isReady: boolean }
  /** The worker's share of the limits of the service, from 0 to 1. */
  | { kind: 'share'; part: number }
  /** Duration of a chunk that has ended; without figures, the chunk failed or was given back. */
  | { kind: 'chunk'; ms: number; figures?: ChunkFigures | undefined }
  /** Memory of the worker's process, bytes. */
  | { kind: 'memory'; bytes: number };

type Watch = (event: WorkerEvent) => void;

const MEMORY_MS = 5_000;

/**
 * Works for runs of a pipeline until the signal aborts: then the worker finishes its chunks, within 30 s.
 *
 * @param name - Name by {@link createWorkerName}.
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`; `WORKER_REFUSED` if a
 *   run has another version or other options; the codes of the store.
 */
export async function runWorker(
  options: RunOptions,
  environment: RunEnvironment,
  name: string,
  watch: Watch = () => {},
): Promise<void> {
  const { log, now, signal } = environment;
  const { pipeline } = options;
  // The signal of the process is not used: the results of the chunks that continue must still be stored.
  const cut = new AbortController();
  const onPause = (ms: number) => worker.pauseAll(ms);
  const own = { ...environment, signal: cut.signal, onPause };
  const store = await pipelineStore(pipeline, own);
  const processor = new ChunkProcessor({ name, store, options, environment: own });
  const concurrency = concurrencyOf(pipeline.service);
  const work = async (job: ChunkJob, cancelled: AbortSignal): Promise<void> => {
    const begunAt = now();
    const end = (result?: ChunkResult) =>
      watch({ kind: 'chunk', ms: now() - begunAt, figures: result && figuresOf(result) });
    try {
      const result = await processor.process(job, cancelled);
      if (result !== undefined) end(result);
    } catch (error) {
      end();
      throw error;
    }
  };
  const onShare = (share: WorkerShare) => {
    processor.share(share);
    const requests = concurrencyOf(pipeline.service, share);
    watch({ kind: 'share', part: requests / concurrency });
    const { count: workers } = share;
    if (requests === 0)
      log.info('waits, since more workers are there than requests', { workers, concurrency });
  };
  const worker = await openPipelineWorker(pipeline, environment, store, {
    name,
    jobsAtOnce: JOBS_AT_ONCE,
    mostWorkers: concurrency,
    handlers: {
      work,
      onShare,
      onPause(milliseconds) {
        processor.hold(milliseconds);
        log.debug('holds its requests, as another worker does', { milliseconds });
      },
      onCutOff: (isCutOff) => watch({ kind: 'ready', isReady: !isCutOff && !signal.aborted }),
    },
  });
  log.info('worker is ready');
  watch({ kind: 'ready', isReady: true });
  const reportMemory = () => watch({ kind: 'memory', bytes: process.memoryUsage.rss() });
  reportMemory();
  const timer = setInterval(reportMemory, MEMORY_MS).unref();
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

function figuresOf({ results, measured }: ChunkResult): ChunkFigures {
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
