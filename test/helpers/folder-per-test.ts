import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { temporaryFolder } from './temporary.ts';

/**
 * Gives each test of a file, or of a group, an empty folder that is removed after it.
 *
 * @returns The path of names in the folder of the current test; without names, its own.
 */
export function folderPerTest(): (...names: string[]) => string {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return (...names) => join(folder, ...names);
}
