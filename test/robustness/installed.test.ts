/** The first steps of a user: the package, packed and installed into an empty folder, without the sources. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { folderSize } from '../helpers/folder-size.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;

/** Runs a program in the folder; rejects unless it exits with 0. */
async function execute(file: string, ...words: string[]): Promise<string> {
  const options = {
    cwd: folder,
    maxBuffer: 2 ** 26,
    // Pictures of every article take a minute.
    env: { PATH: process.env.PATH, HOME: folder, BTG2GLTF_BROWSER: 'none' },
  };
  return (await promisify(execFile)(file, words, options)).stdout;
}

const btg2gltf = (...words: string[]) =>
  execute(join('node_modules', '.bin', 'btg2gltf'), ...words);

describe.runIf(IS_LONG)('the installed package', () => {
  beforeAll(async () => {
    folder = await temporaryFolder();
    // Without the settings of npm for this repository, which vitest inherits.
    const { PATH, HOME } = process.env;
    const npm = { cwd: ROOT, maxBuffer: 2 ** 26, env: { PATH, HOME } };
    const pack = ['pack', '--json', '--ignore-scripts', '--loglevel=error'];
    const packed = await promisify(execFile)('npm', [...pack, '--pack-destination', folder], npm);
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    // A library that does not support this version of Node makes the installation fail.
    const install = ['install', '--engine-strict', '--no-audit', '--no-fund', `./${filename}`];
    await promisify(execFile)('npm', install, { ...npm, cwd: folder });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('converts the sample range, each GLB at its address, and nothing the second time', async () => {
    const stdout = await btg2gltf('demo');
    expect(stdout).toMatch(/\d+ converted · 0 unchanged · 0 failed/);
    const output = join(folder, 'btg2gltf-demo');
    const server = await serveFolder(output);
    const lines = await readManifest(output);
    expect(lines.length).toBeGreaterThanOrEqual(72);
    for (const { glb, sha256 } of lines) {
      const answer = await fetch(`${server.address}/${glb}`);
      const digest = createHash('sha256').update(Buffer.from(await answer.arrayBuffer()));
      expect([glb, answer.status, digest.digest('hex')]).toEqual([glb, 200, sha256]);
    }
    await server.close();
    expect(await btg2gltf('demo')).toMatch(/0 converted · \d+ unchanged · 0 failed/);
  });

  test('writes a pipeline file that editors check, doctor accepts and run executes', async () => {
    await btg2gltf('init', 'pipelines/first.yaml');
    const file = join(folder, 'pipelines', 'first.yaml');
    const [, schema] = /\$schema=(.+)\n/.exec(await readFile(file, 'utf8'))!;
    expect(schema).toBe('../node_modules/btg2gltf/pipelines/schema.json');
    expect(existsSync(resolve(dirname(file), schema!))).toBe(true);
    expect(await btg2gltf('doctor', file)).not.toMatch(/^problem/m);
    expect(await btg2gltf('run', file, '--limit', '2')).toContain('2 converted');
  });

  test('brings at most 115 packages and 110 MB, and none runs a script as it is installed', async () => {
    const text = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const names = Object.keys(packages);
    expect(names.length).toBeLessThanOrEqual(115);
    expect(names.filter((name) => packages[name]!.hasInstallScript)).toEqual([]);
    expect((await folderSize(join(folder, 'node_modules'))).bytes).toBeLessThan(110e6);
  });

  test('says what to install where a library is needed that only some need', async () => {
    await btg2gltf('init', 'queue.yaml');
    const env = { PATH: process.env.PATH, BTG2GLTF_QUEUE_URL: 'redis://127.0.0.1:1' };
    const words = ['run', 'queue.yaml', '--executor', 'bullmq'];
    const program = join('node_modules', '.bin', 'btg2gltf');
    const run = promisify(execFile)(program, words, { cwd: folder, env });
    await expect(run).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /expected bullmq, ioredis, pg to be installed.*npm install bullmq@/s,
      ),
    });
    // A browser may be there, but nothing that could start it.
    const render = promisify(execFile)(program, ['render', 'd.glb'], { cwd: folder, env });
    await expect(render).rejects.toMatchObject({
      stderr: expect.stringMatching(/expected a browser.*npm install playwright-core@/s),
    });
  });

  test('is a library that needs nothing else', async () => {
    const program = `import { convert } from 'btg2gltf';
      const article = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
      console.log((await convert({ service: { emulator: true }, article, output: 'd.glb' })).bytes);`;
    await writeFile(join(folder, 'program.mjs'), program);
    const bytes = Number(await execute(process.execPath, 'program.mjs'));
    expect((await readFile(join(folder, 'd.glb'))).length).toBe(bytes);
  });
});
