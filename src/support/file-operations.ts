/**
 * The choke point of all file operations: it gives each failure a code and a path, and refuses symbolic links. Only
 * `files.ts`, `folders.ts`, `links.ts` and `scratch-file.ts` call it: a test makes the n-th operation of a run fail.
 */
import { constants, lstatSync, type Stats } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { ConverterError, ERROR_CODES, type ErrorCode } from './errors.ts';

type FileOperation =
  | ('list' | 'stat' | 'read' | 'readlink')
  | ('open' | 'write' | 'fsync' | 'close' | 'chmod')
  | ('link' | 'symlink' | 'rename' | 'copy' | 'unlink' | 'remove' | 'mkdir');

const READS: ReadonlySet<FileOperation> = new Set(['list', 'stat', 'read', 'readlink'] as const);

/** Operations on a name. They follow no link that has this name. */
const ON_NAMES: ReadonlySet<FileOperation> = new Set([
  ...(['link', 'symlink', 'readlink'] as const),
  ...(['rename', 'unlink', 'remove'] as const),
]);

/** Operations on an open file: the path was examined when it was opened, and is again when it is closed. */
const ON_OPEN: ReadonlySet<FileOperation> = new Set(['write', 'fsync', 'chmod'] as const);

/** Operations whose name is no word that users know. */
const VERBS: Partial<Record<FileOperation, string>> = {
  list: 'list the folder',
  stat: 'examine',
  readlink: 'read',
  fsync: 'write',
  symlink: 'link',
  unlink: 'remove',
  mkdir: 'create the folder',
};

/** Why no folder can be made, with any permissions; the text of the system says something else. */
const NO_FOLDER: Readonly<Record<string, string>> = {
  // As below /proc: all parents exist.
  ENOENT: 'the system allows no new folders there',
  ENOTDIR: 'a part of this path is a file',
  EEXIST: 'there is a file of this name',
};

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Errors that count as no failure in some places. */
export const ERRNOS = {
  /** There is no such file; ESRCH is one of `/proc` whose process ended during the read. */
  absent: new Set(['ENOENT', 'ENOTDIR', 'ESRCH']),
  /** Errors of `link()` and `symlink()` if hard links are not possible, though copies are. */
  noLink: new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']),
  taken: new Set(['EEXIST']),
  /** Errors of systems that cannot fsync a folder. */
  noFolderSync: new Set(['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF']),
};

/** Size of each piece of a file that is read or written in pieces, except the last. */
export const PIECE_BYTES = 1024 * 1024;

/** The whole content of a file, its pieces, or another file, which is copied. */
export type Content = Uint8Array | string | Iterable<Uint8Array> | { path: string };

type FileWatcher = (operation: FileOperation, path: string) => void;
let watcher: FileWatcher | undefined;

/**
 * Calls a function before each file operation; undefined removes the function.
 *
 * @param watch - May throw an error with an errno `code`, which makes the operation fail.
 */
export function watchFileOperations(watch: FileWatcher | undefined): void {
  watcher = watch;
}

/** Folders of the output, cache, carts and recordings, where other users may write. */
const sharedFolders = new Set<string>();

/**
 * From now on, no operation follows a symbolic link below a folder where another user may have made it. The path of
 * the folder itself may have links, except in another such folder.
 */
export function refuseLinksBelow(folder: string): void {
  sharedFolders.add(resolve(folder));
}

/** Returns the folders below the outermost shared folder, and the path; nothing outside of shared folders. */
function pathsInShared(given: string): string[] {
  const path = isResolved(given) ? given : resolve(given);
  const paths: string[] = [];
  let isShared = false;
  for (let end = path.indexOf(sep); end >= 0; end = path.indexOf(sep, end + 1)) {
    const folder = path.slice(0, end);
    if (isShared) paths.push(folder);
    // A server serves many outputs: a look at each of their folders would take longer than the operation.
    else isShared = sharedFolders.has(folder);
  }
  return isShared ? [...paths, path] : [];
}

/** Most paths are; `resolve` takes 2 µs. */
function isResolved(path: string): boolean {
  return path.startsWith('/') && !/\/(?:[./]|$)/.test(path);
}

/** Folders that were examined in this turn of the event loop: many operations follow one another in a folder. */
const examined = new Set<string>();

/** What the check found at a path: it is `absent`, with the parents that do not exist either, outermost first. */
export type Found = Stats | { absent: readonly string[] };

/** @returns Undefined for a folder that was examined before. */
function refuseLinks(paths: readonly string[]): Found | undefined {
  let found: Stats | undefined;
  for (const [at, path] of paths.entries()) {
    found = undefined;
    if (examined.has(path)) continue;
    found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { absent: paths.slice(at) };
    if (found.isDirectory()) noteExamined(path);
    else if (!found.isFile()) {
      // Reading a pipe would never end.
      const received = found.isSymbolicLink() ? 'a symbolic link' : 'a pipe, socket or device';
      const message = `${path}: expected a file or folder, received ${received}`;
      throw new ConverterError('LINK_REFUSED', message);
    }
  }
  return found;
}

function noteExamined(path: string): void {
  if (examined.size === 0) setImmediate(() => examined.clear());
  examined.add(path);
}

const { O_NOFOLLOW = 0 } = constants;

/**
 * Runs one file operation, and returns its result or a promise: most do not wait, and a promise would take as long.
 *
 * @param work - Receives the flag with which it opens the path: a link may have appeared since the check. Also what the
 *   check found there, so that a `stat` or `read` examines the path once.
 * @param tolerated - Errnos with which it returns undefined: an error takes ten times as long as an operation.
 * @throws {@link ConverterError} `LINK_REFUSED`; `DISK_FULL`; `FILE_MISSING` or `FILE_UNREADABLE` of an operation
 *   that reads; otherwise `OUTPUT_UNWRITABLE`.
 */
export function operate<T>(
  operation: FileOperation,
  path: string,
  work: (noFollow: number, found?: Found) => T,
  tolerated?: undefined extends Awaited<T> ? ReadonlySet<string> : never,
): T {
  const failed = (error: unknown): T => {
    if (error instanceof ConverterError) throw error;
    if (tolerated?.has(errnoOf(error))) return undefined as T;
    throw fileError(operation, path, error);
  };
  try {
    watcher?.(operation, path);
    // Most operations follow others in their folder: this takes 3 µs less than resolving the path. A path that ends in
    // `..` or `/` does not name an entry of the folder.
    const isEntry = /[^./\\]$/.test(path) && examined.has(dirname(path));
    const paths = ON_OPEN.has(operation) ? [] : isEntry ? [path] : pathsInShared(path);
    const found = refuseLinks(ON_NAMES.has(operation) ? paths.slice(0, -1) : paths);
    if (found && 'absent' in found && tolerated?.has('ENOENT')) return undefined as T;
    const result = work(paths.length > 0 ? O_NOFOLLOW : 0, found);
    // A folder that has just been made is no link.
    if (operation === 'mkdir') for (const folder of paths) noteExamined(folder);
    return result instanceof Promise ? (result.catch(failed) as T) : result;
  } catch (error) {
    return failed(error);
  }
}

/** The errno name of an error or of its cause, such as `ENOENT`; otherwise its message. */
export function errnoOf(error: unknown): string {
  if (error instanceof ConverterError) return errnoOf(error.cause);
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}

/** Waits for an operation; returns undefined if it fails with one of the errnos. */
export async function unless<T>(
  errnos: ReadonlySet<string>,
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errnos.has(errnoOf(error))) return undefined;
    throw error;
  }
}

/** Waits for a link to be made; false if links are not possible. */
export async function isLinkPossible(linked: Promise<void>): Promise<boolean> {
  const made = linked.then(() => true);
  return (await unless(ERRNOS.noLink, made)) ?? false;
}

function fileError(operation: FileOperation, path: string, cause: unknown): ConverterError {
  const errno = errnoOf(cause);
  const isFolder = operation === 'mkdir';
  const ofSystem = getSystemErrorMap().get((cause as { errno?: number })?.errno ?? 0)?.[1];
  const text = (isFolder ? NO_FOLDER[errno] : undefined) ?? ofSystem;
  const reason = text === undefined ? errno : `${text} (${errno})`;
  // The folder that could not be made may be a parent.
  const at = isFolder ? ((cause as NodeJS.ErrnoException).path ?? path) : path;
  const message = `cannot ${VERBS[operation] ?? operation} ${at}: ${reason}`;
  const code = codeOf(operation, errno);
  const other = errno in NO_FOLDER ? '' : `, or ${ERROR_CODES.OUTPUT_UNWRITABLE.help}`;
  const isUnwritable = isFolder && code === 'OUTPUT_UNWRITABLE';
  const help = isUnwritable ? `choose another folder${other}` : undefined;
  return new ConverterError(code, message, { cause, help });
}

function codeOf(operation: FileOperation, errno: string): ErrorCode {
  if (errno === 'ELOOP') return 'LINK_REFUSED';
  if (DISK_FULL.has(errno)) return 'DISK_FULL';
  if (!READS.has(operation)) return 'OUTPUT_UNWRITABLE';
  return errno === 'ENOENT' ? 'FILE_MISSING' : 'FILE_UNREADABLE';
}

/**
 * Whether the process that wrote its id has ended.
 *
 * Ids are reused, in containers at once: our own may be that of an earlier process, unless the caller wrote it.
 */
export function hasEnded(pid: number): boolean {
  try {
    return pid === process.pid || !process.kill(pid, 0);
  } catch (error) {
    // Otherwise it runs, but we may not signal it.
    return errnoOf(error) !== 'EPERM';
  }
}
