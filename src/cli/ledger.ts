/**
 * Ledger: where the inbox keeps permanent identifiers, and how it comes by new ones.
 */
import { resolve } from 'node:path';
import type { PermanentIdStore } from '../gateway/inbox.ts';
import { loadPipeline, type Pipeline } from '../pipeline/pipeline-file.ts';
import { describeService, openService, type Service } from '../pipeline/service.ts';
import { usageError } from './arguments.ts';
import { type Arguments, type Io, textOf } from './command.ts';
import { toolsOf } from './job.ts';
import { pipelineOf } from './service-options.ts';

/** An open ledger. */
export interface OpenLedger {
  store: PermanentIdStore;
  /** Logs out and closes the cache. */
  close(): Promise<void>;
}

/**
 * Opens the ledger that `--cache` or `--pipeline` names; undefined where neither does.
 *
 * The service is that of the pipeline, else that of the environment: an identifier belongs to it.
 *
 * @throws {@link ConverterError} `USAGE`, `PIPELINE_VARIABLE_UNSET`, `STATE_INVALID`, `OUTPUT_UNWRITABLE`.
 *
 * @see D-813.
 */
export async function openLedger(args: Arguments, io: Io): Promise<OpenLedger | undefined> {
  const cache = textOf(args, 'cache');
  const file = textOf(args, 'pipeline');
  if (cache === undefined && file === undefined) {
    if (args['permanent-ids']) {
      throw usageError('--permanent-ids: expected --cache or --pipeline too, to remember them');
    }
    return undefined;
  }
  const pipeline = file === undefined ? await pipelineOf({}, io) : await loadPipeline(file, io.env);
  const { openCacheDatabase } = await import('../cache/database.ts');
  const state = await openCacheDatabase(cache === undefined ? pipeline.cacheDir : resolve(cache));
  const owner = describeService(pipeline.service);
  const planner = args['permanent-ids'] ? createPlanner(pipeline, io) : undefined;
  return {
    store: {
      put: (id, article) => state.permanentIds.put(owner, id, article),
      ...(planner === undefined ? {} : { obtain: planner.store }),
    },
    close: async () => {
      await planner?.close();
      state.close();
    },
  };
}

/** Stores plannings at the service, which is opened when the first one comes. */
function createPlanner(pipeline: Pipeline, io: Io) {
  let service: Promise<Service> | undefined;
  // The last carts are let finish: the signal that ends the inbox must not cut their requests.
  const tools = { ...toolsOf(io), signal: new AbortController().signal };
  return {
    store: async (article: unknown): Promise<string> => {
      service ??= openService(pipeline.service, tools);
      return (await service).client.storePlanning(article);
    },
    close: async () => {
      await service?.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}
