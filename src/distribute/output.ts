/** The output of a pipeline with `store:`. The store has it; a folder is a copy of what a run reads and writes. */

import { join } from 'node:path';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { describeService, languagesOf } from '../run/open/connect.ts';
import type { SharedOutput, SharedOutputOptions } from '../run/open/shared-store.ts';
import { objectKey } from '../run/output/article-path.ts';
import {
  CHANGES_FILE,
  DELIVERIES_FILE,
  type DeliveryLine,
  FEEDS_FOLDER,
  GALLERY_FOLDER,
  LAST_GOOD_FILE,
  OUTBOX_FILE,
  PUBLISHED_FILE,
} from '../run/output/delivered-files.ts';
import { CATALOGUE_FILE, catalogueFiles, MANIFEST_FILE } from '../run/output/manifest.ts';
import { DAMAGED, MISSING, openListedChecks } from '../run/output/output-folder.ts';
import { PUBLISHING_FILE } from '../run/output/publication.ts';
import type { CacheDatabase } from '../source/cache/database.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
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
import { loadDurableState } from './rows.ts';
import type { ObjectHeaders, ObjectStore } from './store/object-store.ts';

/** What the keys of GLBs begin with. */
export const OBJECTS = 'objects/';
/** What the store has of deliveries: the digest of each file. */
const DELIVERED_KEY = 'delivered.json';
/** In place of a digest: a file that is being replaced or removed. */
export const UNSETTLED = '';
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

/**
 * The folder of the lists of a store for those that do not publish: never the output folder, where a run on this
 * machine may be about to replace them.
 */
export function listsFolder({ cacheDir, store }: Pick<Pipeline, 'cacheDir' | 'store'>): string {
  return join(cacheDir, 'published', sha256Hex(`${store?.url}`).slice(0, 16));
}

/** What is known of a list of a store. */
type KnownLists = Map<string, { etag: string; sha256: Digest }>;

/** Copies manifest, catalogues and the lists of deliveries of a store; removes what it does not have. */
export async function copyLists(
  store: ObjectStore,
  { service }: Pick<Pipeline, 'service'>,
  dir: string,
): Promise<KnownLists> {
  const known: KnownLists = new Map();
  const tmpDir = temporaryFolder(dir);
  await inParallel(listsOf(service), COPIES_AT_ONCE, async (file) => {
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

/** The manifest first, the note that they are being replaced last. */
const listsOf = (service: Pipeline['service']): string[] => [
  MANIFEST_FILE,
  ...new Set([CATALOGUE_FILE, ...catalogueFiles(languagesOf(service))]),
  ...[LAST_GOOD_FILE, DELIVERIES_FILE, OUTBOX_FILE, PUBLISHED_FILE, CHANGES_FILE, PUBLISHING_FILE],
];

/** Whether a file of a delivery describes all others: it follows them. */
export const isOfWholeRange = (path: string): boolean =>
  [FEEDS_FOLDER, GALLERY_FOLDER].some((folder) => path.startsWith(`${folder}/`));

/** The digest of each file of a delivery that a store has, by its key, also of feeds and of the gallery. */
export async function readDelivered(
  store: ObjectStore,
): Promise<{ files: Record<string, Digest>; etag: string | undefined }> {
  const found = await store.get(DELIVERED_KEY);
  const files = found === undefined ? {} : JSON.parse(new TextDecoder().decode(found.content));
  return { files, etag: found?.etag };
}

/**
 * What is wrong with an object of a store, whose content has a digest; undefined if it is intact.
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

/**
 * Opens the output of a store, and copies what the run reads of it.
 *
 * @throws {@link ConverterError} the codes of {@link ObjectStore}.
 */
export async function openSharedOutput(
  store: ObjectStore,
  pipeline: Pipeline,
  database: CacheDatabase,
  { publishes, repair, sizes, loadsState }: SharedOutputOptions,
): Promise<SharedOutput> {
  const { outputDir, service } = pipeline;
  const dir = publishes ? outputDir : listsFolder(pipeline);
  const files = listsOf(service);
  /** What the store has, as far as this run knows. */
  const known = await copyLists(store, pipeline, dir);
  const saveState = loadsState
    ? await loadDurableState(store, database, {
        output: outputDir,
        service: describeService(service),
      })
    : async () => {};
  const sizeOf = sizes ?? (await listedSizes(store));
  const shared = new Map<Digest, Promise<unknown>>();
  let reading: ReturnType<typeof readDelivered> | undefined;
  const delivered = () => {
    reading ??= readDelivered(store).then(repair ? withoutDamaged : (read) => read);
    return reading;
  };
  /** Without the files that are damaged or missing, which are stored again then. */
  const withoutDamaged = async ({ files: listed, etag }: Awaited<typeof reading> & object) => {
    const intact: [string, Digest][] = [];
    await inParallel(Object.entries(listed), COPIES_AT_ONCE, async ([path, sha256]) => {
      const isIntact = async () => (await problemOfObject(store, path, sha256)) === undefined;
      if (sha256 === UNSETTLED || (await isIntact())) intact.push([path, sha256]);
    });
    return { files: Object.fromEntries(intact), etag };
  };
  const checks = openListedChecks(sizeOf, async (object) => {
    const key = objectKey(object);
    const problem = repair ? await problemOfObject(store, key, object) : undefined;
    // What is there is not replaced.
    if (problem === DAMAGED) await store.delete(key);
    return problem;
  });

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

  /** What remains to be done for the deliveries that were stored last. */
  let endDelivered: (() => Promise<void>) | undefined;
  return {
    /** Folder of the copies. */
    dir,
    checks,
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
    /** Reads a file of a delivery, from this machine if it has this content, or from the store; undefined if there is none. */
    async readFile(path: string, sha256: Digest | undefined): Promise<Uint8Array | undefined> {
      const here = await readBytesIfExists(join(outputDir, path));
      // An earlier run here may have left an older one.
      if (here !== undefined && sha256Hex(here) === sha256) return here;
      return (await store.get(path))?.content;
    },
    /** Whether the store has a file of a delivery with this content. */
    hasFile: async ({ path, sha256 }: { path: string; sha256: Digest }): Promise<boolean> =>
      (await delivered()).files[path] === sha256,
    publish,
    /**
     * Stores the files of deliveries that the store does not have, then the lists with feeds and gallery. Until the
     * end of the publication, what is replaced, and what no delivery has any more, is {@link UNSETTLED}.
     *
     * @param lastGood - Lines whose files stay.
     */
    async publishDelivered(
      lines: readonly DeliveryLine[],
      lastGood: readonly DeliveryLine[],
    ): Promise<void> {
      const wanted = new Map<string, Digest>();
      for (const { files: own } of lines)
        for (const { path, sha256 } of own) wanted.set(path, sha256);
      for (const folder of [FEEDS_FOLDER, GALLERY_FOLDER])
        for (const name of await listFolder(join(outputDir, folder))) {
          const path = `${folder}/${name}`;
          wanted.set(path, (await digestOfFile(join(outputDir, path))).sha256);
        }
      const { files: stored, etag } = await delivered();
      for (const { path } of lastGood.flatMap(({ files: own }) => own)) {
        const sha256 = stored[path];
        if (sha256 !== undefined && !wanted.has(path)) wanted.set(path, sha256);
      }
      const changed = [...wanted].filter(([path, sha256]) => stored[path] !== sha256);
      const gone = Object.keys(stored).filter((path) => !wanted.has(path));
      const replaced = changed.map(([path]) => path);
      let lastEtag = etag;
      const note = async (digests: Record<string, Digest>): Promise<void> => {
        if (replaced.length + gone.length === 0) return;
        const content = JSON.stringify(Object.fromEntries(Object.entries(digests).sort()));
        const bytes = new TextEncoder().encode(content);
        lastEtag = await store.replace(DELIVERED_KEY, bytes, lastEtag);
      };
      const unsettled = [...replaced, ...gone].map((path) => [path, UNSETTLED]);
      await note({ ...stored, ...Object.fromEntries(unsettled) });
      await add(replaced.filter((path) => !isOfWholeRange(path)));
      await add(replaced.filter(isOfWholeRange));
      await publish();
      endDelivered = async () => {
        await inParallel(gone, COPIES_AT_ONCE, (path) => store.delete(path));
        await note(Object.fromEntries(wanted));
      };
    },
    /** Removes what no list names any more, and the note, once all lists and files are in the store. */
    async endPublication(): Promise<void> {
      await endDelivered?.();
      endDelivered = undefined;
      if (known.delete(PUBLISHING_FILE)) await store.delete(PUBLISHING_FILE);
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
