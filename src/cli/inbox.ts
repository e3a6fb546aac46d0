/**
 * `btg2gltf inbox`: receives the cart posts of the planning frontend.
 */
import { resolve } from 'node:path';
import { INBOX_DEFAULTS } from '../gateway/inbox.ts';
import { type Arguments, type Command, type Io, numberOf, textOf } from './command.ts';
import { openLedger } from './ledger.ts';
import { listenOn, listenOptions, reachOf, readListening, untilInterrupted } from './listen.ts';
import { openVoice } from './progress.ts';

const DEFAULT_PORT = 4820;
const MEBIBYTE = 1024 * 1024;

/** The command. */
export const inboxCommand: Command = {
  positionals: [],
  options: {
    store: { type: 'string', required: true, describe: 'folder of the carts, one file each' },
    ...listenOptions(DEFAULT_PORT),
    'allow-origin': {
      type: 'string',
      describe: 'only pages of these origins may post, separated by commas [default: all]',
    },
    'max-mib': {
      type: 'number',
      min: 1,
      describe: 'largest cart, MiB',
      default: INBOX_DEFAULTS.bodyLimitBytes / MEBIBYTE,
    },
    cache: { type: 'string', describe: 'cache that remembers permanent identifiers of carts' },
    pipeline: { type: 'string', describe: 'take cache and service from this pipeline file' },
    'permanent-ids': {
      type: 'boolean',
      describe: 'store each planning at the service too and answer its permanent identifier',
    },
    'log-format': {
      type: 'string',
      choices: ['pretty', 'json'],
      describe: 'how log lines look; pretty on a terminal, else json',
    },
  },
  examples: [
    'btg2gltf inbox --port 4820 --store carts',
    'btg2gltf inbox --store carts --host 0.0.0.0 --allow-origin https://plan.example',
  ],
  run: receive,
};

async function receive(args: Arguments, io: Io): Promise<number> {
  const { openInbox } = await import('../gateway/inbox.ts');
  const at = readListening(args, DEFAULT_PORT);
  const origins = await readOrigins(args);
  const limitMib = numberOf(args, 'max-mib');
  const { log } = await openVoice(textOf(args, 'log-format') as 'pretty' | 'json' | undefined, io);
  const store = resolve(textOf(args, 'store')!);
  const opened = await openLedger(args, io);
  try {
    const inbox = await listenOn(at, () =>
      openInbox({
        ...at,
        store,
        now: io.now,
        log,
        ...(origins === undefined ? {} : { origins }),
        ...(limitMib === undefined ? {} : { bodyLimitBytes: limitMib * MEBIBYTE }),
        ...(opened === undefined ? {} : { permanentIds: opened.store }),
      }),
    );
    io.print(`
  Carts posted to ${inbox.url} are stored in ${store}
  ${reachOf(at)}
  Ctrl-C ends it.

`);
    await untilInterrupted(io);
    await inbox.close();
  } finally {
    await opened?.close();
  }
  return 0;
}

/**
 * Reads `--allow-origin`.
 *
 * @returns Undefined where it was not given.
 * @throws {@link ConverterError} `USAGE` for what is no origin.
 */
export async function readOrigins(args: Arguments): Promise<string[] | undefined> {
  const text = textOf(args, 'allow-origin');
  if (text === undefined) return undefined;
  const { readOrigin } = await import('../gateway/server.ts');
  const { usageError } = await import('./arguments.ts');
  return text.split(',').map((entry) => {
    const origin = readOrigin(entry.trim());
    if (origin !== undefined) return origin;
    throw usageError(
      `--allow-origin: expected scheme and host, such as https://plan.example, received "${entry.trim()}"`,
    );
  });
}
