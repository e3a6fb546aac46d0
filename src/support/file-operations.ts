/**
 * The choke point of all file operations: it gives each failure a code and a path. Only `files.ts` calls
 * it, so that a test can make the n-th operation of a whole run fail.
 */
import { getSystemErrorMap } from 'node:util';
import { ConverterError, type ErrorCode } from './errors.ts';

type FileOperation =
  | ('list' | 'stat' | 'read')
  | ('open' | 'write' | 'fsync' | 'close' | 'chmod')
  | ('link' | 'symlink' | 'rename' | 'copy' | 'unlink' | 'remove' | 'mkdir');

const READS: ReadonlySet<FileOperation> = new Set<FileOperation>(['list', 'stat', 'read']);

/** Operations whose name is no word that a user knows. */
const VERBS: Partial<Record<FileOperation, string>> = {
  list: 'list the folder',
  stat: 'examine',
  fsync: 'write',
  symlink: 'link',
  unlink: 'remove',
  mkdir: 'create the folder',
};

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Errors that are no failure in some places. */
export const ERRNOS = {
  /** There is no such file; ESRCH is one of `/proc` whose process ended during the read. */
  absent: new Set(['ENOENT', 'ENOTDIR', 'ESRCH']),
  /** Of `link()` and `symlink()` where hard links are not possible, though copies are. */
  noLink: new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']),
  /** Of systems that cannot fsync a folder. */
  noFolderSync: new Set(['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF']),
};

/** Bytes of each piece of a file that is read or written in pieces, but the last. */
export const PIECE_BYTES = 1024 * 1024;

/** All of a file, or its pieces. */
export type Content = Uint8Array | string | Iterable<Uint8Array>;

type FileWatcher = (operation: FileOperation, path: string) => void;
let watcher: FileWatcher | undefined;

/**
 * Calls a function before each file operation; undefined ends that.
 *
 * @param watch - May throw an error with an errno `code`, which makes the operation fail.
 */
export function watchFileOperations(watch: FileWatcher | undefined): void {
  watcher = watch;
}

/**
 * Runs one file operation.
 *
 * @throws {@link ConverterError} `DISK_FULL`; `FILE_MISSING` or `FILE_UNREADABLE` of an operation that
 *   reads; otherwise `OUTPUT_UNWRITABLE`.
 */
export async function operate<T>(
  operation: FileOperation,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    watcher?.(operation, path);
    return await work();
  } catch (error) {
    throw fileError(operation, path, error);
  }
}

/** The errno name of an error or of its cause, such as `ENOENT`; otherwise its message. */
export function errnoOf(error: unknown): string {
  if (error instanceof ConverterError) return errnoOf(error.cause);
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}

/** Waits for an operation; gives undefined where it fails with one of the errnos. */
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

function fileError(operation: FileOperation, path: string, cause: unknown): ConverterError {
  const errno = errnoOf(cause);
  const number = (cause as NodeJS.ErrnoException | undefined)?.errno;
  const text = number === undefined ? undefined : getSystemErrorMap().get(number)?.[1];
  const reason = text === undefined ? errno : `${text} (${errno})`;
  const message = `cannot ${VERBS[operation] ?? operation} ${path}: ${reason}`;
  return new ConverterError(codeOf(operation, errno), message, { cause });
}

function codeOf(operation: FileOperation, errno: string): ErrorCode {
  if (errno === 'ELOOP') return 'LINK_REFUSED';
  if (DISK_FULL.has(errno)) return 'DISK_FULL';
  if (!READS.has(operation)) return 'OUTPUT_UNWRITABLE';
  return errno === 'ENOENT' ? 'FILE_MISSING' : 'FILE_UNREADABLE';
}
