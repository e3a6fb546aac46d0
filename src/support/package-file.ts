/** Files that are part of this package. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder two levels above this file: in the source, compiled, and in the bundle. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The path of a file by its path from the top of the package.
 *
 * @example `packageFile('pipelines/schema.json'); // → '/…/node_modules/btg2gltf/pipelines/schema.json'`
 */
export function packageFile(path: string): string {
  return join(PACKAGE, path);
}
