/** `btg2gltf images`: the image endpoint of the service, for ERP systems. */

import { resolve } from 'node:path';
import { PICTURE_CHOICES, PICTURE_DEFAULTS } from '../deliver/pictures/picture-options.ts';
import { loadPipeline } from '../deliver/pipeline.ts';
import { PARTS } from '../wiring.ts';
import { type Command, given, numberOf, textOf, usageError } from './command.ts';
import { listenOptions, readListening, serveUntilInterrupted } from './listen.ts';
import { POSITIONALS, subjectOf } from './output-commands.ts';
import { BROWSER_OPTION } from './pipeline-options.ts';
import { LOG_FORMAT_OPTION, openLog } from './run-output.ts';
import { environmentOf } from './service-options.ts';

const IMAGES_PORT = 4840;
const TOKEN_VARIABLE = 'BTG2GLTF_IMAGES_TOKEN';

/** The command. */
export const imagesCommand: Command = {
  positionals: POSITIONALS,
  options: {
    ...listenOptions(IMAGES_PORT),
    pipeline: {
      type: 'string',
      value: 'FILE',
      describe: 'convert what is not in the manifest by this pipeline',
    },
    cache: {
      type: 'string',
      value: 'DIR',
      describe: 'cache [default: that of the pipeline, or .cache beside the output]',
    },
    camera: {
      type: 'string',
      choices: PICTURE_CHOICES.cameras,
      describe: 'camera of requests that name none',
      default: PICTURE_DEFAULTS.cameras[0],
    },
    size: {
      type: 'number',
      min: 1,
      describe: 'width and height of requests that name none, pixels',
      default: PICTURE_DEFAULTS.width,
    },
    browser: BROWSER_OPTION,
    'log-format': LOG_FORMAT_OPTION,
  },
  notes: [
    'It goes with the next version: btg2gltf assets PIPELINE.yaml answers the same addresses, and more.',
    '',
    'An ERP system changes one base address: the path is that of the service, so are the parameters',
    'manufacturer, program, basearticlenumber, finalarticlenumber and reinitstring; metareinitstring,',
    'camera, width and height may be added. Any token is accepted, or, if the environment variable',
    `${TOKEN_VARIABLE} is set, only that one.`,
    '',
  ],
  examples: ['btg2gltf images pipeline.yaml', 'btg2gltf images output --pipeline pipeline.yaml'],
  async run(args, io) {
    const at = await readListening(args, IMAGES_PORT);
    const subject = await subjectOf(args, io);
    const { published } = subject;
    const file = textOf(args, 'pipeline');
    if (file === undefined) await published.requireManifest();
    const size = numberOf(args, 'size') ?? PICTURE_DEFAULTS.width;
    const most = PICTURE_CHOICES.mostPixelsASide;
    if (size > most) throw usageError(`--size: expected at most ${most}, received ${size}`);
    const cacheDir = resolve(textOf(args, 'cache') ?? subject.cacheDir);
    const log = await openLog(args, io);
    log.warn('images goes with the next version: btg2gltf assets answers the same addresses');
    const { openImageSource } = await import('../deliver/pictures/images.ts');
    const { convertArticle } = await import('../run/single-article.ts');
    const { openImageServer } = await import('../web/servers/images.ts');
    const camera = PICTURE_CHOICES.cameras.find((name) => name === textOf(args, 'camera'));
    const environment = { ...environmentOf(io), log };
    const pipeline = file === undefined ? undefined : await loadPipeline(file, io.env);
    const openShared = pipeline && (() => PARTS.sharing!.open(pipeline, environment));
    const source = await openImageSource({
      published,
      cacheDir,
      browser: textOf(args, 'browser'),
      standard: {
        ...{ ...PICTURE_DEFAULTS, width: size, height: size },
        ...(camera && { cameras: [camera] }),
      },
      convert:
        pipeline &&
        ((request, path) => convertArticle(request, pipeline, path, environment, openShared)),
      maxCacheBytes: pipeline?.cacheMaxBytes,
      environment,
    });
    const token = io.env[TOKEN_VARIABLE] || undefined;
    const options = { ...at, now: io.now, log, find: source.find, ...given({ token }) };
    try {
      return await serveUntilInterrupted(
        at,
        io,
        () => openImageServer(options),
        ({ url }) => `  Pictures of ${published.name} at ${url}\n`,
      );
    } finally {
      await source.close();
    }
  },
};
