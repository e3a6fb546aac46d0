/**
 * Files: every file operation of the converter, each through one choke point.
 *
 * In: paths and bytes. Out: whole files or none, and errors with a code and the path.
 * It must not know what the files mean; SQLite's own files are the only ones it does not write.
 */
import { createHash } from 'node:crypto';
import { constants, statSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { errnoOf, operate, unless } from './file-operations.ts';

export { encodeFileName, LONGEST_FILE_NAME } from './file-names.ts';
export { watchFileOperations } from './file-operations.ts';

/** How a file is written. */
export interface WriteOptions {
  /** Folder of the temporary file, on the same file system. @defaultValue the folder of the file */
  tmpDir?: string;
  /** Permissions, whatever the umask. @defaultValue 0o644 */
  mode?: number;
}

/**
 * What {@link linkOrCopy} did: `present` is nothing, since the content stood there already, and so is
 * `absent`, since there is no such content.
 */
export type LinkOutcome = 'linked' | 'copied' | 'present' | 'absent';

/** What stands at a path. */
export interface FileFacts {
  bytes: number;
  folder: boolean;
  /** Names one file of this machine, whatever its paths. */
  identity: string;
}

const FILE_MODE = 0o644;
/** Of what its owner alone may read: state, and what is known of it. */
export const PRIVATE_MODE = 0o600;
const FOLDER_MODE = 0o755;
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/** What `link()` answers where a hard link cannot be had, though a copy can. */
const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** What a folder answers on systems that cannot fsync one. */
const NO_FOLDER_SYNC = new Set(['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF']);

/** SHA-256 of bytes or of a text's UTF-8, as 64 lower-case hex digits. */
export function sha256Hex(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Reads a whole file. @throws {@link ConverterError} `FILE_MISSING`, `FILE_UNREADABLE`. */
export function readBytes(path: string): Promise<Uint8Array> {
  return operate('read', path, () => fs.readFile(path));
}

/** Reads a whole file as UTF-8, without its byte-order mark. @throws as {@link readBytes}. */
export async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path));
}

/** Reads a whole file as UTF-8, or undefined where there is none. */
export function readTextIfExists(path: string): Promise<string | undefined> {
  return unless(ABSENT, readText(path));
}

/** Reads a whole file, or undefined where there is none. */
export function readBytesIfExists(path: string): Promise<Uint8Array | undefined> {
  return unless(ABSENT, readBytes(path));
}

/**
 * What stands at a path, or undefined where nothing does.
 *
 * Asked without the thread pool, which takes 20 times as long as a local disk does; a quiet night asks
 * for one file of each configuration.
 */
export async function statIfExists(path: string): Promise<FileFacts | undefined> {
  const found = operate('stat', path, async () => statSync(path, { throwIfNoEntry: false }));
  const stat = await unless(ABSENT, found);
  if (stat === undefined) return undefined;
  const identity = `${stat.dev}:${stat.ino}`;
  return { bytes: stat.size, folder: stat.isDirectory(), identity };
}

/** Whether anything stands at a path. */
export async function exists(path: string): Promise<boolean> {
  return (await statIfExists(path)) !== undefined;
}

/** Names in a folder, sorted by code unit; none where there is no such folder. */
export async function listFolder(path: string): Promise<string[]> {
  const names = operate('list', path, () => fs.readdir(path));
  return ((await unless(ABSENT, names)) ?? []).sort();
}

/** Makes a folder and those above it; one that exists is left alone. */
export async function makeFolder(path: string): Promise<void> {
  // Step by step: the recursive call of Node 20 never returns where a parent answers ENOENT for
  // itself, as below /proc and on some FUSE mounts.
  if (await isFolder(path)) return;
  const missing = [path];
  for (let at = dirname(path); !(await exists(at)) && dirname(at) !== at; at = dirname(at)) {
    missing.push(at);
  }
  for (const folder of missing.reverse()) {
    await operate('mkdir', folder, () => newFolder(folder)).catch(async (error: unknown) => {
      // Another process may have been faster; a file in its place is none of that.
      if (errnoOf(error) !== 'EEXIST' || !(await isFolder(folder))) throw error;
    });
  }
}

/** The umask is made up for afterwards, so that bits that a folder inherits stay. */
async function newFolder(path: string): Promise<void> {
  await fs.mkdir(path, FOLDER_MODE);
  if (!isMasked(FOLDER_MODE)) return;
  const { mode } = await fs.stat(path);
  await fs.chmod(path, mode | FOLDER_MODE);
}

/** Whether the umask takes something of a mode away. */
function isMasked(mode: number): boolean {
  return (process.umask() & mode) !== 0;
}

async function isFolder(path: string): Promise<boolean> {
  return (await statIfExists(path))?.folder === true;
}

/** Removes a file; one that is not there is no error. */
export async function removeFile(path: string): Promise<void> {
  const removed = operate('unlink', path, () => fs.unlink(path));
  await unless(ABSENT, removed);
}

/** Removes a file, or a folder with all in it; what is not there is no error. */
export async function removeTree(path: string): Promise<void> {
  await operate('remove', path, () => fs.rm(path, { recursive: true, force: true }));
}

/**
 * Makes sure that a file exists which its owner alone may read (0600); its content stays.
 *
 * SQLite gives the files beside a database the permissions of the database itself.
 */
export async function makePrivateFile(path: string): Promise<void> {
  await makeFolder(dirname(path));
  await withFile(path, 'a', PRIVATE_MODE, (handle) =>
    operate('chmod', path, () => handle.chmod(PRIVATE_MODE)),
  );
}

/**
 * Writes a file whole or not at all, over what stood there: temporary file, fsync, rename, fsync of the folder.
 *
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`, naming the path; the file of before is intact then.
 */
export async function replaceFile(
  path: string,
  content: Uint8Array | string,
  options: WriteOptions = {},
): Promise<void> {
  await makeFolder(dirname(path));
  await viaTemporary(options.tmpDir ?? dirname(path), async (temporary) => {
    await writeDurably(temporary, content, options.mode ?? FILE_MODE);
    await operate('rename', path, () => fs.rename(temporary, path));
  });
  await syncFolder(dirname(path));
}

/**
 * Publishes a file that is written once and never changed: temporary file, fsync, link, fsync of the folder.
 *
 * @param tmpDir - Folder for the temporary file, on the same file system.
 * @returns `existed` where the name was taken already; what stands there is not touched.
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`, naming the path.
 */
export async function publishOnce(
  path: string,
  content: Uint8Array,
  tmpDir: string,
): Promise<'published' | 'existed'> {
  await makeFolder(dirname(path));
  const outcome = await viaTemporary(tmpDir, async (temporary) => {
    await writeDurably(temporary, content, FILE_MODE);
    return giveNewName(temporary, path);
  });
  if (outcome === 'published') await syncFolder(dirname(path));
  return outcome;
}

async function giveNewName(temporary: string, path: string): Promise<'published' | 'existed'> {
  try {
    await operate('link', path, () => fs.link(temporary, path));
    return 'published';
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return 'existed';
    if (!NO_LINK.has(errnoOf(error))) throw error;
    // Without hard links a rename publishes as whole a file.
    await operate('rename', path, () => fs.rename(temporary, path));
    return 'published';
  }
}

/**
 * Gives the content of a file a second name: by a hard link, or by a copy where links cannot be had.
 *
 * What stood at `to` is replaced in one step; where it is this content already, nothing is written.
 *
 * @param tmpDir - Folder for a temporary name, on the file system of `to`. Default: the folder of `to`.
 * @param source - What stands at `from`, where that is known: one content may get many names.
 * @throws {@link ConverterError} `DISK_FULL`, `OUTPUT_UNWRITABLE`.
 */
export async function linkOrCopy(
  from: string,
  to: string,
  tmpDir?: string,
  source?: FileFacts,
): Promise<LinkOutcome> {
  const [content, target] = await Promise.all([source ?? statIfExists(from), statIfExists(to)]);
  if (content === undefined) return 'absent';
  if (target !== undefined && (await sameContent(from, content, to, target))) return 'present';
  await makeFolder(dirname(to));
  const outcome = await viaTemporary(tmpDir ?? dirname(to), async (temporary) => {
    const made = await linkOrCopyToNewName(from, temporary);
    await operate('rename', to, () => fs.rename(temporary, to));
    return made;
  });
  await syncFolder(dirname(to));
  return outcome;
}

async function linkOrCopyToNewName(from: string, to: string): Promise<LinkOutcome> {
  try {
    await operate('link', to, () => fs.link(from, to));
    return 'linked';
  } catch (error) {
    if (!NO_LINK.has(errnoOf(error))) throw error;
    await operate('copy', to, () => fs.copyFile(from, to, constants.COPYFILE_EXCL));
    await withFile(to, 'r+', FILE_MODE, (handle) => operate('fsync', to, () => handle.sync()));
    return 'copied';
  }
}

async function sameContent(
  from: string,
  source: FileFacts,
  to: string,
  target: FileFacts,
): Promise<boolean> {
  if (source.identity === target.identity) return true;
  if (source.bytes !== target.bytes) return false;
  return Buffer.compare(await readBytes(from), await readBytes(to)) === 0;
}

/** Renames a folder; nothing stands at its new path. */
export function moveFolder(from: string, to: string): Promise<void> {
  return operate('rename', to, () => fs.rename(from, to));
}

/**
 * Removes the temporary files that dead processes left in a folder; those of running ones stay.
 *
 * @returns The number of files removed.
 */
export async function removeStaleTemporaries(folder: string): Promise<number> {
  let removed = 0;
  for (const name of await listFolder(folder)) {
    const pid = /^\.(\d+)-\d+-\d+\.tmp$/.exec(name)?.[1];
    if (pid === undefined || inUse.has(join(folder, name))) continue;
    // Process ids return, in containers at once: one of our own id that we do not use is a dead one's.
    if (Number(pid) !== process.pid && isRunning(Number(pid))) continue;
    await removeFile(join(folder, name));
    removed++;
  }
  return removed;
}

/** Whether a process of this machine runs; one that we may not signal does. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

let temporaries = 0;
const inUse = new Set<string>();

/** Hands out the name of a file that does not exist yet, and removes what became of it. */
async function viaTemporary<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  await makeFolder(folder);
  for (;;) {
    const path = join(folder, `.${process.pid}-${threadId}-${temporaries++}.tmp`);
    inUse.add(path);
    let ours = true;
    try {
      return await work(path);
    } catch (error) {
      ours = !isTaken(error, path);
      if (ours) throw error;
    } finally {
      // What cannot be removed must not hide the error that matters: a later run removes it.
      if (ours) await removeFile(path).catch(() => undefined);
      inUse.delete(path);
    }
  }
}

/** Whether an error says that a temporary name is another process's, of this id in another container. */
function isTaken(error: unknown, path: string): boolean {
  if (errnoOf(error) !== 'EEXIST') return false;
  const cause = (error as Error).cause as { path?: string; dest?: string } | undefined;
  return cause?.path === path || cause?.dest === path;
}

async function writeDurably(
  path: string,
  content: Uint8Array | string,
  mode: number,
): Promise<void> {
  await withFile(path, 'wx', mode, async (handle) => {
    if (isMasked(mode)) await operate('chmod', path, () => handle.chmod(mode));
    await operate('write', path, () => handle.writeFile(content));
    await operate('fsync', path, () => handle.sync());
  });
}

/** Makes the names in a folder durable; a no-op where the system cannot do it. */
export async function syncFolder(path: string): Promise<void> {
  const synced = withFile(path, 'r', 0, (handle) => operate('fsync', path, () => handle.sync()));
  await unless(NO_FOLDER_SYNC, synced);
}

async function withFile<T>(
  path: string,
  flags: string,
  mode: number,
  work: (handle: fs.FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await operate('open', path, () => fs.open(path, flags, mode));
  let result: T;
  try {
    result = await work(handle);
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
  await operate('close', path, () => handle.close()).catch(async (error: unknown) => {
    await handle.close().catch(() => undefined);
    throw error;
  });
  return result;
}
