/**
 * Merge manifest: what a run says about its configurations, beside what was known before.
 *
 * In: the lines of this run and those of before that stay. Out: all lines of the new manifest.
 * It knows nothing of files.
 */

import type { ManifestLine } from '../model/asset.ts';
import { configurationKey, uniqueRequests } from '../model/configuration-id.ts';
import type { PackedMap } from '../support/packed-map.ts';
import { orderFields } from './manifest.ts';

/**
 * Adds to the lines of a run those of before that stay listed.
 *
 * A full run replaces everything: what it no longer selects loses its line, so that nothing of before
 * is handed in here. A partial one (`--only`, `--limit`, `--failed`) replaces only what it selected; a
 * request of before that it did not select stays listed with the configuration that it resolved to.
 *
 * @param lines - Lines of this run by key, one a configuration; those that stay are added to them.
 * @param staying - Lines of before that stay but for the requests that this run answered anew.
 *
 * @see D-740.
 */
export function keepUnselected(
  lines: PackedMap<ManifestLine>,
  staying: Iterable<ManifestLine>,
): void {
  let answered: Set<string> | undefined;
  for (const before of staying) {
    answered ??= requestsOf(lines);
    const requested = before.requested.filter(
      (request) => !answered!.has(configurationKey(request)),
    );
    if (requested.length === 0) continue;
    const key = configurationKey(before);
    const own = lines.get(key);
    const together = own === undefined ? requested : [...own.requested, ...requested];
    lines.set(key, orderFields({ ...(own ?? before), requested: uniqueRequests(together) }));
  }
}

function requestsOf(lines: PackedMap<ManifestLine>): Set<string> {
  const requests = new Set<string>();
  for (const { requested } of lines.values())
    for (const of of requested) requests.add(configurationKey(of));
  return requests;
}
