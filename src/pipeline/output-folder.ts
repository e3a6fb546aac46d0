/** Compares an output folder with its manifest: `verify` finds what is damaged, `prune` what is not referred to. */
import { join, sep } from 'node:path';
import { type ContentStore, openFileStore } from '../cache/content-store.ts';
import type { Digest } from '../model/snapshot.ts';
import { ConverterError, isConverterError } from '../support/errors.ts';
import {
  exists,
  linkRefused,
  listEntries,
  listFolder,
  readBytes,
  readLinkIfExists,
  refuseLinks,
  removeFile,
  removeTree,
  replaceLink,
  sha256Hex,
  statIfExists,
  temporaryFolder,
} from '../support/files.ts';
import { MANIFEST_FILE, openManifest } from '../write/manifest.ts';
import { publishedAsset } from '../write/publish.ts';

/** Name of the folder of GLBs in the output folder, and of bodies in the cache folder. */
export const OBJECTS_FOLDER = 'objects';
/** Name of the folder of runs in the output folder. */
export const RUNS_FOLDER = 'runs';
const ARTICLES_FOLDER = 'articles';

/** Name of the link to the folder of the last run, beside it. */
const LATEST = 'latest';

/** What `runId` returns: any other folder is not that of a run. */
const RUN_ID = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/** Opens the store of published GLBs. @param repair - Replace a damaged GLB when it is built again. @see D-740, D-848. */
export function openObjects(outputDir: string, repair = false): ContentStore {
  const dir = join(outputDir, OBJECTS_FOLDER);
  return openFileStore({ dir, tmpDir: temporaryFolder(outputDir), extension: '.glb', repair });
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

/** @throws {@link ConverterError} `USAGE` if the output folder has no manifest. */
export async function requireManifest(outputDir: string): Promise<void> {
  if (await exists(join(outputDir, MANIFEST_FILE))) return;
  const message = `${outputDir}: expected a ${MANIFEST_FILE}, received none; run the pipeline first`;
  throw new ConverterError('USAGE', message);
}

/** Lists the GLBs of the manifest, also the last good ones of failed lines. @throws as {@link requireManifest}. */
async function publishedAssets(outputDir: string, watch: Parameters<typeof openManifest>[1] = {}) {
  await requireManifest(outputDir);
  const { pathOf } = openObjects(outputDir);
  const assets: { sha256: Digest; object: string; link: string }[] = [];
  for (const line of (await openManifest(outputDir, watch)).values()) {
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    const { glb, sha256 } = asset;
    assets.push({ sha256, object: pathOf(sha256), link: join(outputDir, glb) });
  }
  return assets;
}

/** What a check found. */
export interface Verification {
  /** Number of objects checked. */
  objects: number;
  /** Number of links checked. */
  links: number;
  /** `object` is the digest if the path is an object and no link. */
  problems: { path: string; problem: string; object?: Digest }[];
}

/**
 * Hashes every object and link of the manifest, also the last good files of failed lines.
 *
 * @throws {@link ConverterError} `USAGE` without a manifest; the reason of the signal.
 */
export async function verifyOutput(outputDir: string, signal?: AbortSignal): Promise<Verification> {
  const problems: Verification['problems'] = [];
  const check = async (path: string, digest: Digest, facts: { object?: Digest }) => {
    const problem = await problemOf(path, digest);
    if (problem !== undefined) problems.push({ path, problem, ...facts });
  };
  const onDamaged = (path: string, problem: string) => void problems.push({ path, problem });
  const assets = await publishedAssets(outputDir, { onDamaged });
  const checked = new Set<Digest>();
  for (const { sha256, object, link } of assets) {
    signal?.throwIfAborted();
    if (!checked.has(sha256)) await check(object, sha256, { object: sha256 });
    checked.add(sha256);
    // A hard link is its object, which is checked already.
    if (!(await isSameFile(link, object))) await check(link, sha256, {});
  }
  return { objects: checked.size, links: assets.length, problems };
}

async function problemOf(path: string, digest: Digest): Promise<string | undefined> {
  try {
    const actual = sha256Hex(await readBytes(path));
    return actual === digest ? undefined : 'damaged: its content has another digest';
  } catch (error) {
    if (isConverterError(error, 'FILE_MISSING')) return 'missing';
    if (isConverterError(error)) return `unreadable: ${error.message}`;
    throw error;
  }
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([statIfExists(a), statIfExists(b)]);
  return left !== undefined && left.identity === right?.identity;
}

/**
 * Finds objects and links that no line of the manifest refers to, and the folders of old runs. @see D-832
 *
 * @param keepRuns - Number of latest reports to keep. @defaultValue all
 * @returns Sorted paths below the output folder, with `/`; and the size of the objects, whose bytes the links share.
 * @throws {@link ConverterError} `USAGE` without a manifest.
 */
export async function planPrune(outputDir: string, keepRuns?: number) {
  const assets = await publishedAssets(outputDir);
  const kept = new Set(assets.flatMap(({ object, link }) => [object, link]));
  const objects = await filesBelow(join(outputDir, OBJECTS_FOLDER), kept);
  const links = await filesBelow(join(outputDir, ARTICLES_FOLDER), kept);
  let bytes = 0;
  for (const path of objects) bytes += (await statIfExists(path))?.bytes ?? 0;
  const relative = (path: string) => path.slice(outputDir.length + 1).replaceAll(sep, '/');
  const all = await runFolders(outputDir);
  // The last run is not the one with the latest id if the clock was set back.
  const latest = await readLinkIfExists(join(outputDir, RUNS_FOLDER, LATEST));
  const old = all.slice(0, Math.max(0, all.length - (keepRuns ?? all.length)));
  const runs = old.filter((run) => run !== latest).map((run) => `${RUNS_FOLDER}/${run}`);
  return { objects: objects.map(relative), links: links.map(relative), runs, bytes };
}

/** Removes what a plan lists, and the folders that become empty. */
export async function carryOutPrune(
  outputDir: string,
  { objects, links, runs }: Awaited<ReturnType<typeof planPrune>>,
): Promise<void> {
  for (const path of [...links, ...objects, ...runs])
    await refuseLinks(outputDir, join(outputDir, path));
  for (const path of [...links, ...objects]) await removeFile(join(outputDir, path));
  for (const path of runs) await removeTree(join(outputDir, path));
  await removeEmptyFolders(join(outputDir, ARTICLES_FOLDER));
  await removeEmptyFolders(join(outputDir, OBJECTS_FOLDER));
}

/** Lists the files at any depth below a folder, except some. @throws {@link ConverterError} `LINK_REFUSED` */
async function filesBelow(folder: string, except: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const { name, kind } of await listEntries(at)) {
      const path = join(at, name);
      if (kind === 'link') throw linkRefused(path);
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
