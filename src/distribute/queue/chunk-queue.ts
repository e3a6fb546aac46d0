/** The chunks of a run on a queue: the interface between a coordinator and its workers. */
import type { ConverterError } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';

/** A part of the work of a run: the places `from` to `to` (excluded) of the list of a chunk. */
export interface ChunkJob {
  /** Id of the run. */
  run: string;
  /** Number of the chunk in the run. */
  chunk: number;
  from: number;
  to: number;
}

/** A worker as seen by the coordinator. */
export interface QueueWorkerInfo {
  /** `<host>-<process id>-<random>`. */
  name: string;
  state: 'working' | 'idle' | 'lost' | 'stopped' | 'refused';
}

/** The share of one worker in the limits of the pipeline, so that all workers together stay within them. */
export interface WorkerShare {
  /** Position of the worker among the live workers, in the order in which they joined, from 0. */
  index: number;
  /** Number of live workers. */
  count: number;
}

/** The coordinator's side of a run. */
export interface ChunkQueue {
  /**
   * Makes workers do each job at least once. Jobs are taken from the list as workers take them.
   *
   * @param onDone - Called one at a time, in the order in which jobs end.
   * @param onLost - A job of one place has killed its worker twice, or has failed three times with an error.
   * @throws {@link ConverterError} `QUEUE_UNREACHABLE`; the error of a worker that ends the run; `INTERRUPTED`.
   */
  execute(
    jobs: Iterable<ChunkJob>,
    onDone: (job: ChunkJob) => Promise<void>,
    onLost: (job: ChunkJob, error: ConverterError | undefined) => Promise<void>,
  ): Promise<void>;
  /** Every worker that has joined in this run, by name. */
  workers(): QueueWorkerInfo[];
  /** Removes the remaining jobs of the run from the queue, and closes the connection. */
  close(): Promise<void>;
}

/** A worker's side, whose connection lives in a thread of its own: work never delays the renewal of its locks. */
export interface QueueWorker {
  /** Makes every worker stop its requests for a time, as after a 429. */
  pauseAll(milliseconds: number): void;
  /** Takes no further jobs, and ends when the current jobs are done or the time has passed. */
  stop(graceMs: number): Promise<void>;
  /** Resolves when the worker has stopped; rejects with `WORKER_REFUSED` or `QUEUE_UNREACHABLE`. */
  readonly ended: Promise<void>;
}

/** Handlers that a worker calls. */
interface WorkerHandlers {
  /** Does a job. An error fails the whole run if it ends runs and is no interruption. @param signal - Aborted when the job is lost to another worker, cancelled, or time is up. */
  work(job: ChunkJob, signal: AbortSignal): Promise<void>;
  /** The number of workers has changed; a worker beyond the maximum takes no jobs. */
  onShare(share: WorkerShare): void;
  /** Another worker received a 429: send no request for the given time. */
  onPause(milliseconds: number): void;
  /** The queue does not answer, or answers again: no action is required, but the worker may report it. */
  onCutOff?(isCutOff: boolean): void;
}

/** The digest of each part of the options, by its name, such as `convert`: the parts that differ can be named. */
type OptionDigests = Readonly<Record<string, string>>;

/** What coordinator and workers open a queue with. */
interface QueueOptions {
  /** Address of the queue, with credentials. */
  url: string;
  /** Name of the pipeline, of which only one run may be on a queue. */
  pipeline: string;
  /** Version of the converter. */
  version: string;
  /** Digest of version and options: a worker does the jobs of coordinators with the same digest. */
  digest: string;
  options: OptionDigests;
  log: Logger;
  /** Clock, milliseconds since 1970. */
  now: () => number;
}

/** Options of a coordinator. */
export interface ChunkQueueOptions extends QueueOptions {
  /** Id of the run. */
  run: string;
  /** Cancels the run: waiting jobs are removed, and workers drop theirs. */
  signal: AbortSignal;
  /** How long another coordinator has to answer, milliseconds. */
  answerMs?: number;
}

/** Options of a worker. */
export interface QueueWorkerOptions extends QueueOptions {
  /** A name that no other worker has. */
  name: string;
  jobsAtOnce: number;
  /** Number of workers that may work at once: workers that joined later wait. */
  mostWorkers: number;
  handlers: WorkerHandlers;
}

/** A kind of queue, such as BullMQ: all that a run, a worker and a check need of it. */
export interface QueueKind {
  /**
   * Checks that the queue answers, accepts the account, and has the clock of this machine.
   *
   * @returns Its address without credentials.
   * @throws {@link ConverterError} `USAGE`, `LIBRARY_MISSING`, `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, `WORKER_REFUSED` (clock).
   */
  check(url: string, now: () => number): Promise<string>;
  /** Opens the side of the coordinator. @throws As {@link QueueKind.check}. */
  openQueue(options: ChunkQueueOptions): Promise<ChunkQueue>;
  /** Opens the side of a worker. @throws As {@link QueueKind.check}. */
  openWorker(options: QueueWorkerOptions): Promise<QueueWorker>;
}
