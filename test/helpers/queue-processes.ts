/** Queue processes: workers and coordinators that a test starts, hears and kills. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('queue-process.mjs', import.meta.url));
const WORKER = new URL('queue-worker.mjs', import.meta.url).href;

/** What a process prints: one thing a line. */
type Line = Record<string, unknown>;

/** A process, running, or a worker in this one. */
export interface QueueProcess {
  readonly lines: Line[];
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /**
   * Resolves with the first line that has a field, perhaps with this value, or one of which a function is true.
   * Rejects if the process ends before.
   */
  line<T>(field: string, value?: T | ((value: T) => boolean)): Promise<Line>;
}

/** Starts a process; `options` is described in `queue-process.mjs` and `queue-worker.mjs`. */
export function startQueueProcess(options: Record<string, unknown>): QueueProcess {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then(([exit]) => exit as number | null);
  const { add, ...heard } = hearing(ended, () => errors);
  createInterface({ input: child.stdout }).on('line', (text) => add(JSON.parse(text) as Line));
  return { ...heard, kill: (signal) => void child.kill(signal) };
}

interface BuiltWorker {
  ended: Promise<void>;
  stop(graceMs: number): Promise<void>;
}
interface WorkerModule {
  openWorker(options: Record<string, unknown>, print: (line: Line) => void): Promise<BuiltWorker>;
}

/** Starts a worker in this process: one that no test kills. A signal stops it. */
export function startQueueWorker(options: Record<string, unknown>): QueueProcess {
  let worker: BuiltWorker | undefined;
  let errors = '';
  const work = async () => {
    const { openWorker } = (await import(WORKER)) as WorkerModule;
    worker = await openWorker(options, (line) => heard.add(line));
    await worker.ended;
    return 0;
  };
  // It begins once its lines are heard.
  const ended = Promise.resolve()
    .then(work)
    .catch((error: Error) => {
      errors += error.message;
      return 1;
    });
  const heard = hearing(ended, () => errors);
  return { ...heard, kill: (signal) => void worker?.stop(signal === 'SIGTERM' ? 1_000 : 0) };
}

/** Keeps lines, and gives them to those who wait for one. */
function hearing(whenEnded: Promise<number | null>, errors: () => string) {
  const lines: Line[] = [];
  const listeners = new Set<() => void>();
  let isEnded = false;
  const tellAll = () => {
    for (const listener of listeners) listener();
  };
  return {
    lines,
    add(line: Line): void {
      lines.push(line);
      tellAll();
    },
    ended: whenEnded.then((exit) => {
      isEnded = true;
      tellAll();
      return exit;
    }),
    line: <T>(field: string, value?: T | ((value: T) => boolean)) =>
      new Promise<Line>((resolve, reject) => {
        const look = () => {
          const fits = (given: T) =>
            value instanceof Function
              ? value(given)
              : value === undefined || JSON.stringify(given) === JSON.stringify(value);
          const found = lines.find((line) => field in line && fits(line[field] as T));
          if (found === undefined && !isEnded) return;
          listeners.delete(look);
          const seen = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n${errors()}`;
          if (found !== undefined) resolve(found);
          else reject(new Error(`it ended without ${field} ${JSON.stringify(value)}: ${seen}`));
        };
        listeners.add(look);
        look();
      }),
  };
}

/** Connections to a server that can be cut. */
interface Proxy {
  /** The address of the server, by way of this proxy. */
  url: string;
  /** Breaks every connection, and each further one. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Starts a proxy of the server at an address. */
export async function startProxy(serverUrl: string): Promise<Proxy> {
  const address = new URL(serverUrl);
  const target = { host: address.hostname, port: Number(address.port) };
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const onward = connect(target);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: address.href,
    cut,
    restore: () => {
      isCut = false;
    },
    close: async () => {
      const closed = once(server.close(), 'close');
      cut();
      await closed;
    },
  };
}
