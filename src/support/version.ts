/** The version of this program, which only `package.json` has. */
import { fileURLToPath } from 'node:url';
import { readText } from './files.ts';

/** Reads the version of this program: `0.1.0`. */
export async function programVersion(): Promise<string> {
  const manifest = await readText(fileURLToPath(new URL('../../package.json', import.meta.url)));
  return (JSON.parse(manifest) as { version: string }).version;
}
