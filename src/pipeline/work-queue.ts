/** The queue of a pipeline: its address, and what workers must have in common with a run. */
import { ConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';
import { programVersion } from '../support/version.ts';
import { conversionText } from '../transform/convert-options.ts';
import type { Environment } from './environment.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { RunOptions } from './run-options.ts';
import { withAccount } from './service.ts';

/** The queue of a pipeline, and what workers must have in common with a run. */
export async function queueOf(pipeline: Pipeline, env: Environment) {
  const url = env.BTG2GLTF_QUEUE_URL;
  if (url === undefined || url === '') {
    const message =
      'BTG2GLTF_QUEUE_URL: expected the address of a queue, such as redis://host:6379 or postgres://user@host/database, received none';
    throw new ConverterError('PIPELINE_VARIABLE_UNSET', message);
  }
  const digest = await workDigest(pipeline, env);
  return { url, pipeline: pipeline.name, version: programVersion(), digest };
}

/** Digest of what a run is to do. */
export async function runDigest(
  { pipeline, only, limit, force, failedOnly }: RunOptions,
  env: Environment,
): Promise<string> {
  const work = await workDigest(pipeline, env);
  return sha256Hex(JSON.stringify([programVersion(), work, only, limit, force, failedOnly]));
}

/** Digest of all on which the result of an article depends, and of its limits: workers of a run have the same. */
async function workDigest(pipeline: Pipeline, env: Environment): Promise<string> {
  const { convert, limits, freshness } = pipeline;
  // A run that is open has it already; one that looks for a run to continue does not.
  const service = await withAccount(pipeline.service, env, async () => undefined);
  const parts = [conversionText(convert), service, limits, freshness];
  return sha256Hex(JSON.stringify(parts)).slice(0, 16);
}
