/** The output of a pipeline with `store:`. The store has it; the output folder is a copy of what a run reads and writes. */
import { join } from 'node:path';
import type { CacheDatabase } from '../cache/database.ts';
import { loadDurableState } from '../cache/shared-rows.ts';
import type { Digest } from '../model/snapshot.ts';
import type { ObjectHeaders, ObjectStore } from '../store/object-store.ts';
import { ConverterError } from '../support/errors.ts';
import {
  digestOfFile,
  listFolder,
  readBytesIfExists,
  removeFile,
  replaceFile,
  sha256Hex,
  statIfExists,
  temporaryFolder,
} from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import { CATALOGUE_FILE, catalogueFiles, MANIFEST_FILE } from '../write/manifest.ts';
import {
  CHANGES_FILE,
  DELIVERIES_FILE,
  type DeliveryLine,
  FEEDS_FOLDER,
  GALLERY_FOLDER,
  PUBLISHED_FILE,
} from './deliveries.ts';
import { openListedChecks } from './output-folder.ts';
import type { Pipeline } from './pipeline-file.ts';
import { describeService, languagesOf } from './service.ts';

const OBJECTS = 'objects/';
/** What the store has of deliveries: the digest of each file. */
const DELIVERED_KEY = 'delivered.json';
const EXTENSION = '.glb';
/** Files copied at the same time. */
const COPIES_AT_ONCE = 8;

/** Content that never changes may be cached for ever; what is replaced must be asked for each time. */
const HEADERS = {
  '.glb': { contentType: 'model/gltf-binary', cacheControl: 'public, max-age=31536000, immutable' },
  '.jsonl': { contentType: 'application/jsonl', cacheControl: 'no-cache' },
  '.json': { contentType: 'application/json', cacheControl: 'no-cache' },
  '.jpg': { contentType: 'image/jpeg', cacheControl: 'no-cache' },
  '.png': { contentType: 'image/png', cacheControl: 'no-cache' },
  '.webp': { contentType: 'image/webp', cacheControl: 'no-cache' },
  '.usdz': { contentType: 'model/vnd.usdz+zip', cacheControl: 'no-cache' },
  '.html': { contentType: 'text/html; charset=utf-8', cacheControl: 'no-cache' },
} as const satisfies Readonly<Record<string, ObjectHeaders>>;

function headersOf(key: string): ObjectHeaders {
  const extension = /\.\w+$/.exec(key)?.[0] ?? '';
  return extension in HEADERS ? HEADERS[extension as keyof typeof HEADERS] : {};
}

/** The path of a GLB below the output folder, and its key. */
export const objectKey = (digest: Digest): string =>
  `${OBJECTS}${digest.slice(0, 2)}/${digest}${EXTENSION}`;

/** The output of a run in a store. */
export type SharedOutput = Awaited<ReturnType<typeof openSharedOutput>>;

/**
 * Opens the output of a store, and copies what the run reads of it.
 *
 * @param sizes - How the sizes of its GLBs are known. @defaultValue they are listed
 * @throws {@link ConverterError} the codes of {@link ObjectStore}.
 */
export async function openSharedOutput(
  store: ObjectStore,
  { outputDir, service }: Pipeline,
  database: CacheDatabase,
  sizes?: (object: Digest) => number | undefined,
) {
  const files = [
    MANIFEST_FILE,
    ...new Set([CATALOGUE_FILE, ...catalogueFiles(languagesOf(service))]),
    ...[DELIVERIES_FILE, PUBLISHED_FILE, CHANGES_FILE],
  ];
  const tmpDir = temporaryFolder(outputDir);
  /** What the store has, as far as this run knows. */
  const known = new Map<string, { etag: string; sha256: Digest }>();
  await inParallel(files, COPIES_AT_ONCE, async (file) => {
    const found = await store.get(file);
    if (found === undefined) {
      await removeFile(join(outputDir, file));
      return;
    }
    known.set(file, { etag: found.etag, sha256: sha256Hex(found.content) });
    await replaceFile(join(outputDir, file), found.content, { tmpDir });
  });
  // A worker has nothing to do with it.
  const saveState =
    sizes === undefined
      ? await loadDurableState(store, database, {
          output: outputDir,
          service: describeService(service),
        })
      : async () => {};
  const sizeOf = sizes ?? (await listedSizes(store));
  const shared = new Map<Digest, Promise<unknown>>();
  let reading: Promise<{ files: Record<string, Digest>; etag: string | undefined }> | undefined;
  /** The digest of each file of a delivery that the store has. */
  const delivered = () => {
    reading ??= store.get(DELIVERED_KEY).then((found) => ({
      files: found === undefined ? {} : JSON.parse(new TextDecoder().decode(found.content)),
      etag: found?.etag,
    }));
    return reading;
  };

  /**
   * Stores manifest, catalogues and the lists of deliveries in place of those that were copied, the manifest last.
   *
   * @throws {@link ConverterError} `OUTPUT_LOCKED` if another run has replaced one of them.
   */
  const publish = async (): Promise<void> => {
    for (const file of [...files].reverse()) {
      const path = join(outputDir, file);
      if ((await statIfExists(path)) === undefined) continue;
      const { sha256 } = await digestOfFile(path);
      const before = known.get(file);
      if (before?.sha256 === sha256) continue;
      const etag = await store.replace(file, { path }, before?.etag, headersOf(file));
      if (etag === undefined) {
        const message = `${store.name}: expected ${file} as this run has read it, but another run has replaced it`;
        throw new ConverterError('OUTPUT_LOCKED', message);
      }
      known.set(file, { etag, sha256 });
    }
  };

  /** Stores files of the output folder, such as those of a report. @param added - Paths below it. */
  const add = async (added: readonly string[]): Promise<void> => {
    await inParallel(added, COPIES_AT_ONCE, async (file) => {
      const before = await store.head(file);
      await store.replace(file, { path: join(outputDir, file) }, before?.etag, headersOf(file));
    });
  };

  return {
    checks: openListedChecks(sizeOf),
    /** Stores failures and permanent identifiers for the next run, wherever that is. */
    saveState,
    /** Stores a GLB that was built, unless it is there; then removes its file. */
    shareObject(digest: Digest, path: string): Promise<unknown> {
      const share = async (): Promise<void> => {
        // An earlier run has built and stored it.
        if ((await statIfExists(path)) === undefined) return;
        const key = objectKey(digest);
        await store.putIfAbsent(key, { path }, headersOf(key));
        await removeFile(path);
      };
      const sharing = shared.get(digest) ?? share();
      shared.set(digest, sharing);
      return sharing;
    },
    /** Reads a published GLB. @throws {@link ConverterError} `STORE_DAMAGED` if it is missing or has another content. */
    async readObject(digest: Digest): Promise<Uint8Array> {
      const found = await store.get(objectKey(digest));
      if (found !== undefined) return found.content;
      const message = `${store.name}: expected ${objectKey(digest)}, received nothing`;
      throw new ConverterError('STORE_DAMAGED', message);
    },
    /** Reads a file of a delivery, from this machine or from the store; undefined if there is none. */
    async readFile(path: string): Promise<Uint8Array | undefined> {
      const here = await readBytesIfExists(join(outputDir, path));
      return here ?? (await store.get(path))?.content;
    },
    /** Whether the store has a file of a delivery with this content. */
    hasFile: async ({ path, sha256 }: { path: string; sha256: Digest }): Promise<boolean> =>
      (await delivered()).files[path] === sha256,
    publish,
    /** Stores the files of deliveries that the store does not have, and removes those that no delivery has any more. */
    async publishDelivered(lines: readonly DeliveryLine[]): Promise<void> {
      const wanted = new Map<string, Digest>();
      for (const { files: own } of lines)
        for (const { path, sha256 } of own) wanted.set(path, sha256);
      for (const folder of [FEEDS_FOLDER, GALLERY_FOLDER])
        for (const name of await listFolder(join(outputDir, folder))) {
          const path = `${folder}/${name}`;
          wanted.set(path, (await digestOfFile(join(outputDir, path))).sha256);
        }
      const { files: stored, etag } = await delivered();
      const changed = [...wanted].filter(([path, sha256]) => stored[path] !== sha256);
      await add(changed.map(([path]) => path));
      await publish();
      const gone = Object.keys(stored).filter((path) => !wanted.has(path));
      await inParallel(gone, COPIES_AT_ONCE, (path) => store.delete(path));
      if (changed.length + gone.length === 0) return;
      const content = JSON.stringify(Object.fromEntries([...wanted].sort()));
      await store.replace(DELIVERED_KEY, new TextEncoder().encode(content), etag);
    },
    add,
  };
}

async function listedSizes(store: ObjectStore): Promise<(object: Digest) => number | undefined> {
  const sizes = new Map<Digest, number>();
  for await (const { key, bytes } of store.list(OBJECTS)) {
    const digest = key.slice(OBJECTS.length + 3, -EXTENSION.length);
    if (objectKey(digest) === key) sizes.set(digest, bytes);
  }
  return (object) => sizes.get(object);
}
