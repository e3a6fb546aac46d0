/** Stores bytes under their SHA-256, each content once: as a file, or a small content as a row of `bodies.db`. */
import { join, sep } from 'node:path';
import type { Digest } from '../../model/snapshot.ts';
import { turnFor } from '../../support/budget.ts';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { refuseLinksBelow } from '../../support/file-operations.ts';
import {
  listFolder,
  publishOnce,
  readBytes,
  removeFile,
  replaceFile,
  sha256Hex,
  statIfExists,
} from '../../support/files.ts';
import { linkIfPossible } from '../../support/links.ts';
import { type Contents, openContents, type UsedContent } from './contents.ts';

/** A store of contents by digest; several processes may use one store at once. */
export interface ContentStore {
  /**
   * Stores bytes unless they are there already.
   *
   * @param content - Pieces, which are not joined where they become a file.
   * @returns Digest and number of the bytes; `existed`: whether the bytes are known to have been there before.
   * @throws {@link ConverterError} `STORE_DAMAGED` if the file has other bytes; `DISK_FULL`, `OUTPUT_UNWRITABLE`.
   */
  put(
    content: Uint8Array | readonly Uint8Array[],
  ): Promise<{ digest: Digest; bytes: number; existed: boolean }>;
  /** Reads bytes. @throws {@link ConverterError} `STORE_DAMAGED` if they are missing or have another digest. */
  get(digest: Digest): Promise<Uint8Array>;
  /** Reads the file of bytes, even if they are a row too. @throws as `get`. */
  getFile(digest: Digest): Promise<Uint8Array>;
  /** Whether there are bytes of this digest. The bytes are not checked. */
  has(digest: Digest): Promise<boolean>;
  /** Size of the bytes, unchecked; undefined if there are none. */
  sizeOf(digest: Digest): Promise<number | undefined>;
  /** Path of the file of the bytes, whether the file exists or not. */
  pathOf(digest: Digest): string;
  /** Every digest, sorted. Digests of small contents come first; some of these may be files too. */
  list(): AsyncIterable<Digest>;
  /** Removes bytes if they are there. */
  remove(digest: Digest): Promise<void>;
}

/** Options of a store. They are plain data, with which another process can open the same store. */
export interface FileStoreOptions {
  dir: string;
  /** Folder for temporary files, on the same file system. */
  tmpDir: string;
  /** Folder that contains `dir` and `tmpDir`, and below which no link is followed. @defaultValue `dir` */
  root?: string;
  /** Appended to each file name, with its dot. @defaultValue '' */
  extension?: string;
  /** Whether `put` replaces damaged bytes, by a new file: links to the damaged one stay. @defaultValue false */
  repair?: boolean;
  access?: 'readOnly';
  /**
   * Whether the contents can be fetched or computed again: `get` removes damaged bytes, and `put` does not wait for the
   * disk, so that a power cut may damage them. @defaultValue false
   */
  dropDamaged?: boolean;
  /** Receives the folders of new files, which the caller syncs before it refers to the files. @defaultValue synced now */
  unsynced?: Set<string>;
  /** Path of the database of small contents. Without it, small contents are files too. */
  database?: string;
}

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Opens a store in a folder, which need not exist yet: `<dir>/<2 hex>/<sha256><extension>`.
 *
 * @param signal - Ends reading of large contents, with its reason.
 * @param opened - The database of small contents, which the caller closes. Without it, the store opens the one of the
 *   options on first use, as another process does, which sees what was flushed.
 * @example
 * ```ts
 * const store = openFileStore({ dir: 'objects', tmpDir: '.tmp', extension: '.glb' });
 * await store.put(bytes);   // → { digest: 'ba78…', bytes: 3, existed: false }
 * store.pathOf('ba78…');    // → 'objects/ba/ba78….glb'
 * ```
 */
export function openFileStore(
  options: FileStoreOptions,
  signal?: AbortSignal,
  opened?: Contents,
): ContentStore {
  return new FileStore(options, signal, opened);
}

/** A store in a folder. Its methods need no `this`: callers pass them on as functions. */
class FileStore implements ContentStore {
  readonly #options: FileStoreOptions;
  readonly #extension: string;
  readonly #signal: AbortSignal | undefined;
  /** Used instead of `join` for each path, which takes 3 µs. */
  readonly #folder: string;
  readonly #opened: Contents | undefined;
  #opening: Promise<Contents> | undefined;

  constructor(options: FileStoreOptions, signal?: AbortSignal, opened?: Contents) {
    refuseLinksBelow(options.root ?? options.dir);
    this.#options = options;
    this.#extension = options.extension ?? '';
    this.#signal = signal;
    this.#folder = join(options.dir, sep);
    this.#opened = opened;
  }

  readonly put: ContentStore['put'] = async (content) => {
    const { tmpDir, repair = false, dropDamaged = false, access, unsynced } = this.#options;
    const pieces = content instanceof Uint8Array ? [content] : content;
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const whole = pieces.length === 1 ? pieces[0] : undefined;
    const digest = sha256Hex(whole ?? pieces);
    const contents = await this.#contents();
    const existed = contents?.small.put(digest, whole ?? Buffer.concat(pieces));
    if (existed !== undefined) return { digest, bytes, existed };
    const path = this.pathOf(digest);
    const replace = async () => {
      await replaceFile(path, pieces, { tmpDir, durable: !dropDamaged, ...(access && { access }) });
      return { digest, bytes, existed: false };
    };
    const exists = (await this.#sizeOfFile(digest)) !== undefined;
    if (!exists && dropDamaged) return replace();
    if (!exists && (await publishOnce(path, pieces, tmpDir, access, unsynced)) === 'published') {
      return { digest, bytes, existed: false };
    }
    if (await this.#isIntact(digest, bytes)) return { digest, bytes, existed: true };
    if (!repair) throw damaged(path, 'other content');
    return replace();
  };

  readonly get: ContentStore['get'] = async (digest) => {
    const database = await this.#contents();
    const row = database?.small.get(digest);
    if (row === undefined) return this.getFile(digest);
    if (sha256Hex(row) === digest) return row;
    if (this.#options.dropDamaged) database!.small.remove(digest);
    throw damaged(`${database!.path}: ${digest}`, 'other content');
  };

  readonly getFile: ContentStore['getFile'] = async (digest) => {
    const path = this.pathOf(digest);
    const bytes = await readBytes(path).catch((error: unknown) => {
      if (isConverterError(error, 'FILE_MISSING')) throw damaged(path, 'none', error);
      throw error;
    });
    await turnFor(bytes.length, this.#signal);
    if (sha256Hex(bytes) === digest) return bytes;
    if (this.#options.dropDamaged) await removeFile(path);
    throw damaged(path, 'other content');
  };

  readonly has: ContentStore['has'] = async (digest) => (await this.sizeOf(digest)) !== undefined;

  readonly sizeOf: ContentStore['sizeOf'] = async (digest) =>
    (await this.#contents())?.small.sizeOf(digest) ?? this.#sizeOfFile(digest);

  readonly pathOf: ContentStore['pathOf'] = (digest) => {
    // A digest from outside must not lead out of the folder.
    if (!DIGEST.test(digest)) {
      throw new ConverterError('INTERNAL', `content store: expected a digest, received ${digest}`);
    }
    return this.#folder + digest.slice(0, 2) + sep + digest + this.#extension;
  };

  readonly list: ContentStore['list'] = () => this.#digests();

  readonly remove: ContentStore['remove'] = async (digest) => {
    const path = this.pathOf(digest);
    (await this.#contents())?.small.remove(digest);
    await removeFile(path);
  };

  async #contents(): Promise<Contents | undefined> {
    const { database } = this.#options;
    if (this.#opened !== undefined || database === undefined) return this.#opened;
    this.#opening ??= openContents(database);
    return this.#opening;
  }

  async #sizeOfFile(digest: Digest): Promise<number | undefined> {
    return (await statIfExists(this.pathOf(digest)))?.bytes;
  }

  async #isIntact(digest: Digest, bytes: number): Promise<boolean> {
    // The size of a truncated file differs, so the file need not be read.
    if ((await this.#sizeOfFile(digest)) !== bytes) return false;
    return sha256Hex(await readBytes(this.pathOf(digest))) === digest;
  }

  async *#digests(): AsyncGenerator<Digest> {
    yield* (await this.#contents())?.small.digests() ?? [];
    const { dir } = this.#options;
    for (const folder of await listFolder(dir)) {
      for (const name of await listFolder(join(dir, folder))) {
        const digest = name.slice(0, 64);
        const isOurs = DIGEST.test(digest) && digest.startsWith(folder);
        if (isOurs && name === digest + this.#extension) yield digest;
      }
    }
  }
}

/** Data that was computed from contents, by key; any of it may be gone at any time. */
export interface DerivedData {
  /** Returns what was stored under a key; undefined if there is nothing, or if the data was damaged and removed. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores bytes in place of others under the key. The bytes must not change for a second. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Keeps a file that never changes, by its digest: as a hard link, which neither copies nor syncs it again (50 µs). Where
   * links are not possible, as to another file system, it is not kept.
   */
  keepFile(path: string, digest: Digest, bytes: number): Promise<void>;
  /** Returns the path of a kept file, whose content is checked; undefined as with `get`. */
  keptFile(digest: Digest): Promise<string | undefined>;
}

/** Records which contents other machines have computed, by key. */
export interface SharedDerivedData {
  get(key: string): Promise<DerivedContent | undefined>;
  /** Records a content, unless another machine has recorded one. */
  put(key: string, content: DerivedContent): Promise<void>;
}

type DerivedContent = Omit<UsedContent, 'usedAt'>;

/**
 * Opens the derived data of a cache: contents of the store, evicted with the others by last use.
 *
 * @param now - Start of the run, milliseconds since the epoch.
 * @param shared - Contents that other machines have computed and `store` fetches; not used for files.
 * @example
 * ```ts
 * const derived = openDerivedData(store, contents, now);
 * const key = `mesh 1 ${digest} ${JSON.stringify(options)}`;   // what, version, sources, options
 * const mesh = (await derived.get(key)) ?? computed(digest);
 * ```
 */
export function openDerivedData(
  store: Pick<ContentStore, 'get' | 'getFile' | 'put' | 'pathOf'>,
  { derived }: Pick<Contents, 'derived'>,
  now: number,
  shared?: SharedDerivedData,
): DerivedData {
  const read = async (
    key: string,
    bytesOf: (digest: Digest) => Promise<Uint8Array>,
    others?: SharedDerivedData,
  ): Promise<Uint8Array | undefined> => {
    let entry: DerivedContent | undefined = derived.use(key, now);
    if (entry === undefined) {
      entry = await others?.get(key);
      if (entry === undefined) return undefined;
      derived.put(key, { ...entry, usedAt: now });
    }
    try {
      return await bytesOf(entry.digest);
    } catch (error) {
      if (!isConverterError(error, 'STORE_DAMAGED')) throw error;
      derived.put(key, undefined);
      return undefined;
    }
  };
  return {
    get: (key) => read(key, (digest) => store.get(digest), shared),
    async put(key, bytes) {
      const { digest } = await store.put(bytes);
      derived.put(key, { digest, bytes: bytes.length, usedAt: now });
      await shared?.put(key, { digest, bytes: bytes.length });
    },
    async keepFile(path, digest, bytes) {
      if (await linkIfPossible(path, store.pathOf(digest)))
        derived.put(`file ${digest}`, { digest, bytes, usedAt: now });
    },
    async keptFile(digest) {
      // A row of the same bytes proves nothing about the file, which is what gets linked.
      const fileOf = (kept: Digest) => store.getFile(kept);
      const bytes = await read(`file ${digest}`, fileOf).catch(() => undefined);
      return bytes && store.pathOf(digest);
    },
  };
}

function damaged(path: string, received: string, cause?: unknown): ConverterError {
  return new ConverterError(
    'STORE_DAMAGED',
    `${path}: expected the content of this digest, received ${received}`,
    { cause },
  );
}
