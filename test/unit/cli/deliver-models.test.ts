import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { errorsIn } from '../../helpers/check-glb.ts';
import { command, writePipeline } from '../../helpers/command.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
let models: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  models = join(folder, 'models');
  await mkdir(join(models, 'sub'), { recursive: true });
  const article = ['--manufacturer', 'FJEL', '--program', 'LINEA', '--basearticlenumber', 'LN-M'];
  const desk = join(models, 'desk.glb');
  const options = { service: { emulator: true }, convert: { maxTextureSize: 64 } };
  const pipeline = await writePipeline(folder, options);
  await command(['convert', '--pipeline', pipeline, ...article, '--output', desk]);
  await copyFile(desk, join(models, 'sub', 'desk.glb'));
  await writeFile(join(models, 'broken.glb'), 'no model');
});

const deliver = (...words: string[]) => command(['deliver', ...words]);
const filesIn = async (place: string) => {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
};

test('deliver of a folder writes a file of each profile in the place of each model, and a line of one that failed', async () => {
  const before = await readFile(join(models, 'desk.glb'));
  const output = join(models, 'out');
  const call = (...profiles: string[]) =>
    deliver(models, ...profiles.flatMap((name) => ['--profile', name]), '--output', output);
  const { exit, stdout } = await call('web', 'ar-ios,amazon');
  expect(exit).toBe(1);
  const names = ['ar-ios/desk.usdz', 'ar-ios/sub/desk.usdz', 'web/desk.glb', 'web/sub/desk.glb'];
  expect((await filesIn(output)).sort()).toEqual(names.map((name) => join(output, name)));
  expect(await errorsIn(await readFile(join(output, 'web', 'desk.glb')))).toEqual([]);
  expect(stdout.match(/^failed: .*broken.glb.*$/gm)).toEqual([
    `failed: ${join(models, 'broken.glb')}: expected a GLB file: this is another kind of file, or its beginning is damaged (MODEL_UNREADABLE)`,
  ]);
  expect(stdout).toMatch(/^failed: .*desk.glb: amazon: textures: .* \(BUDGET_EXCEEDED\)$/m);
  expect(stdout).toMatch(/desk\.glb: 40\.\d kB → 18\.\d kB$/m);
  expect(stdout).toMatch(/^ {2}web +2 files, 1 failed, 81\.\d kB → 37\.\d kB \(46 %\)$/m);
  expect(stdout).toMatch(/^ {2}amazon +0 files, 3 failed$/m);
  // What the first call wrote is no model of the second.
  const again = await call('planner');
  expect(again).toMatchObject({ exit, stderr: '' });
  expect(again.stdout).toMatch(/^ {2}planner +2 files, 1 failed, 81\.\d kB → /m);
  expect(await readFile(join(models, 'desk.glb'))).toEqual(before);
});

test('deliver --json lists each file with its sizes, and each failure with its reason', async () => {
  const output = join(folder, 'json');
  const { exit, stdout } = await deliver(
    join(models, '*.glb'),
    join(models, 'sub'),
    '--profile',
    'planner',
    '--output',
    output,
    '--json',
  );
  expect(exit).toBe(1);
  const made = (name: string) => ({
    file: join(models, name),
    ...{ profile: 'planner', output: join(output, 'planner', name), bytesBefore: 40932 },
    ...{
      bytes: expect.any(Number),
      facts: expect.objectContaining({ triangles: 1480 }),
      dropped: [],
    },
  });
  expect(JSON.parse(stdout)).toEqual([
    made('desk.glb'),
    made('sub/desk.glb'),
    {
      file: join(models, 'broken.glb'),
      profile: 'planner',
      error: {
        code: 'MODEL_UNREADABLE',
        message: expect.stringContaining('this is another kind of file'),
      },
    },
  ]);
});

test('deliver says what is missing, knows its profiles, and overwrites no model', async () => {
  const desk = join(models, 'desk.glb');
  const refused = async (words: string[], expected: string) => {
    const { exit, stderr } = await deliver(...words);
    expect({ words, exit, stderr }).toEqual({
      words,
      exit: 2,
      stderr: expect.stringContaining(expected),
    });
  };
  await refused([desk, '--output', folder], 'deliver: --profile is missing');
  await refused([desk, '--profile', 'web'], 'deliver: --output is missing');
  await refused([desk], 'deliver: --profile and --output are missing');
  const profile = 'there is no profile "wep"; did you mean "web"?\n  → the profiles are web, ';
  await refused([desk, '--profile', 'wep', '--output', folder], profile);
  await refused(
    [desk, '--force', '--profile', 'web', '--output', folder],
    `--force is for pipeline files, and ${desk} names models`,
  );
  await refused([models, '--profile', 'web', '--output', models], 'expected another folder');
  const inPlace = join(folder, 'web', 'desk.glb');
  await mkdir(join(folder, 'web'));
  await copyFile(desk, inPlace);
  await refused(
    [inPlace, '--profile', 'web', '--output', folder],
    `${inPlace} would be overwritten`,
  );
  await refused(
    ['pipeline.yaml', '--profile', 'web'],
    '--profile is for models (.glb or .gltf), and pipeline.yaml is a pipeline file',
  );
});

test('the help lists what is for models and what is for pipeline files below headings', async () => {
  const { stdout } = await deliver('--help');
  const groups = stdout.split(/\n\n(?=Options)/).slice(1);
  const listed = groups.map((group) => {
    const names = [...group.matchAll(/^ +(?:-h, )?--([a-z-]+)/gm)].map(([, name]) => name);
    return [group.slice(0, group.indexOf(':')), names];
  });
  expect(listed).toEqual([
    ['Options for MODELS', ['profile', 'json']],
    ['Options for PIPELINE.yaml', ['cache', 'force', 'check-pictures', 'workers', 'memory']],
    ['Options', ['output', 'quiet', 'log-format', 'help']],
  ]);
});

test('the error of a single model is that of the command, and names the file', async () => {
  const broken = join(models, 'broken.glb');
  const { exit, stdout, stderr } = await deliver(broken, '--profile', 'web', '--output', folder);
  expect([exit, stdout]).toEqual([1, '']);
  expect(stderr).toContain(
    `btg2gltf: ${broken}: expected a GLB file: this is another kind of file, or its beginning is damaged`,
  );
});
