/** The end of a publication, after all lists were replaced. */

import type { Run } from '../open/open-run.ts';
import { DELIVERIES_FILE, LAST_GOOD_FILE, readDeliveries } from '../output/delivered-files.ts';
import { manifestLines } from '../output/manifest.ts';
import { endPublication } from '../output/publication.ts';
import { publishedAsset } from '../output/publish.ts';

/** Removes the files that manifest and deliveries no longer name, and the note of the publication. @see D-998 */
export async function removeFormerFiles({
  options,
  output,
}: Pick<Run, 'options' | 'output'>): Promise<void> {
  const { outputDir } = options.pipeline;
  await endPublication(outputDir, () => namedPaths(outputDir));
  await output.published?.endPublication();
}

async function namedPaths(outputDir: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const line of manifestLines(outputDir)) {
    const asset = publishedAsset(line);
    if (asset !== undefined) paths.push(asset.glb);
  }
  for (const list of [DELIVERIES_FILE, LAST_GOOD_FILE] as const)
    for (const { files } of (await readDeliveries(outputDir, list)).values())
      for (const { path } of files) paths.push(path);
  return paths;
}
