/** The coordinator's side of the queue. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'bullmq';
import {
  asConverterError,
  ConverterError,
  isConverterError,
  isErrorCode,
} from '../../support/errors.ts';
import { divide, endsRunOfAll, halvesOf, jobId, readJob } from './chunk-jobs.ts';
import type {
  ChunkJob,
  ChunkQueue,
  ChunkQueueOptions,
  GrowingJobs,
  QueueWorkerInfo,
} from './chunk-queue.ts';
import { CoordinatorControl } from './coordinator-control.ts';
import {
  CANCELLED,
  checkClock,
  checkQueueServer,
  type JobQueue,
  openQueueConnections,
  parseQueueUrl,
  type QueueConnections,
  queueName,
  settledWithin,
} from './server.ts';

/** Jobs on the queue per job that workers do at once: one in work, one waiting. */
const JOBS_PER_SLOT = 2;
/** Jobs on the queue without any worker. */
const LEAST_JOBS = 2;
const ENDED_AT_ONCE = 100;
/** Workers report when a job has ended; this interval finds jobs whose worker was killed, milliseconds. */
const LOOK_MS = 1_000;
/** Pause after an error of the connection, milliseconds. */
const RETRY_MS = 500;
/** Looks between two times that jobs are enqueued again, which changes nothing unless the server has lost them. */
const LOOKS_PER_REPEAT = 5;
/** Looks without any worker until the log reports it. */
const LOOKS_ALONE = 10;
/** Looks without a worker of its kind until the execution of growing jobs ends: one that has crashed is back by then. */
const LOOKS_UNTIL_END = 6;
const NO_WORKER =
  'no worker is there: start btg2gltf worker with this pipeline file, version and queue';
/** How long workers have to drop the jobs of a cancelled run, milliseconds. */
const CANCEL_MS = 5_000;

/** An error may be temporary: a job is tried this often before it is halved. */
const ATTEMPTS = { attempts: 3, backoff: { type: 'fixed', delay: 500 } } as const;

const STATES = ['waiting', 'active', 'delayed', 'completed', 'failed'] as const;

type QueuedJob = Job<ChunkJob, true, 'chunk'>;

/**
 * Opens the queue of a run.
 *
 * A job leaves the queue when its handler has resolved. A coordinator that restarts for the same run passes
 * all jobs again that have no result yet: a job that is still on the queue is not enqueued twice, and an ended job is
 * reported, perhaps in parts, if the earlier coordinator has halved it.
 *
 * @example
 * ```ts
 * const queue = await openChunkQueue({ ...queue, run, log, signal, now });
 * await queue.execute('convert', chunks, {
 *   onDone: async ({ chunk }) => collect(chunk),
 *   onLost: async ({ chunk, from }) => fail(chunk, from),
 * });
 * await queue.close();
 * ```
 *
 * @throws {@link ConverterError} `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, `WORKER_REFUSED` (clock), `USAGE` (address).
 */
export async function openChunkQueue(options: ChunkQueueOptions): Promise<ChunkQueue> {
  const { url, log, now } = options;
  const server = parseQueueUrl(url);
  checkClock(await checkQueueServer(server), now);
  const onError = ({ message }: Error) => log.debug('error of the queue', { message });
  return new BullChunkQueue(options, await openQueueConnections(server, onError), onError);
}

interface Execution {
  remaining: Iterator<ChunkJob> | AsyncIterator<ChunkJob | undefined>;
  /** Whether no job remains. */
  isTaken: boolean;
  handlers: Parameters<ChunkQueue['execute']>[2];
}

class BullChunkQueue implements ChunkQueue {
  readonly #options: ChunkQueueOptions;
  readonly #connections: QueueConnections;
  readonly #control: CoordinatorControl;
  /** The queues of jobs, by kind. */
  readonly #queues = new Map<string, KindQueue>();
  readonly #executing = new Set<Promise<boolean>>();
  /** Aborts when something ends the execution from outside: the signal, another coordinator, or an outage. */
  readonly #stop = new AbortController();
  readonly #onError: (error: Error) => void;

  constructor(
    options: ChunkQueueOptions,
    connections: QueueConnections,
    onError: (error: Error) => void,
  ) {
    const { signal } = options;
    this.#options = options;
    this.#connections = connections;
    this.#onError = onError;
    if (signal.aborted) this.#interrupt();
    else signal.addEventListener('abort', this.#interrupt, { once: true });
    this.#control = new CoordinatorControl(connections, options, {
      onChange: () => {
        for (const queue of this.#queues.values()) queue.look();
      },
      onStop: (error) => this.#stop.abort(error),
      onError,
    });
  }

  execute(
    kind: string,
    jobs: Iterable<ChunkJob> | GrowingJobs,
    handlers: Execution['handlers'],
  ): Promise<boolean> {
    const queue = this.#queueOf(kind);
    const executing = this.whenReady()
      .then(() => queue.execute(jobs, handlers))
      .catch(async (error: unknown) => {
        if (!this.#isOthers()) await queue.cancel();
        throw asConverterError(error);
      })
      .finally(() => this.#executing.delete(executing));
    this.#executing.add(executing);
    return executing;
  }

  async whenReady(): Promise<void> {
    await orStopped(this.#stop.signal, this.#control.whenAlone);
    if (this.#control.state === 'joining') this.#control.begin();
  }

  fill(kind: string): void {
    const queue = this.#queues.get(kind);
    if (queue?.hasRoom()) queue.look();
  }

  slots(kind: string): number {
    return this.#control.slots(kind);
  }

  workers(): QueueWorkerInfo[] {
    return this.#control.workers();
  }

  async close(): Promise<void> {
    this.#options.signal.removeEventListener('abort', this.#interrupt);
    const isOwn = this.#control.state === 'working' && !this.#isOthers();
    this.#stop.abort(new ConverterError('INTERRUPTED', 'the run has ended'));
    await Promise.allSettled(this.#executing);
    if (isOwn) await Promise.all(Array.from(this.#queues.values(), (queue) => queue.cancel()));
    this.#control.stop();
    await this.#control.close();
    await this.#connections.close();
  }

  #queueOf(kind: string): KindQueue {
    const { pipeline, digest } = this.#options;
    const known = this.#queues.get(kind);
    if (known !== undefined) return known;
    const queue = this.#connections.openQueue(queueName(pipeline, { digest, kind }));
    const opened = new KindQueue(kind, queue, {
      options: this.#options,
      control: this.#control,
      stop: this.#stop.signal,
      onError: this.#onError,
    });
    this.#queues.set(kind, opened);
    return opened;
  }

  /** Whether the jobs belong to another coordinator: the one that refused this one, or that took its lock. */
  #isOthers(): boolean {
    const error: unknown = this.#stop.signal.reason;
    return this.#control.state === 'refused' || isConverterError(error, 'OUTPUT_LOCKED');
  }

  readonly #interrupt = (): void => {
    const { reason } = this.#options.signal;
    const error = new ConverterError('INTERRUPTED', 'interrupted by the signal');
    this.#stop.abort(reason instanceof ConverterError ? reason : error);
  };
}

interface KindQueueContext {
  options: ChunkQueueOptions;
  control: CoordinatorControl;
  stop: AbortSignal;
  onError: (error: Error) => void;
}

/** The jobs of one kind on their queue. */
class KindQueue {
  readonly #kind: string;
  readonly #queue: JobQueue;
  readonly #context: KindQueueContext;
  /** Jobs on the queue by id, until they are reported. */
  readonly #pending = new Map<string, ChunkJob>();
  /** Jobs that an earlier coordinator of this run has left, until the run asks for them. */
  readonly #found = new Map<string, ChunkJob>();
  #hasLookedForFound = false;
  #isWoken = false;
  #endSleep = () => {};

  constructor(kind: string, queue: JobQueue, context: KindQueueContext) {
    this.#kind = kind;
    this.#queue = queue;
    this.#context = context;
  }

  async execute(
    jobs: Iterable<ChunkJob> | GrowingJobs,
    handlers: Execution['handlers'],
  ): Promise<boolean> {
    const { options, control } = this.#context;
    const grows = Symbol.asyncIterator in jobs;
    const remaining = grows ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
    const execution = { remaining, isTaken: false, handlers };
    let looksAlone = 0;
    if (!this.#hasLookedForFound) {
      this.#hasLookedForFound = true;
      await this.#find();
    }
    for (let looks = 1; ; looks++) {
      this.#isWoken = false;
      await this.#fill(execution);
      const isFound = (await this.#reportEnded(execution)) > 0;
      if (execution.isTaken && this.#pending.size === 0) return true;
      if (isFound || this.#isWoken) continue;
      // A timer that is left would keep the process, which has nothing to do any more.
      await orStopped(this.#context.stop, this.#sleep()).finally(() => this.#endSleep());
      // The server may have lost its jobs.
      if (looks % LOOKS_PER_REPEAT === 0) await this.#add([...this.#pending.values()]);
      looksAlone = control.slots(this.#kind) === 0 ? looksAlone + 1 : 0;
      if (grows && looksAlone >= LOOKS_UNTIL_END) {
        await this.cancel();
        return false;
      }
      if (looksAlone === LOOKS_ALONE) options.log.warn(NO_WORKER, { pipeline: options.pipeline });
    }
  }

  /** Whether workers can do more jobs than are on the queue. */
  hasRoom(): boolean {
    return this.#pending.size < this.#most();
  }

  /** Looks for ended jobs, and for more that are to be done. */
  look(): void {
    this.#isWoken = true;
    this.#endSleep();
  }

  /** Removes the jobs that are left, and makes workers drop them. */
  async cancel(): Promise<void> {
    const left = new Map([...this.#pending, ...this.#found]);
    this.#pending.clear();
    this.#found.clear();
    const work = async () => {
      while (left.size > 0) {
        // Waiting jobs are removed first: a worker that has dropped a job would take the next one.
        for (const id of [...left.keys()]) {
          const job = await this.#queue.getJob(id);
          // A job in work is locked until its worker has dropped it.
          if (job === undefined || (await removed(job))) left.delete(id);
        }
        if (left.size === 0) return;
        this.#context.control.cancelJobs(this.#kind);
        await delay(RETRY_MS / 2);
      }
    };
    await settledWithin(CANCEL_MS, [work()]);
    left.clear();
  }

  /** Puts as many jobs on the queue as workers can take. */
  async #fill(execution: Execution): Promise<void> {
    const most = this.#most();
    const next: ChunkJob[] = [];
    while (!execution.isTaken && this.#pending.size + next.length < most) {
      const { value, done } = await execution.remaining.next();
      execution.isTaken = done === true;
      if (done || value === undefined) break;
      const { queued, rest } = divide(value, [...this.#found.values()]);
      for (const part of queued) {
        this.#found.delete(jobId(part));
        this.#pending.set(jobId(part), part);
      }
      next.push(...rest);
    }
    if (next.length > 0) await this.#add(next);
  }

  #most(): number {
    return Math.max(JOBS_PER_SLOT * this.#context.control.slots(this.#kind), LEAST_JOBS);
  }

  #add(jobs: readonly ChunkJob[]): Promise<void> {
    return this.#persist(async () => {
      for (const job of jobs) this.#pending.set(jobId(job), job);
      await this.#queue.addBulk(
        jobs.map((data) => ({
          ...{ name: 'chunk' as const, data },
          // A stack would contain paths of the worker.
          opts: { jobId: jobId(data), ...ATTEMPTS, stackTraceLimit: 0 },
        })),
      );
    });
  }

  /** Finds the jobs that an earlier coordinator of this run has left, and removes jobs of other runs. */
  async #find(): Promise<void> {
    for (const job of await this.#persist(() => this.#queue.getJobs([...STATES], 0, -1))) {
      const known = readJob(job.data);
      if (known === undefined) this.#warnOfForeign(job);
      // An error that ended the earlier coordinator does not end this one.
      const isOwn = known?.run === this.#context.options.run && fatalError(job) === undefined;
      if (isOwn) this.#found.set(job.id!, known);
      else await job.remove().catch(() => {});
    }
  }

  #warnOfForeign({ id }: QueuedJob): void {
    const { log } = this.#context.options;
    log.warn('a job on the queue is none of btg2gltf, and is removed', { id });
  }

  /** Reports ended jobs and removes them; each removed job makes room for another one. */
  async #reportEnded(execution: Execution): Promise<number> {
    const last = this.#found.size + ENDED_AT_ONCE - 1;
    const jobs = await this.#persist(() =>
      this.#queue.getJobs(['completed', 'failed'], 0, last, true),
    );
    const asked = jobs.filter(({ id }) => !this.#found.has(id!));
    asked.sort((a, b) => (a.finishedOn ?? 0) - (b.finishedOn ?? 0));
    for (const job of asked) {
      const id = job.id!;
      if (this.#pending.has(id)) await this.#report(job, execution);
      else if (readJob(job.data) === undefined) this.#warnOfForeign(job);
      this.#pending.delete(id);
      await this.#persist(() => removed(job));
      await this.#fill(execution);
    }
    return asked.length;
  }

  async #report(job: QueuedJob, { handlers }: Execution): Promise<void> {
    const { control, options } = this.#context;
    // A job that was done at a later attempt still has the reason of the earlier failure.
    if (job.returnvalue === true) {
      await handlers.onDone(job.data);
      control.countEnded();
      return;
    }
    const fatal = fatalError(job);
    if (fatal !== undefined) {
      if (handlers.onFatal === undefined || fatal.code === 'INTERRUPTED') throw fatal;
      await handlers.onFatal(job.data, fatal);
      return;
    }
    const halves = halvesOf(job.data);
    const { chunk, from, to } = job.data;
    const what = halves.length > 0 ? 'its halves are tried' : 'it is given up';
    const { failedReason: message } = job;
    options.log.warn(`part of a chunk failed: ${what}`, { chunk, from, to, message });
    // The halves are added first: if the coordinator is killed in between, the next one halves the job again.
    if (halves.length > 0) await this.#add(halves);
    else await handlers.onLost(job.data, errorOf(job));
  }

  /** Repeats a command until the server is reachable again. */
  async #persist<T>(command: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await orStopped(this.#context.stop, command());
      } catch (error) {
        if (error instanceof ConverterError) throw error;
        this.#context.onError(error as Error);
        await orStopped(this.#context.stop, delay(RETRY_MS));
      }
    }
  }

  /** Waits until something has changed, or until the next look. */
  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.#endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Rejects when the run stops. A race with one promise for the whole run would keep memory of each call. */
function orStopped<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The error of a worker that ends the run. */
function fatalError(job: QueuedJob): ConverterError | undefined {
  if (job.failedReason === CANCELLED) return new ConverterError('INTERRUPTED', CANCELLED);
  const error = errorOf(job);
  return error !== undefined && endsRunOfAll(error.code) ? error : undefined;
}

/** The error of the worker; undefined if its process died. */
function errorOf({ failedReason }: QueuedJob): ConverterError | undefined {
  const [, code, message = ''] = /^(\w+): (.*)$/s.exec(failedReason ?? '') ?? [];
  return code === undefined || !isErrorCode(code) ? undefined : new ConverterError(code, message);
}

/** Removes a job and returns whether that was possible: a job in work cannot be removed. */
async function removed(job: QueuedJob): Promise<boolean> {
  try {
    await job.remove();
    return true;
  } catch (error) {
    if (/locked/.test((error as Error).message)) return false;
    throw error;
  }
}
