/**
 * Setup of each test file: a texture of the sample range is drawn once for all test files, since drawing
 * all of them takes 7 s. A test of the drawing itself loads the module with `vi.importActual`.
 */
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject, vi } from 'vitest';

vi.mock(import('../../src/sample/textures/textures.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const { TEXTURES } = original;
  const drawn = new Map<string, Promise<Uint8Array>>();
  const share = async (name: string, draw: () => Promise<Uint8Array>): Promise<Uint8Array> => {
    const file = join(inject('textureFolder'), `${name}.jpg`);
    const shared = await readFile(file).catch(() => undefined);
    if (shared !== undefined) return new Uint8Array(shared);
    const bytes = await draw();
    const part = `${file}.${randomUUID()}`;
    await writeFile(part, bytes);
    await rename(part, file);
    return bytes;
  };
  return {
    ...original,
    createTextureStore: () => {
      const draw = original.createTextureStore();
      return (manufacturer, name) => {
        const picture = TEXTURES[manufacturer]?.[name];
        if (picture === undefined) return undefined;
        const bytes = drawn.get(picture) ?? share(picture, () => draw(manufacturer, name)!);
        drawn.set(picture, bytes);
        return bytes;
      };
    },
  };
});
