/**
 * Tangents: with `tangents: mikktspace` a validator has no warning left.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { complaintsAbout, TANGENT_WARNING } from '../helpers/check-glb.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

async function objectsIn(folder: string, tangents: 'none' | 'mikktspace'): Promise<Uint8Array[]> {
  const pipeline = await writePipeline(folder, {
    service: { emulator: true },
    articles: [
      { search: { manufacturer: 'AULI', query: 'RG-SIDE 165' } },
      // It has no texture.
      ...(IS_LONG ? [{ search: { manufacturer: 'AULI', query: 'LM-VASE' } }] : []),
    ],
    convert: { tangents },
  });
  expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
  const lines = await readManifest(join(folder, 'out'));
  return Promise.all(lines.map(({ glb }) => readFile(join(folder, 'out', glb!))));
}

test('no warning is left with tangents, one without', async () => {
  const folder = await temporaryFolder();
  const without = await objectsIn(folder, 'none');
  const guessed = await Promise.all(without.map((bytes) => complaintsAbout(bytes, [])));
  expect(new Set(guessed.flat().map((text) => text.split(' ')[0]))).toEqual(
    new Set([TANGENT_WARNING]),
  );
  for (const bytes of await objectsIn(folder, 'mikktspace')) {
    expect(await complaintsAbout(bytes, [])).toEqual([]);
  }
});
