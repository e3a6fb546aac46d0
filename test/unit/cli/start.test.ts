/** The start of the built program, in a copy of it. */
import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { IS_LONG } from '../../helpers/samples.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let copy: string;
let compiled: string;

beforeEach(async () => {
  copy = await temporaryFolder();
  compiled = join(copy, 'dist/cli/.compiled');
  await mkdir(join(copy, 'dist/cli'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
  for (const name of ['main.js', 'program.cjs', 'package.json'])
    await cp(join(ROOT, 'dist/cli', name), join(copy, 'dist/cli', name));
});

function start(): string {
  const words = [join(copy, 'dist/cli/main.js'), '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

it('says which version of Node.js it needs, and ends with 2', async () => {
  const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect(engines).toEqual({ node: '>=20.19.0' });
  const older = join(copy, 'older.cjs');
  for (const [version, isEnough] of [
    ['18.20.8', false],
    ['20.18.3', false],
    ['20.19.0', true],
    ['26.0.0', true],
  ] as const) {
    if (!IS_LONG && !version.startsWith('20.')) continue;
    const versions = `{ ...process.versions, node: '${version}' }`;
    await writeFile(older, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
    const words = ['--require', older, join(copy, 'dist/cli/main.js'), '--version'];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    const sentence = `btg2gltf needs Node.js 20.19 or later, this is ${version}\n`;
    expect({ status, stderr }).toEqual(
      isEnough ? { status: 0, stderr: '' } : { status: 2, stderr: sentence },
    );
  }
});

it('ends with 3 and says so where the program ends before its work, which Node.js would call a success', async () => {
  const never = join(copy, 'never.cjs');
  const pipeline = join(copy, 'pipeline.yaml');
  // A server that never listens keeps no process open.
  await writeFile(
    never,
    "require('node:net').Server.prototype.listen = function () { return this; };",
  );
  await writeFile(
    pipeline,
    'name: never\nservice: { emulator: true }\narticles: [{ catalogue: {} }]\noutput: { dir: out }\n',
  );
  const words = ['--require', never, join(ROOT, 'dist/cli/main.js'), 'run', pipeline];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: expect.stringContaining('the program ended before its work did'),
  });
});

it('loads no module of Node.js that the command does not use', async () => {
  const hook = join(copy, 'hook.cjs');
  const code = "process.on('exit', () => process._rawDebug(process.moduleLoadList.join('\\n')));";
  await writeFile(hook, code);
  const words = ['--require', hook, join(copy, 'dist/cli/main.js'), '--version'];
  const { stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: 'pipe' });
  const loaded = stderr.split('\n').map((line) => line.replace('NativeModule ', ''));
  expect(loaded).toContain('crypto');
  for (const unused of ['http', 'http2', 'tls', 'child_process', 'worker_threads', 'zlib', 'v8'])
    expect(loaded).not.toContain(unused);
});

it('keeps the compiled code, one file for each command, and replaces one that was cut off, changed or emptied', async () => {
  expect(start()).toMatch(/^\d+\.\d+\.\d+\n$/);
  const [name = ''] = await readdir(compiled);
  const file = join(compiled, name);
  const code = await readFile(file);
  expect(start()).toMatch(/^\d/);
  expect(await readdir(compiled)).toEqual([name]);
  expect((await readFile(file)).equals(code)).toBe(true);
  const changed = Buffer.from(code).fill(7, 5_000, 6_000);
  const all = [changed, code.subarray(0, code.length >> 1), Buffer.alloc(0)];
  for (const damaged of IS_LONG ? all : all.slice(0, 1)) {
    await writeFile(file, damaged);
    expect(start()).toMatch(/^\d/);
    expect((await readFile(file)).equals(damaged)).toBe(false);
  }
  // That of an earlier version of the program stays beside it.
  const program = join(copy, 'dist/cli/program.cjs');
  const text = await readFile(program, 'utf8');
  const [, digest = ''] = /^\/\/ ([0-9a-f]{64})\n/.exec(text) ?? [];
  await writeFile(program, text.replace(digest, [...digest].reverse().join('')));
  start();
  expect(await readdir(compiled)).toHaveLength(2);
});

it('starts where nothing can be written', async () => {
  // A file stands in the way also of a user who may write everywhere.
  await writeFile(compiled, '');
  await chmod(join(copy, 'dist/cli'), 0o555);
  expect(start()).toMatch(/^\d/);
  await chmod(join(copy, 'dist/cli'), 0o755);
});
