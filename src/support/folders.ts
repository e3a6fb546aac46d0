/** Folders: what is in them, at any depth; their names on disk; those of one user, or of temporary files. */
import * as fs from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { ERRNOS, operate } from './file-operations.ts';
import { removeTree, statIfExists, syncFolder } from './files.ts';

const { O_NOFOLLOW = 0, O_RDONLY } = fs.constants;
const PRIVATE_MODE = 0o700;
const WITH_KINDS = { withFileTypes: true } as const;

function entriesOf(path: string): fs.Dirent[] {
  const list = (): fs.Dirent[] | undefined => fs.readdirSync(path, WITH_KINDS);
  return operate('list', path, list, ERRNOS.absent) ?? [];
}

/** Lists a folder, sorted by code unit; nothing if the folder does not exist. No link is followed. */
export async function listEntries(path: string) {
  const entries = entriesOf(path).map((entry) => {
    const other = entry.isSymbolicLink() ? 'link' : 'file';
    return { name: entry.name, kind: entry.isDirectory() ? 'folder' : other } as const;
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Folders that are listed in one turn of the event loop. */
const LISTED_PER_TURN = 64;

/** Lists the files at any depth below a folder, except some, sorted by code unit. @throws {@link ConverterError} `LINK_REFUSED` */
export async function listFilesBelow(
  folder: string,
  except?: ReadonlySet<string>,
): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  for (let listed = 1; folders.length > 0; listed++) {
    const at = folders.pop()!;
    if (listed % LISTED_PER_TURN === 0) await new Promise(setImmediate);
    for (const entry of entriesOf(at)) {
      const path = at + sep + entry.name;
      if (entry.isDirectory()) folders.push(path);
      else if (!entry.isSymbolicLink()) {
        if (!except?.has(path)) found.push(path);
      }
      // Refuses it.
      else await statIfExists(path);
    }
  }
  return found.sort();
}

/** Folders that are synced together: with the first of them, a file system with a journal has written the others too. */
const SYNCED_TOGETHER = 16;

/**
 * Makes the names in folders durable, as `syncFolder`, and empties the set: what is added meanwhile is synced later. The
 * thread pool of Node takes 70 µs where the disk has a folder already, so only the first of some is synced there.
 */
export async function syncFolders(paths: Set<string>): Promise<void> {
  const all = [...paths];
  paths.clear();
  for (const [at, path] of all.entries()) {
    if (at % SYNCED_TOGETHER === 0) await syncFolder(path);
    else syncNow(path);
  }
}

function syncNow(path: string): void {
  const sync = () => {
    const folder = fs.openSync(path, O_RDONLY | O_NOFOLLOW);
    try {
      fs.fsyncSync(folder);
    } finally {
      fs.closeSync(folder);
    }
  };
  operate<void>('fsync', path, sync, ERRNOS.noFolderSync);
}

/** Bytes that this user may still write to the disk of a folder, which exists. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await operate('stat', folder, () => statfs(folder));
  return bavail * bsize;
}

/** Creates a folder that only its owner may enter (0700); its parent must exist, and the folder must not. */
export const makePrivateFolder = async (path: string): Promise<void> =>
  operate('mkdir', path, () => fs.mkdirSync(path, PRIVATE_MODE));

/** Creates a folder among temporary files, for this user alone. @param name - Beginning of its name. */
export const makeTemporaryFolder = async (name = 'btg2gltf-', parent = tmpdir()): Promise<string> =>
  operate('mkdir', parent, () => fs.mkdtempSync(join(parent, name)));

/** Calls `work` with a new folder among the temporary files of the system, which is then removed. */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder();
  try {
    return await work(folder);
  } finally {
    await removeTree(folder);
  }
}
