/** The store of a pipeline, which the machines that work for it share. */

import { join } from 'node:path';
import type { ObjectStore } from '../store/object-store.ts';
import type { Pipeline } from './pipeline-file.ts';
import type { RunEnvironment } from './run-options.ts';

/**
 * Opens the store of a pipeline: what `store:` names, or a folder of the cache, which
 * workers on this machine share.
 *
 * @throws {@link ConverterError} `USAGE`, `PIPELINE_VARIABLE_UNSET`; the codes of {@link ObjectStore}.
 */
export async function pipelineStore(
  { store, cacheDir }: Pick<Pipeline, 'store' | 'cacheDir'>,
  {
    env,
    now,
    random,
    signal,
  }: Pick<RunEnvironment, 'env' | 'now' | 'random'> & Partial<Pick<RunEnvironment, 'signal'>>,
): Promise<ObjectStore> {
  const { openObjectStore } = await import('../store/open-store.ts');
  const { url = join(cacheDir, 'shared'), pathStyle } = store ?? {};
  return openObjectStore(url, { env, now, random, signal, pathStyle });
}
