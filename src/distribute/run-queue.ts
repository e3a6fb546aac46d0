/** The queue of a pipeline, as its coordinator and its workers open it: they must have the same version and options. */

import { conversionText } from '../convert/transform/convert-options.ts';
import { sectionOf } from '../deliver/section.ts';
import type { Environment } from '../run/file/environment.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { withAccount } from '../run/open/connect.ts';
import type { Run } from '../run/open/open-run.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { type RunOptions, runId } from '../run/open/run-options.ts';
import { ConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import { programVersion } from '../support/version.ts';
import { storeIdentity } from './pipeline-store.ts';
import type {
  ChunkQueue,
  QueueKind,
  QueueWorker,
  QueueWorkerOptions,
} from './queue/chunk-queue.ts';
import type { ObjectStore } from './store/object-store.ts';

function queueUrl({ BTG2GLTF_QUEUE_URL: url }: Environment): string {
  if (url) return url;
  const message =
    'BTG2GLTF_QUEUE_URL: expected the address of a queue, such as redis://host:6379 or postgres://user@host/database, received none';
  throw new ConverterError('PIPELINE_VARIABLE_UNSET', message);
}

const bullmq: QueueKind = {
  async check(url, now) {
    const { checkClock, checkQueueServer, parseQueueUrl } = await import('./queue/server.ts');
    const server = parseQueueUrl(url);
    checkClock(await checkQueueServer(server), now);
    return server.name;
  },
  openQueue: async (options) => (await import('./queue/coordinator.ts')).openChunkQueue(options),
  openWorker: async (options) => (await import('./queue/worker.ts')).openQueueWorker(options),
};

/** The queues by the scheme of their address; BullMQ says what it expects of any other address. */
const QUEUES: Readonly<Record<string, QueueKind>> = {
  'redis:': bullmq,
  'rediss:': bullmq,
  'postgres:': bullmq,
  'postgresql:': bullmq,
};

function queueAt(url: string): QueueKind {
  return (URL.canParse(url) && QUEUES[new URL(url).protocol]) || bullmq;
}

/**
 * Checks in advance that a run can use its queue: the selection of the articles comes first, and may take long.
 *
 * @param now - Clock, milliseconds since 1970.
 * @returns The address without credentials.
 * @throws {@link ConverterError} `PIPELINE_VARIABLE_UNSET`, and as {@link QueueKind.check}.
 */
export async function checkQueue(env: Environment, now: () => number): Promise<string> {
  const url = queueUrl(env);
  return queueAt(url).check(url, now);
}

/**
 * Opens the queue of a run, for its coordinator.
 *
 * @param kinds - Of the jobs that the run may have.
 * @throws {@link ConverterError} As {@link checkQueue}, and the codes of the store.
 */
export async function openRunQueue(
  { options, environment, startedAt }: Run,
  store: ObjectStore,
  kinds: readonly string[],
): Promise<ChunkQueue> {
  const { env, log, now, signal } = environment;
  const queue = await queueOf(options.pipeline, env, store);
  return queueAt(queue.url).openQueue({ ...queue, run: runId(startedAt), kinds, log, signal, now });
}

/**
 * Opens a worker on the queue of a pipeline.
 *
 * @throws {@link ConverterError} As {@link checkQueue}, and the codes of the store.
 */
export async function openPipelineWorker(
  pipeline: Pipeline,
  { env, log, now }: Pick<RunEnvironment, 'env' | 'log' | 'now'>,
  store: ObjectStore,
  worker: Pick<QueueWorkerOptions, 'name' | 'jobsAtOnce' | 'mostWorkers' | 'handlers'>,
): Promise<QueueWorker> {
  const queue = await queueOf(pipeline, env, store);
  return queueAt(queue.url).openWorker({ ...worker, ...queue, log, now });
}

/** The queue of a pipeline, and the options that workers and a run must have in common. */
async function queueOf(pipeline: Pipeline, env: Environment, store: ObjectStore) {
  const url = queueUrl(env);
  const parts = { ...(await workParts(pipeline, env)), store: await storeIdentity(store) };
  const options = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, digestOf(part)]),
  );
  const digest = digestOf(options);
  return { url, pipeline: pipeline.name, version: programVersion(), digest, options };
}

/** Digest of the work of a run. */
export async function runDigest(
  { pipeline, only, limit, force, failedOnly, repair }: RunOptions,
  env: Environment,
): Promise<string> {
  const work = await workParts(pipeline, env);
  return sha256Hex(
    JSON.stringify([programVersion(), work, only, limit, force, failedOnly, repair]),
  );
}

/** All on which the result of an article depends, and its limits, which all workers of a run have in common. */
async function workParts(pipeline: Pipeline, env: Environment) {
  const { convert, limits, freshness } = pipeline;
  const { profiles, variants, pictures, swatches } = sectionOf(pipeline) ?? {};
  const deliver = { profiles, variants, pictures, swatches };
  // An open run has the account already; a run that looks for a run to continue does not.
  const given = await withAccount(pipeline.service, env, async () => undefined);
  const { account = '', ...service } = given;
  return { convert: conversionText(convert), service, account, limits, freshness, deliver };
}

const digestOf = (value: unknown): string => sha256Hex(JSON.stringify(value)).slice(0, 16);
