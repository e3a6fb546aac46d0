/** A worker's side of the queue. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { asConverterError, ConverterError } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';
import type { ChunkJob, QueueWorker, WorkerHandlers } from './chunk-queue.ts';
import { CUT_OFF_MESSAGES, type OptionDigests } from './control.ts';
import type { QueueThreadMessages, SentError } from './queue-thread.ts';
import { checkClock, parseQueueUrl } from './server.ts';

export interface QueueWorkerOptions {
  /** Of {@link createWorkerName}. */
  name: string;
  /** Address of the queue, with credentials. */
  url: string;
  /** Name of the pipeline. */
  pipeline: string;
  /** Of version and options: a worker does the jobs of coordinators with the same one. */
  digest: string;
  /** The digest of each part of the options. */
  options: OptionDigests;
  /** Version of the converter. */
  version: string;
  jobsAtOnce: number;
  /** Workers that may work at once: those who came later wait. */
  mostWorkers: number;
  handlers: WorkerHandlers;
  log: Logger;
  /** Clock, milliseconds since 1970. */
  now: () => number;
}

/** The program of the thread: a file beside this one. */
const THREAD = new URL('./queue-thread.js', import.meta.url);

/** How long the thread may take to end by itself after the time of `stop`, milliseconds. */
const END_MS = 10_000;

/**
 * Opens a worker, which takes jobs 1.5 s later: the others must receive its beats before they share the limits with it.
 *
 * @example
 * ```ts
 * const worker = await openQueueWorker({ ...queue, name, jobsAtOnce: 1, mostWorkers: 8, handlers, log, now });
 * await worker.stop(25_000);
 * ```
 *
 * @throws {@link ConverterError} `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, `WORKER_REFUSED` (clock), `USAGE` (address).
 */
export async function openQueueWorker(given: QueueWorkerOptions): Promise<QueueWorker> {
  const { name, url, pipeline, digest, options, version, jobsAtOnce, mostWorkers } = given;
  const { handlers, log, now } = given;
  const server = parseQueueUrl(url);
  const opening: QueueThreadMessages['opening'] = {
    ...{ server, pipeline, name, version, digest, options, slots: jobsAtOnce, mostWorkers },
  };
  const { Worker } = await import('node:worker_threads');
  const thread = new Worker(fileURLToPath(THREAD), { workerData: opening });
  const post = (request: QueueThreadMessages['request']) => thread.postMessage(request);
  const controllers = new Map<number, AbortController>();

  const work = async (number: number, job: ChunkJob): Promise<void> => {
    const controller = new AbortController();
    controllers.set(number, controller);
    const error = await errorOf(() => handlers.work(job, controller.signal));
    controllers.delete(number);
    post({ kind: 'ended', work: number, ...(error && { error }) });
  };
  const dropAll = () => {
    for (const controller of controllers.values()) controller.abort(DROPPED);
  };

  let opened = () => {};
  let finish: (error?: ConverterError) => void = () => {};
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const ended = new Promise<void>((resolve, reject) => {
    finish = (error) => {
      dropAll();
      void thread.terminate();
      if (error === undefined) resolve();
      else reject(error);
    };
  });
  // It is for the caller, who may come later.
  ended.catch(() => {});

  const ON_MESSAGE: {
    [K in Answer['kind']]: (answer: Extract<Answer, { kind: K }>) => void;
  } = {
    open: () => opened(),
    clock: ({ clock }) => {
      try {
        checkClock(clock, now);
      } catch (error) {
        finish(asConverterError(error));
      }
    },
    work: ({ work: number, job }) => void work(number, job),
    drop: ({ work: number }) => controllers.get(number)?.abort(DROPPED),
    share: ({ share }) => handlers.onShare(share),
    pause: ({ milliseconds }) => handlers.onPause(milliseconds),
    cutOff: ({ isCutOff }) => {
      log.warn(CUT_OFF_MESSAGES[`${isCutOff}`], { queue: server.name });
      handlers.onCutOff?.(isCutOff);
    },
    problem: ({ message }) => log.debug('error of the queue', { message }),
    end: ({ error }) => finish(error && new ConverterError(error.code, error.message)),
  };
  thread.on('message', (answer: Answer) => ON_MESSAGE[answer.kind](answer as never));
  thread.on('error', (error) => finish(asConverterError(error)));
  thread.on('exit', () => finish(new ConverterError('INTERNAL', 'the thread of the queue ended')));

  await Promise.race([isOpen, ended]);
  return {
    ended,
    pauseAll: (milliseconds) => post({ kind: 'pause', milliseconds }),
    stop: async (graceMs) => {
      post({ kind: 'stop', graceMs });
      const late = setTimeout(finish, graceMs + END_MS);
      await ended.finally(() => clearTimeout(late)).catch(() => {});
    },
  };
}

type Answer = QueueThreadMessages['answer'];

const DROPPED = new ConverterError('INTERRUPTED', 'the queue gave this work to another worker');

async function errorOf(work: () => Promise<void>): Promise<SentError | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    const { code, message } = asConverterError(thrown);
    return { code, message };
  }
}

/** A name that no other worker has: `<host>-<process id>-<random>`. */
export function createWorkerName(): string {
  return `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
}
