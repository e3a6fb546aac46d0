/** The shared code of all servers: their address and its check, the error if the system refuses it, and their names. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { ConverterError } from './errors.ts';
import { CHECKS } from './parameters.ts';

/** Where a server listens, and under which names. */
export interface ServerAddress {
  /** @defaultValue 0, any free port */
  port?: number;
  /** Any other address than the default lets other machines in. @defaultValue `127.0.0.1` */
  host?: string;
  /** Names of this server, beside its addresses, `localhost` and `host`; a page could make any other point to it. */
  names?: readonly string[];
}

type ListenAddress = Required<Omit<ServerAddress, 'names'>>;

const HIGHEST_PORT = 65_535;
/** What a port has to be, as the end of "expected …". */
const PORT = `a whole number from 0 to ${HIGHEST_PORT}`;

/** The checks of the options of a server, for {@link checkParameters}. */
export const LISTEN_CHECKS = {
  port: z.custom(isPort, PORT).optional(),
  host: CHECKS.text.optional(),
} satisfies Record<keyof ListenAddress, z.ZodType>;

/** Reads a port. @throws {@link ConverterError} `USAGE`, after the name of its option. */
export function readPort(text: string, option: string): number {
  if (/^\d{1,5}$/.test(text) && isPort(Number(text))) return Number(text);
  throw new ConverterError('USAGE', `${option}: expected ${PORT}, received "${text}"`);
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= HIGHEST_PORT;
}

const REASONS: Readonly<Record<string, (at: ListenAddress) => string>> = {
  EADDRINUSE: ({ port }) => `port: another program uses port ${port}`,
  EACCES: ({ port }) =>
    `port: expected a port that you may use, such as one from 1024, received ${port}`,
  EADDRNOTAVAIL: foreignHost,
  ENOTFOUND: foreignHost,
  EAI_AGAIN: foreignHost,
};

const OTHER_HOST = 'choose another host';
const OTHER_PORT = 'choose another port, or 0 for any free port';

function foreignHost({ host }: ListenAddress): string {
  return `host: expected an address of this machine, received ${host}`;
}

/**
 * Lets a server listen.
 *
 * @returns Its origin, such as `http://127.0.0.1:4810`.
 * @throws {@link ConverterError} `USAGE` naming port or host if the address cannot be used.
 */
export async function listen(
  server: { listen(at: ListenAddress): Promise<string> },
  { port = 0, host = '127.0.0.1' }: ServerAddress,
): Promise<string> {
  try {
    return (await server.listen({ port, host })).replace('//[::]', '//127.0.0.1');
  } catch (cause) {
    const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw cause;
    const help = reason === foreignHost ? OTHER_HOST : OTHER_PORT;
    throw new ConverterError('USAGE', reason({ port, host }), { cause, help });
  }
}

const MISDIRECTED = {
  status: 421,
  message: 'this server is not known by that name; see --allow-host',
} as const;

/**
 * The answer to a request whose `Host` header does not name a server; undefined if the header names it: by an address,
 * as `localhost`, as the host on which it listens, or by one of its names, in any case. A web page could let any other
 * name point to the server and then read its answers.
 */
export function misdirectionOf(header: string | undefined, address: ServerAddress) {
  return isNameOf(header, address) ? undefined : MISDIRECTED;
}

function isNameOf(header: string | undefined, { host, names = [] }: ServerAddress): boolean {
  const [, spelling] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header ?? '') ?? [];
  if (spelling === undefined) return false;
  const name = spelling.replace(/^\[|\]$/g, '').toLowerCase();
  const known = ['', 'localhost', host, ...names].map((one) => one?.toLowerCase());
  // An address with a zone, such as `::1%eth0`, cannot be in a URL.
  return (isIP(name) !== 0 && !name.includes('%')) || known.includes(name);
}
