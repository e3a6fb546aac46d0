/** The configured lists of the whole range that are missing from the output folder. */

import { join } from 'node:path';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { FEEDS_FOLDER } from '../run/output/delivered-files.ts';
import { exists } from '../support/files.ts';
import { sectionOf } from './section.ts';

/** Names the configured files of the whole range that the output folder lacks: feeds, and files of the gallery. */
export async function missingLists(pipeline: Pipeline): Promise<string[]> {
  const { outputDir } = pipeline;
  const deliver = sectionOf(pipeline);
  if (deliver === undefined) return [];
  // The modules are loaded here, because every command imports this file.
  const [{ feedFile }, { galleryFiles }] = await Promise.all([
    import('./feeds/feeds.ts'),
    import('./gallery/publish-gallery.ts'),
  ]);
  const kinds = new Set(deliver.feeds?.kinds);
  const feeds = Array.from(kinds, (kind) => `${FEEDS_FOLDER}/${feedFile(kind)}`);
  const all = [...feeds, ...(deliver.gallery ? await galleryFiles(outputDir) : [])];
  const paths = all.map((name) => join(outputDir, name));
  const found = await Promise.all(paths.map(exists));
  return paths.filter((_, at) => !found[at]);
}
