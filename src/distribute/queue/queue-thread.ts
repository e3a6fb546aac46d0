/**
 * The program of the thread in which a worker's connection to the queue lives. The work itself is done in the main
 * thread, however long that keeps it from serving anything else: locks are renewed and beats published here.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Job } from 'bullmq';
import { asConverterError, type ErrorCode } from '../../support/errors.ts';
import { endsRunOfAll, readJob } from './chunk-jobs.ts';
import type { ChunkJob, WorkerShare } from './chunk-queue.ts';
import {
  type Beat,
  type Control,
  type ControlMessage,
  JOIN_MS,
  type Member,
  type OptionDigests,
  openControl,
  openMembers,
} from './control.ts';
import {
  CANCELLED,
  checkQueueServer,
  parseQueueUrl,
  type QueueServer,
  queueClasses,
  queueName,
  type ServerClock,
  settledWithin,
} from './server.ts';

/** An error on its way between threads. */
export interface SentError {
  code: ErrorCode;
  message: string;
}

/** What goes to the thread and back. `work` numbers what is in work: a lost job may come again. */
export interface QueueThreadMessages {
  opening: {
    server: QueueServer;
    pipeline: string;
    name: string;
    version: string;
    digest: string;
    options: OptionDigests;
    /** Jobs at once. */
    slots: number;
    /** Workers that may work at once. */
    mostWorkers: number;
  };
  request:
    | { kind: 'ended'; work: number; error?: SentError }
    | { kind: 'pause'; milliseconds: number }
    | { kind: 'stop'; graceMs: number };
  answer:
    | { kind: 'clock'; clock: ServerClock }
    | { kind: 'open' }
    | { kind: 'work'; work: number; job: ChunkJob }
    | { kind: 'drop'; work: number }
    | { kind: 'share'; share: WorkerShare }
    | { kind: 'pause'; milliseconds: number }
    | { kind: 'cutOff'; isCutOff: boolean }
    | { kind: 'problem'; message: string }
    /** The last one. */
    | { kind: 'end'; error?: SentError };
}

/** A lock is renewed at half of it. A killed worker's job is taken by another after at most this and two checks. */
const LOCK_MS = 5_000;
const STALLED_CHECK_MS = 2_000;
/** Waits of BullMQ: after a failed command, and for a job until it asks again. */
const RETRY_MS = 1_000;
const POLL_S = 2;
/** How long work that has to end may take to do so. */
const DROP_MS = 2_000;
/** Without the others no requests: they take this worker for lost, and its share for theirs. */
const CUT_OFF_CHECK_MS = 1_000;

/** What became of a job. Dropped: `requeued` is for another worker. */
type Outcome = { kind: 'done' } | { kind: 'failed'; error: SentError } | { kind: Dropped };
type Dropped = 'requeued' | 'cancelled' | 'lost';

interface WorkItem {
  id: string;
  run: string;
  end(outcome: Outcome): void;
  /** What it becomes when the main thread says that it has ended. */
  dropped?: Dropped;
}

if (parentPort !== null) void open(parentPort, workerData as QueueThreadMessages['opening']);

async function open(port: MessagePort, opening: QueueThreadMessages['opening']): Promise<void> {
  const post = (answer: QueueThreadMessages['answer']) => port.postMessage(answer);
  try {
    const clock = await checkQueueServer(parseQueueUrl(opening.server.url));
    post({ kind: 'clock', clock });
    await serve(port, opening, post, clock.time);
  } catch (error) {
    const { code, message } = asConverterError(error);
    post({ kind: 'end', error: { code, message } });
  }
}

async function serve(
  port: MessagePort,
  opening: QueueThreadMessages['opening'],
  post: (answer: QueueThreadMessages['answer']) => void,
  since: number,
): Promise<void> {
  const { server, pipeline, name, version, digest, options, slots, mostWorkers } = opening;
  const onError = ({ message }: Error) => post({ kind: 'problem', message });
  const items = new Map<number, WorkItem>();
  let count = 0;
  let ended = 0;
  let state: Beat['state'] = 'joining';
  let share: WorkerShare | undefined;
  let isEnding = false;
  /** Whether a part of the limits is its own. */
  let mayWork = false;

  const classes = await queueClasses(server, onError);
  let worker: ReturnType<typeof classes.openWorker> | undefined;

  const reportShare = () => {
    if (state === 'joining') return;
    // This worker is one of them, even if it receives nothing now.
    const others = members.live().filter(({ beat }) => beat.name !== name);
    const isBefore = ({ beat }: Member) =>
      beat.since < since || (beat.since === since && beat.name < name);
    const index = others.filter(isBefore).length;
    const next = { index, count: others.length + 1 };
    if (share?.index === next.index && share.count === next.count) return;
    share = next;
    post({ kind: 'share', share });
    allow(index < mostWorkers);
  };
  const allow = (mayNow: boolean) => {
    if (mayNow === mayWork) return;
    mayWork = mayNow;
    control.beat();
    if (mayWork) return void worker?.resume();
    // Without requests no job ends: others do those that it has.
    void worker?.pause(true);
    dropAll('requeued', () => true);
  };
  const control: Control = openControl(classes, pipeline, {
    beat: () => ({
      ...{ kind: 'beat', role: 'worker', name, version, digest, options },
      ...{ since, state, ended, slots: mayWork ? slots : 0 },
    }),
    onMessage: (message) => receive(message),
    onCutOff: (isCutOff) => post({ kind: 'cutOff', isCutOff }),
    onOutage: () => {
      const message = `queue ${server.name}: expected it back within 5 minutes`;
      void end({ code: 'QUEUE_UNREACHABLE', message });
    },
    onError,
  });
  const members = openMembers(control.isCutOff, reportShare);
  const cutOffCheck = setInterval(() => {
    if (control.isCutOff()) post({ kind: 'pause', milliseconds: 2 * CUT_OFF_CHECK_MS });
  }, CUT_OFF_CHECK_MS);

  function receive(message: ControlMessage): void {
    const isMine = 'to' in message && message.to === name;
    if (message.kind === 'beat') members.note(message);
    // A coordinator that joins learns at once which workers it has.
    if (message.kind === 'beat' && message.role === 'coordinator' && message.state === 'joining') {
      control.beat();
    }
    if (message.kind === 'pause' && message.from !== name) post(message);
    if (message.kind === 'cancel') dropAll('cancelled', ({ run }) => run === message.run);
    if (message.kind === 'refuse' && isMine && !isEnding) {
      state = 'refused';
      control.beat();
      void end({ code: 'WORKER_REFUSED', message: message.message });
    }
  }

  /** It is published with the next beat: jobs may be shorter than the time between two. */
  function setState(next: 'working' | 'idle'): void {
    if (state !== 'refused') state = next;
  }

  function dropAll(as: Dropped, isMeant: (item: WorkItem) => boolean): void {
    for (const [work, item] of items) {
      if (item.dropped !== undefined || !isMeant(item)) continue;
      item.dropped = as;
      post({ kind: 'drop', work });
    }
  }

  async function process(job: Job<ChunkJob, true, 'chunk'>, token?: string): Promise<true> {
    const known = readJob(job.data);
    // The coordinator removes it.
    if (known === undefined) throw new classes.UnrecoverableError('expected a job of btg2gltf');
    const mayBegin = mayWork && !isEnding;
    const outcome: Outcome = mayBegin ? await workOn(job.id!, known) : { kind: 'requeued' };
    return OUTCOMES[outcome.kind](job, token, outcome as never);
  }

  async function workOn(id: string, job: ChunkJob): Promise<Outcome> {
    const work = count++;
    setState('working');
    const outcome = await new Promise<Outcome>((resolve) => {
      items.set(work, { id, run: job.run, end: resolve });
      post({ kind: 'work', work, job });
    });
    items.delete(work);
    if (items.size === 0) setState('idle');
    return outcome;
  }

  /** What BullMQ receives; of an error it stores the message, which begins with the code here. */
  const OUTCOMES = {
    done: async () => true,
    failed: async (_job, _token, { error: { code, message } }: { error: SentError }) => {
      const text = `${code}: ${message}`;
      throw endsRunOfAll(code) ? new classes.UnrecoverableError(text) : new Error(text);
    },
    requeued: async (job, token) => {
      await job.moveToWait(token);
      throw new classes.WaitingError();
    },
    cancelled: async () => {
      throw new classes.UnrecoverableError(CANCELLED);
    },
    // Its lock is that of another worker, so BullMQ stores nothing.
    lost: async () => {
      throw new Error('the lock was lost');
    },
  } satisfies Record<
    Outcome['kind'],
    (job: Job<ChunkJob, true, 'chunk'>, token: string | undefined, outcome: never) => Promise<true>
  >;

  const hasEnded = () => {
    ended++;
    control.beat();
  };

  /**
   * Takes jobs from now on. BullMQ keeps the failure of its first connection to PostgreSQL: a worker that begins during an
   * outage would fail for ever, without a pause, and is opened again instead.
   */
  async function takeJobs(): Promise<void> {
    while (!isEnding) {
      const opened = classes.openWorker(queueName(pipeline, digest), process, {
        ...{ name, concurrency: slots, lockDuration: LOCK_MS, stalledInterval: STALLED_CHECK_MS },
        ...{ maxStalledCount: 1, runRetryDelay: RETRY_MS, drainDelay: POLL_S },
      });
      worker = opened;
      opened.on('completed', hasEnded);
      opened.on('failed', hasEnded);
      opened.on('lockRenewalFailed', (ids) => dropAll('lost', ({ id }) => ids.includes(id)));
      if (!mayWork) await opened.pause(true);
      const problem = await opened.waitUntilReady().then(
        () => undefined,
        (error: Error) => error,
      );
      if (problem === undefined || isEnding) return;
      onError(problem);
      worker = undefined;
      await opened.close().catch(onError);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Waits for what is in work, and says why no more is done. */
  async function end(error?: SentError, graceMs = 0): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    const drop = setTimeout(() => dropAll('requeued', () => true), graceMs);
    const force = setTimeout(() => {
      for (const item of items.values()) item.end({ kind: 'requeued' });
    }, graceMs + DROP_MS);
    // It asks for no further job, and waits until those in work are stored.
    await settledWithin(graceMs + 2 * DROP_MS, [worker?.close() ?? Promise.resolve()]);
    for (const timer of [drop, force]) clearTimeout(timer);
    if (state !== 'refused') state = 'stopped';
    await control.close();
    await classes.close();
    members.close();
    clearInterval(cutOffCheck);
    post(error === undefined ? { kind: 'end' } : { kind: 'end', error });
    port.close();
  }

  port.on('message', (request: QueueThreadMessages['request']) => {
    if (request.kind === 'pause') {
      control.publish({ kind: 'pause', from: name, milliseconds: request.milliseconds });
    } else if (request.kind === 'stop') {
      void end(undefined, request.graceMs);
    } else {
      const { work, error } = request;
      const item = items.get(work);
      // What was to be given back may have been done in the meantime.
      const isDone = error === undefined && (item?.dropped ?? 'requeued') === 'requeued';
      if (isDone) item?.end({ kind: 'done' });
      else if (item?.dropped !== undefined) item.end({ kind: item.dropped });
      else if (error !== undefined) item?.end({ kind: 'failed', error });
    }
  });

  await control.connected;
  post({ kind: 'open' });
  await new Promise((resolve) => setTimeout(resolve, JOIN_MS));
  if (isEnding) return;
  state = 'idle';
  control.beat();
  reportShare();
  await takeJobs();
}
