/** The chunks of a run on a queue: the interface between a coordinator and its workers. */
import type { ConverterError } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';

/** A part of the work of a run: the places `from` to `to` (excluded) of the list of a chunk. */
export interface ChunkJob {
  /** Id of the run. */
  run: string;
  /** What is done with its places: a worker takes jobs of the kinds that it can do. */
  kind: string;
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
  /** The kinds of jobs that it does. */
  kinds: readonly string[];
}

/** The share of one worker in the limits of the pipeline, so that all workers together stay within them. */
export interface WorkerShare {
  /** Position of the worker among the live workers, in the order in which they joined, from 0. */
  index: number;
  /** Number of live workers. */
  count: number;
}

/** What becomes of jobs. It is called one at a time, in the order in which they end. */
interface JobHandlers {
  onDone(job: ChunkJob): Promise<void>;
  /** A job of one place has killed its worker twice, or has failed three times with an error. */
  onLost(job: ChunkJob, error: ConverterError | undefined): Promise<void>;
  /**
   * A worker has failed with an error that ends runs, such as a full disk. Without this handler, it ends the execution.
   */
  onFatal?(job: ChunkJob, error: ConverterError): Promise<void>;
}

/** Jobs that are made while others are done: `undefined` means that there is none yet. */
export type GrowingJobs = AsyncIterable<ChunkJob | undefined>;

/** The coordinator's side of a run. */
export interface ChunkQueue {
  /**
   * Makes workers do each job of a kind at least once. Jobs are taken from the list as workers take them. Jobs of several
   * kinds are executed at the same time, those of one kind one list after another.
   *
   * @param jobs - If it grows, and no worker does this kind for some seconds, the execution ends.
   * @returns False if it has ended so: the jobs that were not reported are not done.
   * @throws {@link ConverterError} `QUEUE_UNREACHABLE`; the error of a worker that ends the run; `INTERRUPTED`.
   */
  execute(
    kind: string,
    jobs: Iterable<ChunkJob> | GrowingJobs,
    handlers: JobHandlers,
  ): Promise<boolean>;
  /** Resolves when the workers are known that are there. @throws As {@link execute}. */
  whenReady(): Promise<void>;
  /** Takes more jobs of a kind, if workers can do more. */
  fill(kind: string): void;
  /** How many jobs of a kind all workers do at the same time. */
  slots(kind: string): number;
  /** Every worker that has joined in this run, by name. */
  workers(): QueueWorkerInfo[];
  /** Ends what is being executed, removes the remaining jobs of the run from the queue, and closes the connection. */
  close(): Promise<void>;
}

/** A worker's side, whose connection lives in a thread of its own: work never delays the renewal of its locks. */
export interface QueueWorker {
  /** Makes every worker stop its requests for a time, as after a 429. */
  pauseAll(milliseconds: number): void;
  /** Takes no further jobs of a kind: this machine cannot do them. */
  leave(kind: string): void;
  /** Takes no further jobs, and ends when the current jobs are done or the time has passed. */
  stop(graceMs: number): Promise<void>;
  /** Resolves when the worker has stopped; rejects with `WORKER_REFUSED` or `QUEUE_UNREACHABLE`. */
  readonly ended: Promise<void>;
}

/** Jobs of a kind on the queue, over all workers. */
export interface JobCounts {
  kind: string;
  waiting: number;
  running: number;
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
  /** Which kinds of jobs a run needs, when a coordinator has joined. */
  onNeeds?(kinds: readonly string[]): void;
  /** How many jobs are there, every few seconds. */
  onCounts?(counts: readonly JobCounts[]): void;
}

/** Whether a kind is one that a run may have: `pictures.*` means all that begin so. */
export function isMeant(needed: string, kind: string): boolean {
  return needed.endsWith('*') ? kind.startsWith(needed.slice(0, -1)) : kind === needed;
}

/** The kind of jobs that send requests to the service: workers share its limits, and those beyond them take none. */
export const CONVERT = 'convert';

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
  /** The kinds of jobs that the run may have, which its workers learn: as {@link isMeant}. @defaultValue {@link CONVERT} alone */
  kinds?: readonly string[];
  /** How long another coordinator has to answer, milliseconds. */
  answerMs?: number;
}

/** Options of a worker. */
export interface QueueWorkerOptions extends QueueOptions {
  /** A name that no other worker has. */
  name: string;
  /** The kinds of jobs that it does, and how many of each at the same time. */
  jobsAtOnce: Readonly<Record<string, number>>;
  /** Number of workers that may send requests at once: those that joined later take no jobs of the kind {@link CONVERT}. */
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
