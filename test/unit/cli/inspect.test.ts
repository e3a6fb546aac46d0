import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, writePipeline } from '../../helpers/command.ts';
import { MADE_TO_MEASURE } from '../../helpers/configurator.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
let desk: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  desk = join(folder, 'desk.glb');
  const article = ['--manufacturer', 'FJEL', '--program', 'LINEA', '--basearticlenumber', 'LN-M'];
  await command(['convert', '--emulator', ...article, '--output', desk]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const inspect = (...words: string[]) => command(['inspect', ...words]);

test('inspect lists totals, the largest meshes and textures first, and every profile', async () => {
  const { exit, stdout } = await inspect(desk);
  expect(exit).toBe(0);
  expect(stdout).toMatch(
    /^ {2}bytes +[\d.]+ kB: shapes \(meshes\) [\d.]+ kB, textures [\d.]+ kB$/m,
  );
  expect(stdout).toMatch(/^ {2}triangles +[\d,]+$/m);
  expect(stdout).toMatch(/^ {2}draw calls +\d+ \(commands for the graphics card/m);
  expect(stdout).toMatch(
    /^ {2}required +none of these extensions: every glTF viewer can show the file$/m,
  );
  expect(stdout).toMatch(/\d+ textures?\n {2}[\d.]+ kB +\S.* {2}1024 × 1024, jpeg$/m);
  expect(stdout).toMatch(/^ {2}shopify +fits$/m);
  expect(stdout).toMatch(
    /^ {2}ar-android +does not fit: extensions: the file uses KHR_texture_transform, which this profile does not allow$/m,
  );
  expect(stdout).toMatch(
    /^ {2}amazon +does not fit: textures: expected 2048 to 4096 pixels a side, /m,
  );
  expect(stdout.match(/^ *→ .*$/gm)).toEqual([
    `  → to make files that fit ar-android: btg2gltf deliver ${desk} --profile ar-android --output delivered`,
    '  → amazon: use a model with larger textures, or leave out this profile',
  ]);
});

const TERMINAL = { columns: 60 };

test('lines fit into the terminal, but for words that are longer', async () => {
  const article = ['--manufacturer', 'FJEL', '--program', 'LINEA', '--basearticlenumber', 'LN-M'];
  const words = ['convert', '--emulator', ...article, '--output', desk];
  const printed = [await command(words, TERMINAL), await command(['inspect', desk], TERMINAL)];
  for (const { stdout } of printed)
    for (const line of stdout.split('\n'))
      if (!line.includes(folder)) expect(line.length).toBeLessThanOrEqual(TERMINAL.columns);
});

test('inspect shortens its lists, and says how to see the rest', async () => {
  const { stdout } = await inspect(desk, '--rows', '1');
  const [, more] = /… and (\d+) more: --rows \d+ lists them/.exec(stdout) ?? [];
  expect(Number(more)).toBeGreaterThan(0);
});

test('inspect of what is no GLB is a sentence and exit 1; of a missing file exit 2', async () => {
  const text = join(folder, 'text.glb');
  await writeFile(text, 'This is no model, but long enough to be one.');
  const { exit, stderr } = await inspect(text);
  expect(exit).toBe(1);
  expect(stderr).toContain(
    `${text}: expected a GLB file: this is another kind of file, or its beginning is damaged`,
  );
  expect((await inspect(join(folder, 'none.glb'))).exit).toBe(2);
});

test('inspect --json lists every file with figures, textures and what each profile does not allow', async () => {
  const models = join(folder, 'models');
  await mkdir(join(models, 'sub'), { recursive: true });
  await copyFile(desk, join(models, 'sub', 'desk.glb'));
  await writeFile(join(models, 'broken.glb'), (await readFile(desk)).subarray(0, 3000));
  const { exit, stdout } = await inspect(models, '--json');
  expect(exit).toBe(1);
  const bytes = (await readFile(desk)).length;
  expect(JSON.parse(stdout)).toEqual([
    {
      file: join(models, 'sub', 'desk.glb'),
      ...{ bytes, triangles: 1480, drawCalls: expect.any(Number), materials: 3 },
      meshes: expect.arrayContaining([
        {
          name: expect.any(String),
          ...{ bytes: expect.any(Number), triangles: expect.any(Number), instances: 1 },
        },
      ]),
      textures: [
        {
          ...{ name: 'EICHE', mimeType: 'image/jpeg', width: 1024, height: 1024 },
          bytes: expect.any(Number),
        },
      ],
      extensionsUsed: expect.arrayContaining(['KHR_texture_transform']),
      extensionsRequired: [],
      profiles: expect.objectContaining({
        shopify: { fits: true, breaches: [] },
        amazon: {
          fits: false,
          breaches: [
            {
              limit: 'textures',
              expected: '2048 to 4096 pixels a side',
              received: expect.stringContaining('1024 × 1024'),
              sentence: expect.stringMatching(/^textures: expected 2048/),
            },
          ],
        },
      }),
    },
    {
      file: join(models, 'broken.glb'),
      error: {
        code: 'MODEL_UNREADABLE',
        message: `${join(models, 'broken.glb')}: expected a GLB file: it ends after 3000 bytes of ${bytes}`,
      },
    },
  ]);
});

test('inspect of an article shows its GLB and every file that was delivered', async () => {
  const pipeline = await writePipeline(folder, {
    service: { emulator: true },
    articles: [{ article: MADE_TO_MEASURE }],
    deliver: { profiles: ['planner', 'ar-ios'] },
  });
  expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
  const { exit, stdout } = await inspect('fjel/linea/LN-M', '--pipeline', pipeline);
  expect(exit).toBe(0);
  const files = stdout.match(/^\S+ \((?:master|planner|ar-ios)\)$/gm);
  expect(files).toEqual([
    expect.stringMatching(/^articles\/FJEL\/LINEA\/LN-M.*\.glb \(master\)$/),
    expect.stringMatching(/^ar-ios\/.*\.usdz \(ar-ios\)$/),
    expect.stringMatching(/^planner\/.*\/model\.glb \(planner\)$/),
  ]);
  expect(stdout.match(/^ {2}draw calls +\d+ /gm)).toHaveLength(2);
  expect(stdout).toMatch(/^ {2}planner +fits$/m);
  const [name] = stdout.split('\n') as [string];
  expect(name).toMatch(/^FJEL\/LINEA\/LN-M[^/]*\/[^/]+$/);
  const one = await inspect(name, '--output', join(folder, 'out'));
  expect(one.stdout).toBe(stdout);
  const none = await inspect('FJEL/LINEA/NONE', '--pipeline', pipeline);
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining(`the output has ${name}`)]);
});

test('inspect refuses another kind of file by its name', async () => {
  const text = join(folder, 'note.txt');
  await writeFile(text, 'a note');
  const { exit, stderr } = await inspect(text);
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining(`inspect: ${text} is another kind of file; expected .glb or .gltf`),
  ]);
});
