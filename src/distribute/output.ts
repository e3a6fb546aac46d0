/** The output of a run with `store:`, which is in the store; a folder has a copy of what the run reads and writes. */

import { join } from 'node:path';
import type { Digest } from '../model/snapshot.ts';
import type { Pipeline } from '../run/file/pipeline-file.ts';
import { describeService, languagesOf } from '../run/open/connect.ts';
import type { SharedOutput, SharedStore } from '../run/open/shared-store.ts';
import { objectKey } from '../run/output/article-path.ts';
import { type DeliveryLines, FEEDS_FOLDER, GALLERY_FOLDER } from '../run/output/delivered-files.ts';
import { DAMAGED, listFiles, MISSING } from '../run/output/output-folder.ts';
import { PUBLISHING_FILE } from '../run/output/publication.ts';
import { ConverterError } from '../support/errors.ts';
import {
  digestOfFile,
  listFolder,
  readBytesIfExists,
  removeFile,
  sha256Hex,
  statIfExists,
} from '../support/files.ts';
import { inParallel } from '../support/in-parallel.ts';
import { mediaTypeOf } from '../support/media-types.ts';
import { loadDurableState } from './rows.ts';
import type { ObjectHeaders, ObjectStore } from './store/object-store.ts';
import {
  copyLists,
  DELIVERED_KEY,
  type Delivered,
  isOfWholeRange,
  type KnownLists,
  listsFolder,
  OBJECTS,
  problemOfObject,
  readDelivered,
  UNSETTLED,
} from './stored-output.ts';

const EXTENSION = '.glb';
const COPIES_AT_ONCE = 8;

/**
 * Opens the output in a store, and copies what the run reads from it.
 *
 * @throws {@link ConverterError} the codes of {@link ObjectStore}.
 */
export async function openSharedOutput(
  store: ObjectStore,
  ...[pipeline, database, options]: Parameters<SharedStore['openOutput']>
): Promise<SharedOutput> {
  const { publishes, repair, sizes, loadsState } = options;
  const { outputDir: output, service } = pipeline;
  const dir = publishes ? output : listsFolder(pipeline);
  const known = await copyLists(store, pipeline, dir);
  const saveState = loadsState
    ? await loadDurableState(store, database, { output, service: describeService(service) })
    : async () => {};
  const sizeOf = sizes ?? (await listedSizes(store));
  const checks = openListedChecks(sizeOf, async (object) => {
    const key = objectKey(object);
    const problem = repair ? await problemOfObject(store, key, object) : undefined;
    // `putIfAbsent` does not replace an existing object, so a damaged object is deleted.
    if (problem === DAMAGED) await store.delete(key);
    return problem;
  });
  return new StoreOutput({ dir, checks, saveState, store, pipeline, known, repair });
}

interface StoreOutputSettings extends Pick<SharedOutput, 'dir' | 'checks' | 'saveState'> {
  store: ObjectStore;
  pipeline: Pipeline;
  /** The lists in the store, as far as this run knows them. */
  known: KnownLists;
  repair: boolean;
}

class StoreOutput implements SharedOutput {
  readonly dir: string;
  readonly checks: SharedOutput['checks'];
  readonly saveState: SharedOutput['saveState'];
  readonly #settings: StoreOutputSettings;
  readonly #shared = new Map<Digest, Promise<unknown>>();
  #delivered: Promise<Delivered> | undefined;
  /** Completes the publication of the deliveries that were stored last. */
  #endDelivered: (() => Promise<void>) | undefined;

  constructor(settings: StoreOutputSettings) {
    this.dir = settings.dir;
    this.checks = settings.checks;
    this.saveState = settings.saveState;
    this.#settings = settings;
  }

  shareObject(digest: Digest, path: string): Promise<unknown> {
    const sharing = this.#shared.get(digest) ?? this.#shareObject(digest, path);
    this.#shared.set(digest, sharing);
    return sharing;
  }

  async readObject(digest: Digest): Promise<Uint8Array> {
    const found = await this.#settings.store.get(objectKey(digest));
    if (found !== undefined) return found.content;
    const message = `${this.#settings.store.name}: expected ${objectKey(digest)}, received nothing`;
    throw new ConverterError('STORE_DAMAGED', message);
  }

  async readFile(path: string, sha256: Digest | undefined): Promise<Uint8Array | undefined> {
    const here = await readBytesIfExists(this.#pathOf(path));
    // An earlier run on this machine may have left an older file.
    if (here !== undefined && sha256Hex(here) === sha256) return here;
    return (await this.#settings.store.get(path))?.content;
  }

  async hasFile({ path, sha256 }: { path: string; sha256: Digest }): Promise<boolean> {
    return (await this.#readDelivered()).files[path] === sha256;
  }

  /** Publishes the lists; the manifest is published last. */
  async publish(): Promise<void> {
    const { store, pipeline, known } = this.#settings;
    for (const file of listFiles(languagesOf(pipeline.service)).reverse()) {
      const path = this.#pathOf(file);
      if ((await statIfExists(path)) === undefined) continue;
      const { sha256 } = await digestOfFile(path);
      const before = known.get(file);
      if (before?.sha256 === sha256) continue;
      const etag = await store.replace(file, { path }, before?.etag, replacedHeaders(file));
      if (etag === undefined) {
        const message = `${store.name}: expected ${file} as this run has read it, but another run has replaced it`;
        throw new ConverterError('OUTPUT_LOCKED', message);
      }
      known.set(file, { etag, sha256 });
    }
  }

  /** Until the publication ends, files that are replaced or that no delivery has any more are {@link UNSETTLED}. */
  async publishDelivered(lines: DeliveryLines, lastGood: DeliveryLines): Promise<void> {
    const wanted = await this.#wantedFiles(lines);
    const { files: stored, etag } = await this.#readDelivered();
    for (const { files } of lastGood.values())
      for (const { path } of files) {
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
      lastEtag = await this.#settings.store.replace(DELIVERED_KEY, bytes, lastEtag);
    };
    const unsettled = [...replaced, ...gone].map((path) => [path, UNSETTLED]);
    await note({ ...stored, ...Object.fromEntries(unsettled) });
    await this.add(replaced.filter((path) => !isOfWholeRange(path)));
    await this.add(replaced.filter(isOfWholeRange));
    await this.publish();
    this.#endDelivered = async () => {
      await inParallel(gone, COPIES_AT_ONCE, (path) => this.#settings.store.delete(path));
      await note(Object.fromEntries(wanted));
    };
  }

  async endPublication(): Promise<void> {
    await this.#endDelivered?.();
    this.#endDelivered = undefined;
    const { store, known } = this.#settings;
    if (known.delete(PUBLISHING_FILE)) await store.delete(PUBLISHING_FILE);
  }

  async add(added: readonly string[]): Promise<void> {
    await inParallel(added, COPIES_AT_ONCE, async (file) => {
      const before = await this.#settings.store.head(file);
      const content = { path: this.#pathOf(file) };
      await this.#settings.store.replace(file, content, before?.etag, replacedHeaders(file));
    });
  }

  async #shareObject(digest: Digest, path: string): Promise<void> {
    // The file is missing if an earlier run has built and stored the object.
    if ((await statIfExists(path)) === undefined) return;
    const key = objectKey(digest);
    await this.#settings.store.putIfAbsent(key, { path }, { contentType: mediaTypeOf(key) });
    await removeFile(path);
  }

  #readDelivered(): Promise<Delivered> {
    this.#delivered ??= readDelivered(this.#settings.store).then((read) =>
      this.#settings.repair ? this.#withoutDamaged(read) : read,
    );
    return this.#delivered;
  }

  /** The deliveries without damaged or missing files, which are then stored again. */
  async #withoutDamaged({ files, etag }: Delivered): Promise<Delivered> {
    const intact: [string, Digest][] = [];
    await inParallel(Object.entries(files), COPIES_AT_ONCE, async ([path, sha256]) => {
      const isIntact = async () =>
        (await problemOfObject(this.#settings.store, path, sha256)) === undefined;
      if (sha256 === UNSETTLED || (await isIntact())) intact.push([path, sha256]);
    });
    return { files: Object.fromEntries(intact), etag };
  }

  /** The digest of each file of the lines, and of the files that describe all lines. */
  async #wantedFiles(lines: DeliveryLines): Promise<Map<string, Digest>> {
    const wanted = new Map<string, Digest>();
    for (const { files } of lines.values())
      for (const { path, sha256 } of files) wanted.set(path, sha256);
    for (const folder of [FEEDS_FOLDER, GALLERY_FOLDER])
      for (const name of await listFolder(this.#pathOf(folder))) {
        const path = `${folder}/${name}`;
        wanted.set(path, (await digestOfFile(this.#pathOf(path))).sha256);
      }
    return wanted;
  }

  #pathOf(file: string): string {
    return join(this.#settings.pipeline.outputDir, file);
  }
}

async function listedSizes(store: ObjectStore): Promise<(object: Digest) => number | undefined> {
  const sizes = new Map<Digest, number>();
  for await (const { key, bytes } of store.list(OBJECTS)) {
    const digest = key.slice(OBJECTS.length + 3, -EXTENSION.length);
    if (objectKey(digest) === key) sizes.set(digest, bytes);
  }
  return (object) => sizes.get(object);
}

/**
 * Opens the checks of objects in a store, of which the sizes are known.
 *
 * @param examine - Returns what else is wrong with an object that is there; it is called once for each.
 */
function openListedChecks(
  sizeOf: (object: Digest) => number | undefined,
  examine: (object: Digest) => Promise<string | undefined>,
): SharedOutput['checks'] {
  const written = new Set<Digest>();
  const examined = new Map<Digest, Promise<string | undefined>>();
  return {
    async check(object) {
      const bytes = sizeOf(object);
      if (bytes === undefined) return { problem: MISSING, bytes };
      const problem = examined.get(object) ?? examine(object);
      examined.set(object, problem);
      return { problem: await problem, bytes };
    },
    recordWritten: async (object) => void written.add(object),
    noteWritten: (object) => void written.add(object),
    isWritten: (object) => written.has(object),
    forgetOthers() {},
  };
}

/** A file that the next run may replace must be requested each time. */
function replacedHeaders(file: string): ObjectHeaders {
  return { contentType: mediaTypeOf(file), cacheControl: 'no-cache' };
}
