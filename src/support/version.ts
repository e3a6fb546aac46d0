/** The version of this program, which only `package.json` has: `bundle.mjs` replaces this file by the version itself. */
import { createRequire } from 'node:module';
import { packageFile } from './package-file.ts';

// It is loaded like the code of the program, not like the data of a run.
const { version } = createRequire(import.meta.url)(packageFile('package.json'));

/** The version of this program: `0.1.0`. */
export const programVersion = (): string => version;
