/**
 * Inputs digest: one digest of all that the service said about one configuration's look.
 *
 * In: a snapshot. Out: a digest; equal digests mean that nothing came that a GLB could show.
 * It must not depend on the identity of the article nor on how it will be converted.
 */
import type { ArticleSnapshot, Digest, Fetched } from '../model/snapshot.ts';
import { sha256Hex } from '../support/files.ts';
import { CONFIGURATION_INVALID } from './open-properties.ts';
import { META_CHILD_WITHOUT_PLACEMENT } from './planning.ts';

/** What is said about the article, not about its GLB: taken fresh each time, so no reason to rebuild. */
export const REPORTED: ReadonlySet<string> = new Set([
  'ARTICLE_REPORTED',
  CONFIGURATION_INVALID,
  META_CHILD_WITHOUT_PLACEMENT,
]);

/**
 * Digests the parts list, the blocks, the images and the warnings that concern them.
 *
 * A body that is missing counts by its code, so that its arrival shows.
 *
 * @example
 * ```ts
 * inputsDigest(snapshot);   // → '5f2c…', the same whatever the article's number, texts and prices
 * ```
 *
 * @see D-745.
 */
export function inputsDigest(
  snapshot: Pick<ArticleSnapshot, 'partsList' | 'blocks' | 'images' | 'warnings'>,
): Digest {
  const inputs = {
    partsList: snapshot.partsList,
    blocks: bodies(snapshot.blocks),
    images: bodies(snapshot.images),
    warnings: snapshot.warnings.filter(({ code }) => !REPORTED.has(code)),
  };
  return sha256Hex(JSON.stringify(inputs));
}

/** Sorted by name, each with its digest, or why it has none. */
function bodies(fetched: ReadonlyMap<string, Fetched>): [name: string, content: string][] {
  return [...fetched]
    .map(([name, body]): [string, string] => [
      name,
      'digest' in body ? body.digest : body.missing.code,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
