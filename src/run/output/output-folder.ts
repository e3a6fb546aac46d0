/** Compares an output folder with its manifest: `verify` finds what is damaged, `prune` what is not referred to. */
import { extname, join, sep } from 'node:path';
import type { CatalogueLine, ManifestLine } from '../../model/asset.ts';
import { configurationKey } from '../../model/configuration-id.ts';
import type { Digest } from '../../model/snapshot.ts';
import {
  type ContentStore,
  type FileStoreOptions,
  openFileStore,
} from '../../source/cache/content-store.ts';
import type { CacheDatabase } from '../../source/cache/database.ts';
import { ConverterError, isConverterError } from '../../support/errors.ts';
import { refuseLinksBelow } from '../../support/file-operations.ts';
import {
  exists,
  listEntries,
  listFolder,
  makeReadOnly,
  readBytes,
  removeFile,
  removeTree,
  sha256Hex,
  statIfExists,
  temporaryFolder,
} from '../../support/files.ts';
import { readLinkIfExists, replaceLink } from '../../support/links.ts';
import { isDeliveryPath, LAST_GOOD_FILE, readDeliveries } from './delivered-files.ts';
import { CATALOGUE_FILE, MANIFEST_FILE, manifestLines, openCatalogue } from './manifest.ts';
import { PUBLISHING_FILE } from './publication.ts';
import { OF_LANGUAGE, publishedAsset } from './publish.ts';

/** Name of the folder of GLBs in the output folder, and of bodies in the cache folder. */
export const OBJECTS_FOLDER = 'objects';
/** Name of the folder of runs in the output folder. */
export const RUNS_FOLDER = 'runs';
const ARTICLES_FOLDER = 'articles';

/** Name of the link to the folder of the last run, beside it. */
const LATEST = 'latest';

/** What `runId` returns: any other folder is not that of a run. */
export const RUN_ID = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/**
 * Where the published GLBs are. They are read-only, since a change of one would change every configuration that shares
 * it; a damaged one that is built again gets a new file.
 *
 * @see D-740, D-836.
 */
export function objectFiles(outputDir: string): FileStoreOptions {
  const dir = join(outputDir, OBJECTS_FOLDER);
  const tmpDir = temporaryFolder(outputDir);
  return { dir, root: outputDir, tmpDir, extension: '.glb', repair: true, access: 'readOnly' };
}

function openObjects(outputDir: string): ContentStore {
  return openFileStore(objectFiles(outputDir));
}

/** The checks of a run: each object is examined once. */
export interface ObjectChecks {
  /**
   * Checks an object: returns its size, and what is wrong with it. A later change of it in this run makes no
   * difference.
   */
  check(object: Digest): Promise<{ problem: string | undefined; bytes: number | undefined }>;
  /** Records an object that this run has just written. */
  recordWritten(object: Digest): Promise<void>;
  /** Notes an object that a worker of this run has written. */
  noteWritten(object: Digest): void;
  isWritten(object: Digest): boolean;
  /** Forgets the objects that the run has neither checked nor written. */
  forgetOthers(): void;
}

/**
 * Creates the checks of a run: each object is examined once. One that has the size and time at which its content
 * was right is not read.
 *
 * @param readsAll - Whether every object is read.
 */
export function openObjectChecks(
  outputDir: string,
  { objects: table }: Pick<CacheDatabase, 'objects'>,
  readsAll: boolean,
): ObjectChecks {
  const { pathOf } = openObjects(outputDir);
  let rows: ReturnType<typeof table.all> | undefined;
  const known = () => {
    rows ??= table.all(outputDir);
    return rows;
  };
  const checked = new Map<Digest, ReturnType<typeof examine>>();
  const written = new Set<Digest>();

  const examine = async (
    object: Digest,
  ): Promise<{ problem: string | undefined; bytes: number | undefined }> => {
    const path = pathOf(object);
    const facts = await statIfExists(path);
    if (facts === undefined) return { problem: MISSING, bytes: undefined };
    const before = readsAll ? undefined : known().get(object);
    const { bytes, modifiedMs } = facts;
    if (before?.bytes === bytes && before.modifiedMs === modifiedMs)
      return { problem: undefined, bytes };
    if (sha256Hex(await readBytes(path)) !== object) return { problem: DAMAGED, bytes };
    await makeReadOnly(path, facts.mode);
    // The time from before the file was read: a change since then is found by the next run.
    table.put(outputDir, object, facts);
    return { problem: undefined, bytes };
  };

  return {
    check(object) {
      const result = checked.get(object) ?? examine(object);
      checked.set(object, result);
      return result;
    },
    async recordWritten(object) {
      const facts = await statIfExists(pathOf(object));
      if (facts !== undefined) table.put(outputDir, object, facts);
      written.add(object);
    },
    noteWritten: (object) => void written.add(object),
    isWritten: (object) => written.has(object),
    forgetOthers() {
      const isOther = (object: Digest) => !checked.has(object) && !written.has(object);
      table.remove(outputDir, [...known().keys()].filter(isOther));
    },
  };
}

/**
 * The checks of objects in a store, of which the sizes are known.
 *
 * @param examine - Returns what else is wrong with an object that is there; it is called once for each.
 */
export function openListedChecks(
  sizeOf: (object: Digest) => number | undefined,
  examine: (object: Digest) => Promise<string | undefined>,
): ReturnType<typeof openObjectChecks> {
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

/** Returns the ids of the runs that have a folder, the earliest first. */
export async function runFolders(outputDir: string): Promise<string[]> {
  const names = await listFolder(join(outputDir, RUNS_FOLDER));
  return names.filter((name) => RUN_ID.test(name));
}

/** Points `runs/latest` to the folder of a run. @see {@link replaceLink} */
export async function linkLatestRun(outputDir: string, run: string): Promise<void> {
  await replaceLink(join(outputDir, RUNS_FOLDER, LATEST), run, temporaryFolder(outputDir));
}

/** @param name - Of the output, in the message. @throws {@link ConverterError} `USAGE` if the output folder has no manifest. */
export async function requireManifest(outputDir: string, name = outputDir): Promise<void> {
  refuseLinksBelow(outputDir);
  if (await exists(join(outputDir, MANIFEST_FILE))) return;
  const message = `${name}: expected a ${MANIFEST_FILE}, received none; run the pipeline first`;
  throw new ConverterError('USAGE', message);
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

/** What a check found. */
export interface Verification {
  /** Number of objects checked. */
  objects: number;
  /** Number of links checked. */
  links: number;
  /** Damage. An object has its digest, and the paths of all configurations that share it. */
  problems: { path: string; problem: string; object?: Digest; sharedBy?: string[] }[];
  /** Links, lists and the note of a publication that was cut off, for example by a power cut. The next run completes it. */
  incomplete: { path: string; problem: string }[];
}

/**
 * Hashes every object and link of the manifest, also the last good files of failed lines, and compares the catalogues
 * with the manifest.
 *
 * @throws {@link ConverterError} `USAGE` without a manifest; the reason of the signal.
 */
export async function verifyOutput(outputDir: string, signal?: AbortSignal): Promise<Verification> {
  const problems: Verification['problems'] = [];
  const incomplete: Verification['incomplete'] = [];
  const lists = openListChecks(outputDir, { problems, incomplete });
  const linksOf = await lists.objects(({ glb }) => join(outputDir, glb));
  const { pathOf } = openObjects(outputDir);
  for (const [object, links] of linksOf) {
    const path = pathOf(object);
    const damage = await problemOf(path, object);
    if (damage !== undefined) problems.push({ path, problem: damage, object, sharedBy: links });
    for (const link of links) {
      signal?.throwIfAborted();
      // A hard link is its object, which is checked already.
      if (await isSameFile(link, path)) continue;
      const problem = await problemOf(link, object);
      if (problem === undefined) continue;
      const cutOff = damage === undefined ? await cutOffAt(link, problem, pathOf) : undefined;
      if (cutOff === undefined) problems.push({ path: link, problem });
      else incomplete.push({ path: link, problem: cutOff });
    }
  }
  await lists.checkOthers();
  const delivered = await deliveredFiles(outputDir);
  for (const { object, objectOf, link, sha256 } of delivered) {
    signal?.throwIfAborted();
    const problem = await problemOf(link, sha256);
    if (problem === undefined) continue;
    const isStored = (await problemOf(object, sha256)) === undefined;
    const cutOff = isStored ? await cutOffAt(link, problem, objectOf) : undefined;
    if (cutOff === undefined) problems.push({ path: link, problem });
    else incomplete.push({ path: link, problem: cutOff });
  }
  const links = [...linksOf.values()].reduce((sum, { length }) => sum + length, delivered.length);
  const objects = linksOf.size + new Set(delivered.map(({ object }) => object)).size;
  return { objects, links, problems, incomplete };
}

/** Checks the lists of an output: what cannot be read of the manifest, and whether the others agree with it. */
export function openListChecks(
  dir: string,
  { problems, incomplete }: Pick<Verification, 'problems' | 'incomplete'>,
) {
  const onDamaged = (path: string, problem: string) => void problems.push({ path, problem });
  const lines = new Map<string, ListedLine>();
  /** Whether every line of the manifest is known. */
  let isReadable = true;
  return {
    /** Reads the manifest, as {@link publishedObjects}. */
    async objects(nameOf: Parameters<typeof publishedObjects>[1]) {
      const namesOf = await publishedObjects(dir, nameOf, onDamaged, (line) => {
        lines.set(configurationKey(line), { asset: publishedAsset(line), status: line.status });
      });
      isReadable = problems.length === 0;
      return namesOf;
    },
    /** Compares the catalogues with the manifest that was read; the others agree with it once the note is gone. */
    async checkOthers(): Promise<void> {
      const note = join(dir, PUBLISHING_FILE);
      if (await exists(note)) incomplete.push({ path: note, problem: NOT_ENDED });
      for (const file of await cataloguesIn(dir)) {
        const path = join(dir, file);
        try {
          const differing = await differingEntries(dir, file, lines, onDamaged);
          const problem = `${differing} lines are not those of the manifest`;
          if (differing > 0 && isReadable) incomplete.push({ path, problem });
        } catch (error) {
          problems.push({ path, problem: unreadable(error) });
        }
      }
    },
  };
}

const NOT_ENDED = 'the publication has not ended: feeds, gallery and other lists may be older';

/** The files of deliveries, also the last good ones, with their objects; one that several configurations share, once. */
async function deliveredFiles(outputDir: string) {
  const { pathOf } = openFileStore({ ...objectFiles(outputDir), extension: '' });
  const lists = [await readDeliveries(outputDir), await readDeliveries(outputDir, LAST_GOOD_FILE)];
  const lines = lists.flatMap((list) => [...list.values()]);
  const files = lines.flatMap(({ files }) =>
    files.map(({ path, name, sha256 }) => {
      const objectOf = (digest: Digest) => `${pathOf(digest)}${extname(name)}`;
      const object = objectOf(sha256);
      return { sha256, object, objectOf, link: join(outputDir, path) };
    }),
  );
  return [...new Map(files.map((file) => [`${file.link} ${file.sha256}`, file])).values()];
}

/** What a catalogue says too of a line of the manifest. */
interface ListedLine {
  asset: ReturnType<typeof publishedAsset>;
  status: ManifestLine['status'];
}

async function cataloguesIn(outputDir: string): Promise<string[]> {
  const entries = await listEntries(outputDir);
  const ofLanguages = entries.filter(({ name, kind }) => kind === 'file' && OF_LANGUAGE.test(name));
  return [CATALOGUE_FILE, ...ofLanguages.map(({ name }) => name)];
}

/** Counts the lines of a catalogue that name another GLB than the manifest, and those that one of both lacks. */
async function differingEntries(
  outputDir: string,
  file: string,
  lines: ReadonlyMap<string, ListedLine>,
  onDamaged: (where: string, problem: string) => void,
): Promise<number> {
  let differing = 0;
  let damaged = 0;
  const found = new Set<string>();
  const onLine = ({ glb, sha256 }: CatalogueLine, key: string) => {
    found.add(key);
    const { asset } = lines.get(key) ?? {};
    const isSame = glb === (asset?.glb ?? null) && sha256 === (asset?.sha256 ?? null);
    if (!lines.has(key) || !isSame) differing++;
  };
  const countDamaged = (where: string, problem: string) => {
    damaged++;
    onDamaged(where, problem);
  };
  await openCatalogue(outputDir, { onLine, onDamaged: countDamaged }, file);
  // What has never been fetched has no texts.
  const required = [...lines].filter(([key, { status }]) => status !== 'failed' && !found.has(key));
  return differing + Math.max(0, required.length - damaged);
}

/**
 * How a publication that was cut off leaves a link whose object is intact: not made yet, or that of an object which
 * the list was about to name. Undefined if it is damage.
 */
async function cutOffAt(
  link: string,
  problem: string,
  objectOf: ContentStore['pathOf'],
): Promise<string | undefined> {
  if (problem === MISSING) return 'missing, but its object is intact';
  if (problem !== DAMAGED) return undefined;
  const isStored = await exists(objectOf(sha256Hex(await readBytes(link))));
  return isStored ? 'another object than the list names' : undefined;
}

async function problemOf(path: string, digest: Digest): Promise<string | undefined> {
  try {
    return sha256Hex(await readBytes(path)) === digest ? undefined : DAMAGED;
  } catch (error) {
    if (isConverterError(error, 'FILE_MISSING')) return MISSING;
    return unreadable(error);
  }
}

function unreadable(error: unknown): string {
  if (isConverterError(error)) return `unreadable: ${error.message}`;
  throw error;
}

/** Not if one is a symbolic link or cannot be examined: then it is a problem. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const found = await Promise.all([a, b].map((path) => statIfExists(path).catch(() => undefined)));
  return found[0] !== undefined && found[0].identity === found[1]?.identity;
}

/**
 * Finds objects and links that no line of the manifest refers to, and the folders of old runs. @see D-832
 *
 * @param deliveryFolders - Those of all kinds of deliveries.
 * @param keepRuns - Number of latest reports to keep. @defaultValue all
 * @returns Sorted paths below the output folder, with `/`; and the size of the objects, whose bytes the links share.
 * @throws {@link ConverterError} `USAGE` without a manifest.
 */
export async function planPrune(
  outputDir: string,
  deliveryFolders: readonly string[],
  keepRuns?: number,
) {
  const { pathOf } = openObjects(outputDir);
  const linkOf = ({ glb }: { glb: string }) => join(outputDir, glb);
  const published = [...(await publishedObjects(outputDir, linkOf))];
  const delivered = await deliveredFiles(outputDir);
  const kept = new Set([
    ...published.flatMap(([object, links]) => [pathOf(object), ...links]),
    ...delivered.flatMap(({ object, link }) => [object, link]),
  ]);
  const relative = (path: string) => path.slice(outputDir.length + 1).replaceAll(sep, '/');
  const objects = await filesBelow(join(outputDir, OBJECTS_FOLDER), kept);
  const links = (await filesBelow(join(outputDir, ARTICLES_FOLDER), kept)).map(relative);
  for (const folder of deliveryFolders) {
    const paths = (await filesBelow(join(outputDir, folder), kept)).map(relative);
    links.push(...paths.filter(isDeliveryPath));
  }
  let bytes = 0;
  for (const path of objects) bytes += (await statIfExists(path))?.bytes ?? 0;
  const runs = keepRuns === undefined ? [] : await oldRuns(outputDir, keepRuns);
  return { objects: objects.map(relative), links: links.sort(), runs, bytes };
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

/** Removes what a plan lists, and the folders that become empty. */
export async function carryOutPrune(
  outputDir: string,
  deliveryFolders: readonly string[],
  { objects, links, runs }: Omit<Awaited<ReturnType<typeof planPrune>>, 'bytes'>,
): Promise<void> {
  for (const path of [...links, ...objects]) await removeFile(join(outputDir, path));
  for (const path of runs) await removeTree(join(outputDir, path));
  if (objects.length + links.length === 0) return;
  for (const path of [ARTICLES_FOLDER, OBJECTS_FOLDER, ...deliveryFolders])
    await removeEmptyFolders(join(outputDir, path));
}

/** Lists the files at any depth below a folder, except some. @throws {@link ConverterError} `LINK_REFUSED` */
async function filesBelow(folder: string, except: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const { name, kind } of await listEntries(at)) {
      const path = join(at, name);
      // Refuses it.
      if (kind === 'link') await statIfExists(path);
      if (kind === 'folder') folders.push(path);
      else if (!except.has(path)) found.push(path);
    }
  }
  return found.sort();
}

/** @returns Whether the folder was removed. */
async function removeEmptyFolders(folder: string): Promise<boolean> {
  let left = 0;
  for (const { name, kind } of await listEntries(folder)) {
    if (kind !== 'folder' || !(await removeEmptyFolders(join(folder, name)))) left++;
  }
  if (left === 0) await removeTree(folder);
  return left === 0;
}
