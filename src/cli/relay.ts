/** `btg2gltf relay`: the token relay, for pages that must not use the authentication server. */
import { openRelay, RELAY_DEFAULTS } from '../gateway/relay.ts';
import { ConverterError } from '../support/errors.ts';
import { type Command, given, type Io, numberOf, textOf } from './command.ts';
import { listenOptions, readListening, serveUntilInterrupted } from './listen.ts';
import { LOG_FORMAT_OPTION, openOutput } from './run-output.ts';

const DEFAULT_PORT = 4830;
const limit = (describe: string, standard: number) =>
  ({ type: 'number', min: 1, describe, default: standard }) as const;

/** The command. */
export const relayCommand: Command = {
  options: {
    ...listenOptions(DEFAULT_PORT, 'none'),
    'per-sender': limit('logins per minute from one address', RELAY_DEFAULTS.perSender),
    overall: limit('logins per minute from all addresses', RELAY_DEFAULTS.overall),
    padding: { type: 'string', choices: ['pkcs1', 'oaep'], describe: 'padding of the login' },
    'token-element': { type: 'string', choices: ['first', 'last'], describe: 'place of the token' },
    'log-format': LOG_FORMAT_OPTION,
  },
  examples: [
    'btg2gltf relay',
    'curl -d "username=$BTG2GLTF_USERNAME" -d "password=$BTG2GLTF_PASSWORD" -d rememberme=false http://127.0.0.1:4830/gettoken.php',
  ],
  async run(args, io) {
    const at = await readListening(args, DEFAULT_PORT);
    const { log } = await openOutput(args, io);
    const appKey = io.env.BTG2GLTF_APP_KEY || undefined;
    const padding = textOf(args, 'padding') as 'pkcs1' | 'oaep' | undefined;
    const tokenElement = textOf(args, 'token-element') as 'first' | 'last' | undefined;
    const perSender = numberOf(args, 'per-sender');
    const overall = numberOf(args, 'overall');
    const start = async () =>
      openRelay({
        ...{ ...at, authUrl: authUrlOf(io), now: io.now, random: io.random, log },
        ...given({ perSender, overall, appKey, padding, tokenElement }),
      });
    const text = ({ url }: { url: string }) => `  Post logins to ${url} to receive tokens.\n`;
    return serveUntilInterrupted(at, io, start, text);
  },
};

function authUrlOf({ env }: Io): string {
  if (env.BTG2GLTF_AUTH_URL) return env.BTG2GLTF_AUTH_URL;
  throw new ConverterError(
    'PIPELINE_VARIABLE_UNSET',
    'BTG2GLTF_AUTH_URL: expected the address of the authentication server, received nothing',
  );
}
