/** The workers of one machine: processes that share one login, of which a crashed one is replaced. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionCode } from '../source/service/request-failure.ts';
import type { IssuedToken, TokenSource } from '../source/service/service-config.ts';
import {
  asConverterError,
  ConverterError,
  receivedError,
  type SentError,
  sentError,
} from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import { registerSecret } from '../support/redact.ts';
import type { WorkerEvent } from './worker.ts';

interface SentFailure extends SentError {
  /** Kind of the connection that failed: a run does not wait for some kinds. */
  connection: string;
}

/** Messages to a worker process and from it. Tokens are in no file, variable or argument. */
interface WorkerMessages {
  request:
    | { kind: 'event'; event: WorkerEvent }
    | { kind: 'obtain'; id: number; replaced: string | undefined }
    | { kind: 'forget'; token: string }
    | { kind: 'failed'; error: SentFailure };
  answer:
    | { kind: 'token'; id: number; result: { token: IssuedToken } | { error: SentFailure } }
    | { kind: 'stop' };
}

/** Consecutive crashes of a worker, without a finished chunk in between, after which all processes end. */
const MOST_CRASHES = 10;
/** Pause after the first crash, which doubles with each consecutive crash, and the longest pause, milliseconds. */
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** How long processes may take to end; the logout has the rest of 30 s. */
const END_MS = 24_000;

interface WorkerProcessesOptions {
  count: number;
  /** Starts this program as the worker of a number, from 1, with a channel that serializes as JSON. */
  start(number: number): ChildProcess;
  /** The login; undefined if each process has a service of its own. */
  tokens: TokenSource | undefined;
  /** @param number - Number of the worker, from 1. */
  watch: ((number: number, event: WorkerEvent) => void) | undefined;
  log: Logger;
  signal: AbortSignal;
  /** Pause after the first crash, milliseconds. @defaultValue 1000 */
  pauseMs?: number;
}

/**
 * Runs worker processes until the signal aborts: then they end their chunks, within 30 s, and the token is logged out.
 *
 * @throws {@link ConverterError} `WORKERS_CRASHED`; the error of the first worker that ends with one.
 */
export async function runWorkerProcesses(options: WorkerProcessesOptions): Promise<void> {
  const { count, tokens, log, signal, pauseMs: firstPauseMs = PAUSE_MS } = options;
  const stop = new AbortController();
  const stopAll = () => stop.abort();
  signal.addEventListener('abort', stopAll, { once: true });
  if (signal.aborted) stopAll();
  let failure: ConverterError | undefined;
  const fail = (error: ConverterError) => {
    failure ??= error;
    stop.abort();
  };

  const keepRunning = async (number: number): Promise<void> => {
    for (let crashes = 0; !stop.signal.aborted; ) {
      const end = await runProcess(number, options, stop.signal, fail);
      options.watch?.(number, { kind: 'ready', isReady: false });
      if (stop.signal.aborted) return;
      crashes = end.hasWorked ? 1 : crashes + 1;
      if (crashes === MOST_CRASHES) {
        const message = `worker ${number}: expected a process that does a chunk, received one that ended with ${end.how}, ${crashes} times in a row`;
        return fail(new ConverterError('WORKERS_CRASHED', message));
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** (crashes - 1), MAX_PAUSE_MS);
      log.warn('the process of a worker ended: another one starts', {
        ...{ number, how: end.how, pauseMs },
      });
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  };

  try {
    await Promise.all(Array.from({ length: count }, (_, index) => keepRunning(index + 1)));
  } finally {
    signal.removeEventListener('abort', stopAll);
    await tokens?.close();
  }
  if (failure !== undefined) throw failure;
}

async function runProcess(
  number: number,
  { start, tokens, watch, log }: WorkerProcessesOptions,
  stop: AbortSignal,
  fail: (error: ConverterError) => void,
): Promise<{ how: string | number | null; hasWorked: boolean }> {
  const child = start(number);
  log.info('a worker process has started', { number, pid: child.pid });
  let hasWorked = false;
  const send = (message: WorkerMessages['answer']) => {
    // A process that has just ended receives nothing.
    if (child.connected) child.send(message, () => {});
  };
  const obtain = async (replaced: string | undefined) => {
    try {
      if (tokens === undefined) throw new Error('there is no login');
      return { token: await tokens.obtain(replaced) };
    } catch (error) {
      return { error: failureOf(error) };
    }
  };
  const ON_MESSAGE: {
    [K in Request['kind']]: (message: Extract<Request, { kind: K }>) => void;
  } = {
    event: ({ event }) => {
      if (event.kind === 'chunk' && event.figures !== undefined) hasWorked = true;
      watch?.(number, event);
    },
    obtain: ({ id, replaced }) =>
      void obtain(replaced).then((result) => send({ kind: 'token', id, result })),
    forget: ({ token }) => tokens?.forget(token),
    failed: ({ error }) => fail(errorOf(error)),
  };
  child.on('message', (message: Request) => ON_MESSAGE[message.kind](message as never));
  let late: NodeJS.Timeout | undefined;
  const end = () => {
    send({ kind: 'stop' });
    // Another worker does the jobs that the process has not done by then.
    late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  };
  if (stop.aborted) end();
  else stop.addEventListener('abort', end, { once: true });
  try {
    const how = await new Promise<string | number | null>((resolve, reject) => {
      child.on('error', reject);
      // The channel has been read to its end by then, so the reason of the end has arrived.
      child.on('close', (code, signal) => resolve(signal ?? code));
    });
    return { how, hasWorked };
  } catch (error) {
    fail(asConverterError(error));
    return { how: null, hasWorked };
  } finally {
    clearTimeout(late);
    stop.removeEventListener('abort', end);
  }
}

type Request = WorkerMessages['request'];

/** The parent of a worker process, which {@link runWorkerProcesses} has started. */
export class ParentLink {
  /** The login of the parent. */
  readonly tokens: TokenSource = {
    obtain: (replaced) => this.#obtain(replaced),
    forget: (token) => void this.#send({ kind: 'forget', token }),
    // The login stays open, because other workers use it.
    close: async () => {},
  };
  readonly #parent: NodeJS.Process;
  readonly #stop = new AbortController();
  readonly #waiting = new Map<number, TokenRequest>();
  #asked = 0;

  /** @param parent - This process, with the channel to the parent. */
  constructor(parent: NodeJS.Process) {
    this.#parent = parent;
    parent.on('message', this.#receive as NodeJS.MessageListener);
    parent.once('disconnect', this.#leave);
    // The parent may have died while this process started.
    if (!parent.connected) this.#leave();
  }

  /** Aborts when the parent requests it, or has ended. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  watch(event: WorkerEvent): void {
    void this.#send({ kind: 'event', event });
  }

  /** Reports to the parent why this process ends. */
  fail(error: unknown): Promise<void> {
    return this.#send({ kind: 'failed', error: failureOf(error) });
  }

  /** Lets this process end. */
  close(): void {
    this.#parent.off('disconnect', this.#leave);
    this.#parent.off('message', this.#receive as NodeJS.MessageListener);
    if (this.#parent.connected) this.#parent.disconnect();
  }

  #obtain(replaced: string | undefined): Promise<IssuedToken> {
    return new Promise((resolve, reject) => {
      if (!this.#parent.connected) return reject(this.#stop.signal.reason);
      const id = ++this.#asked;
      this.#waiting.set(id, { resolve, reject });
      void this.#send({ kind: 'obtain', id, replaced });
    });
  }

  #send(message: WorkerMessages['request']): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#parent.connected) return resolve();
      this.#parent.send!(message, undefined, undefined, () => resolve());
    });
  }

  readonly #receive = (message: WorkerMessages['answer']): void => {
    if (message.kind === 'stop') {
      this.#end('the process that started this worker ends');
      return;
    }
    const { id, result } = message;
    const asker = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('error' in result) {
      asker?.reject(errorOf(result.error));
      return;
    }
    registerSecret(result.token.value);
    asker?.resolve(result.token);
  };

  readonly #leave = (): void => {
    const error = this.#end('the process that started this worker is gone');
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  };

  #end(why: string): ConverterError {
    const error = new ConverterError('INTERRUPTED', why);
    this.#stop.abort(error);
    return error;
  }
}

interface TokenRequest {
  resolve(token: IssuedToken): void;
  reject(error: Error): void;
}

function failureOf(thrown: unknown): SentFailure {
  const { cause } = asConverterError(thrown);
  return { ...sentError(thrown), connection: connectionCode(cause) };
}

function errorOf({ connection, ...error }: SentFailure): ConverterError {
  return receivedError(error, connection);
}
