/** The store of a pipeline, which the machines that work for it share. */

import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { RunEnvironment } from '../run/open/run-environment.ts';
import { sha256Hex } from '../support/files.ts';
import type { ObjectStore } from './store/object-store.ts';

type Sharing = Pick<Pipeline, 'name' | 'store' | 'cacheDir' | 'outputDir'>;

/**
 * Opens the store of a pipeline: the store that `store:` names, or a folder of the cache, which
 * workers on this machine share.
 *
 * @throws {@link ConverterError} `USAGE`, `PIPELINE_VARIABLE_UNSET`; the codes of {@link ObjectStore}.
 */
export async function pipelineStore(
  pipeline: Sharing,
  environment: Pick<RunEnvironment, 'env' | 'now' | 'random'> & { signal?: AbortSignal },
): Promise<ObjectStore> {
  const { env, now, random, signal } = environment;
  const { openObjectStore } = await import('./store/open-store.ts');
  const { url = folderOf(pipeline), pathStyle } = pipeline.store ?? {};
  return openObjectStore(url, { env, now, random, signal, pathStyle });
}

/** Key of the text that distinguishes a store from others, although machines may reach it by different addresses. */
const IDENTITY_KEY = 'identity.txt';

/**
 * Returns the text that distinguishes a store from all others.
 *
 * @throws {@link ConverterError} the codes of {@link ObjectStore}.
 */
export async function storeIdentity(store: ObjectStore): Promise<string> {
  await store.putIfAbsent(IDENTITY_KEY, new TextEncoder().encode(randomUUID()));
  const found = await store.get(IDENTITY_KEY);
  return new TextDecoder().decode(found?.content);
}

/** The folder depends on the pipeline, as pipelines may share a cache, but not on the path of the cache. */
function folderOf({ name, cacheDir, outputDir }: Sharing): string {
  const digest = sha256Hex(JSON.stringify([name, relative(cacheDir, outputDir)]));
  return join(cacheDir, 'shared', digest.slice(0, 16));
}
