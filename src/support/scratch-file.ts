/** A file in which a process keeps data outside of memory. Nothing else reads the file; it ends with the process. */
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { ConverterError } from './errors.ts';
import { operate } from './file-operations.ts';

/** A file of one process, whose methods are synchronous: the system keeps such a file in memory while it has room. */
export class ScratchFile {
  readonly #path: string;
  readonly #file: number;
  #size = 0;

  /** @param file - The descriptor of the empty file at the path. */
  constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
  }

  /** Appends bytes; returns their offset, or undefined if there is no room for them. */
  append(bytes: Uint8Array): number | undefined {
    const offset = this.#size;
    const isWritten = tolerate(() => writeSync(this.#file, bytes, 0, bytes.length, offset));
    if (isWritten !== bytes.length) return undefined;
    this.#size += bytes.length;
    return offset;
  }

  read(buffer: Uint8Array, offset: number): void {
    const { length } = buffer;
    if (tolerate(() => readSync(this.#file, buffer, 0, length, offset)) === length) return;
    throw new ConverterError('FILE_UNREADABLE', `${this.#path}: expected what was written there`);
  }

  close(): void {
    closeSync(this.#file);
    removeIfPossible(this.#path);
  }
}

/**
 * Creates an empty file, and removes its name at once if the system can do that.
 *
 * @param folder - Folder for temporary files: the next run removes the file of a killed run.
 */
export async function openScratchFile(folder: string): Promise<ScratchFile> {
  const path = join(folder, `.${process.pid}-${threadId}-${process.hrtime.bigint()}.tmp`);
  const file = operate('open', path, () => {
    tolerate(() => mkdirSync(folder));
    return openSync(path, 'wx+', 0o600);
  });
  removeIfPossible(path);
  return new ScratchFile(path, file);
}

function removeIfPossible(path: string): void {
  tolerate(() => rmSync(path, { force: true }));
}

function tolerate<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
