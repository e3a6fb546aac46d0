/**
 * Source digest: one digest of everything that a GLB and its line depend on.
 *
 * In: a snapshot and the options. Out: a digest; equal digests mean that nothing is to be done.
 * It must not depend on the identity of the article: equal content is equal.
 */
import { CONFIGURATION_INVALID } from '../fetch/open-properties.ts';
import { META_CHILD_WITHOUT_PLACEMENT } from '../fetch/planning.ts';
import type { ArticleSnapshot, Digest, Fetched } from '../model/snapshot.ts';
import { sha256Hex } from '../support/files.ts';
import { CONVERTER_VERSION, type ConvertOptions } from '../transform/convert-options.ts';

/** What is said about the article, not about its GLB: taken fresh each time, so no reason to rebuild. */
export const REPORTED: ReadonlySet<string> = new Set([
  'ARTICLE_REPORTED',
  CONFIGURATION_INVALID,
  META_CHILD_WITHOUT_PLACEMENT,
]);

/**
 * Digests the parts list, the blocks, the images, all options and the converter's version.
 *
 * A body that is missing counts by its code, so that its arrival rebuilds what it touches.
 *
 * @param version - Only tests give another.
 *
 * @see D-745.
 */
export function sourceDigest(
  snapshot: ArticleSnapshot,
  options: ConvertOptions,
  version: number | string = CONVERTER_VERSION,
): Digest {
  const inputs = {
    version,
    options: sortedEntries(options),
    partsList: snapshot.partsList,
    blocks: bodies(snapshot.blocks),
    images: bodies(snapshot.images),
    warnings: snapshot.warnings.filter(({ code }) => !REPORTED.has(code)),
  };
  return sha256Hex(JSON.stringify(inputs));
}

function bodies(fetched: Map<string, Fetched>): [string, string][] {
  return [...fetched]
    .map(([name, body]): [string, string] => [
      name,
      'digest' in body ? body.digest : body.missing.code,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Keys in order at every depth: an option's meaning does not depend on where it was written. */
function sortedEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedEntries);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sortedEntries(entry)]);
}
