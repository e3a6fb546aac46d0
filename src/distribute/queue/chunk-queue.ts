/** The chunks of a run on a queue: what a coordinator and its workers know of one another. */
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

/** A worker as the coordinator knows it. */
export interface QueueWorkerInfo {
  /** `<host>-<process id>-<random>`. */
  name: string;
  state: 'working' | 'idle' | 'lost' | 'stopped' | 'refused';
}

/** What limits the requests of one worker, so that all together hold the limits of the pipeline. */
export interface WorkerShare {
  /** Position of the worker among those that live, in the order in which they came, from 0. */
  index: number;
  /** How many live. */
  count: number;
}

/** The coordinator's side of a run. */
export interface ChunkQueue {
  /**
   * Has each job done at least once. Jobs are taken from the list as workers take them.
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
  /** Every worker met in this run, in the order of their names. */
  workers(): QueueWorkerInfo[];
  /** Removes what is left of the run from the queue, and closes the connection. */
  close(): Promise<void>;
}

/** A worker's side, whose connection lives in a thread of its own: work never delays the renewal of its locks. */
export interface QueueWorker {
  /** Has every worker hold its requests, as after a 429. */
  pauseAll(milliseconds: number): void;
  /** Takes no further jobs, and ends when those in work are done or the time has passed. */
  stop(graceMs: number): Promise<void>;
  /** Resolves when it has stopped; rejects with `WORKER_REFUSED` or `QUEUE_UNREACHABLE`. */
  readonly ended: Promise<void>;
}

/** What a worker does, and is informed of. */
export interface WorkerHandlers {
  /** Does a job. An error fails the whole run if it ends runs and is no interruption. @param signal - Aborted when the job is lost to another worker, cancelled, or time is up. */
  work(job: ChunkJob, signal: AbortSignal): Promise<void>;
  /** The number of workers has changed; one beyond the most that may work takes no jobs. */
  onShare(share: WorkerShare): void;
  /** Another worker met a 429: no request for so long. */
  onPause(milliseconds: number): void;
  /** The queue does not answer, or answers again: nothing has to be done, but others may want to know. */
  onCutOff?(isCutOff: boolean): void;
}
