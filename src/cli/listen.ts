/**
 * Listen: what every command has in common that others can reach: where it listens, and until when.
 *
 * Without `--host` that is this machine alone: nobody opens a door to the network by accident.
 *
 * @see D-810.
 */
import { isIP } from 'node:net';
import { usageError } from './arguments.ts';
import { type Arguments, type Io, type OptionSpec, textOf } from './command.ts';

/** Where to listen. */
export interface Listening {
  port: number;
  host: string;
}

const LOOPBACK = '127.0.0.1';
const HIGHEST_PORT = 65_535;

/** What the system says about an address that cannot be listened on, in words. */
const REASONS: Readonly<Record<string, (at: Listening) => string>> = {
  EADDRINUSE: ({ port }) => `--port: ${port} is taken; choose another, or 0 for any free one`,
  EACCES: ({ port }) => `--port: ${port} needs rights that you do not have; choose one from 1024`,
  EADDRNOTAVAIL: ({ host }) => `--host: ${host} is no address of this machine`,
  ENOTFOUND: ({ host }) => `--host: ${host} is not known; expected an address of this machine`,
};

/** The options of a command that listens. */
export function listenOptions(port: number) {
  return {
    port: { type: 'string', describe: 'port; 0 is any free one', default: port },
    host: {
      type: 'string',
      describe: 'address to listen on, 0.0.0.0 for every one; anything but loopback lets others in',
      default: LOOPBACK,
    },
  } as const satisfies Record<string, OptionSpec>;
}

/**
 * Reads where to listen.
 *
 * @param standard - Port without `--port`.
 * @throws {@link ConverterError} `USAGE`; also for an address given as a port, which would be public
 *   without anybody having said so.
 */
export function readListening(args: Arguments, standard: number): Listening {
  const text = textOf(args, 'port') ?? String(standard);
  const host = textOf(args, 'host') ?? LOOPBACK;
  const address = isIP(text) ? text : /^\[?(?<host>.+?)\]?:\d*$/.exec(text)?.groups?.host;
  if (address !== undefined) {
    throw usageError(
      `--port: expected a number, received "${text}"; without --host only this machine is let in: to listen on another address, say --host ${address}`,
    );
  }
  if (!/^\d{1,5}$/.test(text) || Number(text) > HIGHEST_PORT) {
    throw usageError(`--port: expected 0 to ${HIGHEST_PORT}, received "${text}"`);
  }
  if (/[\s/]|^[^[]*:\d+$/.test(host) && !isIP(host)) {
    throw usageError(`--host: expected an address without a port, received "${host}"`);
  }
  return { port: Number(text), host };
}

/** Starts what listens; says in one sentence why it cannot. */
export async function listenOn<T>(at: Listening, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason === undefined ? error : usageError(reason(at));
  }
}

/** Who can reach it, and how to change that. */
export function reachOf({ host }: Listening): string {
  return isLoopback(host)
    ? 'Only this machine reaches it. To let others in, say so: --host 0.0.0.0'
    : `Everybody who reaches ${host} reaches it, unencrypted: put TLS and a check of who comes before it.`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Waits for Ctrl-C or SIGTERM: for what listens, the ordinary way to end. */
export function untilInterrupted({ signal }: Io): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
