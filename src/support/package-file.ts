/** Files that are part of this package. */
import { fileURLToPath } from 'node:url';

/**
 * The path of a file by its path from the top of the package. This file is two folders below it: as it is, compiled, and
 * in the bundle.
 *
 * @example `packageFile('pipelines/schema.json'); // → '/…/node_modules/btg2gltf/pipelines/schema.json'`
 */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
