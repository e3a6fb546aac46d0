/**
 * The choke point of every file operation: counts it for whoever watches, names its failure.
 *
 * In: one operation, its path and the call. Out: its result, or a ConverterError with code and path.
 * Only `files.ts` calls it, so that a test can make the N-th operation of a whole run fail.
 */
import { getSystemErrorMap } from 'node:util';
import { ConverterError, type ErrorCode } from './errors.ts';

/** What is done to the file system, one word an operation. */
export type FileOperation =
  | 'open'
  | 'write'
  | 'fsync'
  | 'close'
  | 'link'
  | 'rename'
  | 'copy'
  | 'unlink'
  | 'remove'
  | 'mkdir'
  | 'list'
  | 'stat'
  | 'read'
  | 'chmod';

/** Called before each operation; what it throws is handled as if the file system had said it. */
export type FileWatcher = (operation: FileOperation, path: string) => void;

const READS: ReadonlySet<FileOperation> = new Set(['list', 'stat', 'read']);

/** Errors of the file system that mean the same whatever the operation was. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EFBIG: 'DISK_FULL',
};

let watcher: FileWatcher | undefined;

/**
 * Watches every file operation, or ends the watch.
 *
 * @param watch - May throw an error with an errno `code` to make the operation fail; undefined ends the watch.
 *
 * @example
 * ```ts
 * watchFileOperations((operation) => {
 *   if (operation === 'fsync') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
 * });
 * await replaceFile('a.txt', 'text');   // → rejects with DISK_FULL: cannot fsync …: ENOSPC
 * ```
 */
export function watchFileOperations(watch: FileWatcher | undefined): void {
  watcher = watch;
}

/**
 * Runs one file operation.
 *
 * @throws {@link ConverterError} `DISK_FULL`; `FILE_MISSING` or `FILE_UNREADABLE` from one that reads; else `OUTPUT_UNWRITABLE`.
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

/** The errno name behind an error, such as `ENOENT`; looks through our own wrapper. */
export function errnoOf(error: unknown): string {
  if (error instanceof ConverterError) return errnoOf(error.cause);
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}

/** Waits for an operation; its failure with one of the given errnos means undefined. */
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
  const words = number === undefined ? undefined : getSystemErrorMap().get(number)?.[1];
  const reason = words === undefined ? errno : `${words} (${errno})`;
  const message = `cannot ${operation} ${path}: ${reason}`;
  return new ConverterError(codeOf(operation, errno), message, { cause });
}

function codeOf(operation: FileOperation, errno: string): ErrorCode {
  const code = CODES[errno];
  if (code !== undefined) return code;
  if (!READS.has(operation)) return 'OUTPUT_UNWRITABLE';
  return errno === 'ENOENT' ? 'FILE_MISSING' : 'FILE_UNREADABLE';
}
