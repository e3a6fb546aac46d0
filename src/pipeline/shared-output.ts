/** The output of a pipeline with `store:`. The store has it; the output folder is a copy of what a run reads and writes. */
import { join } from 'node:path';
import type { CacheDatabase } from '../cache/database.ts';
import { loadDurableState } from '../cache/shared-rows.ts';
import type { Digest } from '../model/snapshot.ts';
import type { ObjectHeaders, ObjectStore } from '../store/object-store.ts';
import { ConverterError } from '../support/errors.ts';
import { removeFile, replaceFile, statIfExists, temporaryFolder } from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import { CATALOGUE_FILE, catalogueFiles, MANIFEST_FILE } from '../write/manifest.ts';
import { openListedChecks } from './output-folder.ts';
import type { Pipeline } from './pipeline-file.ts';
import { describeService, languagesOf } from './service.ts';

const OBJECTS = 'objects/';
const EXTENSION = '.glb';
/** Files copied at the same time. */
const COPIES_AT_ONCE = 8;

/** Content that never changes may be cached for ever; what is replaced must be asked for each time. */
const HEADERS = {
  '.glb': { contentType: 'model/gltf-binary', cacheControl: 'public, max-age=31536000, immutable' },
  '.jsonl': { contentType: 'application/jsonl', cacheControl: 'no-cache' },
  '.json': { contentType: 'application/json', cacheControl: 'no-cache' },
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
  ];
  const tmpDir = temporaryFolder(outputDir);
  const etags = new Map<string, string>();
  await inParallel(files, COPIES_AT_ONCE, async (file) => {
    const found = await store.get(file);
    if (found === undefined) {
      await removeFile(join(outputDir, file));
      return;
    }
    etags.set(file, found.etag);
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
  return {
    checks: openListedChecks(sizeOf),
    /** Stores failures and permanent identifiers for the next run, wherever that is. */
    saveState,
    /** Stores a GLB that was built, unless it is there; then removes its file. */
    shareObject(digest: Digest, path: string): Promise<unknown> {
      const key = objectKey(digest);
      const sharing =
        shared.get(digest) ??
        store.putIfAbsent(key, { path }, headersOf(key)).then(() => removeFile(path));
      shared.set(digest, sharing);
      return sharing;
    },
    /**
     * Stores manifest and catalogues in place of those that were copied, the manifest last.
     *
     * @throws {@link ConverterError} `OUTPUT_LOCKED` if another run has replaced one of them.
     */
    async publish(): Promise<void> {
      for (const file of [...files].reverse()) {
        const path = join(outputDir, file);
        if ((await statIfExists(path)) === undefined) continue;
        const etag = await store.replace(file, { path }, etags.get(file), headersOf(file));
        if (etag === undefined) {
          const message = `${store.name}: expected ${file} as this run has read it, but another run has replaced it`;
          throw new ConverterError('OUTPUT_LOCKED', message);
        }
        etags.set(file, etag);
      }
    },
    /** Stores new files of the output folder, such as those of a report. @param added - Paths below it. */
    async add(added: readonly string[]): Promise<void> {
      await inParallel(added, COPIES_AT_ONCE, async (file) => {
        // A run that was continued has one from before.
        const before = await store.head(file);
        await store.replace(file, { path: join(outputDir, file) }, before?.etag, headersOf(file));
      });
    },
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
