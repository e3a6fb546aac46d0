/** A worker's side of the queue. */
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import {
  asConverterError,
  ConverterError,
  receivedError,
  type SentError,
  sentError,
} from '../../support/errors.ts';
import type { ChunkJob, QueueWorker, QueueWorkerOptions } from './chunk-queue.ts';
import { CUT_OFF_MESSAGES } from './control.ts';
import type { QueueThreadMessages } from './queue-thread.ts';
import { checkClock, parseQueueUrl } from './server.ts';

const THREAD = new URL('./queue-thread.js', import.meta.url);

/** How long the thread may take to end by itself after the time of `stop`, milliseconds. */
const END_MS = 10_000;

/**
 * Opens a worker, which takes jobs after 1.5 s: the others must receive its beats before they share the limits.
 *
 * @example
 * ```ts
 * const worker = await openQueueWorker({ ...queue, name, jobsAtOnce: { convert: 1 }, mostWorkers: 8, handlers, log, now });
 * await worker.stop(25_000);
 * ```
 *
 * @throws {@link ConverterError} `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, `WORKER_REFUSED` (clock), `USAGE` (address).
 */
export async function openQueueWorker(given: QueueWorkerOptions): Promise<QueueWorker> {
  const { url, jobsAtOnce, pipeline, name, version, digest, options, mostWorkers } = given;
  const server = parseQueueUrl(url);
  const opening: QueueThreadMessages['opening'] = {
    ...{ server, pipeline, name, version, digest, options, jobsAtOnce, mostWorkers },
  };
  const { Worker } = await import('node:worker_threads');
  const thread = new Worker(fileURLToPath(THREAD), { workerData: opening });
  const worker = new ThreadWorker(thread, server.name, given);
  await Promise.race([worker.whenOpen, worker.ended]);
  return worker;
}

type Answer = QueueThreadMessages['answer'];

/** Does the jobs that a queue thread passes to this thread. */
class ThreadWorker implements QueueWorker {
  readonly whenOpen: Promise<void>;
  readonly ended: Promise<void>;
  readonly #thread: Worker;
  readonly #serverName: string;
  readonly #options: Pick<QueueWorkerOptions, 'handlers' | 'log' | 'now'>;
  /** The controllers of the jobs in work, by their number. */
  readonly #controllers = new Map<number, AbortController>();
  #settleOpen = () => {};
  #settle: { resolve(): void; reject(error: ConverterError): void } | undefined;
  readonly #onAnswer: { [K in Answer['kind']]: (answer: Extract<Answer, { kind: K }>) => void } = {
    open: () => this.#settleOpen(),
    clock: ({ clock }) => {
      try {
        checkClock(clock, this.#options.now);
      } catch (error) {
        this.#finish(asConverterError(error));
      }
    },
    work: ({ work, job }) => void this.#work(work, job),
    drop: ({ work }) => this.#controllers.get(work)?.abort(DROPPED),
    share: ({ share }) => this.#options.handlers.onShare(share),
    pause: ({ milliseconds }) => this.#options.handlers.onPause(milliseconds),
    cutOff: ({ isCutOff }) => {
      const { handlers, log } = this.#options;
      log.warn(CUT_OFF_MESSAGES[`${isCutOff}`], { queue: this.#serverName });
      handlers.onCutOff?.(isCutOff);
    },
    needs: ({ kinds }) => this.#options.handlers.onNeeds?.(kinds),
    counts: ({ counts }) => this.#options.handlers.onCounts?.(counts),
    problem: ({ message }) => this.#options.log.debug('error of the queue', { message }),
    end: ({ error }) => this.#finish(error && receivedError(error)),
  };

  constructor(
    thread: Worker,
    serverName: string,
    options: Pick<QueueWorkerOptions, 'handlers' | 'log' | 'now'>,
  ) {
    this.#thread = thread;
    this.#serverName = serverName;
    this.#options = options;
    this.whenOpen = new Promise((resolve) => {
      this.#settleOpen = resolve;
    });
    this.ended = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // The caller may handle a rejection later.
    this.ended.catch(() => {});
    thread.on('message', (answer: Answer) => this.#onAnswer[answer.kind](answer as never));
    thread.on('error', (error) => this.#finish(asConverterError(error)));
    thread.on('exit', () =>
      this.#finish(new ConverterError('INTERNAL', 'the thread of the queue ended')),
    );
  }

  pauseAll(milliseconds: number): void {
    this.#post({ kind: 'pause', milliseconds });
  }

  leave(kind: string): void {
    this.#post({ kind: 'leave', jobs: kind });
  }

  async stop(graceMs: number): Promise<void> {
    this.#post({ kind: 'stop', graceMs });
    const late = setTimeout(() => this.#finish(), graceMs + END_MS);
    await this.ended.finally(() => clearTimeout(late)).catch(() => {});
  }

  async #work(work: number, job: ChunkJob): Promise<void> {
    const controller = new AbortController();
    this.#controllers.set(work, controller);
    let error: SentError | undefined;
    try {
      await this.#options.handlers.work(job, controller.signal);
    } catch (thrown) {
      error = sentError(thrown);
    }
    this.#controllers.delete(work);
    this.#post({ kind: 'ended', work, ...(error && { error }) });
  }

  #finish(error?: ConverterError): void {
    for (const controller of this.#controllers.values()) controller.abort(DROPPED);
    void this.#thread.terminate();
    if (error === undefined) this.#settle!.resolve();
    else this.#settle!.reject(error);
  }

  #post(request: QueueThreadMessages['request']): void {
    this.#thread.postMessage(request);
  }
}

const DROPPED = new ConverterError('INTERRUPTED', 'the queue gave this work to another worker');
