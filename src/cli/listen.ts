/** The address, errors, origins and shutdown of all commands that listen for connections. @see D-810 */
import { isIP } from 'node:net';
import { isLoopback } from '../support/addresses.ts';
import { isConverterError } from '../support/errors.ts';
import { readPort } from '../support/listening.ts';
import { type Arguments, given, type Io, type OptionSpec, textOf, usageError } from './command.ts';

interface Listening {
  port: number;
  host: string;
  /** Origins of `--allow-origin`; missing if it was not given. */
  origins?: string[];
  /** Names of `--allow-host`; missing if it was not given. */
  names?: string[];
}

const LOOPBACK = '127.0.0.1';

const ORIGINS: OptionSpec = {
  type: 'string',
  describe:
    'web pages that may post, by their origins such as https://shop.example, with commas between [default: none]',
};

/** The options of a command that listens. @param arePosts - Whether pages may post to it. */
export function listenOptions(port: number, arePosts = false): Record<string, OptionSpec> {
  return {
    port: { type: 'string', describe: 'port, or 0 for any free port', default: port },
    host: {
      type: 'string',
      describe: 'address on which it listens; 0.0.0.0 lets other machines connect',
      default: LOOPBACK,
    },
    ...(arePosts && { 'allow-origin': ORIGINS }),
    'allow-host': {
      type: 'string',
      describe: 'names by which others reach it, such as assets.example, with commas between',
    },
  };
}

/**
 * Reads the options of {@link listenOptions}.
 *
 * @param standard - The port without `--port`.
 * @throws {@link ConverterError} `USAGE`; also for an address in place of a port, which would expose the server.
 */
export async function readListening(args: Arguments, standard: number): Promise<Listening> {
  const text = textOf(args, 'port') ?? String(standard);
  const host = textOf(args, 'host') ?? LOOPBACK;
  const address = isIP(text) ? text : /^\[?(?<host>.+?)\]?:\d*$/.exec(text)?.groups?.host;
  if (address !== undefined) {
    throw usageError(
      `--port: expected a number, received "${text}"; to let other machines connect, use --host ${address}`,
    );
  }
  const port = readPort(text, '--port');
  if (/[\s/]|^[^[]*:\d+$/.test(host) && !isIP(host)) {
    throw usageError(`--host: expected an address without a port, received "${host}"`);
  }
  const names = textOf(args, 'allow-host')
    ?.split(',')
    .map((name) => name.trim());
  const origins = await readOrigins(args, 'allow-origin');
  return { port, host, ...given({ origins, names }) };
}

/** Reads an option that lists origins, separated by commas. @throws {@link ConverterError} `USAGE` naming the option. */
export async function readOrigins(args: Arguments, name: string): Promise<string[] | undefined> {
  const texts = textOf(args, name)?.split(',');
  if (texts === undefined) return undefined;
  const { readOrigin } = await import('../web/servers/server.ts');
  return texts.map((text) => {
    const origin = readOrigin(text.trim());
    if (origin !== undefined) return origin;
    const expected = 'expected scheme and host, such as https://plan.example';
    throw usageError(`--${name}: ${expected}, received "${text.trim()}"`);
  });
}

/** Reads an option that names a server, without a path. @throws {@link ConverterError} `USAGE` naming the option. */
export function readServer(args: Arguments, name: string): string | undefined {
  const text = textOf(args, name);
  if (text === undefined) return undefined;
  const { protocol, username, password, pathname, search, hash, origin } = new URL(
    URL.canParse(text) ? text : 'about:',
  );
  const isPlain = pathname === '/' && username + password + search + hash === '';
  if (/^https?:$/.test(protocol) && isPlain) return origin;
  const expected = 'expected scheme and host, such as https://assets.example';
  throw usageError(`--${name}: ${expected}, received another text`);
}

/**
 * Starts a server, prints a text about it and waits for Ctrl-C or SIGTERM, which end it with exit code 0.
 *
 * @param link - An address with a token that a person opens: printed as it is, and nowhere else.
 * @throws {@link ConverterError} `USAGE` if the address cannot be used.
 */
export async function serveUntilInterrupted<T extends { close(): Promise<void> }>(
  at: Listening,
  io: Io,
  start: () => Promise<T>,
  text: (server: T) => string,
  link?: (server: T) => string,
): Promise<number> {
  const server = await startListening(start);
  const reach = isLoopback(at.host)
    ? 'Only this machine can connect. To let others connect: --host 0.0.0.0'
    : `Everyone who can reach ${at.host} can connect, unencrypted: use a proxy with TLS and access control.`;
  io.print(`\n${text(server)}  ${reach}\n  Press Ctrl-C to stop.\n\n`);
  if (link !== undefined)
    io.printData(`  Planning page, to open in a browser:\n\n${link(server)}\n\n`);
  await new Promise<void>((done) => {
    if (io.signal.aborted) done();
    else io.signal.addEventListener('abort', () => done(), { once: true });
  });
  await server.close();
  return 0;
}

/** Starts a server. @throws {@link ConverterError} `USAGE` naming the option if the address cannot be used. */
export async function startListening<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const isAddress = isConverterError(error, 'USAGE') && /^(?:port|host): /.test(error.message);
    throw isAddress ? usageError(`--${error.message}`, error.help) : error;
  }
}
