/** The bodies of one machine, with a shared store behind them: a body that one machine has fetched is shared. */

import type { Digest } from '../model/snapshot.ts';
import type { ContentStore } from '../source/cache/content-store.ts';
import { isConverterError } from '../support/errors.ts';
import { recent } from '../support/recent.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Every body can be fetched again. */
const HEADERS = { durable: false };
const UPLOADS_AT_ONCE = 8;
/** Number of digests remembered as being in the store; for others, the store is asked again. */
const MOST_KNOWN = 100_000;

/**
 * A content store of this machine before a store that machines share.
 *
 * `put` uploads contents that the store lacks, in the background. `get`, `getFile`, `has` and `sizeOf` fetch contents
 * that this machine lacks from the store, so that another process finds them here. `list`, `remove` and `pathOf` are
 * those of this machine.
 *
 * Each method also throws what the methods of the store throw.
 *
 * @example
 * ```ts
 * const bodies = new SharedContents(openFileStore({ dir, tmpDir }), store);
 * const { digest } = await bodies.put(bytes); // stored here
 * await bodies.flush();                       // and for others
 * ```
 */
export class SharedContents implements ContentStore {
  readonly #local: ContentStore;
  readonly #store: ObjectStore;
  readonly #uploadsAtOnce: number;
  readonly #known = recent<true>(MOST_KNOWN);
  /** Digests for which the store has other bytes: the next `put` replaces them. */
  readonly #damaged = new Set<Digest>();
  readonly #uploads = new Map<Digest, Promise<void>>();
  readonly #downloads = new Map<Digest, Promise<boolean>>();
  #failure: { error: unknown } | undefined;

  /** @param uploadsAtOnce - Contents that are uploaded at the same time, each in memory; `put` waits for its turn. */
  constructor(local: ContentStore, store: ObjectStore, uploadsAtOnce = UPLOADS_AT_ONCE) {
    this.#local = local;
    this.#store = store;
    this.#uploadsAtOnce = uploadsAtOnce;
  }

  async put(content: Uint8Array | readonly Uint8Array[]): ReturnType<ContentStore['put']> {
    const put = await this.#local.put(content);
    await this.#share(put.digest, !put.existed);
    return put;
  }

  get(digest: Digest): Promise<Uint8Array> {
    return this.#read(digest, () => this.#local.get(digest));
  }

  getFile(digest: Digest): Promise<Uint8Array> {
    return this.#read(digest, () => this.#local.getFile(digest));
  }

  async has(digest: Digest): Promise<boolean> {
    return (await this.sizeOf(digest)) !== undefined;
  }

  async sizeOf(digest: Digest): Promise<number | undefined> {
    const here = await this.#local.sizeOf(digest);
    if (here !== undefined) return here;
    return (await this.#bring(digest)) ? this.#local.sizeOf(digest) : undefined;
  }

  pathOf(digest: Digest): string {
    return this.#local.pathOf(digest);
  }

  list(): AsyncIterable<Digest> {
    return this.#local.list();
  }

  remove(digest: Digest): Promise<void> {
    return this.#local.remove(digest);
  }

  /**
   * Waits until the store has every content that was put.
   *
   * @throws {@link ConverterError} The error of the first upload that failed; `put` throws it too.
   */
  async flush(): Promise<void> {
    while (this.#uploads.size > 0) await Promise.all(this.#uploads.values());
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Begins an upload when the limit of uploads allows it. */
  async #share(digest: Digest, isNewHere: boolean): Promise<void> {
    const uploads = this.#uploads;
    while (uploads.size >= this.#uploadsAtOnce && !uploads.has(digest))
      await Promise.race(uploads.values());
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#known.has(digest) || uploads.has(digest)) return;
    const done = this.#upload(digest, isNewHere)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => uploads.delete(digest));
    uploads.set(digest, done);
  }

  async #upload(digest: Digest, isNewHere: boolean): Promise<void> {
    const key = keyOf(digest);
    if (this.#damaged.has(digest)) {
      const there = await this.#store.head(key);
      await this.#store.replace(key, await this.#local.get(digest), there?.etag, HEADERS);
      this.#damaged.delete(digest);
    } else if (isNewHere || (await this.#store.head(key)) === undefined) {
      // The content is read again, since the caller may use its memory for something else.
      await this.#store.putIfAbsent(key, await this.#local.get(digest), HEADERS);
    }
    this.#known.set(digest, true);
  }

  /** Reads from this machine; downloads a missing or damaged content, and reads again. */
  async #read(digest: Digest, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      return await read();
    } catch (error) {
      if (!isConverterError(error, 'STORE_DAMAGED') || !(await this.#bring(digest))) throw error;
      return read();
    }
  }

  /** Downloads a content from the store to this machine, once at a time; false if the store does not have it. */
  #bring(digest: Digest): Promise<boolean> {
    const begun = this.#downloads.get(digest);
    if (begun !== undefined) return begun;
    const bringing = this.#download(digest).finally(() => this.#downloads.delete(digest));
    this.#downloads.set(digest, bringing);
    return bringing;
  }

  async #download(digest: Digest): Promise<boolean> {
    const found = await this.#store.get(keyOf(digest)).catch((error: unknown) => {
      if (isConverterError(error, 'STORE_DAMAGED')) this.#damaged.add(digest);
      throw error;
    });
    if (found === undefined) return false;
    await this.#local.put(found.content);
    this.#known.set(digest, true);
    return true;
  }
}

const keyOf = (digest: Digest): string => `bodies/${digest.slice(0, 2)}/${digest}`;
