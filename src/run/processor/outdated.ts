/** Compares what is published with its pipeline and the answers that the cache holds, without a network. */
import { configurationKey } from '../../model/configuration-id.ts';
import { CacheDatabase } from '../../source/cache/database.ts';
import { isConverterError } from '../../support/errors.ts';
import type { Pipeline } from '../file/pipeline-file.ts';
import { type Run, withReadingRun } from '../open/open-run.ts';
import type { RunEnvironment } from '../open/run-environment.ts';
import type { OpenSharedStore } from '../open/shared-store.ts';
import { catalogueDigest, snapshotSource } from './configuration.ts';

/**
 * Counts the published lines whose answers were cached anew since, such as by `fetch` or by a run that was cut: the next
 * run publishes what these say. A line of an older version does not say which answers it has.
 *
 * @returns Undefined without a cache, or where its account is not known.
 */
export async function countOutdated(
  pipeline: Pipeline,
  environment: RunEnvironment,
  openStore?: OpenSharedStore,
): Promise<number | undefined> {
  if (!(await CacheDatabase.existsIn(pipeline.cacheDir))) return undefined;
  const countIn = async (run: Run) => {
    const { service, database } = snapshotSource(run);
    const answersOf = catalogueDigest(run.options.pipeline);
    let outdated = 0;
    for (const { requested } of run.output.previous.lines.values()) {
      const isOld = requested.some((request) => {
        const found = database.snapshots.summary(service, configurationKey(request))?.answers;
        return found && request.answers && answersOf(found) !== request.answers;
      });
      if (isOld) outdated++;
    }
    return outdated;
  };
  const count = withReadingRun({ pipeline }, environment, countIn, openStore);
  return count.catch((error: unknown) => {
    if (isConverterError(error, 'PIPELINE_VARIABLE_UNSET')) return undefined;
    throw error;
  });
}
