/** `btg2gltf serve`: the emulator, for developing against the service; and the planning page for either of them. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { JsonRecord } from '../convert/wire/value.ts';
import { loadPipeline } from '../deliver/pipeline.ts';
import { startEmulatorOf } from '../emulator/start-emulator.ts';
import { describeService, languagesOf, openService } from '../run/open/connect.ts';
import { registerSecret } from '../support/redact.ts';
import { openPlanningSite, policyOrigin } from '../web/servers/planning-site.ts';
import { planningUrl } from '../web/servers/planning-url.ts';
import { type Arguments, type Command, given, type Io, textOf, usageError } from './command.ts';
import {
  listenOptions,
  readListening,
  readOrigins,
  readServer,
  serveUntilInterrupted,
} from './listen.ts';
import { LOG_FORMAT_OPTION, openLog } from './run-output.ts';
import { environmentOf } from './service-options.ts';

const DEFAULT_PORT = 4810;
const TOKEN_BYTES = 24;

/** Limits for a person who waits, in place of those of a nightly run. */
const OF_A_PERSON = {
  retries: 1,
  timeoutMs: 30_000,
  giveUpAfterMs: 2_000,
  maxPauseMs: 20_000,
  maxTotalPauseMs: 60_000,
} as const;

/** The command. */
export const serveCommand: Command = {
  options: {
    ...listenOptions(DEFAULT_PORT),
    recording: { type: 'string', describe: 'folder of a recording [default: the sample range]' },
    cache: { type: 'string', describe: 'cache folder that keeps permanent identifiers' },
    'planning-for': {
      type: 'string',
      value: 'PIPELINE.yaml',
      describe: 'serve the planning page for the service of this pipeline, not the emulator',
    },
    'frame-ancestors': {
      type: 'string',
      value: 'ORIGINS',
      describe:
        'origins whose pages may show the planning page in a frame, separated by commas, or none [default: this machine]',
    },
    cart: {
      type: 'string',
      value: 'URL',
      describe: 'address to which the planning page posts carts [default: it offers no cart]',
    },
    assets: {
      type: 'string',
      value: 'URL',
      describe: 'address of btg2gltf assets, by which the planning page shows articles in a room',
    },
    'public-links': {
      type: 'boolean',
      describe: 'show stored plannings, read-only, to everybody who has their permanent link',
    },
    'log-format': LOG_FORMAT_OPTION,
  },
  notes: [
    'The link that is printed opens the planning page. It contains a token: others can plan with it, too.',
    'With --planning-for the token is one of this process alone. Requests go to the service of the',
    'pipeline with a login that stays here, and permanent identifiers are those of its cache.',
    '--public-links needs it. A link then shows prices, too, and a person who guesses one sees that planning.',
    'For carts, start "btg2gltf inbox" with this server as --allow-origin, and name its address in --cart.',
    '',
  ],
  examples: [
    'btg2gltf serve',
    'btg2gltf serve --recording recording',
    'btg2gltf serve --planning-for pipeline.yaml',
    'btg2gltf inbox --store carts --allow-origin http://127.0.0.1:4810',
    'btg2gltf serve --cart http://127.0.0.1:4820/cart',
  ],
  async run(args, io) {
    const file = textOf(args, 'planning-for');
    const frameAncestors = await readAncestors(args);
    const urlwarenkorb = readCart(args);
    const hasPublicLinks = args['public-links'] === true;
    if (hasPublicLinks && file === undefined) {
      throw usageError('--public-links: expected --planning-for PIPELINE.yaml beside it');
    }
    const assetsUrl = readServer(args, 'assets');
    const page = { frameAncestors, urlwarenkorb, assetsUrl, hasPublicLinks };
    return file === undefined ? serveEmulator(args, io, page) : servePage(file, args, io, page);
  },
};

interface Page {
  /** Origins whose pages may embed the planning page; undefined: those of this machine. */
  frameAncestors: string[] | 'none' | undefined;
  urlwarenkorb: string | undefined;
  assetsUrl: string | undefined;
  hasPublicLinks: boolean;
}

async function readAncestors(args: Arguments): Promise<Page['frameAncestors']> {
  const name = 'frame-ancestors';
  if (textOf(args, name) === 'none') return 'none';
  const origins = await readOrigins(args, name);
  const unusable = origins?.find((origin) => policyOrigin(origin) === undefined);
  if (unusable === undefined) return origins;
  throw usageError(`--${name}: expected a plain host in each origin, received "${unusable}"`);
}

/** Reads the address of the cart in the form that the page accepts: without a login. */
function readCart(args: Arguments): string | undefined {
  const text = textOf(args, 'cart');
  if (text === undefined) return undefined;
  const { protocol, username, password } = new URL(URL.canParse(text) ? text : 'about:');
  if (/^https?:$/.test(protocol) && username === '' && password === '') return text;
  const expected = 'expected an address such as http://127.0.0.1:4820/cart, without a password';
  throw usageError(`--cart: ${expected}`);
}

async function serveEmulator(
  args: Arguments,
  io: Io,
  { frameAncestors, urlwarenkorb, assetsUrl }: Page,
): Promise<number> {
  const planningSite = openPlanningSite({ frameAncestors, assetsUrl });
  const recording = textOf(args, 'recording');
  const range = recording === undefined ? {} : { recording: resolve(recording) };
  // The emulator is the same system at any port, and has the same name in a pipeline with the same data.
  const owner = describeService(recording === undefined ? { emulator: true } : range);
  const at = await readListening(args, DEFAULT_PORT);
  const folder = textOf(args, 'cache');
  const database =
    folder === undefined
      ? undefined
      : await (await import('../source/cache/database.ts')).openCacheDatabase(resolve(folder));
  // A pipeline may use the address of the emulator instead.
  const names = [owner];
  const start = async () => {
    const emulator = await startEmulatorOf(range, {
      ...at,
      planningSite,
      onPermanentId(id, article) {
        for (const name of names) database?.permanentIds.put(name, id, article);
      },
      findPlanning: (id) => database?.permanentIds.get(owner, id) as JsonRecord | undefined,
    });
    names.push(emulator.baseUrl);
    return emulator;
  };
  try {
    return await serveUntilInterrupted(
      at,
      io,
      start,
      (emulator) => `  The emulator serves ${recording ?? 'the sample range'}.

  export BTG2GLTF_AUTH_URL='${emulator.authUrl}'
  export BTG2GLTF_BASE_URL='${emulator.baseUrl}'
  export BTG2GLTF_FRONTEND_URL='${emulator.frontendUrl}'
  export BTG2GLTF_USERNAME='${emulator.username}'
  export BTG2GLTF_PASSWORD='${emulator.password}'
  export BTG2GLTF_APP_KEY='${emulator.appKey}'

  With these variables, in another shell:  btg2gltf catalogue ls
                                           btg2gltf init
${cartText(urlwarenkorb)}`,
      ({ frontendUrl, issueToken }) => {
        const token = issueToken();
        registerSecret(token);
        return planningUrl({ frontendUrl, token, mode: 'hybrid', ...given({ urlwarenkorb }) });
      },
    );
  } finally {
    database?.close();
  }
}

/** The planning page for a live service. */
async function servePage(
  file: string,
  args: Arguments,
  io: Io,
  { frameAncestors, urlwarenkorb, assetsUrl, hasPublicLinks }: Page,
): Promise<number> {
  const wrong = ['recording', 'cache'].find((name) => args[name] !== undefined);
  if (wrong !== undefined) {
    throw usageError(`--${wrong}: expected none beside --planning-for, which has its own`);
  }
  const at = await readListening(args, DEFAULT_PORT);
  const pipeline = await loadPipeline(file, io.env);
  const { convert, service } = pipeline;
  const site = openPlanningSite({
    ...{ frameAncestors, convert, service, assetsUrl, hasPublicLinks },
  });
  const log = await openLog(args, io);
  const { openPlanningProxy } = await import('../web/servers/planning-proxy.ts');
  const owner = describeService(service);
  // The requests have their own signal: Ctrl-C first ends the requests through the server, and then logs out.
  const environment = { ...environmentOf(io), signal: new AbortController().signal };
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const { openCacheDatabase } = await import('../source/cache/database.ts');
  const database = await openCacheDatabase(pipeline.cacheDir);
  const start = () =>
    openPlanningProxy({
      ...at,
      // A line for each request of the page would push the link away.
      ...{ now: io.now, log: { ...log, info: log.debug }, token, site },
      open: () => openService({ ...service, ...OF_A_PERSON }, environment),
      permanentIds: {
        get: (id) => database.permanentIds.get(owner, id),
        put: (id, article) => database.permanentIds.put(owner, id, article),
      },
      publicLinks: hasPublicLinks ? { imageLocation: service.imageLocation } : undefined,
    });
  const text = () =>
    `  The planning page of ${owner}, with the login of this machine.\n${cartText(urlwarenkorb)}`;
  const [lang] = languagesOf(service);
  try {
    return await serveUntilInterrupted(at, io, start, text, ({ url: frontendUrl }) =>
      planningUrl({ frontendUrl, token, mode: 'hybrid', ...given({ lang, urlwarenkorb }) }),
    );
  } finally {
    database.close();
  }
}

/** The address is redacted because it may contain a secret. */
function cartText(urlwarenkorb: string | undefined): string {
  if (urlwarenkorb !== undefined) return '';
  return '\n  The page offers no cart; to get one: btg2gltf serve --help\n';
}
