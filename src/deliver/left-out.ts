/** The feeds of a pipeline that do not contain a published configuration, because it lacks a required property. */

import type { Pipeline } from '../run/file/pipeline-file.ts';
import type { DeliveryLine } from '../run/lists/delivered-files.ts';
import type { CatalogueLine } from '../run/lists/manifest-line.ts';
import { feedName, feedRows } from './feeds/feeds.ts';
import { sectionOf } from './section.ts';

/**
 * Names the feeds that lack a configuration.
 *
 * @param deliveries - The deliveries of the configuration besides its GLB.
 * @example `leftOutOf(pipeline, withoutPrice, []); // → [{ feed: 'feed google', requires: 'a price' }]`
 */
export function leftOutOf(
  pipeline: Pipeline,
  entry: CatalogueLine,
  deliveries: readonly DeliveryLine[],
): { feed: string; requires: string }[] {
  const { feeds } = sectionOf(pipeline) ?? {};
  if (feeds === undefined) return [];
  const files = deliveries.flatMap(({ delivery, files }) =>
    files.map((file) => ({ ...file, delivery })),
  );
  return [...new Set(feeds.kinds)].flatMap((kind) => {
    const missing = new Map<string, number>();
    for (const _ of feedRows(kind, [{ line: entry, files }], feeds, missing));
    return Array.from(missing.keys(), (requires) => ({ feed: feedName(kind), requires }));
  });
}
