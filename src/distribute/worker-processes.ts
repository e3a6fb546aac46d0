/** The workers of one machine: processes with one login, of which another is started when one crashes. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutUndefined } from '../convert/wire/value.ts';
import { connectionCode } from '../source/service/request-failure.ts';
import type { IssuedToken, TokenSource } from '../source/service/service-config.ts';
import { asConverterError, ConverterError, type ErrorCode } from '../support/errors.ts';
import type { Logger } from '../support/log.ts';
import { registerSecret } from '../support/redact.ts';
import type { WorkerEvent } from './worker.ts';

/** An error on its way between processes. */
interface SentError {
  code: ErrorCode;
  message: string;
  /** A failed login names its operation. */
  context: { operation?: string; url?: string; status?: number; help?: string };
  /** Of the connection that failed: some are not waited for. */
  connection: string;
  /** Of a defect. */
  stack?: string | undefined;
}

/** What goes from a worker process and back. Tokens lie in no file, variable or argument. */
interface WorkerMessages {
  request:
    | { kind: 'event'; event: WorkerEvent }
    | { kind: 'obtain'; id: number; replaced: string | undefined }
    | { kind: 'forget'; token: string }
    | { kind: 'failed'; error: SentError };
  answer:
    | { kind: 'token'; id: number; result: { token: IssuedToken } | { error: SentError } }
    | { kind: 'stop' };
}

/** Crashes of a worker in a row, without a chunk done in between, after which all end. */
const MOST_CRASHES = 10;
/** Pause after the first crash, which doubles with each in a row, and the longest one, milliseconds. */
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** How long processes may take to end; the logout has the rest of 30 s. */
const END_MS = 24_000;

interface WorkerProcessesOptions {
  count: number;
  /** Starts this program as a worker process, with a channel that serializes as JSON. */
  start(): ChildProcess;
  /** The login; undefined if each process has a service of its own. */
  tokens: TokenSource | undefined;
  /** @param number - Of the worker, from 1. */
  watch: ((number: number, event: WorkerEvent) => void) | undefined;
  log: Logger;
  /** Ends all. */
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

/** Runs one process to its end. */
async function runProcess(
  number: number,
  { start, tokens, watch, log }: WorkerProcessesOptions,
  stop: AbortSignal,
  fail: (error: ConverterError) => void,
): Promise<{ how: string | number | null; hasWorked: boolean }> {
  const child = start();
  log.info('a worker process has started', { number, pid: child.pid });
  let hasWorked = false;
  const send = (message: WorkerMessages['answer']) => {
    // One that has just ended receives nothing.
    if (child.connected) child.send(message, () => {});
  };
  const obtain = async (replaced: string | undefined) => {
    try {
      if (tokens === undefined) throw new Error('there is no login');
      return { token: await tokens.obtain(replaced) };
    } catch (error) {
      return { error: sentError(error) };
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
    // What it has not done by then, another worker does.
    late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  };
  if (stop.aborted) end();
  else stop.addEventListener('abort', end, { once: true });
  try {
    const how = await new Promise<string | number | null>((resolve, reject) => {
      child.on('error', reject);
      // The channel has been read to its end, too: why it ended comes before.
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

/** What a worker process has of its parent. */
interface ParentLink {
  /** Whose login is that of the parent. */
  tokens: TokenSource;
  watch(event: WorkerEvent): void;
  /** Aborts when the parent says so, or is gone. */
  signal: AbortSignal;
  /** Says to the parent why this process ends. */
  fail(error: unknown): Promise<void>;
  /** Lets this process end. */
  close(): void;
}

/** Joins the parent, in a process that {@link runWorkerProcesses} has started. */
export function joinParent(parent: NodeJS.Process): ParentLink {
  const stop = new AbortController();
  const waiting = new Map<
    number,
    { resolve(token: IssuedToken): void; reject(error: Error): void }
  >();
  let asked = 0;
  const send = (message: WorkerMessages['request']) =>
    new Promise<void>((resolve) => {
      if (parent.connected) parent.send!(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const end = (why: string) => {
    const error = new ConverterError('INTERRUPTED', why);
    stop.abort(error);
    return error;
  };
  const leave = () => {
    const error = end('the process that started this worker is gone');
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const ON_MESSAGE: {
    [K in Answer['kind']]: (message: Extract<Answer, { kind: K }>) => void;
  } = {
    stop: () => void end('the process that started this worker ends'),
    token: ({ id, result }) => {
      const asker = waiting.get(id);
      waiting.delete(id);
      if ('error' in result) return asker?.reject(errorOf(result.error));
      registerSecret(result.token.value);
      asker?.resolve(result.token);
    },
  };
  const receive = (message: Answer) => ON_MESSAGE[message.kind](message as never);
  parent.on('message', receive as NodeJS.MessageListener);
  parent.once('disconnect', leave);
  // It may have died while this process started.
  if (!parent.connected) leave();
  return {
    tokens: {
      obtain: (replaced) =>
        new Promise((resolve, reject) => {
          if (!parent.connected) return reject(stop.signal.reason);
          const id = ++asked;
          waiting.set(id, { resolve, reject });
          void send({ kind: 'obtain', id, replaced });
        }),
      forget: (token) => void send({ kind: 'forget', token }),
      // It is that of the other workers, too.
      close: async () => {},
    },
    watch: (event) => void send({ kind: 'event', event }),
    signal: stop.signal,
    fail: (error) => send({ kind: 'failed', error: sentError(error) }),
    close: () => {
      parent.off('disconnect', leave);
      parent.off('message', receive as NodeJS.MessageListener);
      if (parent.connected) parent.disconnect();
    },
  };
}

type Answer = WorkerMessages['answer'];

function sentError(thrown: unknown): SentError {
  const { code, message, help, isGeneralHelp, operation, url, status, cause } =
    asConverterError(thrown);
  const own = isGeneralHelp ? undefined : help;
  const stack = code === 'INTERNAL' ? (cause as Error | undefined)?.stack : undefined;
  const context = withoutUndefined({ operation, url, status, help: own });
  return { code, message, context, connection: connectionCode(cause), stack };
}

function errorOf({ code, message, context, connection, stack }: SentError): ConverterError {
  const cause = Object.assign(new Error(message), { code: connection }, stack && { stack });
  return new ConverterError(code, message, { ...context, cause });
}
