/** `render PIPELINE`: pictures of everything that is published, beside the published output. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

let folder: string;
let pipeline: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  pipeline = await writePipeline(folder, {
    service: { emulator: true },
    articles: [
      { article: { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' } },
      { search: { manufacturer: 'AULI', query: 'Pendant' } },
    ],
  });
  expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
});

const render = (...words: string[]) =>
  command(['render', pipeline, '--size', '80x60', '--format', 'png', ...words]);

describe.runIf(HAS_BROWSER)('render of a pipeline', () => {
  test('takes the pictures of all published articles, into folders as below articles/', async () => {
    const published = (await readManifest(join(folder, 'out'))).flatMap(({ glb }) => glb ?? []);
    const { exit, stdout } = await render('--camera', 'hero,front');
    expect(exit).toBe(0);
    expect(stdout).toContain(`${2 * published.length} pictures of ${published.length} config`);
    for (const glb of published) {
      const name = glb.replace('articles/', '').replace('.glb', '');
      const file = join(folder, 'out-pictures', name, 'front.png');
      expect(await sharp(file).metadata()).toMatchObject({ width: 80, height: 60 });
    }
    // Nothing is published.
    expect(await readdir(join(folder, 'out'))).not.toContain('pictures');
  });

  test('one that fails is a line, the others are taken, and the exit code is 1', async () => {
    const [first, ...others] = await readManifest(join(folder, 'out'));
    const { sha256 } = first as { sha256: string };
    for (const line of [first!, ...others].filter((line) => line.sha256 === sha256)) {
      const file = join(folder, 'out', line.glb!);
      await rm(file);
      await writeFile(file, 'no model');
    }
    const { exit, stdout } = await render('--camera', 'side', '--output', join(folder, 'sides'));
    expect(exit).toBe(1);
    expect(stdout).toContain('failed: ');
    expect(stdout).toContain('STORE_DAMAGED');
    const names = await readdir(join(folder, 'sides'), { recursive: true });
    const same = others.filter((line) => line.glb !== undefined && line.sha256 !== sha256);
    expect(names.filter((name) => name.endsWith('side.png'))).toHaveLength(same.length);
  });

  test('a folder in the published output is bad usage', async () => {
    const { exit, stderr } = await render('--output', join(folder, 'out', 'pictures'));
    expect([exit, stderr]).toEqual([2, expect.stringContaining('outside of the published')]);
  });
});
