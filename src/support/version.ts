/** The version of this program, which only `package.json` has: `bundle.mjs` replaces this file by the version itself. */
import { createRequire } from 'node:module';
import { packageFile } from './package-file.ts';

/** The version of this program: `0.1.0`. It is loaded like the code of the program, not like the data of a run. */
export function programVersion(): string {
  const load = createRequire(import.meta.url);
  return (load(packageFile('package.json')) as { version: string }).version;
}
