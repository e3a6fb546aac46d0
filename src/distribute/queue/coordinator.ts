/** The coordinator's side of the queue. */
import { randomBytes } from 'node:crypto';
import type { Job } from 'bullmq';
import { asConverterError, ConverterError, isErrorCode } from '../../support/errors.ts';
import type { Logger } from '../../support/log.ts';
import { divide, endsRunOfAll, halvesOf, jobId, readJob } from './chunk-jobs.ts';
import type { ChunkJob, ChunkQueue, QueueWorkerInfo } from './chunk-queue.ts';
import {
  type Beat,
  type ControlMessage,
  CUT_OFF_MESSAGES,
  type OptionDigests,
  openControl,
  openMembers,
} from './control.ts';
import {
  CANCELLED,
  checkClock,
  checkQueueServer,
  parseQueueUrl,
  queueClasses,
  queueName,
  settledWithin,
} from './server.ts';

interface ChunkQueueOptions {
  /** Address of the queue, with credentials. */
  url: string;
  /** Name of the pipeline, of which only one run may be on a queue. */
  pipeline: string;
  /** Id of the run. */
  run: string;
  /** Of version and options: only workers with the same one get jobs. */
  digest: string;
  /** The digest of each part of the options. */
  options: OptionDigests;
  /** Version of the converter. */
  version: string;
  log: Logger;
  /** Cancels the run: waiting jobs are removed, and workers drop theirs. */
  signal: AbortSignal;
  /** Clock, milliseconds since 1970. */
  now: () => number;
  /** How long another coordinator has to say that it is there, milliseconds. */
  answerMs?: number;
}

/** Jobs on the queue for each that workers do at once: one in work, one waiting. */
const JOBS_PER_SLOT = 2;
/** Without any worker. */
const LEAST_JOBS = 2;
/** Jobs that have ended which are read at once. */
const ENDED_AT_ONCE = 100;
/** Workers say when a job has ended; a job whose worker was killed is noticed by looking, milliseconds. */
const LOOK_MS = 1_000;
/** After an error of the connection, milliseconds. */
const RETRY_MS = 500;
/** How often jobs are enqueued again, which changes nothing unless the server has lost them, in looks. */
const LOOKS_PER_REPEAT = 5;
/** Default of `answerMs`. */
const ANSWER_MS = 500;
/** Without any worker, until the log says so. */
const LOOKS_ALONE = 10;
const NO_WORKER =
  'no worker is there: start btg2gltf worker with this pipeline file, version and queue';
/** How long workers have to drop the jobs of a cancelled run, milliseconds. */
const CANCEL_MS = 5_000;

/** An error may be that of the moment: a job is tried so often before it is halved. */
const ATTEMPTS = { attempts: 3, backoff: { type: 'fixed', delay: 500 } } as const;

type QueuedJob = Job<ChunkJob, true, 'chunk'>;

/**
 * Opens the queue of a run.
 *
 * A job leaves the queue when `onDone` or `onLost` has resolved. A coordinator that starts again for the same run gives
 * all jobs again whose results it has not: what is still on the queue is not enqueued twice, and what has ended there is
 * reported, perhaps in parts, if the earlier coordinator has halved it.
 *
 * @example
 * ```ts
 * const queue = await openChunkQueue({ ...queue, run, log, signal, now });
 * await queue.execute(chunks, async ({ chunk }) => collect(chunk), async ({ chunk, from }) => fail(chunk, from));
 * await queue.close();
 * ```
 *
 * @throws {@link ConverterError} `QUEUE_UNREACHABLE`, `QUEUE_REFUSED`, `WORKER_REFUSED` (clock), `USAGE` (address).
 */
export async function openChunkQueue(given: ChunkQueueOptions): Promise<ChunkQueue> {
  const { url, pipeline, run, digest, version, log, signal, now, answerMs = ANSWER_MS } = given;
  const server = parseQueueUrl(url);
  checkClock(await checkQueueServer(server), now);
  // The older of two has the smaller name.
  const name = `coordinator-${now().toString().padStart(15, '0')}-${randomBytes(3).toString('hex')}`;
  const onError = ({ message }: Error) => log.debug('error of the queue', { message });
  const classes = await queueClasses(server, onError);
  const queue = classes.openQueue(queueName(pipeline, digest));

  /** Jobs on the queue by id, until they are reported. */
  const pending = new Map<string, ChunkJob>();
  /** What an earlier coordinator of this run has left, until it is asked for. */
  const found = new Map<string, ChunkJob>();
  /** Names of the workers that were refused: what they say of it may be lost with the server. */
  const refused = new Set<string>();
  let state: Beat['state'] = 'joining';
  let ended = 0;

  // What ends an execution from outside: a signal, another coordinator, or an outage.
  let stopError: ConverterError | undefined;
  const waiting = new Set<(error: ConverterError) => void>();
  const stop = (error: ConverterError) => {
    stopError ??= error;
    for (const reject of waiting) reject(error);
  };
  /** Like a race with one promise for the whole run, which would keep something of each. */
  const orStopped = <T>(promise: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (stopError !== undefined) reject(stopError);
      waiting.add(reject);
      promise.then(resolve, reject).finally(() => waiting.delete(reject));
    });
  const interrupt = () => {
    const reason: unknown = signal.reason;
    stop(
      reason instanceof ConverterError
        ? reason
        : new ConverterError('INTERRUPTED', 'interrupted by the signal'),
    );
  };
  if (signal.aborted) interrupt();
  else signal.addEventListener('abort', interrupt, { once: true });

  let isWoken = false;
  let endSleep = () => {};
  const wake = () => {
    isWoken = true;
    endSleep();
  };
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const control = openControl(classes, pipeline, {
    beat: () => ({
      ...{ kind: 'beat', role: 'coordinator', name, version, digest, options: given.options },
      ...{ state, ended, since: 0, slots: 0 },
    }),
    onMessage: (message) => receive(message),
    onCutOff: (isCutOff) => log.warn(CUT_OFF_MESSAGES[`${isCutOff}`], { queue: server.name }),
    onOutage: () => {
      const text = `queue ${server.name}: expected it back within 5 minutes`;
      stop(new ConverterError('QUEUE_UNREACHABLE', text));
    },
    onError,
  });
  // Until then, workers may be those of another coordinator, with its options.
  let mayRefuse = false;
  let answer: NodeJS.Timeout | undefined;
  const isAlone = control.connected.then(
    () =>
      new Promise<void>((resolve) => {
        answer = setTimeout(() => {
          mayRefuse = state === 'joining';
          resolve();
        }, answerMs);
      }),
  );
  const members = openMembers(control.isCutOff, wake);

  function receive(message: ControlMessage): void {
    if (message.kind === 'occupied' && message.to === name) {
      state = 'refused';
      const text = `run of pipeline ${pipeline}: expected no other on this queue, received run ${message.run}, which is in progress`;
      stop(new ConverterError('OUTPUT_LOCKED', text, { help: 'wait until the other run ends' }));
    }
    if (message.kind !== 'beat' || message.name === name) return;
    if (message.role === 'worker') receiveFromWorker(message);
    else if (message.state === 'joining' && isAhead(message.name)) {
      control.publish({ kind: 'occupied', to: message.name, run });
    }
  }

  function shownState({ name: worker, state: last }: Beat, isLost: boolean) {
    if (refused.has(worker)) return 'refused';
    return isLost ? 'lost' : SHOWN_STATES[last];
  }

  function isAhead(other: string): boolean {
    return state === 'working' || (state === 'joining' && name < other);
  }

  function receiveFromWorker(beat: Beat): void {
    const known = members.find(beat.name);
    members.note(beat);
    if (known?.beat.ended !== beat.ended) wake();
    if (beat.digest === digest || beat.state === 'refused' || beat.state === 'stopped') return;
    if (!mayRefuse) return;
    refused.add(beat.name);
    const message = `worker ${beat.name}: ${difference(given, beat)}`;
    // A message that is lost is sent again at the next beat.
    control.publish({ kind: 'refuse', to: beat.name, message });
  }

  /** Repeats a command until the server is there again. */
  async function persist<T>(command: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await orStopped(command());
      } catch (error) {
        if (error instanceof ConverterError) throw error;
        onError(error as Error);
        await orStopped(delay(RETRY_MS));
      }
    }
  }

  const add = (jobs: readonly ChunkJob[]) =>
    persist(async () => {
      for (const job of jobs) pending.set(jobId(job), job);
      await queue.addBulk(
        jobs.map((data) => ({
          ...{ name: 'chunk' as const, data },
          // A stack would hold paths of the worker.
          opts: { jobId: jobId(data), ...ATTEMPTS, stackTraceLimit: 0 },
        })),
      );
    });

  /** Finds what an earlier coordinator of this run has left, and removes what other runs have. */
  async function find(): Promise<void> {
    for (const job of await persist(() => queue.getJobs([...STATES], 0, -1))) {
      const known = readJob(job.data);
      if (known === undefined) warnOfForeign(job);
      // An error that ended the earlier one is no longer one of this.
      const isOwn = known?.run === run && fatalError(job) === undefined;
      if (isOwn) found.set(job.id!, known);
      else await job.remove().catch(() => {});
    }
  }

  function warnOfForeign({ id }: QueuedJob): void {
    log.warn('a job on the queue is none of btg2gltf, and is removed', { id });
  }

  /** Reports what has ended, and removes it; each makes room for another. */
  async function reportEnded(report: Reports, fill: () => Promise<void>): Promise<number> {
    const jobs = await persist(() =>
      queue.getJobs(['completed', 'failed'], 0, found.size + ENDED_AT_ONCE - 1, true),
    );
    const asked = jobs.filter(({ id }) => !found.has(id!));
    asked.sort((a, b) => (a.finishedOn ?? 0) - (b.finishedOn ?? 0));
    for (const job of asked) {
      const id = job.id!;
      if (pending.has(id)) await reportJob(job, report);
      else if (readJob(job.data) === undefined) warnOfForeign(job);
      pending.delete(id);
      await persist(() => removed(job));
      await fill();
    }
    return asked.length;
  }

  async function reportJob(job: QueuedJob, { onDone, onLost }: Reports): Promise<void> {
    // One that was done at a later attempt has the reason of the earlier failure, too.
    if (job.returnvalue === true) {
      await onDone(job.data);
      ended++;
      return;
    }
    const fatal = fatalError(job);
    if (fatal !== undefined) throw fatal;
    const halves = halvesOf(job.data);
    const { chunk, from, to } = job.data;
    const what = halves.length > 0 ? 'its halves are tried' : 'it is given up';
    log.warn(`part of a chunk failed: ${what}`, { chunk, from, to, message: job.failedReason });
    // The halves come first: a coordinator killed in between halves it again.
    if (halves.length > 0) await add(halves);
    else await onLost(job.data, errorOf(job));
  }

  /** Jobs that workers for this run do at once. */
  function slots(): number {
    const workers = members.live().filter(({ beat }) => beat.digest === digest);
    return workers.reduce((sum, { beat }) => sum + beat.slots, 0);
  }

  function mostJobs(): number {
    return Math.max(JOBS_PER_SLOT * slots(), LEAST_JOBS);
  }

  /** Whether what is on the queue is that of another coordinator: of the one that refused this, or took its lock. */
  function isOthers(): boolean {
    return state === 'refused' || stopError?.code === 'OUTPUT_LOCKED';
  }

  async function cancel(): Promise<void> {
    const left = new Map([...pending, ...found]);
    pending.clear();
    found.clear();
    const work = async () => {
      while (left.size > 0) {
        // Those that wait go first: a worker that has dropped one would take the next.
        for (const id of [...left.keys()]) {
          const job = await queue.getJob(id);
          // One in work is locked, until its worker has dropped it.
          if (job === undefined || (await removed(job))) left.delete(id);
        }
        if (left.size === 0) return;
        control.publish({ kind: 'cancel', run });
        await delay(RETRY_MS / 2);
      }
    };
    await settledWithin(CANCEL_MS, [work()]);
    left.clear();
  }

  async function execute(
    jobs: Iterable<ChunkJob>,
    onDone: Reports['onDone'],
    onLost: Reports['onLost'],
  ): Promise<void> {
    try {
      await orStopped(isAlone);
      if (state === 'joining') {
        state = 'working';
        control.beat();
        await find();
      }
      const remaining = jobs[Symbol.iterator]();
      let isDone = false;
      const fill = async () => {
        const next: ChunkJob[] = [];
        while (!isDone && pending.size + next.length < mostJobs()) {
          const { value, done } = remaining.next();
          isDone = done === true;
          if (done) break;
          const { queued, rest } = divide(value, [...found.values()]);
          for (const part of queued) {
            found.delete(jobId(part));
            pending.set(jobId(part), part);
          }
          next.push(...rest);
        }
        if (next.length > 0) await add(next);
      };
      let looksAlone = 0;
      for (let looks = 1; ; looks++) {
        isWoken = false;
        await fill();
        const isFound = (await reportEnded({ onDone, onLost }, fill)) > 0;
        if (isDone && pending.size === 0) return;
        if (isFound || isWoken) continue;
        await orStopped(sleep(LOOK_MS));
        // The server may have lost what it had.
        if (looks % LOOKS_PER_REPEAT === 0) await add([...pending.values()]);
        looksAlone = slots() === 0 ? looksAlone + 1 : 0;
        if (looksAlone === LOOKS_ALONE) log.warn(NO_WORKER, { pipeline });
      }
    } catch (error) {
      if (!isOthers()) await cancel();
      state = 'stopped';
      throw asConverterError(error);
    }
  }

  return {
    execute,
    workers: () =>
      members
        .all()
        .filter(({ beat }) => beat.role === 'worker')
        .map(({ beat, isLost }) => ({
          name: beat.name,
          state: shownState(beat, isLost),
        })),
    close: async () => {
      signal.removeEventListener('abort', interrupt);
      if (state === 'working' && pending.size + found.size > 0 && !isOthers()) await cancel();
      state = 'stopped';
      clearTimeout(answer);
      members.close();
      await control.close();
      await classes.close();
    },
  };
}

interface Reports {
  onDone(job: ChunkJob): Promise<void>;
  onLost(job: ChunkJob, error: ConverterError | undefined): Promise<void>;
}

/** Says what a worker has that a coordinator has not. */
function difference(own: Pick<Beat, 'version' | 'options'>, other: Beat): string {
  if (own.version !== other.version)
    return `expected version ${own.version} of the coordinator, received ${other.version}`;
  const names = Object.keys(own.options).filter(
    (name) => own.options[name] !== other.options[name],
  );
  const which = names.length > 0 ? `: ${names.join(', ')}` : '';
  return `expected the options of the coordinator, received others${which}`;
}

const STATES = ['waiting', 'active', 'delayed', 'completed', 'failed'] as const;

const SHOWN_STATES = {
  joining: 'idle',
  idle: 'idle',
  working: 'working',
  stopped: 'stopped',
  refused: 'refused',
} satisfies Record<Beat['state'], QueueWorkerInfo['state']>;

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

/** Whether a job could be removed: one in work cannot. */
async function removed(job: QueuedJob): Promise<boolean> {
  try {
    await job.remove();
    return true;
  } catch (error) {
    if (/locked/.test((error as Error).message)) return false;
    throw error;
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
