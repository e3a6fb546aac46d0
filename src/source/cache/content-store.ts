/** Stores bytes under their SHA-256, each content once: as a file, or a small one as a row of `bodies.db`. */
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
import { openContents } from './contents.ts';

/** A store of contents by digest; several processes may use one store at once. */
export interface ContentStore {
  /**
   * Stores bytes unless they are there already.
   *
   * @param content - Pieces, which are not joined where they become a file.
   * @returns Their digest and number; `existed`: whether that is known of them.
   * @throws {@link ConverterError} `STORE_DAMAGED` if their file has other bytes; `DISK_FULL`, `OUTPUT_UNWRITABLE`.
   */
  put(
    content: Uint8Array | readonly Uint8Array[],
  ): Promise<{ digest: Digest; bytes: number; existed: boolean }>;
  /** Reads bytes. @throws {@link ConverterError} `STORE_DAMAGED` if they are missing or have another digest. */
  get(digest: Digest): Promise<Uint8Array>;
  /** Reads the file of bytes, even if they are a row too. @throws as `get`. */
  getFile(digest: Digest): Promise<Uint8Array>;
  /** Whether there are bytes of this digest; they are not checked. */
  has(digest: Digest): Promise<boolean>;
  /** Their size, unchecked; undefined if there are none. */
  sizeOf(digest: Digest): Promise<number | undefined>;
  /** Path of their file, whether it exists or not. */
  pathOf(digest: Digest): string;
  /** Every digest, sorted; those of small contents first, which may be files too. */
  list(): AsyncIterable<Digest>;
  /** Removes bytes if they are there. */
  remove(digest: Digest): Promise<void>;
}

/** Plain data, which another process can open the same store with. */
export interface FileStoreOptions {
  dir: string;
  /** Folder for temporary files, on the same file system. */
  tmpDir: string;
  /** Folder that contains both, and below which no link is followed. @defaultValue `dir` */
  root?: string;
  /** Appended to each file name, with its dot. @defaultValue '' */
  extension?: string;
  /** Whether `put` replaces damaged bytes, by a new file: links to the damaged one stay. @defaultValue false */
  repair?: boolean;
  /** Of the files. */
  access?: 'readOnly';
  /**
   * Whether the contents can be fetched or computed again: `get` removes damaged bytes, and `put` does not wait for the
   * disk, so that a power cut may damage them. @defaultValue false
   */
  dropDamaged?: boolean;
  /** Receives the folders of new files, which the caller syncs before it refers to these. @defaultValue synced at once */
  unsynced?: Set<string>;
  /** Path of the database of small contents. Without it they are files, too. */
  database?: string;
}

type Contents = Awaited<ReturnType<typeof openContents>>;

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
  const { dir, tmpDir, extension = '', repair = false, dropDamaged = false, access } = options;
  refuseLinksBelow(options.root ?? dir);
  // Without a join for each path, which takes 3 µs.
  const folder = join(dir, sep);
  let opening: Promise<Contents> | undefined;
  const contents = async () => {
    if (opened !== undefined || options.database === undefined) return opened;
    opening ??= openContents(options.database);
    return opening;
  };

  const pathOf = (digest: Digest): string => {
    // A digest from outside must not lead out of the folder.
    if (!DIGEST.test(digest)) {
      throw new ConverterError('INTERNAL', `content store: expected a digest, received ${digest}`);
    }
    return folder + digest.slice(0, 2) + sep + digest + extension;
  };

  const sizeOfFile = async (digest: Digest): Promise<number | undefined> =>
    (await statIfExists(pathOf(digest)))?.bytes;

  const sizeOf = async (digest: Digest): Promise<number | undefined> =>
    (await contents())?.small.sizeOf(digest) ?? sizeOfFile(digest);

  const get = async (digest: Digest): Promise<Uint8Array> => {
    const database = await contents();
    const row = database?.small.get(digest);
    if (row === undefined) return getFile(digest);
    if (sha256Hex(row) === digest) return row;
    if (dropDamaged) database!.small.remove(digest);
    throw damaged(`${database!.path}: ${digest}`, 'other content');
  };

  const getFile = async (digest: Digest): Promise<Uint8Array> => {
    const path = pathOf(digest);
    const bytes = await readBytes(path).catch((error: unknown) => {
      if (isConverterError(error, 'FILE_MISSING')) throw damaged(path, 'none', error);
      throw error;
    });
    await turnFor(bytes.length, signal);
    if (sha256Hex(bytes) === digest) return bytes;
    if (dropDamaged) await removeFile(path);
    throw damaged(path, 'other content');
  };

  const isIntact = async (digest: Digest, bytes: number): Promise<boolean> => {
    // The size of a truncated file differs: then it need not be read.
    if ((await sizeOfFile(digest)) !== bytes) return false;
    return sha256Hex(await readBytes(pathOf(digest))) === digest;
  };

  const put: ContentStore['put'] = async (content) => {
    const pieces = content instanceof Uint8Array ? [content] : content;
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const whole = pieces.length === 1 ? pieces[0] : undefined;
    const digest = sha256Hex(whole ?? pieces);
    const existed = (await contents())?.small.put(digest, whole ?? Buffer.concat(pieces));
    if (existed !== undefined) return { digest, bytes, existed };
    const path = pathOf(digest);
    const replace = async () => {
      await replaceFile(path, pieces, { tmpDir, durable: !dropDamaged, ...(access && { access }) });
      return { digest, bytes, existed: false };
    };
    const exists = (await sizeOfFile(digest)) !== undefined;
    if (!exists && dropDamaged) return replace();
    if (
      !exists &&
      (await publishOnce(path, pieces, tmpDir, access, options.unsynced)) === 'published'
    ) {
      return { digest, bytes, existed: false };
    }
    if (await isIntact(digest, bytes)) return { digest, bytes, existed: true };
    if (!repair) throw damaged(path, 'other content');
    return replace();
  };

  return {
    put,
    get,
    getFile,
    has: async (digest) => (await sizeOf(digest)) !== undefined,
    sizeOf,
    pathOf,
    async *list() {
      yield* (await contents())?.small.digests() ?? [];
      yield* listDigests(dir, extension);
    },
    remove: async (digest) => {
      const path = pathOf(digest);
      (await contents())?.small.remove(digest);
      await removeFile(path);
    },
  };
}

/** Data that was computed from contents, by key; any of it may be gone at any time. */
interface DerivedData {
  /** Returns what was stored under a key; undefined if there is none, also if it was damaged, and then removed. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores bytes, in place of others of the key. They must not change for a second. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Keeps a file that never changes, by its digest: as a hard link, which neither copies nor syncs it again (50 µs). Where
   * links are not possible, as to another file system, it is not kept.
   */
  keepFile(path: string, digest: Digest, bytes: number): Promise<void>;
  /** Returns the path of a file that was kept, whose content is checked; undefined as with `get`. */
  keptFile(digest: Digest): Promise<string | undefined>;
}

/** Which contents other machines have computed, by key. */
export interface SharedDerivedData {
  get(key: string): Promise<DerivedContent | undefined>;
  /** Notes a content, unless another machine has noted one. */
  put(key: string, content: DerivedContent): Promise<void>;
}

/** A content of the store. */
interface DerivedContent {
  digest: Digest;
  bytes: number;
}

/**
 * Opens the derived data of a cache: contents of the store, evicted with the others by last use.
 *
 * @param now - Start of the run, milliseconds since the epoch.
 * @param shared - What other machines have computed, whose contents `store` brings; not for files.
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
      // A row of the same bytes says nothing about the file, which is what gets linked.
      const fileOf = (kept: Digest) => store.getFile(kept);
      const bytes = await read(`file ${digest}`, fileOf).catch(() => undefined);
      return bytes && store.pathOf(digest);
    },
  };
}

async function* listDigests(dir: string, extension: string): AsyncIterable<Digest> {
  for (const folder of await listFolder(dir)) {
    for (const name of await listFolder(join(dir, folder))) {
      const digest = name.slice(0, 64);
      const isOurs = DIGEST.test(digest) && digest.startsWith(folder);
      if (isOurs && name === digest + extension) yield digest;
    }
  }
}

function damaged(path: string, received: string, cause?: unknown): ConverterError {
  return new ConverterError(
    'STORE_DAMAGED',
    `${path}: expected the content of this digest, received ${received}`,
    { cause },
  );
}
