/**
 * Previous lines: what stands published before a run.
 *
 * In: an output folder. Out: its manifest by configuration, and which request had resolved to which.
 */

import type { ManifestLine } from '../../model/asset.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { PackedMap } from '../../support/packed-map.ts';
import { type LineWatch, openManifest } from '../../write/manifest.ts';

/** What was published before. */
export interface PreviousLines {
  byKey: PackedMap<ManifestLine>;
  /** Key of the line that a request resolved to, by the key of the request. */
  keyByRequest: ReadonlyMap<string, string>;
}

/** Opens what an output folder published, as {@link openManifest} does. */
export async function openPrevious(
  outputDir: string,
  { onDamaged }: Pick<LineWatch<ManifestLine>, 'onDamaged'> = {},
): Promise<PreviousLines> {
  const keyByRequest = new Map<string, string>();
  const byKey = await openManifest(outputDir, {
    onLine: ({ requested }, key) => {
      for (const request of requested) keyByRequest.set(configurationKey(request), key);
    },
    ...(onDamaged && { onDamaged }),
  });
  return { byKey, keyByRequest };
}
