/** A file in which a process keeps what need not be in memory. Nothing else reads it, and it ends with the process. */
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { ConverterError } from './errors.ts';
import { operate } from './file-operations.ts';

/**
 * Creates an empty file, and removes its name at once where the system can do that. Its methods are synchronous, since
 * the system keeps such a file in memory while it has room.
 *
 * @param folder - For temporary files: the next run removes what remains of a killed one.
 */
export async function openScratchFile(folder: string) {
  const path = join(folder, `.${process.pid}-${threadId}-${process.hrtime.bigint()}.tmp`);
  const file = await operate('open', path, async () => {
    tolerate(() => mkdirSync(folder));
    return openSync(path, 'wx+', 0o600);
  });
  const remove = () => tolerate(() => rmSync(path, { force: true }));
  remove();
  let size = 0;
  return {
    /** Appends bytes; returns their offset, or undefined where there is no room for them. */
    append(bytes: Uint8Array): number | undefined {
      const offset = size;
      const isWritten = tolerate(() => writeSync(file, bytes, 0, bytes.length, offset));
      if (isWritten !== bytes.length) return undefined;
      size += bytes.length;
      return offset;
    },
    /** Reads bytes into a buffer, which they fill. */
    read(buffer: Uint8Array, offset: number): void {
      const { length } = buffer;
      if (tolerate(() => readSync(file, buffer, 0, length, offset)) === length) return;
      throw new ConverterError('FILE_UNREADABLE', `${path}: expected what was written there`);
    },
    close(): void {
      closeSync(file);
      remove();
    },
  };
}

function tolerate<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
