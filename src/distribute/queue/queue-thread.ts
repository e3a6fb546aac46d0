/**
 * The program of the thread that has a worker's connection to the queue. The main thread does the work itself,
 * which may block it for a long time; meanwhile this thread renews locks and publishes beats.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Job } from 'bullmq';
import { ConverterError, type SentError, sentError } from '../../support/errors.ts';
import { endsRunOfAll, readJob } from './chunk-jobs.ts';
import {
  type ChunkJob,
  CONVERT,
  isMeant,
  type JobCounts,
  type QueueWorkerOptions,
  type WorkerShare,
} from './chunk-queue.ts';
import {
  type Beat,
  type Control,
  type ControlMessage,
  JOIN_MS,
  type Member,
  type Members,
  openControl,
  openMembers,
} from './control.ts';
import {
  CANCELLED,
  checkQueueServer,
  type JobQueue,
  type JobWorker,
  openQueueConnections,
  parseQueueUrl,
  type QueueConnections,
  type QueueServer,
  queueName,
  type ServerClock,
  settledWithin,
} from './server.ts';

/** Messages to the thread and from it. `work` is the number of a job in work, as a lost job may come again. */
export interface QueueThreadMessages {
  opening: { server: QueueServer } & Omit<QueueWorkerOptions, 'url' | 'handlers' | 'log' | 'now'>;
  request:
    | { kind: 'ended'; work: number; error?: SentError }
    | { kind: 'pause'; milliseconds: number }
    | { kind: 'leave'; jobs: string }
    | { kind: 'stop'; graceMs: number };
  answer:
    | { kind: 'clock'; clock: ServerClock }
    | { kind: 'open' }
    | { kind: 'work'; work: number; job: ChunkJob }
    | { kind: 'drop'; work: number }
    | { kind: 'share'; share: WorkerShare }
    | { kind: 'pause'; milliseconds: number }
    | { kind: 'cutOff'; isCutOff: boolean }
    | { kind: 'needs'; kinds: readonly string[] }
    | { kind: 'counts'; counts: readonly JobCounts[] }
    | { kind: 'problem'; message: string }
    /** The last message. */
    | { kind: 'end'; error?: SentError };
}

/** A lock is renewed after half this time. A killed worker's job is taken over after at most this and two checks. */
const LOCK_MS = 5_000;
const STALLED_CHECK_MS = 2_000;
/** Pauses of BullMQ: after a failed command, and between two requests for a job. */
const RETRY_MS = 1_000;
const POLL_S = 2;
/** How long a job that has to end may take to end. */
const DROP_MS = 2_000;
const COUNTS_MS = 5_000;
/** A worker without contact sends no requests: the others consider it lost, and use its share. */
const CUT_OFF_CHECK_MS = 1_000;

type QueuedJob = Job<ChunkJob, true, 'chunk'>;

/** Why a job in work is given up here: a requeued job is for another worker. */
type Dropped = 'requeued' | 'cancelled' | 'lost';
type Outcome = { kind: 'done' } | { kind: 'failed'; error: SentError } | { kind: Dropped };

interface WorkItem {
  id: string;
  run: string;
  kind: string;
  end(outcome: Outcome): void;
  /** The outcome of the job when the main thread reports its end. */
  dropped?: Dropped;
}

const NO_CONVERSION = { [CONVERT]: 0 };

if (parentPort !== null) void open(parentPort, workerData as QueueThreadMessages['opening']);

async function open(port: MessagePort, opening: QueueThreadMessages['opening']): Promise<void> {
  const post = (answer: QueueThreadMessages['answer']) => port.postMessage(answer);
  try {
    const clock = await checkQueueServer(parseQueueUrl(opening.server.url));
    post({ kind: 'clock', clock });
    const connections = await openQueueConnections(opening.server, ({ message }) =>
      post({ kind: 'problem', message }),
    );
    await new QueueThread(port, opening, connections, clock.time).begin();
  } catch (error) {
    post({ kind: 'end', error: sentError(error) });
  }
}

/** A worker among the processes of its pipeline, which hands jobs of a queue to the main thread. */
class QueueThread {
  readonly #port: MessagePort;
  readonly #opening: QueueThreadMessages['opening'];
  readonly #connections: QueueConnections;
  /** When the worker joined, by the clock of the server. */
  readonly #since: number;
  readonly #control: Control;
  readonly #members: Members;
  readonly #cutOffCheck: NodeJS.Timeout;
  /** Jobs in work, by their number. */
  readonly #items = new Map<number, WorkItem>();
  #number = 0;
  #endedJobs = 0;
  #state: Beat['state'] = 'joining';
  #share: WorkerShare | undefined;
  /** Whether this worker has a share of the limits of the service. */
  #mayConvert = false;
  #isEnding = false;
  /** The kinds of jobs that it does, and how many at once. */
  readonly #jobsAtOnce: Record<string, number>;
  /** Who takes jobs, by their kind. */
  readonly #workers = new Map<string, JobWorker>();
  readonly #queues = new Map<string, JobQueue>();
  #needs: readonly string[] = [];
  readonly #counting: NodeJS.Timeout;

  constructor(
    port: MessagePort,
    opening: QueueThreadMessages['opening'],
    connections: QueueConnections,
    since: number,
  ) {
    this.#port = port;
    this.#opening = opening;
    this.#jobsAtOnce = { ...opening.jobsAtOnce };
    this.#connections = connections;
    this.#since = since;
    this.#control = openControl(connections, opening.pipeline, {
      beat: () => this.#beat(),
      onMessage: (message) => this.#receive(message),
      onCutOff: (isCutOff) => this.#post({ kind: 'cutOff', isCutOff }),
      onOutage: () => {
        const message = `queue ${opening.server.name}: expected it back within 5 minutes`;
        void this.#end(new ConverterError('QUEUE_UNREACHABLE', message));
      },
      onError: (error) => this.#reportProblem(error),
    });
    this.#members = openMembers(this.#control.isCutOff, () => this.#reportShare());
    this.#cutOffCheck = setInterval(() => {
      if (this.#control.isCutOff())
        this.#post({ kind: 'pause', milliseconds: 2 * CUT_OFF_CHECK_MS });
    }, CUT_OFF_CHECK_MS);
    this.#counting = setInterval(() => void this.#reportCounts(), COUNTS_MS);
    port.on('message', (request: QueueThreadMessages['request']) => this.#receiveRequest(request));
  }

  /** Joins the other workers, and takes jobs from then on. */
  async begin(): Promise<void> {
    await this.#control.connected;
    this.#post({ kind: 'open' });
    await delay(JOIN_MS);
    if (this.#isEnding) return;
    this.#state = 'idle';
    this.#control.beat();
    this.#reportShare();
    await Promise.all(this.#wanted().map((kind) => this.#takeJobs(kind)));
  }

  /**
   * Takes jobs of a kind from now on. BullMQ keeps the failure of its first connection to PostgreSQL: a worker that begins during an
   * outage would fail for ever, without a pause, and is opened again instead.
   */
  async #takeJobs(kind: string): Promise<void> {
    const { pipeline, digest, name } = this.#opening;
    const queue = queueName(pipeline, { digest, kind });
    this.#queues.set(kind, this.#connections.openQueue(queue));
    const process = (job: QueuedJob, token?: string) => this.#process(job, token);
    while (!this.#isEnding && kind in this.#jobsAtOnce) {
      const opened = this.#connections.openWorker(queue, process, {
        ...{
          name,
          concurrency: this.#jobsAtOnce[kind]!,
          lockDuration: LOCK_MS,
          stalledInterval: STALLED_CHECK_MS,
        },
        ...{ maxStalledCount: 1, runRetryDelay: RETRY_MS, drainDelay: POLL_S },
      });
      this.#workers.set(kind, opened);
      opened.on('completed', this.#countEnded);
      opened.on('failed', this.#countEnded);
      opened.on('lockRenewalFailed', (ids) => this.#dropAll('lost', ({ id }) => ids.includes(id)));
      if (!this.#mayDo(kind)) await opened.pause(true);
      const problem = await opened.waitUntilReady().then(
        () => undefined,
        (error: Error) => error,
      );
      if (problem === undefined || this.#isEnding) return;
      this.#reportProblem(problem);
      this.#workers.delete(kind);
      await opened.close().catch((error: Error) => this.#reportProblem(error));
      await delay(RETRY_MS);
    }
  }

  /** Makes the main thread do a job. BullMQ stores the message of an error, which begins with the code here. */
  async #process(job: QueuedJob, token: string | undefined): Promise<true> {
    const { UnrecoverableError, WaitingError } = this.#connections.errors;
    const known = readJob(job.data);
    // The coordinator removes a job that cannot be read.
    if (known === undefined) throw new UnrecoverableError('expected a job of btg2gltf');
    let outcome: Outcome = { kind: 'requeued' };
    if (this.#mayDo(known.kind) && !this.#isEnding) {
      const work = this.#number++;
      this.#setState('working');
      outcome = await new Promise<Outcome>((resolve) => {
        const { run, kind } = known;
        this.#items.set(work, { id: job.id!, run, kind, end: resolve });
        this.#post({ kind: 'work', work, job: known });
      });
      this.#items.delete(work);
      if (this.#items.size === 0) this.#setState('idle');
    }
    switch (outcome.kind) {
      case 'done':
        return true;
      case 'failed': {
        const { code, message } = outcome.error;
        const text = `${code}: ${message}`;
        throw endsRunOfAll(code) ? new UnrecoverableError(text) : new Error(text);
      }
      case 'requeued':
        await job.moveToWait(token);
        throw new WaitingError();
      case 'cancelled':
        throw new UnrecoverableError(CANCELLED);
      case 'lost':
        // Another worker has the lock of this job, so BullMQ stores nothing.
        throw new Error('the lock was lost');
    }
  }

  #receiveRequest(request: QueueThreadMessages['request']): void {
    if (request.kind === 'pause') {
      const { milliseconds } = request;
      this.#control.publish({ kind: 'pause', from: this.#opening.name, milliseconds });
    } else if (request.kind === 'leave') {
      this.#leave(request.jobs);
    } else if (request.kind === 'stop') {
      void this.#end(undefined, request.graceMs);
    } else {
      const { work, error } = request;
      const item = this.#items.get(work);
      // A job that was to be requeued may have been done in the meantime.
      const isDone = error === undefined && (item?.dropped ?? 'requeued') === 'requeued';
      if (isDone) item?.end({ kind: 'done' });
      else if (item?.dropped !== undefined) item.end({ kind: item.dropped });
      else if (error !== undefined) item?.end({ kind: 'failed', error });
    }
  }

  #receive(message: ControlMessage): void {
    const { name } = this.#opening;
    const isMine = 'to' in message && message.to === name;
    if (message.kind === 'beat') this.#members.note(message);
    // A coordinator that joins learns immediately which workers it has.
    if (message.kind === 'beat' && message.role === 'coordinator') {
      if (message.state === 'joining') this.#control.beat();
      this.#reportNeeds(message);
    }
    if (message.kind === 'pause' && message.from !== name) this.#post(message);
    if (message.kind === 'cancel') {
      const { run, jobs } = message;
      this.#dropAll('cancelled', (item) => item.run === run && item.kind === jobs);
    }
    if (message.kind === 'refuse' && isMine && !this.#isEnding) {
      this.#state = 'refused';
      this.#control.beat();
      void this.#end(new ConverterError('WORKER_REFUSED', message.message));
    }
  }

  #beat(): Beat {
    const { name, version, digest, options } = this.#opening;
    return {
      ...{ kind: 'beat', role: 'worker', name, version, digest, options },
      ...{ since: this.#since, state: this.#state, ended: this.#endedJobs },
      slots: {
        ...this.#jobsAtOnce,
        ...(CONVERT in this.#jobsAtOnce && !this.#mayConvert && NO_CONVERSION),
      },
      needs: [],
    };
  }

  #reportShare(): void {
    const { name, mostWorkers } = this.#opening;
    if (this.#state === 'joining' || !(CONVERT in this.#jobsAtOnce)) return;
    const since = this.#since;
    // This worker counts as live, even if it receives nothing now.
    const others = this.#members
      .live()
      .filter(({ beat }) => beat.name !== name && CONVERT in beat.slots);
    const isBefore = ({ beat }: Member) =>
      beat.since < since || (beat.since === since && beat.name < name);
    const share = { index: others.filter(isBefore).length, count: others.length + 1 };
    if (this.#share?.index === share.index && this.#share.count === share.count) return;
    this.#share = share;
    this.#post({ kind: 'share', share });
    this.#allow(share.index < mostWorkers);
  }

  #allow(mayConvert: boolean): void {
    if (mayConvert === this.#mayConvert) return;
    this.#mayConvert = mayConvert;
    this.#control.beat();
    const worker = this.#workers.get(CONVERT);
    if (mayConvert) return void worker?.resume();
    // Without requests no job ends: other workers do the jobs of this one.
    void worker?.pause(true);
    this.#dropAll('requeued', ({ kind }) => kind === CONVERT);
  }

  #mayDo(kind: string): boolean {
    return kind === CONVERT ? this.#mayConvert : kind in this.#jobsAtOnce;
  }

  /** Takes no further jobs of a kind. */
  #leave(kind: string): void {
    delete this.#jobsAtOnce[kind];
    this.#control.beat();
    void this.#workers.get(kind)?.pause(true);
  }

  #reportNeeds({ digest, needs }: Beat): void {
    if (digest !== this.#opening.digest || `${needs}` === `${this.#needs}`) return;
    this.#needs = needs;
    this.#post({ kind: 'needs', kinds: needs });
    if (this.#state === 'joining') return;
    for (const kind of this.#wanted()) if (!this.#queues.has(kind)) void this.#takeJobs(kind);
  }

  /** The kinds of which it takes jobs: a queue that no run uses would cost connections. */
  #wanted(): string[] {
    const isNeeded = (kind: string) =>
      kind === CONVERT || this.#needs.some((needed) => isMeant(needed, kind));
    return Object.keys(this.#jobsAtOnce).filter(isNeeded);
  }

  async #reportCounts(): Promise<void> {
    const counts = Array.from(this.#queues, async ([kind, queue]): Promise<JobCounts> => {
      const { waiting = 0, active: running = 0 } = await queue.getJobCounts('waiting', 'active');
      return { kind, waiting, running };
    });
    const post = (all: JobCounts[]) => this.#post({ kind: 'counts', counts: all });
    await Promise.all(counts).then(post, (error: Error) => this.#reportProblem(error));
  }

  #dropAll(as: Dropped, isMeant: (item: WorkItem) => boolean): void {
    for (const [work, item] of this.#items) {
      if (item.dropped !== undefined || !isMeant(item)) continue;
      item.dropped = as;
      this.#post({ kind: 'drop', work });
    }
  }

  /** Waits for the jobs in work, and reports why the worker ends. */
  async #end(error?: ConverterError, graceMs = 0): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const drop = setTimeout(() => this.#dropAll('requeued', () => true), graceMs);
    const force = setTimeout(() => {
      for (const item of this.#items.values()) item.end({ kind: 'requeued' });
    }, graceMs + DROP_MS);
    // The closing worker requests no further job, and waits until the jobs in work are stored.
    const closing = Array.from(this.#workers.values(), (worker) => worker.close());
    await settledWithin(graceMs + 2 * DROP_MS, closing);
    for (const timer of [drop, force]) clearTimeout(timer);
    if (this.#state !== 'refused') this.#state = 'stopped';
    await this.#control.close();
    await this.#connections.close();
    this.#members.close();
    clearInterval(this.#cutOffCheck);
    clearInterval(this.#counting);
    this.#post({ kind: 'end', ...(error && { error: sentError(error) }) });
    this.#port.close();
  }

  /** Sets the state for the next beat: jobs may be shorter than the time between two beats. */
  #setState(state: 'working' | 'idle'): void {
    if (this.#state !== 'refused') this.#state = state;
  }

  readonly #countEnded = (): void => {
    this.#endedJobs++;
    this.#control.beat();
  };

  #reportProblem({ message }: Error): void {
    this.#post({ kind: 'problem', message });
  }

  #post(answer: QueueThreadMessages['answer']): void {
    this.#port.postMessage(answer);
  }
}
