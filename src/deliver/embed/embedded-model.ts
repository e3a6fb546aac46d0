/** Which file of an article a page shows in 3D, and what belongs to it. No imports from Node: pages in a browser use it. */
import { USDZ_PROFILE, VARIANTS, WEB_PROFILE } from '../making/names.ts';
import type { EmbeddedFinish, EmbeddedModel } from './snippet.ts';

/** A file of a configuration. */
export interface ConfigurationFile {
  /** Name of its delivery. */
  delivery: string;
  /** Path relative to the output folder, with `/`. */
  path: string;
  /** Name of the finish of this configuration, for a file with several finishes. */
  finish?: string;
  /** The extensions that a model requires. */
  requiredExtensions?: readonly string[];
}

/** A configuration of an article. */
export interface EmbeddedConfiguration {
  /** What it looks like, for people who cannot see it. */
  alt: string;
  /** Path of the picture that represents it. */
  poster?: string | undefined;
  /** The master is the first. */
  files: readonly ConfigurationFile[];
}

/** The model that a page loads: that with all finishes where there is one, else that of the profile `web`, else the master. */
export function modelForPages<File extends ConfigurationFile>(files: readonly File[]): File {
  const of = (wanted: string) =>
    files.find(({ delivery, path }) => delivery === wanted && /\.(?:glb|gltf)$/.test(path));
  return of(VARIANTS) ?? of(WEB_PROFILE) ?? files[0]!;
}

/**
 * What a page shows of an article.
 *
 * @param shown - The configuration that is seen first.
 * @param all - All configurations of the article, in the order of its finishes.
 * @param addressOf - The address of a path.
 */
export function embeddedModel(
  shown: EmbeddedConfiguration,
  all: readonly EmbeddedConfiguration[],
  addressOf: (path: string) => string = (path) => path,
): EmbeddedModel {
  const { path, finish, requiredExtensions } = modelForPages(shown.files);
  const partsOf = ({ alt, files }: EmbeddedConfiguration) => {
    const usdz = files.find(({ delivery }) => delivery === USDZ_PROFILE);
    return { alt, ...(usdz && { iosModel: addressOf(usdz.path) }) };
  };
  const finishes = new Map<string, EmbeddedFinish>();
  for (const one of all) {
    const name = one.files.find((file) => file.path === path)?.finish;
    if (name !== undefined && !finishes.has(name)) finishes.set(name, { name, ...partsOf(one) });
  }
  return {
    model: addressOf(path),
    ...partsOf(shown),
    ...(shown.poster !== undefined && { poster: addressOf(shown.poster) }),
    ...(requiredExtensions && { requiredExtensions }),
    ...(finish !== undefined && { finish, finishes: [...finishes.values()] }),
  };
}
