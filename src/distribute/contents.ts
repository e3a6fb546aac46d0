/** The contents of one machine before those of a store that machines share: what one has fetched, no other requests. */
import { LRUCache } from 'lru-cache';
import type { Digest } from '../model/snapshot.ts';
import type { ContentStore } from '../source/cache/content-store.ts';
import { isConverterError } from '../support/errors.ts';
import type { ObjectHeaders, ObjectStore } from './store/object-store.ts';

/** Where contents are in the store. */
interface SharedContentsOptions {
  /** What their keys begin with, such as `bodies`: `bodies/<2 hex>/<sha256><extension>`. */
  folder: string;
  /** With its dot. @defaultValue '' */
  extension?: string;
  headers?: ObjectHeaders;
  /** Contents that are uploaded at the same time, each in memory; `put` waits for its turn. @defaultValue 8 */
  uploadsAtOnce?: number;
}

/** A content store whose contents other machines have too, once they are flushed. */
interface SharedContents extends ContentStore {
  /**
   * Waits until the store has every content that was put.
   *
   * @throws {@link ConverterError} that of the first upload that failed; `put` throws it too.
   */
  flush(): Promise<void>;
}

const UPLOADS_AT_ONCE = 8;
/** Digests that are known to be in the store: of more, some are asked for again. */
const MOST_KNOWN = 100_000;

/**
 * Puts a content store of this machine before a store that machines share.
 *
 * `put` uploads what the store does not have, in the background. `get`, `getFile`, `has` and `sizeOf` bring what this
 * machine does not have from the store into it, so that another process finds it there. `list`, `remove` and `pathOf` are
 * those of this machine.
 *
 * @throws {@link ConverterError} of each method: also what the methods of the store throw.
 * @example
 * ```ts
 * const bodies = shareContents(openFileStore({ dir, tmpDir }), store, { folder: 'bodies' });
 * const { digest } = await bodies.put(bytes); // stored here
 * await bodies.flush();                       // and for others
 * ```
 */
export function shareContents(
  local: ContentStore,
  store: ObjectStore,
  options: SharedContentsOptions,
): SharedContents {
  const { folder, extension = '', headers, uploadsAtOnce = UPLOADS_AT_ONCE } = options;
  const keyOf = (digest: Digest) => `${folder}/${digest.slice(0, 2)}/${digest}${extension}`;
  const known = new LRUCache<Digest, true>({ max: MOST_KNOWN });
  /** Digests of which the store has other bytes: the next `put` replaces them. */
  const damaged = new Set<Digest>();
  const uploads = new Map<Digest, Promise<void>>();
  const downloads = new Map<Digest, Promise<boolean>>();
  let failure: { error: unknown } | undefined;

  const upload = async (digest: Digest, isNewHere: boolean): Promise<void> => {
    const key = keyOf(digest);
    if (damaged.has(digest)) {
      const there = await store.head(key);
      await store.replace(key, await local.get(digest), there?.etag, headers);
      damaged.delete(digest);
    } else if (isNewHere || (await store.head(key)) === undefined) {
      // Read again, since the caller may use the memory of the content for something else.
      await store.putIfAbsent(key, await local.get(digest), headers);
    }
    known.set(digest, true);
  };

  /** Begins an upload when there is room for it. */
  const share = async (digest: Digest, isNewHere: boolean): Promise<void> => {
    while (uploads.size >= uploadsAtOnce && !uploads.has(digest))
      await Promise.race(uploads.values());
    if (failure !== undefined) throw failure.error;
    if (known.has(digest) || uploads.has(digest)) return;
    const done = upload(digest, isNewHere)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => uploads.delete(digest));
    uploads.set(digest, done);
  };

  /** Brings a content from the store into this machine; false if the store has none. */
  const download = async (digest: Digest): Promise<boolean> => {
    const found = await store.get(keyOf(digest)).catch((error: unknown) => {
      if (isConverterError(error, 'STORE_DAMAGED')) damaged.add(digest);
      throw error;
    });
    if (found === undefined) return false;
    await local.put(found.content);
    known.set(digest, true);
    return true;
  };
  const bring = (digest: Digest): Promise<boolean> => {
    const begun = downloads.get(digest);
    if (begun !== undefined) return begun;
    const bringing = download(digest).finally(() => downloads.delete(digest));
    downloads.set(digest, bringing);
    return bringing;
  };

  /** Reads from this machine; brings what is missing or damaged there, and reads again. */
  const reading =
    (read: ContentStore['get']): ContentStore['get'] =>
    async (digest) => {
      try {
        return await read(digest);
      } catch (error) {
        if (!isConverterError(error, 'STORE_DAMAGED') || !(await bring(digest))) throw error;
        return read(digest);
      }
    };

  const sizeOf: ContentStore['sizeOf'] = async (digest) =>
    (await local.sizeOf(digest)) ?? ((await bring(digest)) ? local.sizeOf(digest) : undefined);

  return {
    async put(content) {
      const put = await local.put(content);
      await share(put.digest, !put.existed);
      return put;
    },
    get: reading(local.get),
    getFile: reading(local.getFile),
    has: async (digest) => (await sizeOf(digest)) !== undefined,
    sizeOf,
    pathOf: local.pathOf,
    list: local.list,
    remove: local.remove,
    async flush() {
      while (uploads.size > 0) await Promise.all(uploads.values());
      if (failure !== undefined) throw failure.error;
    },
  };
}
