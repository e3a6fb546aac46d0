/** Threads in which files are made, so that all processors work: the largest masters first. */
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import type { FileStoreOptions } from '../source/cache/content-store.ts';
import {
  asConverterError,
  ConverterError,
  receivedError,
  type SentError,
  sentError,
} from '../support/errors.ts';
import { exists } from '../support/files.ts';
import { openFunctions } from './kinds.ts';
import { readMasterFile } from './making/delivery.ts';
import type { Once } from './making/once.ts';
import type { Call, Functions, Threads } from './making/threads.ts';

/** The program of a thread. In the sources there is none: all is done in this thread. */
const PROGRAM = fileURLToPath(new URL('./maker-thread.js', import.meta.url));

/** Calls per thread that callers should make at the same time: while one is done, the next is read. */
const CALLS_OF_THREAD = 2;
/**
 * JavaScript memory for what is new, MiB; 48 by default. Three workers on two processors take 3 % less time (67 s, 70 s),
 * and 25 MiB more each.
 */
const YOUNG_MB = 96;
/** After so many ends of its thread a call is given up. */
const MOST_DEATHS = 2;

interface ThreadSettings {
  /** Number of threads, which start when they are needed; with 1, this thread does all, unless they are apart. */
  count: number;
  /** Whether also a single one is a thread of its own, so that what ends it does not end the process. */
  isApart?: boolean;
  /** With what they store the contents of files; without it, they return these. */
  objects?: FileStoreOptions | undefined;
  /** Does what several calls need. */
  once: Once;
  /** JavaScript memory of each, MiB. */
  heapMb: number;
  /** Clock, milliseconds since 1970. */
  now: () => number;
}

/** What goes to a thread and back. */
export interface MakerThreadMessages {
  opening: { wanted: object; objects: FileStoreOptions | undefined };
  request:
    | ({ kind: 'call'; hasReader: boolean } & Pick<
        Call,
        'delivery' | 'name' | 'given' | 'file' | 'stores'
      >)
    /** What the thread asked for; if `isYours`, it does the work itself, and sends the result. */
    | { kind: 'answer'; ask: number; result?: unknown; error?: SentError; isYours?: boolean };
  answer:
    | { kind: 'done'; result: unknown }
    | { kind: 'failed'; error: SentError }
    | { kind: 'read'; ask: number; place: number }
    | { kind: 'once'; ask: number; key: string }
    | { kind: 'result'; ask: number; result?: unknown; error?: SentError };
}

/**
 * Opens what does functions of deliveries.
 *
 * @param wanted - The section `deliver:`, by which a thread opens the same deliveries.
 */
export async function openThreads(wanted: object, settings: ThreadSettings): Promise<Threads> {
  const wantsThreads = settings.count > 1 || settings.isApart === true;
  const hasThreads = wantsThreads && (await exists(PROGRAM));
  return hasThreads ? new MakerThreads(wanted, settings) : here(wanted, settings);
}

/** Does functions in this thread. */
function here(wanted: object, { now, once }: ThreadSettings): Threads {
  let opened: Promise<ReadonlyMap<string, Functions>> | undefined;
  return {
    atOnce: CALLS_OF_THREAD,
    async call({ delivery, name, given, file, readMaster, signal }) {
      signal?.throwIfAborted();
      opened ??= openFunctions(wanted, once);
      const own = (await opened).get(delivery)!;
      const startedMs = now();
      const master = file && [await readMasterFile(file)];
      const result = await own[name]!(...(master ?? []), ...given, readMaster);
      signal?.throwIfAborted();
      return { result, ms: now() - startedMs };
    },
    async close() {
      const functions = await opened?.catch(() => undefined);
      opened = undefined;
      await Promise.all(Array.from(functions?.values() ?? [], (own) => own.close?.()));
    },
  };
}

type Answer = MakerThreadMessages['answer'];
type AnswerOf<K extends Answer['kind']> = Extract<Answer, { kind: K }>;

interface Job extends Call {
  resolve(done: { result: never; ms: number }): void;
  reject(error: unknown): void;
  deaths: number;
  startedMs: number;
  /** Questions of its thread that are not answered yet, since when, and how long it waited for others before. */
  open: number;
  openedMs: number;
  waitedMs: number;
}

const UNMEASURED = { startedMs: 0, open: 0, openedMs: 0, waitedMs: 0 };

class MakerThreads implements Threads {
  readonly atOnce: number;
  readonly #wanted: object;
  readonly #settings: ThreadSettings;
  readonly #threads = new Set<MakerThread>();
  /** The one with the largest weight last. */
  readonly #waiting: Job[] = [];

  constructor(wanted: object, settings: ThreadSettings) {
    this.#wanted = wanted;
    this.#settings = settings;
    this.atOnce = settings.count * CALLS_OF_THREAD;
  }

  call<R>(call: Call): Promise<{ result: R; ms: number }> {
    const { signal } = call;
    let end = () => {};
    const done = new Promise<{ result: R; ms: number }>((resolve, reject) => {
      signal?.throwIfAborted();
      const job: Job = { ...call, resolve, reject, deaths: 0, ...UNMEASURED };
      end = () => this.#cancel(job, signal?.reason);
      signal?.addEventListener('abort', end, { once: true });
      this.#wait(job);
      // Not at once, so that at the start all deliveries have calls to choose from.
      setImmediate(() => this.#fill());
    });
    return done.finally(() => signal?.removeEventListener('abort', end));
  }

  async close(): Promise<void> {
    const error = new ConverterError('INTERRUPTED', 'interrupted while files were made');
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    await Promise.all(Array.from(this.#threads, (thread) => thread.end(error)));
  }

  #cancel(job: Job, reason: unknown): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    job.reject(reason);
    // A function cannot be interrupted: its thread ends, and another one starts.
    for (const thread of this.#threads) if (thread.does(job)) void thread.end(reason);
  }

  #wait(job: Job): void {
    const at = this.#waiting.findIndex(({ weight }) => weight >= job.weight);
    this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, job);
  }

  /** Gives what waits to threads that have nothing to do. */
  #fill(): void {
    while (this.#waiting.length > 0) {
      const idle = [...this.#threads].find(({ isIdle }) => isIdle);
      if (idle === undefined && this.#threads.size === this.#settings.count) return;
      const [job] = this.#waiting.splice(this.#nextAt(), 1);
      (idle ?? this.#start()).begin(job!);
    }
  }

  /**
   * The largest of a delivery that no other thread makes: two finishes of an article need the same textures and surfaces,
   * and one thread would wait for the other.
   */
  #nextAt(): number {
    const isMade = (delivery: string) =>
      [...this.#threads].some((thread) => thread.delivery === delivery);
    const at = this.#waiting.findLastIndex(({ delivery }) => !isMade(delivery));
    return at >= 0 ? at : this.#waiting.length - 1;
  }

  #start(): MakerThread {
    const thread: MakerThread = new MakerThread(this.#wanted, this.#settings, {
      onFree: () => this.#fill(),
      onEnd: (job, error) => {
        this.#threads.delete(thread);
        if (job !== undefined && ++job.deaths < MOST_DEATHS) this.#wait(job);
        else job?.reject(error);
        this.#fill();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

interface ThreadEvents {
  onFree(): void;
  /** The thread has ended; with a job, by itself in the middle of it. */
  onEnd(job: Job | undefined, error: unknown): void;
}

class MakerThread {
  readonly #events: ThreadEvents;
  readonly #settings: ThreadSettings;
  #job: Job | undefined;
  readonly #started: Promise<Worker | undefined>;
  /** Settles what this thread does once for all of them, by its question. */
  readonly #results = new Map<number, (sent: { result?: unknown; error?: SentError }) => void>();
  #hasEnded = false;
  readonly #onAnswer: { [K in Answer['kind']]: (answer: AnswerOf<K>) => void } = {
    done: ({ result }) =>
      this.#settle((job) => {
        const ms = Math.max(0, this.#settings.now() - job.startedMs - job.waitedMs);
        job.resolve({ result: result as never, ms });
      }),
    failed: ({ error }) => this.#settle((job) => job.reject(receivedError(error))),
    read: (answer) => void this.#answerRead(answer),
    once: (answer) => void this.#answerOnce(answer),
    result: (answer) => this.#results.get(answer.ask)?.(answer),
  };

  constructor(wanted: object, settings: ThreadSettings, events: ThreadEvents) {
    this.#events = events;
    this.#settings = settings;
    this.#started = this.#start(wanted).catch((error: Error) => {
      this.#end(error);
      return undefined;
    });
  }

  get isIdle(): boolean {
    return this.#job === undefined;
  }

  /** Of what it does. */
  get delivery(): string | undefined {
    return this.#job?.delivery;
  }

  does(job: Job): boolean {
    return this.#job === job;
  }

  begin(job: Job): void {
    this.#job = Object.assign(job, UNMEASURED, { startedMs: this.#settings.now() });
    const { delivery, name, given, file, stores, readMaster } = job;
    const hasReader = readMaster !== undefined;
    this.#post({
      ...{ kind: 'call', delivery, name, given, hasReader },
      ...(file && { file }),
      ...(stores && { stores }),
    });
  }

  async end(error: unknown): Promise<void> {
    this.#hasEnded = true;
    this.#job?.reject(error);
    this.#settleResults(error);
    this.#events.onEnd(undefined, error);
    await (await this.#started)?.terminate();
  }

  async #start(wanted: object): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    const opening: MakerThreadMessages['opening'] = { wanted, objects: this.#settings.objects };
    const resourceLimits = {
      maxOldGenerationSizeMb: this.#settings.heapMb,
      maxYoungGenerationSizeMb: YOUNG_MB,
    };
    const worker = new Worker(PROGRAM, { workerData: opening, resourceLimits });
    worker.on('message', (answer: Answer) => this.#onAnswer[answer.kind](answer as never));
    worker.on('error', (error) => this.#end(this.#errorOf(error)));
    worker.on('exit', (code) => this.#end(new Error(`a thread has ended with exit code ${code}`)));
    return worker;
  }

  #settle(settle: (job: Job) => void): void {
    if (this.#job !== undefined) settle(this.#job);
    this.#job = undefined;
    this.#events.onFree();
  }

  async #answerRead({ ask, place }: AnswerOf<'read'>): Promise<void> {
    const answered = this.#waiting();
    try {
      const result = await this.#job?.readMaster?.(place);
      this.#post({ kind: 'answer', ask, result });
    } catch (thrown) {
      this.#post({ kind: 'answer', ask, error: sentError(thrown) });
    } finally {
      answered();
    }
  }

  /** What another thread does meanwhile is waited for; what has not been done, this one does. */
  async #answerOnce({ ask, key }: AnswerOf<'once'>): Promise<void> {
    let isOwn = false;
    const answered = this.#waiting();
    const work = () =>
      new Promise<unknown>((resolve, reject) => {
        isOwn = true;
        answered();
        this.#results.set(ask, ({ result, error }) => {
          this.#results.delete(ask);
          if (error === undefined) resolve(result);
          else reject(receivedError(error));
        });
        if (this.#hasEnded) reject(new Error('the thread has ended'));
        this.#post({ kind: 'answer', ask, isYours: true });
      });
    const answer = await this.#settings.once(key, work).then(
      (result) => ({ result }),
      (thrown: unknown) => ({ error: sentError(thrown) }),
    );
    if (isOwn) return;
    answered();
    this.#post({ kind: 'answer', ask, ...answer });
  }

  #end(thrown: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const error = asConverterError(thrown);
    this.#settleResults(error);
    this.#events.onEnd(this.#job, error);
  }

  #errorOf(error: Error & { code?: string }): Error {
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
    const message = `delivery: expected at most ${this.#settings.heapMb} MiB of memory, needed more (limits.conversionHeapMb)`;
    return new ConverterError('OUT_OF_MEMORY', message);
  }

  /** Another thread does the work that this one has not ended. */
  #settleResults(error: unknown): void {
    for (const settle of [...this.#results.values()]) settle({ error: sentError(error) });
  }

  /** Counts the time until an answer as waiting. */
  #waiting(): () => void {
    const job = this.#job;
    if (job === undefined) return () => {};
    if (job.open++ === 0) job.openedMs = this.#settings.now();
    return () => {
      if (--job.open === 0) job.waitedMs += this.#settings.now() - job.openedMs;
    };
  }

  #post(request: MakerThreadMessages['request']): void {
    void this.#started.then((worker) => worker?.postMessage(request));
  }
}
