/**
 * Prune: what an output folder holds that its manifest no longer refers to.
 *
 * In: an output folder. Out: what can go, and what it weighs. Removing is a step of its own, so that
 * a person can look first.
 */
import { join, sep } from 'node:path';
import { ConverterError } from '../../support/errors.ts';
import { exists, listFolder, removeFile, removeTree, statIfExists } from '../../support/files.ts';
import { MANIFEST_FILE, openManifest } from '../../write/manifest.ts';
import { publishedAsset } from '../../write/publish.ts';
import { OBJECTS_FOLDER, openObjects, RUNS_FOLDER } from '../context/run-context.ts';

/** What can be removed; paths below the output folder, with `/`, sorted. */
export interface PrunePlan {
  /** GLBs that no line refers to. */
  objects: string[];
  /** Links that no line refers to. */
  links: string[];
  /** Folders of old runs. */
  runs: string[];
  /** What the objects weigh; a link weighs nothing where it shares its object's bytes. */
  bytes: number;
}

const ARTICLES_FOLDER = 'articles';

/**
 * Finds what no line of the manifest refers to. The last good GLB of a failed line is referred to.
 *
 * @param keepRuns - Reports that stay, the latest; undefined: all.
 * @throws {@link ConverterError} `USAGE` where there is no manifest: nothing is known, so nothing may go.
 *
 * @example
 * ```ts
 * await planPrune('output/demo'); // → { objects: ['objects/0a/0a5f….glb'], links: [], runs: [], bytes: 81234 }
 * ```
 *
 * @see D-832.
 */
export async function planPrune(outputDir: string, keepRuns?: number): Promise<PrunePlan> {
  await requireManifest(outputDir);
  const { pathOf } = openObjects(outputDir);
  const kept = new Set<string>();
  for (const line of (await openManifest(outputDir)).values()) {
    const asset = publishedAsset(line);
    if (asset === undefined) continue;
    kept.add(join(outputDir, asset.glb)).add(pathOf(asset.sha256));
  }
  const objects = await unreferred(join(outputDir, OBJECTS_FOLDER), kept);
  const links = await unreferred(join(outputDir, ARTICLES_FOLDER), kept);
  let bytes = 0;
  for (const path of objects) bytes += (await statIfExists(path))?.bytes ?? 0;
  const below = (path: string) => path.slice(outputDir.length + 1).replaceAll(sep, '/');
  const runs = await oldRuns(join(outputDir, RUNS_FOLDER), keepRuns);
  return { objects: objects.map(below), links: links.map(below), runs: runs.map(below), bytes };
}

/** What a run calls its folder; another one is none of ours. */
const RUN_FOLDER = /^\d{4}-\d{2}-\d{2}T[\d.-]+Z$/;

/** Folders of all runs but the latest: their names are the times at which they began. */
async function oldRuns(folder: string, keep: number | undefined): Promise<string[]> {
  if (keep === undefined) return [];
  const names = (await listFolder(folder)).filter((name) => RUN_FOLDER.test(name));
  return names.slice(0, Math.max(0, names.length - keep)).map((name) => join(folder, name));
}

/** @throws {@link ConverterError} `USAGE` where an output folder has no manifest. */
export async function requireManifest(outputDir: string): Promise<void> {
  if (await exists(join(outputDir, MANIFEST_FILE))) return;
  throw new ConverterError('USAGE', `${outputDir} holds no ${MANIFEST_FILE}`);
}

/** Removes what a plan names, and the folders that it leaves empty. */
export async function carryOutPrune(outputDir: string, plan: PrunePlan): Promise<void> {
  for (const path of [...plan.links, ...plan.objects]) await removeFile(join(outputDir, path));
  for (const path of plan.runs) await removeTree(join(outputDir, path));
  await removeEmptyFolders(join(outputDir, ARTICLES_FOLDER));
  await removeEmptyFolders(join(outputDir, OBJECTS_FOLDER));
}

async function unreferred(folder: string, kept: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const name of await listFolder(at)) {
      const path = join(at, name);
      const facts = await statIfExists(path);
      if (facts?.folder) folders.push(path);
      else if (facts && !kept.has(path)) found.push(path);
    }
  }
  return found.sort();
}

/** @returns Whether the folder is gone. */
async function removeEmptyFolders(folder: string): Promise<boolean> {
  let left = 0;
  for (const name of await listFolder(folder)) {
    const path = join(folder, name);
    const isFolder = (await statIfExists(path))?.folder ?? false;
    if (!isFolder || !(await removeEmptyFolders(path))) left++;
  }
  if (left === 0) await removeTree(folder);
  return left === 0;
}
