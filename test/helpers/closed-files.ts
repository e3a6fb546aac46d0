/**
 * Closed files: libsql closes the file of a database once its statements are garbage
 * (tursodatabase/libsql-js issues 228 and 230, version 0.5.29), and removes its `-wal` then, by its path.
 */
import { readdir, readlink } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const OPEN_FILES = '/proc/self/fd';
const MOST_TURNS = 200;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

/**
 * Waits until this process has no open file below a folder, which may then be copied or replaced. Where open files are
 * not listed in `/proc`, it collects garbage.
 */
export async function filesClosed(folder: string): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const open = await openFilesBelow(folder);
    if (open.length === 0) return;
    collectGarbage();
    await setImmediate();
  }
  throw new Error(`open after ${MOST_TURNS} collections: ${await openFilesBelow(folder)}`);
}

async function openFilesBelow(folder: string): Promise<string[]> {
  const descriptors = await readdir(OPEN_FILES).catch(() => []);
  const files = await Promise.all(
    // One that was closed meanwhile has no link.
    descriptors.map((name) => readlink(`${OPEN_FILES}/${name}`).catch(() => '')),
  );
  return files.filter((file) => file.startsWith(folder));
}
