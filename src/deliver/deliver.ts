/** Delivery: makes further files of the published masters, such as pictures, and publishes them beside the masters. */

import { articleLabel } from '../model/configuration-id.ts';
import type { Run } from '../run/open/open-run.ts';
import {
  DELIVERIES_FILE,
  type DeliveryLine,
  LAST_GOOD_FILE,
  readDeliveries,
  writeDeliveries,
} from '../run/output/delivered-files.ts';
import { requireManifest } from '../run/output/output-folder.ts';
import { replaceLists } from '../run/output/publication.ts';
import type { Delivered } from '../run/publishing/deliveries.ts';
import { mastersOf } from '../run/publishing/masters.ts';
import { amount } from '../run/report/text.ts';
import { groupBy } from '../support/group-by.ts';
import { PackedMap } from '../support/packed-map.ts';
import { writeFeeds } from './after-publish.ts';
import { takeDeliveries } from './begin.ts';
import { galleryOptionsOf } from './gallery/gallery-schema.ts';
import { removeGallery, writeGallery } from './gallery/publish-gallery.ts';
import { type FormerDeliveries, processDeliveries } from './processor.ts';
import { sectionOf } from './section.ts';

/**
 * Makes the deliveries of the pipeline.
 *
 * Files that an earlier delivery made of the same masters stay; files that another configuration or an interrupted
 * delivery has made are taken from the cache. The failure of one article is a row of the result, even a failure of
 * the browser: files that need no browser are published. Files of an older master stay at their places, but the list
 * of deliveries, and all that is made of it, contains only those of the published masters.
 *
 * @throws {@link ConverterError} an error of the output folder; the reason of the signal.
 */
export async function deliver(run: Run, again: boolean): Promise<Delivered> {
  const { outputDir } = run.options.pipeline;
  const wanted = sectionOf(run.options.pipeline);
  await requireManifest(outputDir);
  const masters = await mastersOf(outputDir);
  const opened = await takeDeliveries(run, again);
  const { deliveries } = opened;
  const { spool } = run.output;
  const before = {
    lines: await readDeliveries(outputDir, DELIVERIES_FILE, spool),
    lastGood: await readDeliveries(outputDir, LAST_GOOD_FILE, spool),
  };
  const now: FormerDeliveries = { lines: new PackedMap(spool), lastGood: new PackedMap(spool) };
  if (deliveries.length > 0) {
    const names = deliveries.map(({ name }) => name).join(', ');
    const glbs = `${amount(masters.length, 'GLB')} in ${outputDir}`;
    run.environment.log.info(`${glbs}; next: ${names}`);
  }
  const processed = await processDeliveries(run, opened, masters, { before, now });
  // What lists name is on disk before they are.
  await opened.contents.sync();
  const { lines, lastGood } = now;
  const { current, divided } = examine(now);
  const delivered: Delivered = {
    deliveries: processed.map(({ counts }) => counts),
    failures: processed.flatMap(({ failures }) => failures),
    splits: splitsOf(divided),
    omitted: processed.flatMap(({ omitted }) => [...omitted]),
    notes: processed.flatMap(({ notes }) => notes),
  };
  const gallery = galleryOptionsOf(wanted?.gallery ?? false);
  const feeds = await replaceLists(outputDir, formerFiles(current, before), async (lists) => {
    await writeDeliveries(lists, lines, lastGood);
    if (gallery) delivered.gallery = await writeGallery(run, gallery, lists, lines);
    else await removeGallery(lists);
    return writeFeeds(run, wanted?.feeds, lists, lines);
  });
  for (const { counts, failures, leftOut, notes } of feeds) {
    delivered.deliveries.push(counts);
    delivered.failures.push(...failures);
    delivered.omitted.push(...leftOut);
    delivered.notes?.push(...notes);
  }
  await run.output.published?.publishDelivered(lines, lastGood);
  return delivered;
}

/** What the new lines have: paths, and the lines of articles that are divided into several files. */
function examine(now: FormerDeliveries): { current: Set<string>; divided: DeliveryLine[] } {
  const current = new Set<string>();
  const divided: DeliveryLine[] = [];
  for (const line of now.lines.values()) {
    for (const { path } of line.files) current.add(path);
    if (line.splitBy?.length) divided.push(line);
  }
  for (const { files } of now.lastGood.values()) for (const { path } of files) current.add(path);
  return { current, divided };
}

const SHOWN_ARTICLES = 3;

/** The properties that divide articles into several files, the most frequent first. */
function splitsOf(divided: readonly DeliveryLine[]): Delivered['splits'] {
  const groups = groupBy(divided, ({ splitBy }) => JSON.stringify(splitBy));
  const splits = Array.from(groups, ([splitBy, some]) => {
    const articles = [...new Set(some.map(articleLabel))].sort();
    const shown = articles.slice(0, SHOWN_ARTICLES);
    return { splitBy: JSON.parse(splitBy) as string[], count: articles.length, articles: shown };
  });
  return splits.sort((a, b) => b.count - a.count || (`${a.splitBy}` < `${b.splitBy}` ? -1 : 1));
}

/** Paths that lists no longer have. They may have been edited: a delivery has files only in its folder. */
function formerFiles(current: ReadonlySet<string>, before: FormerDeliveries): string[] {
  const former: string[] = [];
  for (const list of [before.lines, before.lastGood])
    for (const { delivery, files } of list.values())
      for (const { path } of files)
        if (path.startsWith(`${delivery}/`) && !current.has(path)) former.push(path);
  return former;
}
