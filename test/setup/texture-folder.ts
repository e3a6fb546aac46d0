/** Global setup: one folder of the system for the textures of the sample range, named after what draws them. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Drawn textures, `<name>.jpg`; kept from one run of the tests to the next. */
    textureFolder: string;
  }
}

const SAMPLE = fileURLToPath(new URL('../../src/sample', import.meta.url));

export default async function setUp(project: TestProject): Promise<void> {
  const hash = createHash('sha256').update(JSON.stringify(sharp.versions));
  for (const file of await sourcesOfTextures()) hash.update(file).update(await readFile(file));
  const user = process.getuid?.() ?? '';
  const folder = join(tmpdir(), `btg2gltf-textures-${user}-${hash.digest('hex').slice(0, 16)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  project.provide('textureFolder', folder);
}

async function sourcesOfTextures(): Promise<string[]> {
  const names = await readdir(join(SAMPLE, 'textures'));
  return ['random.ts', ...names.sort().map((name) => join('textures', name))].map((name) =>
    join(SAMPLE, name),
  );
}
