/**
 * Replace folder: a folder with all in it, put in the place of another in one step.
 *
 * In: a path and how to fill a folder. Out: the new folder there, or the old one as it was.
 */
import { basename, dirname, join } from 'node:path';
import {
  exists,
  isRunning,
  listFolder,
  makeFolder,
  moveFolder,
  removeTree,
  syncFolder,
} from './files.ts';

/**
 * Fills a new folder and puts it in the place of one, whole or not at all; what was there is removed.
 *
 * What dead processes left beside it is tidied up first; a folder that one of them had put aside returns.
 *
 * @param fill - Writes into the folder that it is handed; where it throws, nothing has changed.
 * @throws {@link ConverterError} `DISK_FULL`, `OUTPUT_UNWRITABLE`, or what `fill` throws.
 */
export async function replaceFolder<T>(
  path: string,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  await tidyFolder(path);
  const [fresh, aside] = [asideOf(path, 'new'), asideOf(path, 'old')];
  await makeFolder(fresh);
  try {
    const result = await fill(fresh);
    const stood = await exists(path);
    if (stood) await moveFolder(path, aside);
    await moveFolder(fresh, path).catch(async (error: unknown) => {
      if (stood) await moveFolder(aside, path);
      throw error;
    });
    await syncFolder(dirname(path));
    // What cannot be removed is tidied up the next time.
    await removeTree(aside).catch(() => undefined);
    return result;
  } catch (error) {
    await removeTree(fresh).catch(() => undefined);
    throw error;
  }
}

function asideOf(path: string, state: 'new' | 'old', pid: number = process.pid): string {
  return join(dirname(path), `.${basename(path)}.${pid}.${state}`);
}

async function tidyFolder(path: string): Promise<void> {
  for (const name of await listFolder(dirname(path))) {
    const [, pid, state] = /\.(\d+)\.(new|old)$/.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    const left = asideOf(path, state as 'new' | 'old', Number(pid));
    if (basename(left) !== name) continue;
    if (state === 'old' && !(await exists(path))) await moveFolder(left, path);
    else await removeTree(left);
  }
}
