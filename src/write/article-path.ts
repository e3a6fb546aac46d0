/**
 * Article path: where below the output folder a configuration's link stands.
 *
 * In: all identities of a manifest. Out: a path for each, safe on Linux, macOS and Windows.
 * It knows nothing of what is there already: the same identities get the same paths.
 */

import type { ArticleKey } from '../model/article.ts';
import { compareConfigurations, configurationKey } from '../model/configuration-id.ts';
import { encodeFileName, sha256Hex } from '../support/files.ts';

/** Hex digits of the digest that names a configuration other than the default. */
const CONFIGURATION_DIGITS = 16;
/** Hex digits that tell a second owner of a path from the first. */
const OWNER_DIGITS = 8;

/**
 * Gives each configuration the path of its link, with `/`, relative to the output folder.
 *
 * Names compare without regard to case. Of two articles that would share a folder the first by key
 * keeps it; the other gets the digest of its base number appended.
 *
 * @param keys - All identities of the manifest, failed ones too, so that a path does not move when
 *   another article fails for a night.
 * @returns Paths by `configurationKey(key)`.
 *
 * @example
 * ```ts
 * assignPaths([{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1', finalarticlenumber: 'D1/80', reinitstring: '', metareinitstring: '' }]);
 * // → Map { … => 'articles/ACME/DESK/D1%2F80/default.glb' }
 * ```
 *
 * @see D-740 (layout), D-607 (numbers are never raw file names).
 */
export function assignPaths(keys: readonly ArticleKey[]): Map<string, string> {
  const owners = new Map<string, string>();
  const paths = new Map<string, string>();
  for (const key of [...keys].sort(compareConfigurations)) {
    paths.set(configurationKey(key), `${ownFolder(key, owners)}/${configurationName(key)}.glb`);
  }
  return paths;
}

/**
 * Names a configuration within its article's folder.
 *
 * @returns `default`, or 16 hex digits of sha256(reinitstring, NUL, metareinitstring).
 */
export function configurationName(
  key: Pick<ArticleKey, 'reinitstring' | 'metareinitstring'>,
): string {
  if (key.reinitstring === '' && key.metareinitstring === '') return 'default';
  return hexOf(`${key.reinitstring}\0${key.metareinitstring}`, CONFIGURATION_DIGITS);
}

/** The first of the candidates that nobody else owns; claims it. */
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
  const series = ['articles', key.manufacturer, key.program].map(encodeFileName).join('/');
  const folder = `${series}/${encodeFileName(final === '' ? base : final)}`;
  yield folder;
  yield `${folder}~${hexOf(base, OWNER_DIGITS)}`;
  yield `${folder}~${hexOf(`${base}\0${final}`, OWNER_DIGITS)}`;
  yield `${folder}~${hexOf(`${base}\0${final}`, CONFIGURATION_DIGITS)}`;
}

function hexOf(text: string, digits: number): string {
  return sha256Hex(new TextEncoder().encode(text)).slice(0, digits);
}
