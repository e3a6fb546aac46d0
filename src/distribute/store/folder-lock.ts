/**
 * The lock of a folder: a lock of SQLite on an empty file. The system releases it when its process ends in any way,
 * and it works between machines if the network file system supports locks (NFS 4, SMB).
 */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Libsql from 'libsql';
import { ConverterError } from '../../support/errors.ts';
import { exists, makeFolder } from '../../support/files.ts';

/** First pause: other processes have the lock for milliseconds. */
const FIRST_WAIT_MS = 1;
const MOST_WAIT_MS = 50;
/** The longest wait: longer than it takes to compare and replace the largest manifest. */
const GIVE_UP_MS = 60_000;
/** Primary result code of SQLite: another connection has the lock. */
const BUSY = 5;

/** Runs a function while it has the lock. */
export type FolderLock = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a lock for this process, other threads, processes and machines.
 *
 * @param path - A file that is created; only the lock uses it.
 * @throws {@link ConverterError} `STORE_UNREACHABLE` if others have it for a minute; `STORE_UNSUPPORTED` if the file
 *   system has no locks; `OUTPUT_UNWRITABLE`.
 */
export function createFolderLock(path: string): FolderLock {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(() => withLock(path, work));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await makeFolder(dirname(path));
  // SQLite follows links, so they are refused here.
  await exists(path);
  const { default: Database } = await import('libsql');
  const database = open(path, Database);
  try {
    let waitedMs = 0;
    for (let waitMs = FIRST_WAIT_MS; !begin(path, database); ) {
      if (waitedMs >= GIVE_UP_MS) {
        const message = `${path}: expected a lock that others hold for milliseconds, received none within ${GIVE_UP_MS / 1000} s`;
        throw new ConverterError('STORE_UNREACHABLE', message);
      }
      await sleep(waitMs);
      waitedMs += waitMs;
      waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
    }
    return await work();
  } finally {
    // Closing the database also releases the lock.
    database.close();
  }
}

function open(path: string, Database: typeof Libsql): Libsql.Database {
  try {
    return new Database(path);
  } catch (cause) {
    const message = `cannot open ${path}: ${(cause as Error).message}`;
    throw new ConverterError('OUTPUT_UNWRITABLE', message, { cause });
  }
}

/** Tries to take the lock, and returns whether it was free. */
function begin(path: string, database: Libsql.Database): boolean {
  try {
    // Nothing is written, so no file needs to be there from which it could be restored.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    return true;
  } catch (cause) {
    const { rawCode = 0, message } = cause as Error & { rawCode?: number };
    if ((rawCode & 0xff) === BUSY) return false;
    const sentence = `${path}: expected a file system with locks, received: ${message}`;
    throw new ConverterError('STORE_UNSUPPORTED', sentence, { cause });
  }
}
