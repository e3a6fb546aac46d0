/** Temporary folders of tests. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder of its own. `test/run.mjs` removes it when the tests end; a test removes what is large. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'btg2gltf-'));
}

/** The path of an empty folder of its own, at once. */
export function temporaryFolderSync(): string {
  const path = join(tmpdir(), `btg2gltf-${randomBytes(8).toString('hex')}`);
  mkdirSync(path);
  return path;
}

/** The path of what all processes of a run of the tests share, by its name: that of the process that has started them. */
export function pathForAll(name: string): string {
  return join(tmpdir(), `btg2gltf-${name}-${process.ppid}`);
}
