/** `btg2gltf assets`: models and pictures of any configuration, by address. */
import { isIP } from 'node:net';
import { languagesOf } from '../run/open/connect.ts';
import { ConverterError } from '../support/errors.ts';
import { readBytes } from '../support/files.ts';
import { mediaTypeOf } from '../support/media-types.ts';
import { ASSET_LIMITS } from '../web/assets/limits.ts';
import { openAssetsOf } from '../wiring.ts';
import { type Command, numberOf, textOf, usageError } from './command.ts';
import { setEngineFlags } from './engine-flags.ts';
import {
  listenOptions,
  readListening,
  readOrigins,
  readServer,
  serveUntilInterrupted,
} from './listen.ts';
import { optionsOf, PIPELINE_POSITIONAL, readRunOptions } from './pipeline-options.ts';
import { openLog } from './run-output.ts';
import { environmentOf } from './service-options.ts';

const ASSETS_PORT = 4860;
const RESOLVE_MAX_AGE_SECONDS = 600;
/** Requests have so long when the server stops, and then what is being made, milliseconds. */
const STOPS_WITHIN_MS = 5_000;
/** Longest timer of Node, milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const MAX_WAIT_SECONDS = ASSET_LIMITS.maxWaitMs / 1000;

/** The command. */
export const assetsCommand: Command = {
  positionals: PIPELINE_POSITIONAL,
  options: {
    ...listenOptions(ASSETS_PORT),
    'public-url': {
      type: 'string',
      value: 'URL',
      describe: 'address that links and QR codes begin with [default: that of the request]',
    },
    'allow-origin': {
      type: 'string',
      describe:
        'web pages that may load models, by their origins such as https://shop.example, with commas between; * is all [default: none]',
    },
    'trust-proxy': {
      type: 'string',
      value: 'ADDRESSES',
      describe:
        'proxies in front of it, whose header X-Forwarded-For is believed: addresses, networks, loopback or uniquelocal, with commas between [default: none]',
    },
    'max-wait': {
      type: 'number',
      min: 1,
      describe:
        'seconds that a request waits for a new file; then it gets status 503, and the work goes on',
      default: MAX_WAIT_SECONDS,
    },
    'resolve-max-age': {
      type: 'number',
      describe: 'seconds after which the service is asked again about a configuration',
      default: RESOLVE_MAX_AGE_SECONDS,
    },
    'max-new': {
      type: 'number',
      min: 1,
      describe: 'most new files in a minute for one client',
      default: ASSET_LIMITS.newPerMinute,
    },
    'max-new-overall': {
      type: 'number',
      min: 1,
      describe: 'most new files in a minute for all clients together',
      default: ASSET_LIMITS.newOverall,
    },
    'max-pixels': {
      type: 'number',
      min: 1,
      describe: 'most pixels of a picture, width × height',
      default: ASSET_LIMITS.pixels,
    },
    placeholder: {
      type: 'string',
      value: 'FILE',
      describe: 'picture to send with status 503 while the real one is being made',
    },
    ...optionsOf('assets'),
  },
  notes: [
    '/a/MANUFACTURER/PROGRAM/NUMBER.glb is the model of an article, and /a/…/NUMBER.jpg its picture. Properties choose',
    'a configuration, such as ?DEKOR=EI; write CLASS.PROPERTY=VALUE where several classes have the property.',
    '/ar/MANUFACTURER/PROGRAM/NUMBER is a page that shows it in the room of a phone.',
    '',
    'Other endings than glb (with profile=NAME) are usdz, json, jpg, png, webp and avif (with camera= or frame=1 to 32,',
    'size=, background=), qr.svg and qr.png. Instead of properties, finalarticlenumber= with reinitstring=, or',
    'permanentid=, name a configuration. Write a slash in a number as %2F. ERP systems find articlesimage.jpg, too.',
    '',
    'Only articles that the pipeline file selects are there, and its section assets: can allow more. If',
    'BTG2GLTF_ASSETS_SECRET is set, addresses must be signed: assetUrl() of the library does that.',
    '',
  ],
  examples: [
    'btg2gltf assets pipeline.yaml',
    'curl -O "http://127.0.0.1:4860/a/FJEL/LINEA/LN-M.glb?DEKOR=EI"',
    "btg2gltf assets pipeline.yaml --host 0.0.0.0 --allow-host assets.example --allow-origin '*'",
  ],
  async run(args, io) {
    // Any page may read: it posts nothing.
    const at = await readListening({ ...args, 'allow-origin': undefined }, ASSETS_PORT);
    const origins =
      textOf(args, 'allow-origin') === '*' ? ['*'] : await readOrigins(args, 'allow-origin');
    const publicUrl = readServer(args, 'public-url');
    const proxies = readProxies(textOf(args, 'trust-proxy'));
    const placeholder = await readPlaceholder(textOf(args, 'placeholder'));
    const runOptions = await readRunOptions(args, io);
    const { pipeline } = runOptions;
    const log = await openLog(args, io);
    const environment = { ...environmentOf(io), log };
    const { openAssetServer } = await import('../web/assets/server.ts');
    const msOf = (name: string, standard: number) =>
      Math.min((numberOf(args, name) ?? standard) * 1000, LONGEST_TIMER_MS);
    // The work has its own signal: Ctrl-C first ends the requests to the server.
    const stop = new AbortController();
    const own = { ...environment, signal: stop.signal };
    const resolveMaxAgeMs = msOf('resolve-max-age', RESOLVE_MAX_AGE_SECONDS);
    const assets = await openAssetsOf(pipeline, own, { resolveMaxAgeMs });
    const limits = {
      maxWaitMs: msOf('max-wait', MAX_WAIT_SECONDS),
      newPerMinute: numberOf(args, 'max-new') ?? ASSET_LIMITS.newPerMinute,
      newOverall: numberOf(args, 'max-new-overall') ?? ASSET_LIMITS.newOverall,
      pixels: numberOf(args, 'max-pixels') ?? ASSET_LIMITS.pixels,
    };
    setEngineFlags(runOptions, 'server');
    const options = {
      graceMs: STOPS_WITHIN_MS,
      ...{ ...at, assets, name: pipeline.name, lang: languagesOf(pipeline.service)[0], limits },
      ...{ origins, publicUrl, proxies, placeholder, now: io.now, log },
      secret: io.env.BTG2GLTF_ASSETS_SECRET || undefined,
      imagesToken: io.env.BTG2GLTF_IMAGES_TOKEN || undefined,
    };
    try {
      return await serveUntilInterrupted(
        at,
        io,
        () => openAssetServer(options),
        ({ url }) =>
          `  Assets of ${pipeline.name} at ${url}/a/<manufacturer>/<program>/<number>.glb\n`,
      );
    } finally {
      const end = () => stop.abort(new ConverterError('INTERRUPTED', 'the server has stopped'));
      const timer = setTimeout(end, STOPS_WITHIN_MS);
      await assets.close().finally(() => clearTimeout(timer));
    }
  },
};

/** The command by its former name. */
export const imagesCommand: Command = {
  ...assetsCommand,
  notes: ['Use btg2gltf assets, which is the same; the next version has no images.'],
  examples: ['btg2gltf images pipeline.yaml'],
  async run(args, io) {
    const log = await openLog(args, io);
    log.warn('use btg2gltf assets, which is the same: the next version has no images');
    return assetsCommand.run(args, io);
  },
};

/** As the server takes them: names of networks of this machine, addresses, and networks such as 10.0.0.0/8. */
function readProxies(text: string | undefined): string[] | undefined {
  const all = text?.split(',').map((one) => one.trim());
  const isKnown = (one: string) => {
    const [address = '', bits = '0'] = one.split('/');
    return (
      ['loopback', 'uniquelocal'].includes(one) || (isIP(address) !== 0 && /^\d{1,3}$/.test(bits))
    );
  };
  const wrong = all?.find((one) => !isKnown(one));
  if (wrong === undefined) return all;
  const expected = 'expected addresses such as 10.0.0.0/8, loopback or uniquelocal';
  throw usageError(`--trust-proxy: ${expected}, received "${wrong}"`);
}

async function readPlaceholder(path: string | undefined) {
  if (path === undefined) return undefined;
  const mimeType = mediaTypeOf(path);
  if (mimeType.startsWith('image/')) return { bytes: await readBytes(path), mimeType };
  throw usageError(`--placeholder: expected a picture such as wait.png, received "${path}"`);
}
