/** The output folder of a pipeline: where its files are, what it has published, and which objects are intact. */
import { extname, join } from 'node:path';
import type { Digest } from '../../model/snapshot.ts';
import {
  type ContentStore,
  type FileStoreOptions,
  openFileStore,
} from '../../source/cache/content-store.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import { ConverterError } from '../../support/errors.ts';
import { refuseLinksBelow } from '../../support/file-operations.ts';
import {
  exists,
  listFolder,
  makeReadOnly,
  readBytes,
  sha256Hex,
  statIfExists,
  temporaryFolder,
} from '../../support/files.ts';
import { readLinkIfExists, replaceLink } from '../../support/links.ts';
import type { ManifestLine } from '../lists/manifest-line.ts';
import {
  CHANGES_FILE,
  DELIVERIES_FILE,
  type DeliveredFile,
  deliveryLines,
  LAST_GOOD_FILE,
  OUTBOX_FILE,
  PUBLISHED_FILE,
} from './delivered-files.ts';
import { CATALOGUE_FILE, catalogueFiles, MANIFEST_FILE, manifestLines } from './manifest.ts';
import { PUBLISHING_FILE } from './publication.ts';
import { publishedAsset } from './publish.ts';

/** Name of the folder of GLBs in the output folder, and of bodies in the cache folder. */
export const OBJECTS_FOLDER = 'objects';
/** Name of the folder of runs in the output folder. */
export const RUNS_FOLDER = 'runs';
/** Name of the folder of links to GLBs. */
export const ARTICLES_FOLDER = 'articles';

const LATEST = 'latest';

/** What `runId` returns: any other folder is not that of a run. */
export const RUN_ID = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/**
 * Where the published GLBs are. They are read-only, since a change of one would change every configuration that shares
 * it; a damaged one that is built again gets a new file. @see D-740, D-836.
 */
export function objectFiles(outputDir: string): FileStoreOptions {
  const dir = join(outputDir, OBJECTS_FOLDER);
  const tmpDir = temporaryFolder(outputDir);
  return { dir, root: outputDir, tmpDir, extension: '.glb', repair: true, access: 'readOnly' };
}

/** Opens the store of the published GLBs. */
export function openObjects(outputDir: string): ContentStore {
  return openFileStore(objectFiles(outputDir));
}

interface CheckedObject {
  /** What is wrong with it; undefined if it is intact. */
  problem: string | undefined;
  /** Undefined if it is missing. */
  bytes: number | undefined;
}

/** The checks of a run: each object is examined once. */
export interface ObjectChecks {
  /** Checks an object. A later change of it in this run makes no difference. */
  check(object: Digest): Promise<CheckedObject>;
  /** Records an object that this run has just written. */
  recordWritten(object: Digest): Promise<void>;
  /** Notes an object that a worker of this run has written. */
  noteWritten(object: Digest): void;
  isWritten(object: Digest): boolean;
  /** Forgets the objects that the run has neither checked nor written. */
  forgetOthers(): void;
}

/** The checks of objects in an output folder. One that has the size and time at which its content was right is not read. */
export class FolderChecks implements ObjectChecks {
  readonly #outputDir: string;
  readonly #table: CacheDatabase['objects'];
  readonly #readsAll: boolean;
  readonly #objects: ContentStore;
  /** The facts of intact objects, as earlier runs have stored them; undefined until they are read. */
  #rows: ReturnType<CacheDatabase['objects']['all']> | undefined;
  readonly #checked = new Map<Digest, Promise<CheckedObject>>();
  readonly #written = new Set<Digest>();

  constructor(outputDir: string, { objects }: Pick<CacheDatabase, 'objects'>, readsAll: boolean) {
    this.#outputDir = outputDir;
    this.#table = objects;
    this.#readsAll = readsAll;
    this.#objects = openObjects(outputDir);
  }

  check(object: Digest): Promise<CheckedObject> {
    const result = this.#checked.get(object) ?? this.#examine(object);
    this.#checked.set(object, result);
    return result;
  }

  async recordWritten(object: Digest): Promise<void> {
    const facts = await statIfExists(this.#objects.pathOf(object));
    if (facts !== undefined) this.#table.put(this.#outputDir, object, facts);
    this.#written.add(object);
  }

  noteWritten(object: Digest): void {
    this.#written.add(object);
  }

  isWritten(object: Digest): boolean {
    return this.#written.has(object);
  }

  forgetOthers(): void {
    const isOther = (object: Digest) => !this.#checked.has(object) && !this.#written.has(object);
    this.#table.remove(this.#outputDir, [...this.#known().keys()].filter(isOther));
  }

  async #examine(object: Digest): Promise<CheckedObject> {
    const path = this.#objects.pathOf(object);
    const facts = await statIfExists(path);
    if (facts === undefined) return { problem: MISSING, bytes: undefined };
    const before = this.#readsAll ? undefined : this.#known().get(object);
    const { bytes, modifiedMs } = facts;
    if (before?.bytes === bytes && before.modifiedMs === modifiedMs)
      return { problem: undefined, bytes };
    if (sha256Hex(await readBytes(path)) !== object) return { problem: DAMAGED, bytes };
    await makeReadOnly(path, facts.mode);
    // The time from before the file was read: a change since then is found by the next run.
    this.#table.put(this.#outputDir, object, facts);
    return { problem: undefined, bytes };
  }

  #known() {
    this.#rows ??= this.#table.all(this.#outputDir);
    return this.#rows;
  }
}

/** The names of all lists: the manifest first, the note of a publication last. @param languages - Of the catalogues. */
export function listFiles(languages: readonly string[]): string[] {
  return [
    MANIFEST_FILE,
    ...new Set([CATALOGUE_FILE, ...catalogueFiles(languages)]),
    ...[LAST_GOOD_FILE, DELIVERIES_FILE, OUTBOX_FILE, PUBLISHED_FILE, CHANGES_FILE],
    PUBLISHING_FILE,
  ];
}

/** Returns the ids of the runs that have a folder, the earliest first. */
export async function runFolders(outputDir: string): Promise<string[]> {
  const names = await listFolder(join(outputDir, RUNS_FOLDER));
  return names.filter((name) => RUN_ID.test(name));
}

/** Lists the folders of reports but for the last ones, below the output folder. */
export async function oldRuns(outputDir: string, keepRuns: number): Promise<string[]> {
  const all = await runFolders(outputDir);
  if (all.length <= keepRuns) return [];
  // The last run is not the one with the latest id if the clock was set back.
  const latest = await readLinkIfExists(join(outputDir, RUNS_FOLDER, LATEST));
  const old = all.slice(0, -keepRuns);
  return old.filter((run) => run !== latest).map((run) => `${RUNS_FOLDER}/${run}`);
}

/** Points `runs/latest` to the folder of a run. @see {@link replaceLink} */
export async function linkLatestRun(outputDir: string, run: string): Promise<void> {
  await replaceLink(join(outputDir, RUNS_FOLDER, LATEST), run, temporaryFolder(outputDir));
}

/** @param name - Of the output, in the message. @throws {@link ConverterError} `USAGE` if the output folder has no manifest. */
export async function requireManifest(outputDir: string, name = outputDir): Promise<void> {
  refuseLinksBelow(outputDir);
  if (await exists(join(outputDir, MANIFEST_FILE))) return;
  const message = `${name}: there is no ${MANIFEST_FILE}, so nothing was published there`;
  const help = 'run the pipeline first, or name its output folder';
  throw new ConverterError('USAGE', message, { help });
}

/**
 * The configurations of each object in the manifest, also of the last good ones of failed lines.
 *
 * @param nameOf - What is listed of a configuration.
 * @throws as {@link requireManifest}.
 */
export async function publishedObjects(
  outputDir: string,
  nameOf: (asset: { glb: string }, line: ManifestLine) => string,
  onDamaged?: (where: string, problem: string) => void,
  onLine?: (line: ManifestLine) => void,
): Promise<Map<Digest, string[]>> {
  await requireManifest(outputDir);
  const namesOf = new Map<Digest, string[]>();
  for await (const line of manifestLines(outputDir, onDamaged)) {
    onLine?.(line);
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    const names = namesOf.get(asset.sha256) ?? [];
    namesOf.set(asset.sha256, names);
    names.push(nameOf(asset, line));
  }
  return namesOf;
}

/** What is wrong with a file or an object. */
export const MISSING = 'missing';
/** As {@link MISSING}. */
export const DAMAGED = 'damaged: its content has another digest';

/**
 * The files of deliveries, those of each line together, also the last good ones; several lines may share one.
 *
 * @returns The path of each, and of its object; `objectOf` returns that which it would have with another content.
 */
export async function* deliveredFiles(outputDir: string) {
  const store = openFileStore({ ...objectFiles(outputDir), extension: '' });
  const placeOf = ({ path, name, sha256 }: DeliveredFile) => {
    const objectOf = (digest: Digest) => `${store.pathOf(digest)}${extname(name)}`;
    return { sha256, object: objectOf(sha256), objectOf, link: join(outputDir, path) };
  };
  for (const list of [DELIVERIES_FILE, LAST_GOOD_FILE] as const)
    for await (const { files } of deliveryLines(outputDir, list)) yield files.map(placeOf);
}
