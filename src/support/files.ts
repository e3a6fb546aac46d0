/**
 * The file operations of the converter: a file is written whole or not at all. Links are in `links.ts`, folders in
 * `folders.ts`; SQLite writes its own files.
 *
 * Calls that work in memory are synchronous: names, and small contents. The thread pool of Node takes 20 times as
 * long for them as a local disk. Calls that wait for the disk are asynchronous: fsync, large contents.
 */
import { createHash, hash } from 'node:crypto';
import * as sync from 'node:fs';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { threadId } from 'node:worker_threads';
import {
  type Content,
  ERRNOS,
  errnoOf,
  type Found,
  hasEnded,
  isLinkPossible,
  operate,
  PIECE_BYTES,
  unless,
} from './file-operations.ts';

interface WriteOptions {
  /** Folder of the temporary file, on the same file system. @defaultValue the folder of the file */
  tmpDir?: string;
  /** A private file is for its owner alone; a read-only file can only be replaced or removed. */
  access?: keyof typeof MODES;
  /** Whether the file is on disk before it replaces another: not needed for data that can be had again. @defaultValue true */
  durable?: boolean;
  /** See {@link publishOnce}. */
  unsynced?: Set<string>;
}

export interface FileFacts {
  bytes: number;
  /** When the content was last changed, in milliseconds since 1970, with a fraction. */
  modifiedMs: number;
  mode: number;
  /** Number of the user whose file it is; 0 on Windows. */
  owner: number;
  folder: boolean;
  /** Text that is equal for all paths of one file. */
  identity: string;
}

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY, O_NOFOLLOW = 0 } = constants;
const IS_WINDOWS = process.platform === 'win32';
/** Permissions, less those that the umask masks; a private file always has its own. Windows replaces no read-only file. */
const MODES = {
  normal: 0o644,
  private: 0o600,
  program: 0o755,
  readOnly: IS_WINDOWS ? 0o644 : 0o444,
};
const FOLDER_MODE = 0o755;
const WRITE_BITS = 0o222;
const IF_ANY = { throwIfNoEntry: false } as const;

const isFound = (known: Found | undefined): known is sync.Stats => known instanceof sync.Stats;

/** SHA-256 of bytes, of their pieces or of the UTF-8 of a text, as 64 lower-case hex digits. */
export function sha256Hex(content: Uint8Array | string | readonly Uint8Array[]): string {
  if (!Array.isArray(content)) return hash('sha256', content as Uint8Array | string, 'hex');
  const sha256 = createHash('sha256');
  for (const piece of content) sha256.update(piece);
  return sha256.digest('hex');
}

/** Length and SHA-256 of a file, which is read in pieces. @throws as {@link readBytes}. */
export async function digestOfFile(path: string): Promise<{ bytes: number; sha256: string }> {
  expectFile(path);
  const sha256 = createHash('sha256');
  let bytes = 0;
  for await (const piece of readPieces(path)) {
    sha256.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: sha256.digest('hex') };
}

/** Expects a file to exist; otherwise a missing file would look like an empty one. @throws as {@link readBytes}. */
const expectFile = (path: string): unknown =>
  operate('read', path, (_, known) => (isFound(known) ? known : sync.statSync(path)));

/** Size up to which contents are read and written synchronously. */
const SMALL_BYTES = 1024 * 1024;

/** Reads a file. @throws {@link ConverterError} `FILE_MISSING`, `FILE_UNREADABLE`. */
export const readBytes = async (path: string): Promise<Uint8Array> =>
  operate('read', path, readerOf(path));

/** Reads a file; undefined if it does not exist. */
export const readBytesIfExists = async (path: string) =>
  operate<Promise<Uint8Array | undefined>>('read', path, readerOf(path), ERRNOS.absent);

const readerOf = (path: string) => async (noFollow: number, known?: Found) => {
  const flag = O_RDONLY | noFollow;
  const found = isFound(known) ? known : sync.statSync(path);
  // Reading a pipe may have to wait for a long time.
  const isSmall = found.isFile() && found.size <= SMALL_BYTES;
  // The type of the flag does not allow numbers.
  return isSmall ? sync.readFileSync(path, { flag: flag as never }) : fs.readFile(path, { flag });
};

/** Reads a file as UTF-8, without its byte-order mark. @throws as {@link readBytes}. */
export const readText = async (path: string) => new TextDecoder().decode(await readBytes(path));

/** Reads a file as UTF-8; undefined if it does not exist. */
export const readTextIfExists = (path: string) =>
  readBytesIfExists(path).then((bytes) => bytes && new TextDecoder().decode(bytes));

/**
 * Reads a file in pieces, each with its own memory; nothing if the file does not exist.
 *
 * @param from - The first byte that is read. @param to - The first that is not.
 * @throws as {@link readBytes}.
 */
export async function* readPieces(
  path: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): AsyncIterable<Uint8Array> {
  const facts = await statIfExists(path);
  if (facts === undefined) return;
  // This is three times as fast as a file handle; a run reads five such files before it does anything else.
  if (!facts.folder && facts.bytes <= SMALL_BYTES) {
    yield (await readBytes(path)).subarray(from, to);
    return;
  }
  const handle = await operate('read', path, (noFollow) => fs.open(path, O_RDONLY | noFollow));
  try {
    for (let at = from; at < to; ) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, to - at));
      const { bytesRead } = await operate('read', path, () =>
        handle.read(piece, 0, piece.length, at),
      );
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** The properties of a file or folder; undefined if it does not exist. */
export async function statIfExists(path: string): Promise<FileFacts | undefined> {
  const look = (_: number, known?: Found) => known ?? sync.statSync(path, IF_ANY);
  const stat = operate('stat', path, look, ERRNOS.absent);
  if (!isFound(stat)) return undefined;
  const identity = `${stat.dev}:${stat.ino}`;
  const { size: bytes, mtimeMs: modifiedMs, mode, uid: owner } = stat;
  return { bytes, modifiedMs, mode: mode & 0o777, owner, folder: stat.isDirectory(), identity };
}

/** Whether a file or folder exists. */
export const exists = async (path: string) => (await statIfExists(path)) !== undefined;

/** Names in a folder, sorted by code unit; none if the folder does not exist. */
export async function listFolder(path: string): Promise<string[]> {
  const list = (): string[] | undefined => sync.readdirSync(path);
  return operate('list', path, list, ERRNOS.absent)?.sort() ?? [];
}

/** Creates a folder with its parents, one by one: the recursive call of Node 20 may never return below /proc and FUSE mounts. @returns Whether it was absent. */
export async function makeFolder(path: string): Promise<boolean> {
  const make = async () =>
    operate('mkdir', path, (_, known = sync.statSync(path, IF_ANY)) => {
      if (isFound(known) && known.isDirectory()) return false;
      const [outermost = path, ...inner] = known && 'absent' in known ? known.absent : [];
      makeWithParents(outermost);
      for (const folder of inner) makeOne(folder);
      return true;
    });
  // Another process may have removed a parent in the meantime.
  return (await unless(ERRNOS.absent, make())) ?? make();
}

function makeWithParents(path: string): void {
  const parent = dirname(path);
  // Looking first is cheap: an error takes ten times as long.
  if (sync.statSync(parent, IF_ANY) === undefined && parent !== path) makeWithParents(parent);
  makeOne(path);
}

function makeOne(path: string): void {
  try {
    sync.mkdirSync(path, FOLDER_MODE);
  } catch (error) {
    // Another process may have created the folder in the meantime; a file of that name remains an error.
    if (errnoOf(error) !== 'EEXIST' || !sync.lstatSync(path, IF_ANY)?.isDirectory()) throw error;
  }
}

/** Removes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  // Most temporary files have their final name by now.
  const remove = () => sync.lstatSync(path, IF_ANY) && sync.unlinkSync(path);
  operate('unlink', path, remove, ERRNOS.absent);
}

/** Renames a file or folder, and replaces an existing file of the new name. */
export const rename = async (from: string, to: string): Promise<void> =>
  operate('rename', to, () => sync.renameSync(from, to));

/** Removes a file, or a folder with its content, if it exists. */
export const removeTree = async (path: string): Promise<void> =>
  operate('remove', path, () => fs.rm(path, { recursive: true, force: true }));

/**
 * Ensures that a file exists which only its owner may read (0600); its content stays.
 *
 * SQLite gives the files beside a database the permissions of the database. A file that exists is not opened: closing it
 * would release the locks that this process holds on it, and then two processes could write a database at once.
 */
export async function makePrivateFile(path: string): Promise<void> {
  await makeFolder(dirname(path));
  const facts = await statIfExists(path);
  if (facts === undefined) {
    await withFile(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, MODES.private, async () => {});
  } else if (facts.mode !== MODES.private) {
    operate('chmod', path, () => sync.chmodSync(path, MODES.private));
  }
}

/**
 * Writes or replaces a file in one step: temporary file, fsync, rename, fsync of the folder; fsyncs only if durable.
 *
 * @param content - Pieces are written one after the other; the memory of a piece may be reused for the next.
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`, with the path; then the previous file is intact.
 */
export async function replaceFile(
  path: string,
  content: Content,
  options: WriteOptions = {},
): Promise<void> {
  const { tmpDir = dirname(path), access, durable = true, unsynced } = options;
  await makeFolder(dirname(path));
  await viaTemporary(tmpDir, async (temporary) => {
    await writeNew(temporary, content, access, durable);
    await rename(temporary, path);
  });
  if (durable) await (unsynced?.add(dirname(path)) ?? syncFolder(dirname(path)));
}

/** Removes the write permissions of a file with these permissions, if the system allows that. */
export async function makeReadOnly(path: string, mode: number): Promise<void> {
  if (IS_WINDOWS || (mode & WRITE_BITS) === 0) return;
  const changed = withFile(path, O_RDONLY | O_NOFOLLOW, 0, async (file) =>
    operate('chmod', path, () => sync.fchmodSync(file, mode & ~WRITE_BITS)),
  );
  await changed.catch(() => undefined);
}

/**
 * Writes a file that never changes afterwards: temporary file, fsync, link, fsync of the folder.
 *
 * @param tmpDir - Folder of the temporary file, on the same file system.
 * @param unsynced - Receives the folder, which the caller syncs later: once for all its files.
 * @returns `existed` if there is a file of this name already; that file stays unchanged.
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`, with the path.
 */
export async function publishOnce(
  path: string,
  content: Content,
  tmpDir: string,
  access?: WriteOptions['access'],
  unsynced?: Set<string>,
): Promise<'published' | 'existed'> {
  await makeFolder(dirname(path));
  const isNew = await viaTemporary(tmpDir, async (temporary) => {
    await writeNew(temporary, content, access);
    const link = async () => operate('link', path, () => sync.linkSync(temporary, path));
    const isLinked = await unless(ERRNOS.taken, isLinkPossible(link()));
    // Without hard links, a rename publishes the file in one step too.
    if (isLinked === false) await rename(temporary, path);
    return isLinked !== undefined;
  });
  if (isNew) await (unsynced?.add(dirname(path)) ?? syncFolder(dirname(path)));
  return isNew ? 'published' : 'existed';
}

/** Copies a file with its permissions to a new name, and waits until the disk has it. */
export async function copyNew(from: string, to: string): Promise<void> {
  await operate('copy', to, () => fs.copyFile(from, to, constants.COPYFILE_EXCL));
  // Windows flushes only files that are open for writing.
  await withFile(to, IS_WINDOWS ? 'r+' : 'r', 0, (file) => operate('fsync', to, () => fsync(file)));
}

/**
 * The folder of temporary files below an output or cache folder, on the same file system. All of them share one
 * folder, where the next run finds and removes the files of an ended process (D-860).
 */
export function temporaryFolder(root: string): string {
  return join(root, '.tmp');
}

/** Name of a temporary file: process, thread, number. */
const TEMPORARY = /^\.(\d+)-\d+-\d+\.tmp$/;

/** Removes the temporary files and folders in a folder whose process has ended, and returns their number. */
export async function removeStaleTemporaries(folder: string): Promise<number> {
  let removed = 0;
  for (const name of await listFolder(folder)) {
    const pid = TEMPORARY.exec(name)?.[1];
    if (pid === undefined || inUse.has(join(folder, name)) || !hasEnded(Number(pid))) continue;
    await removeTree(join(folder, name));
    removed++;
  }
  return removed;
}

/** Removes the temporary files in a folder that were written before a time, in milliseconds since 1970, by any process. */
export async function removeOldTemporaries(folder: string, beforeMs: number): Promise<void> {
  for (const name of await listFolder(folder)) {
    const facts = TEMPORARY.test(name) ? await statIfExists(join(folder, name)) : undefined;
    if (facts !== undefined && facts.modifiedMs < beforeMs) await removeFile(join(folder, name));
  }
}

let temporaries = 0;
const inUse = new Set<string>();

/** Calls `work` with the name of a new file, and removes the file afterwards if it still exists; a folder is removed by `work`. */
export async function viaTemporary<T>(
  folder: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
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
      // A failed removal must not hide the first error; a later run removes the file.
      if (ours) await removeFile(path).catch(() => undefined);
      inUse.delete(path);
    }
  }
}

/** Whether another process uses a temporary name because it has the same id in another container. */
function isTaken(error: unknown, path: string): boolean {
  if (errnoOf(error) !== 'EEXIST') return false;
  const cause = (error as Error).cause as { path?: string; dest?: string } | undefined;
  return cause?.path === path || cause?.dest === path;
}

/**
 * Writes a file that does not exist yet, such as one of {@link viaTemporary}; a durable one is on disk then.
 *
 * @throws {@link ConverterError} `DISK_FULL` or `OUTPUT_UNWRITABLE`, with the path.
 */
export async function writeNew(
  path: string,
  content: Content,
  access: keyof typeof MODES = 'normal',
  durable = true,
): Promise<void> {
  if (typeof content === 'object' && 'path' in content) {
    expectFile(content.path);
    return copyNew(content.path, path);
  }
  const mode = MODES[access];
  await withFile(path, 'wx', mode, async (file) => {
    if (access === 'private') operate('chmod', path, () => sync.fchmodSync(file, mode));
    await operate('write', path, () => writeAll(file, content));
    if (durable) await operate('fsync', path, () => fsync(file));
  });
}

const open = promisify(sync.open);
const fsync = promisify(sync.fsync);
const writeFile = promisify(sync.writeFile);

async function writeAll(file: number, content: Exclude<Content, { path: string }>): Promise<void> {
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  for (const piece of isWhole ? [content] : content) {
    if (piece.length <= SMALL_BYTES) sync.writeFileSync(file, piece);
    else await writeFile(file, piece);
  }
}

/** Makes the names in a folder durable, if the system can do that. */
export async function syncFolder(path: string): Promise<void> {
  const work = (file: number) => operate('fsync', path, () => fsync(file));
  await unless(ERRNOS.noFolderSync, withFile(path, 'r', 0, work));
}

async function withFile<T>(
  path: string,
  flags: string | number,
  mode: number,
  work: (file: number) => Promise<T>,
): Promise<T> {
  // Creating a file takes up to 300 µs if many were removed before, as in the folder of temporary files.
  const opened = async () =>
    flags === 'wx' ? open(path, flags, mode) : sync.openSync(path, flags, mode);
  const file = await operate('open', path, opened);
  let isOpen = true;
  const close = () => {
    isOpen = false;
    sync.closeSync(file);
  };
  try {
    const result = await work(file);
    operate('close', path, close);
    return result;
  } finally {
    // The first error is the one to report.
    if (isOpen) sync.close(file, () => {});
  }
}
