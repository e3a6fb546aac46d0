/**
 * Selection file: what the last fetch of a pipeline selected, kept in the cache for `build`.
 *
 * @see D-748.
 */
import { join } from 'node:path';
import type { SelectedArticle } from '../../fetch/selection.ts';
import { ConverterError } from '../../support/errors.ts';
import {
  PRIVATE_MODE,
  readBytesIfExists,
  readTextIfExists,
  replaceFile,
  sha256Hex,
  temporaryFolder,
} from '../../support/files.ts';
import { jsonLines } from '../../write/manifest.ts';
import { pipelineServiceId } from '../context/service-setup.ts';
import type { Pipeline } from '../file/pipeline-file.ts';

/** Keeps a selection, whole, in its order; one that is the same is left alone. */
export async function writeSelection(
  pipeline: Pipeline,
  selected: readonly SelectedArticle[],
): Promise<void> {
  const path = pathOf(pipeline);
  const lines = jsonLines(selected);
  const known = await readBytesIfExists(path);
  if (known !== undefined && Buffer.compare(known, lines) === 0) return;
  const tmpDir = temporaryFolder(pipeline.cacheDir);
  await replaceFile(path, lines, { tmpDir, mode: PRIVATE_MODE });
}

/**
 * Reads the selection of the last fetch.
 *
 * @throws {@link ConverterError} `SNAPSHOT_MISSING` where this pipeline was never fetched.
 */
export async function readSelection(pipeline: Pipeline): Promise<SelectedArticle[]> {
  const text = await readTextIfExists(pathOf(pipeline));
  if (text === undefined) {
    throw new ConverterError(
      'SNAPSHOT_MISSING',
      `nothing was fetched yet for pipeline "${pipeline.name}" into ${pipeline.cacheDir}`,
    );
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SelectedArticle);
}

/** One file for each pair of a service and ways to choose from it. */
function pathOf({ service, articles, cacheDir }: Pipeline): string {
  const key = JSON.stringify([pipelineServiceId(service), articles]);
  return join(cacheDir, 'selections', `${sha256Hex(key).slice(0, 16)}.jsonl`);
}
