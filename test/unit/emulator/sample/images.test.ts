/** Images of the sample range are files: `test/sample-images` compares them with what draws them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createSampleRange } from '../../../../src/emulator/sample/sample-range.ts';

const LIBRARY = new URL('../../../../dist/index.js', import.meta.url);

test('the built package answers with images, and loads no library for pictures', async () => {
  const program = `
    import { createSampleRange } from ${JSON.stringify(LIBRARY.href)};
    const range = createSampleRange();
    const images = [
      await range.material('FJEL', 'EICHE'),
      await range.preview('FJEL', 'LINEA', 'L_EICHE.JPG'),
      await range.resource(['BRNK', 'KONVA', 'any', 'KV-HOCKER HÖHE 77.JPG']),
      await range.resource(['FJEL', 'de', 'LOGO.PNG']),
    ];
    const { sharedObjects } = process.report.getReport();
    const sharp = sharedObjects.filter((file) => /sharp|vips/.test(file));
    console.log(JSON.stringify({ starts: images.map((bytes) => bytes[1]), sharp }));`;
  const words = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  // The second byte of a JPEG, and of a PNG.
  expect(JSON.parse(stdout)).toEqual({ starts: [0xd8, 0xd8, 0xd8, 0x50], sharp: [] });
});

test('names of object members are no textures', async () => {
  const range = createSampleRange();
  expect(await range.material('FJEL', 'toString')).toBeUndefined();
  expect(await range.material('__proto__', 'EICHE')).toBeUndefined();
  expect(await range.resource!(['FJEL', 'LINEA', 'de', 'constructor'])).toBeUndefined();
});
