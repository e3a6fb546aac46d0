/** `render`: pictures of models, and of everything that a pipeline has published, beside the published output. */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { shareBrowser } from '../helpers/browser.ts';
import { browserProcesses, startedSince } from '../helpers/browser-processes.ts';
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

test.each([
  [
    'the option',
    ['--browser', 'none'],
    {},
    /--browser none turns the browser off\n {2}→ leave out --browser/,
  ],
  [
    'the variable',
    [],
    { BTG2GLTF_BROWSER: 'none' },
    /BTG2GLTF_BROWSER=none turns the browser off\n {2}→ unset/,
  ],
])('without a browser, the error names %s that turned it off', async (_, words, env, sentence) => {
  const { exit, stderr } = await command(['render', pipeline, ...words], { env });
  expect([exit, stderr]).toEqual([3, expect.stringMatching(sentence)]);
});

describe.runIf(HAS_BROWSER)('render of models', () => {
  let models: string;
  beforeAll(async () => {
    models = join(folder, 'models');
    const [line] = await readManifest(join(folder, 'out'));
    await mkdir(join(models, 'sub'), { recursive: true });
    await copyFile(join(folder, 'out', line!.glb!), join(models, 'sub', 'desk.glb'));
    await writeFile(join(models, 'broken.glb'), 'no model');
  });
  const small = ['--size', '80x60', '--format', 'png'];

  test('of a folder, pictures are beside each model; a broken one is a line; the browser has ended', async () => {
    const before = browserProcesses();
    const { exit, stdout } = await command(['render', models, ...small]);
    expect(exit).toBe(1);
    const picture = join(models, 'sub', 'desk-hero.png');
    expect(await sharp(picture).metadata()).toMatchObject({ width: 80, height: 60 });
    expect(stdout).toContain(`${picture}: 80 × 60, `);
    const broken = join(models, 'broken.glb');
    expect(stdout).toContain(
      `failed: ${broken}: expected a GLB file: this is another kind of file, or its beginning is damaged`,
    );
    expect(stdout).toContain('1 picture of 2 models, 1 failed');
    await expect.poll(() => startedSince(before)).toEqual([]);
  });

  describe('by a pattern', () => {
    shareBrowser();

    test('pictures are below the output', async () => {
      const output = join(folder, 'below');
      const glob = join(models, '**', 'd*.glb');
      expect((await command(['render', glob, ...small, '--output', output])).exit).toBe(0);
      expect(await readdir(join(output, 'sub'))).toEqual(['desk-hero.png']);
    });
  });

  test('of one broken file, the error of the command names it', async () => {
    const broken = join(models, 'broken.glb');
    const { exit, stderr } = await command(['render', broken, ...small]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`btg2gltf: ${broken}: expected`)]);
  });
});

describe.runIf(HAS_BROWSER)('render of a pipeline', () => {
  shareBrowser();

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
