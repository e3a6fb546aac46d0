/** What follows a publication: deliveries, the list of changes, and who receives it. */

import type { Run } from '../open/open-run.ts';
import { DELIVERIES_FILE, deliveryLines, LAST_GOOD_FILE } from '../output/delivered-files.ts';
import { manifestLines } from '../output/manifest.ts';
import { endPublication } from '../output/publication.ts';
import { publishedAsset } from '../output/publish.ts';
import type { Delivered, Deliveries } from './deliveries.ts';
import { type Changes, type LastPublication, publishedNow } from './last-publication.ts';

/** What followed a publication, for the report. */
export interface AfterPublication {
  changes: Changes;
  /** What was made; undefined for a pipeline that asks for nothing. */
  delivered: Delivered | undefined;
  /**
   * Makes this publication the last one, and removes the files that no list names any more; what is cut off before is
   * compared, and sent, again. @see D-998
   */
  settle(): Promise<void>;
}

/**
 * Makes of the published files what the pipeline asks for, lists what has changed since the last publication, and sends
 * that to its receiver.
 *
 * @param again - Whether also those files are made that were made before.
 * @throws {@link ConverterError} an error of the output folder; the reason of the signal.
 */
export async function followPublication(
  run: Run,
  last: LastPublication,
  deliveries: Deliveries | undefined,
  again = false,
): Promise<AfterPublication> {
  const { options, metrics, environment, output } = run;
  const delivered =
    options.pipeline.deliver &&
    deliveries &&
    (await metrics.stopwatch.during('deliver', () => deliveries.deliver(run, again)));
  const send = await deliveries?.sender(run);
  const isSame = send === undefined && (await last.isSame());
  const now = isSame ? undefined : (await publishedNow(run)).lines;
  const changes = await last.writeChanges(now);
  const outcome = now && (await send?.(await last.lines(), now, last.urlOf));
  const { counts, failures = [] } = outcome?.sent ?? {};
  for (const { message } of failures) environment.log.warn(message);
  if (counts !== undefined) delivered?.deliveries.push(counts);
  delivered?.failures.push(...failures);
  const settle = async () => {
    if (now !== undefined) await last.commit(now);
    await outcome?.settle();
    await output.published?.publish();
    const { outputDir } = options.pipeline;
    await endPublication(outputDir, () => namedPaths(outputDir));
    await output.published?.endPublication();
  };
  return { changes, delivered, settle };
}

/** The files that manifest and deliveries name. */
async function namedPaths(outputDir: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const line of manifestLines(outputDir)) {
    const asset = publishedAsset(line);
    if (asset !== undefined) paths.push(asset.glb);
  }
  for (const list of [DELIVERIES_FILE, LAST_GOOD_FILE] as const)
    for await (const { files } of deliveryLines(outputDir, list))
      for (const { path } of files) paths.push(path);
  return paths;
}
