/** The output of a pipeline in a store: manifest and other lists, GLBs, and the files of deliveries. */

import { join } from 'node:path';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { languagesOf } from '../run/open/connect.ts';
import { FEEDS_FOLDER, GALLERY_FOLDER } from '../run/output/delivered-files.ts';
import { DAMAGED, listFiles, MISSING } from '../run/output/output-folder.ts';
import { isConverterError } from '../support/errors.ts';
import { removeFile, replaceFile, sha256Hex, temporaryFolder } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Prefix of the keys of GLBs. */
export const OBJECTS = 'objects/';
/** Key of the list of delivered files in the store, with the digest of each. */
export const DELIVERED_KEY = 'delivered.json';
/** Replaces the digest of a file that is being replaced or removed. */
export const UNSETTLED = '';
const COPIES_AT_ONCE = 8;

/**
 * The folder of the lists of a store for processes that do not publish: never the output folder, where a run on this
 * machine may be about to replace them.
 */
export function listsFolder({ cacheDir, store }: Pick<Pipeline, 'cacheDir' | 'store'>): string {
  return join(cacheDir, 'published', sha256Hex(`${store?.url}`).slice(0, 16));
}

/** The known version of each list of a store. */
export type KnownLists = Map<string, { etag: string; sha256: Digest }>;

/** Copies manifest, catalogues and the lists of deliveries of a store; removes copies of lists that it lacks. */
export async function copyLists(
  store: ObjectStore,
  { service }: Pick<Pipeline, 'service'>,
  dir: string,
): Promise<KnownLists> {
  const known: KnownLists = new Map();
  const tmpDir = temporaryFolder(dir);
  await inParallel(listFiles(languagesOf(service)), COPIES_AT_ONCE, async (file) => {
    const found = await store.get(file);
    if (found === undefined) {
      await removeFile(join(dir, file));
      return;
    }
    known.set(file, { etag: found.etag, sha256: sha256Hex(found.content) });
    await replaceFile(join(dir, file), found.content, { tmpDir });
  });
  return known;
}

/** Whether a delivered file describes all other files, and is published after them. */
export const isOfWholeRange = (path: string): boolean =>
  [FEEDS_FOLDER, GALLERY_FOLDER].some((folder) => path.startsWith(`${folder}/`));

/** The list of delivered files in a store. */
export interface Delivered {
  /** The digest of each file, by its key, also of feeds and of the gallery. */
  files: Record<string, Digest>;
  /** The `etag` of the list; undefined if there is none. */
  etag: string | undefined;
}

/** Reads the list of delivered files in a store. */
export async function readDelivered(store: ObjectStore): Promise<Delivered> {
  const found = await store.get(DELIVERED_KEY);
  const files = found === undefined ? {} : JSON.parse(new TextDecoder().decode(found.content));
  return { files, etag: found?.etag };
}

/**
 * The problem of an object of a store, whose content has a digest; undefined if the object is intact.
 *
 * @throws {@link ConverterError} the codes of {@link ObjectStore} but for `STORE_DAMAGED`.
 */
export async function problemOfObject(
  store: ObjectStore,
  key: string,
  digest: Digest,
): Promise<string | undefined> {
  try {
    const found = await store.get(key);
    if (found === undefined) return MISSING;
    return sha256Hex(found.content) === digest ? undefined : DAMAGED;
  } catch (error) {
    if (isConverterError(error, 'STORE_DAMAGED')) return DAMAGED;
    throw error;
  }
}
