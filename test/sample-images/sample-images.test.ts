/**
 * The images of the sample range are files that this code draws; `npm run sample-images` writes them.
 *
 * `npm test` draws some again, with `BTG2GLTF_TEST_LONG=1` it is all of them.
 */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { imageFile, imagePaths, readImage } from '../../src/emulator/sample/images.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { drawImage } from './draw.ts';

const MAX_BYTES = 5_000_000;
/** A texture takes 0.3 s, any other image a tenth of it. */
const SOME = /^textures\/(?:fabricGrey|perforatedNormal)\.|^previews\/small|logo|LM-TISCH/;

/** Whether vitest has the option -u. */
function isUpdate(): boolean {
  return expect.getState().snapshotState.snapshotUpdateState === 'all';
}

describe('the images of the sample range', () => {
  // The last ones first: a preview is made of the file of its texture.
  const drawn = imagePaths().filter((path) => IS_LONG || SOME.test(path));
  test.each(drawn.reverse())('are drawn again byte for byte: %s', async (path) => {
    const image = await drawImage(path);
    if (isUpdate()) {
      await mkdir(dirname(imageFile(path)), { recursive: true });
      await writeFile(imageFile(path), image);
    }
    expect(Buffer.compare(image, await readImage(path))).toBe(0);
  });

  test('are the files of their folder, neither more nor fewer, in at most 5 MB', async () => {
    const expected = imagePaths().map(imageFile);
    const found: string[] = [];
    for (const entry of await readdir(imageFile(''), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (!entry.isFile()) continue;
      if (isUpdate() && !expected.includes(file)) await rm(file);
      else found.push(file);
    }
    expect(found.sort()).toEqual(expected.sort());
    const sizes = await Promise.all(found.map(async (file) => (await stat(file)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });
});
