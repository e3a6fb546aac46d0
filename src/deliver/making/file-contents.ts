/** Contents of files that were made of masters: stored where they are published from, and kept in the cache. */
import { dirname, extname } from 'node:path';
import type { Digest } from '../../model/snapshot.ts';
import type { Run } from '../../run/open/open-run.ts';
import {
  type ContentStore,
  type FileStoreOptions,
  openFileStore,
} from '../../source/cache/content-store.ts';
import { isConverterError } from '../../support/errors.ts';
import { readBytes, sha256Hex } from '../../support/files.ts';
import { syncFolders } from '../../support/folders.ts';
import type { MadeFile, SharedContent, StoredContent, StoredFile } from './maker.ts';

type Derived = Run['sources']['derived'];

/**
 * The contents of made files. With objects of an output folder, a content is one of them, which another process or thread
 * may store, and the cache has a link to it; without, it is in the cache alone.
 */
export class FileContents {
  readonly #derived: Derived | undefined;
  readonly #objects: FileStoreOptions | undefined;
  readonly #stores = new Map<string, ContentStore>();
  readonly #unsynced = new Set<string>();

  /** @param derived - The cache; a thread has none. */
  constructor(derived: Derived | undefined, objects?: FileStoreOptions) {
    this.#derived = derived;
    this.#objects = objects;
  }

  /** Those of a run: in its output folder, unless several machines share its output. */
  static of({ sources, output }: Pick<Run, 'sources' | 'output'>): FileContents {
    const objects = output.published === undefined ? output.objectFiles : undefined;
    return new FileContents(sources.derived, objects);
  }

  /** With what another thread stores contents; none if it cannot. */
  get objects(): FileStoreOptions | undefined {
    return this.#objects;
  }

  /** Folders with new files or links, until {@link sync}. */
  get unsynced(): Set<string> {
    return this.#unsynced;
  }

  /** Stores the content of a file. @param name - Name of a file, for its ending. */
  async put(content: Uint8Array, name: string): Promise<StoredContent> {
    if (this.#objects === undefined) {
      const sha256 = sha256Hex(content);
      await this.#derived?.put(cacheKey(sha256), content);
      return { sha256, bytes: content.length };
    }
    const { digest: sha256, bytes } = await this.#storeOf(name).put(content);
    return this.keep({ sha256, bytes }, name);
  }

  /** Stores the contents of a made file. */
  async store({ bytes, facts, shared = [] }: MadeFile, name: string): Promise<StoredFile> {
    const parts: SharedContent[] = [];
    for (const part of shared)
      parts.push({ name: part.name, ...(await this.put(part.bytes, part.name)) });
    const own = await this.put(bytes, name);
    return { ...own, facts, ...(parts.length > 0 && { shared: parts }) };
  }

  /** Keeps what another thread has stored. */
  async keepAll(file: StoredFile, name: string): Promise<void> {
    for (const part of file.shared ?? []) await this.keep(part, part.name);
    await this.keep(file, name);
  }

  async keep<S extends StoredContent>(stored: S, name: string): Promise<S> {
    const path = this.#storeOf(name).pathOf(stored.sha256);
    this.#unsynced.add(dirname(path));
    await this.#derived?.keepFile(path, stored.sha256, stored.bytes);
    return stored;
  }

  /** Whether a file and those to which it refers are there, perhaps after they were brought back from the cache. */
  async hasAll(file: StoredFile, name: string): Promise<boolean> {
    const parts = file.shared ?? [];
    for (const part of parts) if (!(await this.has(part, part.name))) return false;
    return this.has(file, name);
  }

  async has(stored: StoredContent, name: string): Promise<boolean> {
    if (this.#objects === undefined) return (await this.#cached(stored)) !== undefined;
    if ((await this.#storeOf(name).sizeOf(stored.sha256)) === stored.bytes) return true;
    const content = await this.#cached(stored);
    if (content === undefined) return false;
    await this.put(content, name);
    return true;
  }

  /** Reads a content; undefined if it is gone. */
  async read(stored: StoredContent, name: string): Promise<Uint8Array | undefined> {
    const inOutput =
      this.#objects &&
      (await this.#storeOf(name)
        .get(stored.sha256)
        .catch((error: unknown) => {
          if (!isConverterError(error, 'STORE_DAMAGED')) throw error;
          return undefined;
        }));
    return inOutput ?? this.#cached(stored);
  }

  /** Waits until the disk has all names. */
  sync(): Promise<void> {
    return syncFolders(this.#unsynced);
  }

  async #cached({ sha256 }: StoredContent): Promise<Uint8Array | undefined> {
    const own = await this.#derived?.get(cacheKey(sha256));
    if (own !== undefined) return own;
    const path = await this.#derived?.keptFile(sha256);
    return path === undefined ? undefined : readBytes(path);
  }

  #storeOf(name: string): ContentStore {
    const extension = extname(name);
    const known = this.#stores.get(extension);
    if (known !== undefined) return known;
    const opened = openFileStore({ ...this.#objects!, extension, unsynced: this.#unsynced });
    this.#stores.set(extension, opened);
    return opened;
  }
}

/** Stores the contents of made files in the objects of an output folder, for {@link FileContents.keepAll}. */
export function storeFiles(
  objects: FileStoreOptions,
  files: readonly MadeFile[],
  names: readonly string[],
): Promise<StoredFile[]> {
  const inOutput = new FileContents(undefined, objects);
  return Promise.all(files.map((file, at) => inOutput.store(file, names[at]!)));
}

const cacheKey = (sha256: Digest) => `content ${sha256}`;
