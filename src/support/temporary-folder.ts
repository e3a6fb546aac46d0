/**
 * Temporary folder: where a file of an output or cache folder is written before it gets its name.
 *
 * All of them in one place of a known name: what a killed process left there is found and removed.
 *
 * @see D-860.
 */
import { join } from 'node:path';

const NAME = '.tmp';

/**
 * The folder of temporary files below an output or cache folder, on the same file system.
 *
 * @example
 * ```ts
 * temporaryFolder('output/demo');   // → 'output/demo/.tmp'
 * ```
 */
export function temporaryFolder(root: string): string {
  return join(root, NAME);
}
