/** Stores bytes under their SHA-256, each content once. */
import { join } from 'node:path';
import type { Digest } from '../model/snapshot.ts';
import { turnFor } from '../support/budget.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import { refuseLinksBelow } from '../support/file-operations.ts';
import {
  listFolder,
  publishOnce,
  readBytes,
  removeFile,
  replaceFile,
  sha256Hex,
  statIfExists,
} from '../support/files.ts';

/** A store of contents by digest; several processes may use one store at once. */
export interface ContentStore {
  /**
   * Stores bytes unless they are there already.
   *
   * @throws {@link ConverterError} `STORE_DAMAGED` if their file has other bytes; `DISK_FULL`, `OUTPUT_UNWRITABLE`.
   */
  put(bytes: Uint8Array): Promise<{ digest: Digest; existed: boolean }>;
  /** Reads bytes. @throws {@link ConverterError} `STORE_DAMAGED` if they are missing or have another digest. */
  get(digest: Digest): Promise<Uint8Array>;
  /** Whether there is a file of this digest; its bytes are not checked. */
  has(digest: Digest): Promise<boolean>;
  /** Size of the file in bytes, unchecked; undefined if there is none. */
  sizeOf(digest: Digest): Promise<number | undefined>;
  /** Path of the file, whether it exists or not. */
  pathOf(digest: Digest): string;
  /** Every digest, sorted. */
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
  /** Whether `get` removes damaged bytes: right for what is fetched again if it is missing. @defaultValue false */
  dropDamaged?: boolean;
}

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Opens a store in a folder, which need not exist yet: `<dir>/<2 hex>/<sha256><extension>`.
 *
 * @param signal - Ends reading of large contents, with its reason.
 * @example
 * ```ts
 * const store = openFileStore({ dir: 'objects', tmpDir: '.tmp', extension: '.glb' });
 * await store.put(bytes);   // → { digest: 'ba78…', existed: false }
 * store.pathOf('ba78…');    // → 'objects/ba/ba78….glb'
 * ```
 */
export function openFileStore(options: FileStoreOptions, signal?: AbortSignal): ContentStore {
  const { dir, tmpDir, extension = '', repair = false, dropDamaged = false, access } = options;
  refuseLinksBelow(options.root ?? dir);

  const pathOf = (digest: Digest): string => {
    // A digest from outside must not lead out of the folder.
    if (!DIGEST.test(digest)) {
      throw new ConverterError('INTERNAL', `content store: expected a digest, received ${digest}`);
    }
    return join(dir, digest.slice(0, 2), digest + extension);
  };

  const sizeOf = async (digest: Digest): Promise<number | undefined> =>
    (await statIfExists(pathOf(digest)))?.bytes;

  const get = async (digest: Digest): Promise<Uint8Array> => {
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
    if ((await sizeOf(digest)) !== bytes) return false;
    return sha256Hex(await readBytes(pathOf(digest))) === digest;
  };

  const put = async (bytes: Uint8Array): Promise<{ digest: Digest; existed: boolean }> => {
    const digest = sha256Hex(bytes);
    const path = pathOf(digest);
    const exists = (await sizeOf(digest)) !== undefined;
    if (!exists && (await publishOnce(path, bytes, tmpDir, access)) === 'published') {
      return { digest, existed: false };
    }
    if (await isIntact(digest, bytes.length)) return { digest, existed: true };
    if (!repair) throw damaged(path, 'other content');
    await replaceFile(path, bytes, { tmpDir, ...(access && { access }) });
    return { digest, existed: false };
  };

  return {
    put,
    get,
    has: async (digest) => (await sizeOf(digest)) !== undefined,
    sizeOf,
    pathOf,
    list: () => listDigests(dir, extension),
    remove: (digest) => removeFile(pathOf(digest)),
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
