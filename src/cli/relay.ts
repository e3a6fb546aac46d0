/**
 * `btg2gltf relay`: the token relay, for pages that must not know the authentication server.
 */
import { RELAY_DEFAULTS } from '../gateway/relay.ts';
import { ConverterError } from '../support/errors.ts';
import { type Arguments, type Command, type Io, numberOf, textOf } from './command.ts';
import { readOrigins } from './inbox.ts';
import { listenOn, listenOptions, reachOf, readListening, untilInterrupted } from './listen.ts';
import { openVoice } from './progress.ts';

const DEFAULT_PORT = 4830;

/** The command. */
export const relayCommand: Command = {
  positionals: [],
  options: {
    ...listenOptions(DEFAULT_PORT),
    'allow-origin': {
      type: 'string',
      describe: 'pages of these origins may post, separated by commas [default: none]',
    },
    'per-sender': {
      type: 'number',
      min: 1,
      describe: 'logins a minute from one address',
      default: RELAY_DEFAULTS.perSender,
    },
    overall: {
      type: 'number',
      min: 1,
      describe: 'logins a minute in all',
      default: RELAY_DEFAULTS.overall,
    },
    padding: {
      type: 'string',
      choices: ['pkcs1', 'oaep'],
      describe: 'padding of the encrypted login',
    },
    'token-element': {
      type: 'string',
      choices: ['first', 'last'],
      describe: 'which element of the answer is the token',
    },
    'log-format': {
      type: 'string',
      choices: ['pretty', 'json'],
      describe: 'how log lines look; pretty on a terminal, else json',
    },
  },
  examples: [
    'btg2gltf relay',
    'curl -d username=… -d password=… -d rememberme=false http://127.0.0.1:4830/gettoken.php',
  ],
  run: relay,
};

async function relay(args: Arguments, io: Io): Promise<number> {
  const { openRelay } = await import('../gateway/relay.ts');
  const at = readListening(args, DEFAULT_PORT);
  const origins = await readOrigins(args);
  const { log } = await openVoice(textOf(args, 'log-format') as 'pretty' | 'json' | undefined, io);
  const appKey = io.env.BTG2GLTF_APP_KEY ?? '';
  const padding = textOf(args, 'padding') as 'pkcs1' | 'oaep' | undefined;
  const tokenElement = textOf(args, 'token-element') as 'first' | 'last' | undefined;
  const server = await listenOn(at, () =>
    openRelay({
      ...at,
      authUrl: authUrlOf(io),
      now: io.now,
      random: io.random,
      log,
      perSender: numberOf(args, 'per-sender') ?? RELAY_DEFAULTS.perSender,
      overall: numberOf(args, 'overall') ?? RELAY_DEFAULTS.overall,
      ...(appKey === '' ? {} : { appKey }),
      ...(origins === undefined ? {} : { origins }),
      ...(padding === undefined ? {} : { padding }),
      ...(tokenElement === undefined ? {} : { tokenElement }),
    }),
  );
  io.print(`
  Logins posted to ${server.url} are answered with a token
  ${reachOf(at)}
  Ctrl-C ends it.

`);
  await untilInterrupted(io);
  await server.close();
  return 0;
}

function authUrlOf({ env }: Io): string {
  const address = env.BTG2GLTF_AUTH_URL ?? '';
  if (address !== '') return address;
  throw new ConverterError(
    'PIPELINE_VARIABLE_UNSET',
    'the relay needs an authentication server: BTG2GLTF_AUTH_URL not set',
  );
}
