/** Article path: the path of each configuration's link below the output folder, which is a URL path too. */
import type { ArticleKey } from '../../model/article.ts';
import { parseConfigurationKey, sortConfigurationKeys } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import { urlName } from '../../support/file-names.ts';
import { sha256Hex } from '../../support/files.ts';

/** The path of a GLB below the output folder, and its key. */
export const objectKey = (digest: Digest): string => `objects/${digest.slice(0, 2)}/${digest}.glb`;

/**
 * Gives each configuration the path of its link, with `/`, relative to the output folder (D-733, D-740).
 *
 * Names compare without regard to case. Of two articles that would share a folder the first by key
 * keeps it; the other gets the digest of its base number appended.
 *
 * @param keys - Of `configurationKey`, all of the manifest, failed ones too, so that a path does not move when
 *   another article fails in a run.
 * @returns Each key with its path, in the order of the keys.
 */
export function* assignPaths(keys: Iterable<string>): Iterable<[key: string, path: string]> {
  const owners = new Map<string, string>();
  for (const key of sortConfigurationKeys(keys)) {
    const id = parseConfigurationKey(key);
    yield [key, `${ownFolder(id, owners)}/${configurationName(id)}.glb`];
  }
}

/** `default`, or 16 hex digits of sha256(reinitstring, NUL, metareinitstring). */
function configurationName({ reinitstring, metareinitstring }: ArticleKey): string {
  if (reinitstring === '' && metareinitstring === '') return 'default';
  return sha256Hex(`${reinitstring}\0${metareinitstring}`).slice(0, 16);
}

/** Claims the shortest name of a folder without another owner; longer ones serve numbers that become the same name. */
function ownFolder(key: ArticleKey, owners: Map<string, string>): string {
  const { manufacturer, program, basearticlenumber: base, finalarticlenumber: final } = key;
  const article = JSON.stringify([base, final]);
  const isFree = (folder: string) => (owners.get(folder.toUpperCase()) ?? article) === article;
  const names = [manufacturer, program, final === '' ? base : final].map(urlName);
  const folder = ['articles', ...names].join('/');
  const own = isFree(folder) ? folder : longerNames(folder, base, final).find(isFree)!;
  owners.set(own.toUpperCase(), article);
  return own;
}

/** Two of the last cannot be made equal. */
function longerNames(folder: string, base: string, final: string): string[] {
  const ofBoth = sha256Hex(`${base}\0${final}`);
  const digests = [sha256Hex(base).slice(0, 8), ofBoth.slice(0, 8), ofBoth.slice(0, 16), ofBoth];
  return digests.map((digest) => `${folder}~${digest}`);
}
