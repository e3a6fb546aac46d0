/** Article path: the path of each configuration's link below the output folder, which is a URL path too. */
import type { ArticleKey } from '../model/article.ts';
import { compareConfigurations, configurationKey } from '../model/configuration-id.ts';
import { urlName } from '../support/file-names.ts';
import { sha256Hex } from '../support/files.ts';

/**
 * Gives each configuration the path of its link, with `/`, relative to the output folder (D-733, D-740).
 *
 * Names compare without regard to case. Of two articles that would share a folder the first by key
 * keeps it; the other gets the digest of its base number appended.
 *
 * @param keys - All identities of the manifest, failed ones too, so that a path does not move when
 *   another article fails in a run.
 * @returns Paths by {@link configurationKey}.
 */
export function assignPaths(keys: readonly ArticleKey[]): Map<string, string> {
  const owners = new Map<string, string>();
  const paths = new Map<string, string>();
  for (const key of [...keys].sort(compareConfigurations)) {
    paths.set(configurationKey(key), `${ownFolder(key, owners)}/${configurationName(key)}.glb`);
  }
  return paths;
}

/** `default`, or 16 hex digits of sha256(reinitstring, NUL, metareinitstring). */
function configurationName({ reinitstring, metareinitstring }: ArticleKey): string {
  if (reinitstring === '' && metareinitstring === '') return 'default';
  return sha256Hex(`${reinitstring}\0${metareinitstring}`).slice(0, 16);
}

/** The first of the candidates without another owner; claims it. */
function ownFolder(key: ArticleKey, owners: Map<string, string>): string {
  const article = JSON.stringify([key.basearticlenumber, key.finalarticlenumber]);
  for (const folder of candidates(key)) {
    const owner = owners.get(folder.toUpperCase()) ?? article;
    if (owner !== article) continue;
    owners.set(folder.toUpperCase(), article);
    return folder;
  }
  throw new Error(`no free folder for ${configurationKey(key)}`);
}

/** Later candidates serve numbers that differ in letter case alone and share their base number. */
function* candidates(key: ArticleKey): Generator<string> {
  const { basearticlenumber: base, finalarticlenumber: final } = key;
  const series = ['articles', key.manufacturer, key.program].map(urlName).join('/');
  const folder = `${series}/${urlName(final === '' ? base : final)}`;
  const ofBoth = sha256Hex(`${base}\0${final}`);
  yield folder;
  yield `${folder}~${sha256Hex(base).slice(0, 8)}`;
  yield `${folder}~${ofBoth.slice(0, 8)}`;
  yield `${folder}~${ofBoth.slice(0, 16)}`;
  // Two of these cannot be made equal.
  yield `${folder}~${ofBoth}`;
}
