/** `btg2gltf inbox`: receives the cart posts of the planning frontend. */
import { resolve } from 'node:path';
import { INBOX_DEFAULTS, openInbox, type PermanentIdStore } from '../gateway/inbox.ts';
import { loadPipeline, type Pipeline } from '../pipeline/pipeline-file.ts';
import { describeService, openService, type Service } from '../pipeline/service.ts';
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
import { LOG_FORMAT_OPTION, openOutput } from './run-output.ts';
import { environmentOf, pipelineOf } from './service.ts';

const DEFAULT_PORT = 4820;
const MEBIBYTE = 1024 * 1024;
const DEFAULT_MIB = INBOX_DEFAULTS.bodyLimitBytes / MEBIBYTE;

/** The command. */
export const inboxCommand: Command = {
  options: {
    store: {
      type: 'string',
      value: 'DIR',
      required: true,
      describe: 'folder of the carts, one file each',
    },
    ...listenOptions(DEFAULT_PORT, 'all'),
    'max-mib': { type: 'number', min: 1, describe: 'largest cart, MiB', default: DEFAULT_MIB },
    cache: { type: 'string', describe: 'cache folder to store permanent identifiers in' },
    pipeline: { type: 'string', describe: 'take cache and service from this pipeline file' },
    'permanent-ids': {
      type: 'boolean',
      describe: 'store each planning at the service too, and return its permanent identifier',
    },
    'log-format': LOG_FORMAT_OPTION,
  },
  notes: [
    'A post has the body {"json": ARTICLE}, as the planning frontend sends it, or ARTICLE alone.',
    'ARTICLE is the JSON of the top-level article as GET articles returns it, with its children.',
    'It needs id and rootid (equal), manufacturer, program and basearticlenumber; its configuration',
    'is ocd.reinitstring. The response is {"stored": true, "id": …, "file": …, "warnings": […]},',
    'or {"error": …, "code": …} with status 413 or 422.',
    '',
  ],
  examples: [
    'btg2gltf inbox --store carts',
    'btg2gltf catalogue show FJEL/LINEA/LN-M --emulator --json > article.json',
    'curl --json @article.json http://127.0.0.1:4820/cart',
    'btg2gltf inbox --store carts --host 0.0.0.0 --allow-origin https://plan.example',
  ],
  async run(args, io) {
    const at = await readListening(args, DEFAULT_PORT);
    const bodyLimitBytes = (numberOf(args, 'max-mib') ?? DEFAULT_MIB) * MEBIBYTE;
    const { log } = await openOutput(args, io);
    const store = resolve(textOf(args, 'store')!);
    const permanentIds = await openPermanentIds(args, io);
    const options = { ...at, store, now: io.now, log, bodyLimitBytes };
    const start = () => openInbox({ ...options, ...given({ permanentIds: permanentIds?.store }) });
    const text = ({ url }: { url: string }) =>
      `  Post carts to ${url} to store them in ${store}.\n`;
    try {
      return await serveUntilInterrupted(at, io, start, text);
    } finally {
      await permanentIds?.close();
    }
  },
};

/**
 * Opens the store of permanent IDs in the cache of `--cache` or `--pipeline`; undefined without both.
 * An ID belongs to a service: that of the pipeline, otherwise that of the environment variables (D-813).
 */
async function openPermanentIds(args: Arguments, io: Io) {
  const cache = textOf(args, 'cache');
  const file = textOf(args, 'pipeline');
  if (cache === undefined && file === undefined) {
    if (args['permanent-ids']) {
      throw usageError('--permanent-ids: expected also --cache or --pipeline, received neither');
    }
    return undefined;
  }
  const pipeline = file === undefined ? await pipelineOf({}, io) : await loadPipeline(file, io.env);
  const { openCacheDatabase } = await import('../cache/database.ts');
  const cacheDir = cache === undefined ? pipeline.cacheDir : resolve(cache);
  const database = await openCacheDatabase(cacheDir);
  const owner = describeService(pipeline.service);
  const planner = args['permanent-ids'] ? createPlanner(pipeline, io) : undefined;
  const store: PermanentIdStore = {
    put: (id, article) => database.permanentIds.put(owner, id, article),
    ...given({ obtain: planner?.store }),
  };
  return {
    store,
    close: async () => {
      await planner?.close();
      database.close();
    },
  };
}

function createPlanner(pipeline: Pipeline, io: Io) {
  let service: Promise<Service> | undefined;
  // A signal of its own: the end of the inbox must not abort the requests of the last carts.
  const environment = { ...environmentOf(io), signal: new AbortController().signal };
  return {
    store: async (article: unknown): Promise<string> => {
      service ??= openService(pipeline.service, environment);
      return (await service).client.storePlanning(article);
    },
    close: async () => {
      await service?.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}
