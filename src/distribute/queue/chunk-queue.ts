/** The chunks of a run on a queue: the interface between a coordinator and its workers. */
import type { ConverterError } from '../../support/errors.ts';

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
export interface WorkerHandlers {
  /** Does a job. An error fails the whole run if it ends runs and is no interruption. @param signal - Aborted when the job is lost to another worker, cancelled, or time is up. */
  work(job: ChunkJob, signal: AbortSignal): Promise<void>;
  /** The number of workers has changed; a worker beyond the maximum takes no jobs. */
  onShare(share: WorkerShare): void;
  /** Another worker received a 429: send no request for the given time. */
  onPause(milliseconds: number): void;
  /** The queue does not answer, or answers again: no action is required, but the worker may report it. */
  onCutOff?(isCutOff: boolean): void;
}
