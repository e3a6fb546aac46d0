/**
 * Merge manifest: what a run says about its configurations, put into what was known before.
 *
 * In: the lines of before and those of this run. Out: all lines of the new manifest.
 * It knows nothing of files.
 */
import type { ArticleRequest } from '../model/article.ts';
import type { ManifestLine } from '../model/asset.ts';
import { compareKeys, keyOf } from './manifest.ts';

/**
 * Merges the lines of a run into the manifest of before.
 *
 * A full run replaces everything: what it no longer selects loses its line. A partial one (`--only`,
 * `--limit`) replaces only what it selected; a request of before that it did not select stays listed
 * with the configuration that it resolved to.
 *
 * @param previous - Lines of before.
 * @param fresh - Lines of this run, one a configuration.
 * @param partial - Whether the run selected only a part of what the pipeline selects.
 * @returns One line a configuration, sorted by key.
 *
 * @see D-740.
 */
export function mergeManifest(
  previous: readonly ManifestLine[],
  fresh: readonly ManifestLine[],
  partial: boolean,
): ManifestLine[] {
  const lines = new Map(fresh.map((line) => [keyOf(line), line]));
  for (const line of partial ? unselected(previous, fresh) : []) {
    const own = lines.get(keyOf(line));
    const requested = own === undefined ? line.requested : [...own.requested, ...line.requested];
    lines.set(keyOf(line), { ...(own ?? line), requested: uniqueRequests(requested) });
  }
  return [...lines.values()].sort(compareKeys);
}

/** Lists requests once each, sorted, so that their order does not depend on who came first. */
export function uniqueRequests(requests: readonly ArticleRequest[]): ArticleRequest[] {
  return [...new Map(requests.map((request) => [keyOf(request), request])).values()].sort(
    compareKeys,
  );
}

/** The lines of before, with only those requests that the run did not answer anew. */
function unselected(
  previous: readonly ManifestLine[],
  fresh: readonly ManifestLine[],
): ManifestLine[] {
  const answered = new Set(fresh.flatMap((line) => line.requested.map(keyOf)));
  return previous
    .map((line) => ({ ...line, requested: line.requested.filter((r) => !answered.has(keyOf(r))) }))
    .filter((line) => line.requested.length > 0);
}
