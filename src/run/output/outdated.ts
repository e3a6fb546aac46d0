/** Compares what is published with its pipeline and the answers that the cache holds, without a network. */
import { join } from 'node:path';
import { DATABASE_FILE } from '../../source/cache/database.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import { isConverterError } from '../../support/errors.ts';
import { exists } from '../../support/files.ts';
import { catalogueDigest, snapshotSource } from '../articles/configuration.ts';
import { FEEDS_FOLDER } from './delivered-files.ts';
import { withRun } from '../open-run.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import type { RunEnvironment } from '../run-options.ts';

/** Names what the pipeline makes of the whole range and the output folder does not have: feeds, and files of the gallery. */
export async function missingLists({ outputDir, deliver }: Pipeline): Promise<string[]> {
  if (deliver === undefined) return [];
  // Every command has this module.
  const [{ feedFile }, { galleryFiles }] = await Promise.all([
    import('../../deliver/feeds/feeds.ts'),
    import('../../deliver/gallery/publish-gallery.ts'),
  ]);
  const kinds = new Set(deliver.feeds?.kinds);
  const feeds = Array.from(kinds, (kind) => `${FEEDS_FOLDER}/${feedFile(kind)}`);
  const all = [...feeds, ...(deliver.gallery ? await galleryFiles() : [])];
  const paths = all.map((name) => join(outputDir, name));
  const found = await Promise.all(paths.map(exists));
  return paths.filter((_, at) => !found[at]);
}

/**
 * Counts the published lines whose answers were cached anew since, such as by `fetch` or by a run that was cut: the next
 * run publishes what these say. A line of an older version does not say which answers it has.
 *
 * @returns Undefined without a cache, or where its account is not known.
 */
export async function countOutdated(
  pipeline: Pipeline,
  environment: RunEnvironment,
): Promise<number | undefined> {
  if (!(await exists(join(pipeline.cacheDir, DATABASE_FILE)))) return undefined;
  const count = withRun({ pipeline }, environment, async (run) => {
    const { service, database } = snapshotSource(run);
    const answersOf = catalogueDigest(run.options.pipeline);
    let outdated = 0;
    for (const { requested } of run.stores.previous.lines.values()) {
      const isOld = requested.some((request) => {
        const found = database.snapshots.summary(service, configurationKey(request))?.answers;
        return found && request.answers && answersOf(found) !== request.answers;
      });
      if (isOld) outdated++;
    }
    return outdated;
  });
  return count.catch((error: unknown) => {
    if (isConverterError(error, 'PIPELINE_VARIABLE_UNSET')) return undefined;
    throw error;
  });
}
