/** Finds what is in an output folder and nothing refers to, and removes it. */
import { join, sep } from 'node:path';
import { removeFile, removeTree, statIfExists } from '../../support/files.ts';
import { listEntries, listFilesBelow } from '../../support/folders.ts';
import { isDeliveryPath } from './delivered-files.ts';
import {
  ARTICLES_FOLDER,
  deliveredFiles,
  OBJECTS_FOLDER,
  oldRuns,
  openObjects,
  publishedObjects,
} from './output-folder.ts';

/** What is removed of what is published; all paths are below the output folder or keys of a store, with `/`, sorted. */
export interface PrunePlan {
  /** Files to which nothing refers. */
  objects: string[];
  /** Links below the output folder; a store has none. */
  links?: string[];
  /** Reports. */
  runs: string[];
  /** Of the objects. */
  bytes: number;
  /** Objects to which nothing refers yet: a run may have just stored them. */
  young?: number;
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
): Promise<PrunePlan & { links: string[] }> {
  const store = openObjects(outputDir);
  const linkOf = ({ glb }: { glb: string }) => join(outputDir, glb);
  const kept = new Set<string>();
  for (const [object, links] of await publishedObjects(outputDir, linkOf))
    for (const path of [store.pathOf(object), ...links]) kept.add(path);
  for await (const files of deliveredFiles(outputDir))
    for (const { object, link } of files) kept.add(object).add(link);
  const relative = (path: string) => path.slice(outputDir.length + 1).replaceAll(sep, '/');
  const objects = await listFilesBelow(join(outputDir, OBJECTS_FOLDER), kept);
  const links = (await listFilesBelow(join(outputDir, ARTICLES_FOLDER), kept)).map(relative);
  for (const folder of deliveryFolders) {
    const paths = (await listFilesBelow(join(outputDir, folder), kept)).map(relative);
    links.push(...paths.filter(isDeliveryPath));
  }
  let bytes = 0;
  for (const path of objects) bytes += (await statIfExists(path))?.bytes ?? 0;
  const runs = keepRuns === undefined ? [] : await oldRuns(outputDir, keepRuns);
  return { objects: objects.map(relative), links: links.sort(), runs, bytes };
}

/** Removes what a plan lists, and the folders that become empty. */
export async function carryOutPrune(
  outputDir: string,
  deliveryFolders: readonly string[],
  { objects, links = [], runs }: Pick<PrunePlan, 'objects' | 'links' | 'runs'>,
): Promise<void> {
  for (const path of [...links, ...objects]) await removeFile(join(outputDir, path));
  for (const path of runs) await removeTree(join(outputDir, path));
  if (objects.length + links.length === 0) return;
  for (const path of [ARTICLES_FOLDER, OBJECTS_FOLDER, ...deliveryFolders])
    await removeEmptyFolders(join(outputDir, path));
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
