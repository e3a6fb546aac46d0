/** `btg2gltf inbox` and `btg2gltf relay`: the servers that the planning frontend posts to. */
import { resolve } from 'node:path';
import { loadPipeline } from '../deliver/pipeline.ts';
import { describeService, openService } from '../run/open/connect.ts';
import { ConverterError } from '../support/errors.ts';
import { INBOX_DEFAULTS, openInbox } from '../web/servers/inbox.ts';
import { openRelay, RELAY_DEFAULTS } from '../web/servers/relay.ts';
import {
  type Arguments,
  type Command,
  given,
  type Io,
  numberOf,
  textOf,
  usageError,
} from './command.ts';
import { listenOptions, readListening, serveUntilInterrupted } from './listen.ts';
import { applyOptions, optionsOf } from './pipeline-options.ts';
import { LOG_FORMAT_OPTION, openLog } from './run-output.ts';
import { environmentOf, pipelineOf } from './service-options.ts';

const INBOX_PORT = 4820;
const MEBIBYTE = 1024 * 1024;
const DEFAULT_MIB = INBOX_DEFAULTS.bodyLimitBytes / MEBIBYTE;

const limit = (describe: string, standard: number) =>
  ({ type: 'number', min: 1, describe, default: standard }) as const;

/** The command `inbox`: receives the cart posts of the planning frontend. */
export const inboxCommand: Command = {
  options: {
    store: { type: 'string', value: 'DIR', required: true, describe: 'folder of one file a cart' },
    ...listenOptions(INBOX_PORT, true),
    'max-mib': limit('largest cart, MiB', DEFAULT_MIB),
    'max-carts': limit('most files in the store', INBOX_DEFAULTS.maxFiles),
    'max-store-mib': limit('most MiB in the store', INBOX_DEFAULTS.maxStoreBytes / MEBIBYTE),
    'max-values': limit('most objects, lists and keys of a cart', INBOX_DEFAULTS.maxValues),
    'max-connections': limit(
      'most connections; then the longest idle ones are closed',
      INBOX_DEFAULTS.maxConnections,
    ),
    'max-memory-mib': limit(
      'most MiB of posts in memory; then the slowest is refused (503)',
      INBOX_DEFAULTS.maxBytesInMemory / MEBIBYTE,
    ),
    'max-waiting': limit(
      'most carts that wait for a permanent identifier; more get none',
      INBOX_DEFAULTS.maxWaiting,
    ),
    cache: { type: 'string', describe: 'cache folder to store permanent identifiers in' },
    pipeline: { type: 'string', describe: 'take cache and service from this pipeline file' },
    'permanent-ids': {
      type: 'boolean',
      describe: 'store each planning at the service too, and return its permanent identifier',
    },
    ...optionsOf('inbox'),
    'log-format': LOG_FORMAT_OPTION,
  },
  notes: [
    'A post has the body {"json": ARTICLE}, as the planning frontend sends it, or ARTICLE alone.',
    'ARTICLE is the JSON of the top-level article as GET articles returns it, with its children.',
    'It needs id and rootid (equal), manufacturer, program and basearticlenumber; its configuration',
    'is ocd.reinitstring. The response is {"stored": true, "id": …, "file": …, "warnings": […]},',
    'or {"error": …, "code": …} with status 403, 413, 421, 422, 503 or 507. A web page may post if',
    '--allow-origin lists it, or if BTG2GLTF_INBOX_SECRET is SECRET, to …/cart?secret=SECRET or with',
    'the header Authorization: Bearer SECRET.',
    '',
  ],
  examples: [
    'btg2gltf inbox --store carts',
    'btg2gltf catalogue show FJEL/LINEA/LN-M --emulator --json > article.json',
    'curl --json @article.json http://127.0.0.1:4820/cart',
    'btg2gltf inbox --store carts --host 0.0.0.0 --allow-origin https://plan.example',
  ],
  async run(args, io) {
    const at = await readListening(args, INBOX_PORT);
    const bodyLimitBytes = (numberOf(args, 'max-mib') ?? DEFAULT_MIB) * MEBIBYTE;
    const log = await openLog(args, io);
    const store = resolve(textOf(args, 'store')!);
    const permanentIds = await openPermanentIds(args, io);
    const bytesOf = (name: string) => (numberOf(args, name) ?? 0) * MEBIBYTE || undefined;
    const limits = given({
      maxFiles: numberOf(args, 'max-carts'),
      maxValues: numberOf(args, 'max-values'),
      maxConnections: numberOf(args, 'max-connections'),
      maxWaiting: numberOf(args, 'max-waiting'),
      maxStoreBytes: bytesOf('max-store-mib'),
      maxBytesInMemory: bytesOf('max-memory-mib'),
      secret: io.env.BTG2GLTF_INBOX_SECRET || undefined,
      permanentIds,
    });
    const options = { ...at, store, now: io.now, log, bodyLimitBytes };
    const start = () => openInbox({ ...options, ...limits });
    try {
      return await serveUntilInterrupted(at, io, start, ({ url }) => {
        return `  Post carts to ${url} to store them in ${store}.\n`;
      });
    } finally {
      await permanentIds?.close();
    }
  },
};

/**
 * Opens the store of permanent IDs in the cache of `--cache` or `--pipeline`; undefined without both.
 * An ID belongs to a service: the service of the pipeline, otherwise that of the environment variables (D-813).
 */
async function openPermanentIds(args: Arguments, io: Io) {
  const cache = textOf(args, 'cache');
  const file = textOf(args, 'pipeline');
  if (cache === undefined && file === undefined) {
    if (args['permanent-ids']) {
      throw usageError('--permanent-ids needs --cache or --pipeline');
    }
    return undefined;
  }
  const loaded = file === undefined ? await pipelineOf({}, io) : await loadPipeline(file, io.env);
  const { pipeline } = applyOptions(loaded, { 'allow-http': args['allow-http'] }, io);
  const { openCacheDatabase } = await import('../source/cache/database.ts');
  const database = await openCacheDatabase(resolve(cache ?? pipeline.cacheDir));
  const owner = describeService(pipeline.service);
  // The service has its own signal: the end of the inbox must not abort the requests of the last carts.
  const environment = { ...environmentOf(io), signal: new AbortController().signal };
  const open = () => openService(pipeline.service, environment);
  let opened: ReturnType<typeof open> | undefined;
  return {
    put: (id: string, article: unknown) => database.permanentIds.put(owner, id, article),
    ...(args['permanent-ids'] && {
      obtain: async (article: unknown) => {
        opened ??= open();
        return (await opened).client.storePlanning(article);
      },
    }),
    close: async () => {
      await opened?.then((service) => service.close()).catch(() => undefined);
      database.close();
    },
  };
}

const RELAY_PORT = 4830;
const NO_ADDRESS =
  'BTG2GLTF_AUTH_URL: expected the address of the authentication server, received nothing';

/** The command `relay`: the token relay, for pages that must not use the authentication server. */
export const relayCommand: Command = {
  options: {
    ...listenOptions(RELAY_PORT, true),
    'per-sender': limit('logins per minute from one address', RELAY_DEFAULTS.perSender),
    overall: limit('logins per minute from all addresses', RELAY_DEFAULTS.overall),
    padding: { type: 'string', choices: ['pkcs1', 'oaep'], describe: 'padding of the login' },
    'token-element': { type: 'string', choices: ['first', 'last'], describe: 'place of the token' },
    ...optionsOf('relay'),
    'log-format': LOG_FORMAT_OPTION,
  },
  examples: [
    'btg2gltf relay',
    'curl -d "username=$BTG2GLTF_USERNAME" -d "password=$BTG2GLTF_PASSWORD" -d rememberme=false http://127.0.0.1:4830/gettoken.php',
  ],
  async run(args, io) {
    const at = await readListening(args, RELAY_PORT);
    const log = await openLog(args, io);
    const appKey = io.env.BTG2GLTF_APP_KEY || undefined;
    const padding = textOf(args, 'padding') as 'pkcs1' | 'oaep' | undefined;
    const tokenElement = textOf(args, 'token-element') as 'first' | 'last' | undefined;
    const perSender = numberOf(args, 'per-sender');
    const overall = numberOf(args, 'overall');
    const start = async () => {
      const authUrl = io.env.BTG2GLTF_AUTH_URL;
      if (!authUrl) throw new ConverterError('PIPELINE_VARIABLE_UNSET', NO_ADDRESS);
      return openRelay({
        ...at,
        ...{ authUrl, allowHttp: args['allow-http'] === true, now: io.now, random: io.random, log },
        ...given({ perSender, overall, appKey, padding, tokenElement }),
      });
    };
    return serveUntilInterrupted(at, io, start, ({ url }) => {
      return `  Post logins to ${url} to receive tokens.\n`;
    });
  },
};
