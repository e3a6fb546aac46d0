/** A store of objects in a folder, which several processes share, or several machines over a network file system. */
import { dirname, join } from 'node:path';
import { ConverterError } from '../../support/errors.ts';
import { ERRNOS, refuseLinksBelow, unless } from '../../support/file-operations.ts';
import {
  digestOfFile,
  exists,
  publishOnce,
  readBytesIfExists,
  removeFile,
  removeOldTemporaries,
  rename,
  replaceFile,
  sha256Hex,
  statIfExists,
  temporaryFolder,
  viaTemporary,
  writeNew,
} from '../../support/files.ts';
import { listEntries, syncFolders } from '../../support/folders.ts';
import { createFolderLock, type FolderLock } from './folder-lock.ts';
import { checkKey, checkPrefix, digestOfKey, isKey } from './object-key.ts';
import type { ObjectContent, ObjectHeaders, ObjectInfo, ObjectStore } from './object-store.ts';

const LOCK_FILE = '.store-lock';
/** No write takes this long. The process id in the name of a temporary file is no help: it may be from another machine. */
const OLD_MS = 24 * 60 * 60 * 1000;

/**
 * Opens a store in a folder, which need not exist yet: each object is the file of its key. The `etag` is the SHA-256 of
 * the content. Headers are not kept: the web server of the folder decides on them.
 *
 * @param nowMs - Milliseconds since 1970; temporary files that ended processes left a day before are removed.
 * @throws {@link ConverterError} `OUTPUT_UNWRITABLE`, `FILE_UNREADABLE`.
 * @example
 * ```ts
 * const store = await openFolderStore('/mnt/shared/btg2gltf', Date.now());
 * await store.putIfAbsent('runs/7/chunks/0.jsonl', lines); // → 'stored'
 * await store.putIfAbsent('runs/7/chunks/0.jsonl', lines); // → 'present'
 * ```
 */
export async function openFolderStore(folder: string, nowMs: number): Promise<ObjectStore> {
  refuseLinksBelow(folder);
  await removeOldTemporaries(temporaryFolder(folder), nowMs - OLD_MS);
  return new FolderStore(folder);
}

class FolderStore implements ObjectStore {
  /** The folder. */
  readonly name: string;
  readonly #tmpDir: string;
  readonly #lock: FolderLock;

  constructor(folder: string) {
    this.name = folder;
    this.#tmpDir = temporaryFolder(folder);
    this.#lock = createFolderLock(join(folder, LOCK_FILE));
  }

  async putIfAbsent(
    key: string,
    content: ObjectContent,
    { durable = true }: ObjectHeaders = {},
  ): Promise<'stored' | 'present'> {
    const path = this.#pathOf(key);
    // Most existing contents need no temporary file.
    if (await exists(path)) return 'present';
    if (!durable && digestOfKey(key) !== undefined) {
      // If another process has stored a content meanwhile, it is the same content.
      await replaceFile(path, content, { tmpDir: this.#tmpDir, durable });
      return 'stored';
    }
    const published = await publishOnce(path, content, this.#tmpDir);
    return published === 'published' ? 'stored' : 'present';
  }

  async replace(
    key: string,
    content: ObjectContent,
    ifMatch: string | undefined,
  ): Promise<string | undefined> {
    const path = this.#pathOf(key);
    const etag = await digestOf(content);
    if (ifMatch === undefined) {
      return (await this.putIfAbsent(key, content)) === 'stored' ? etag : undefined;
    }
    const isSame = async () => (await etagOf(path)) === ifMatch;
    if (!(await isSame())) return undefined;
    const isReplaced = await viaTemporary(this.#tmpDir, async (temporary) => {
      // The file is written before the lock is taken, since writing waits for the disk.
      await writeNew(temporary, content);
      return this.#lock(async () => {
        const isFirst = await isSame();
        if (isFirst) await rename(temporary, path);
        return isFirst;
      });
    });
    if (isReplaced) await syncFolders(new Set([dirname(path)]));
    return isReplaced ? etag : undefined;
  }

  async get(key: string): Promise<{ content: Uint8Array; etag: string } | undefined> {
    const path = this.#pathOf(key);
    const content = await readBytesIfExists(path);
    if (content === undefined) return undefined;
    const etag = sha256Hex(content);
    if (etag === (digestOfKey(key) ?? etag)) return { content, etag };
    const message = `${path}: expected the content of this digest, received other content`;
    throw new ConverterError('STORE_DAMAGED', message);
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const path = this.#pathOf(key);
    const facts = await statIfExists(path);
    if (facts === undefined || facts.folder) return undefined;
    const { bytes, modifiedMs: modifiedAt } = facts;
    const etag = digestOfKey(key) ?? (await etagOf(path));
    return etag === undefined ? undefined : { bytes, etag, modifiedAt };
  }

  async *list(prefix: string): AsyncIterable<{ key: string } & ObjectInfo> {
    checkPrefix(prefix);
    for await (const key of keysOf(this.name, '', prefix)) {
      const info = await this.head(key);
      // The object may have been removed since.
      if (info !== undefined) yield { key, ...info };
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    // The lock prevents that another process replaces the object meanwhile, which would restore it.
    if (await exists(path)) await this.#lock(() => removeFile(path));
  }

  #pathOf(key: string): string {
    checkKey(key);
    return join(this.name, key);
  }
}

const digestOf = async (content: ObjectContent): Promise<string> =>
  'path' in content ? (await digestOfFile(content.path)).sha256 : sha256Hex(content);

async function etagOf(path: string): Promise<string | undefined> {
  return (await unless(ERRNOS.absent, digestOfFile(path)))?.sha256;
}

/** Keys below a folder that begin with a prefix, sorted by bytes, so that `a.b` precedes `a/b`. */
async function* keysOf(root: string, folder: string, prefix: string): AsyncIterable<string> {
  const entries = (await listEntries(join(root, folder))).map(({ name, kind }) => {
    const key = folder === '' ? name : `${folder}/${name}`;
    return { key, kind, order: kind === 'folder' ? `${key}/` : key };
  });
  entries.sort((a, b) => (a.order < b.order ? -1 : 1));
  for (const { key, kind, order } of entries) {
    if (!isKey(key)) continue;
    if (kind === 'file' && key.startsWith(prefix)) yield key;
    const mayContain = order.startsWith(prefix) || prefix.startsWith(order);
    if (kind === 'folder' && mayContain) yield* keysOf(root, key, prefix);
  }
}
