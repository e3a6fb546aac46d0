/** A user name and a secret that occur in an output path or in the data, with the real program. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { ManifestLine } from '../../src/model/asset.ts';
import { environmentOf, runChild } from '../helpers/child.ts';
import { writePipeline } from '../helpers/command.ts';
import { smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const LOGIN = { username: 'robot', password: 'pass-word-4711', appKey: 'app-key-4711' };

let folder: string;
let emulator: Emulator;

beforeAll(async () => {
  folder = await temporaryFolder();
  const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::D1'] }]);
  emulator = await startEmulator({ range, login: LOGIN });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['the user name', LOGIN.username, (text: string) => text],
  ['the password', LOGIN.password, (text: string) => text.replaceAll(LOGIN.password, '***')],
])(
  'an output path with %s is used as it is, and printed without secrets',
  async (_, name, shown) => {
    const home = join(folder, 'home', name);
    await mkdir(home, { recursive: true });
    const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
    const file = await writePipeline(home, { service });
    const { exit, stdout, stderr } = await runChild(['run', file], environmentOf(emulator));
    expect(exit, stderr).toBe(0);
    expect(await readdir(join(folder, 'home'))).toContain(name);
    expect(await readdir(join(folder, 'home'))).not.toContain('***');
    const [run] = (await readdir(join(home, 'out', 'runs'))).filter((id) => /^\d/.test(id));
    const report = await readFile(join(home, 'out', 'runs', run!, 'report.json'), 'utf8');
    expect(JSON.parse(report).outputDir).toBe(shown(join(home, 'out')));
    expect(stdout).toContain(shown(join(home, 'out')));
    for (const secret of [LOGIN.password, LOGIN.appKey]) {
      expect(stdout + stderr + report).not.toContain(secret);
    }
    await rm(home, { recursive: true });
  },
);

test('what the program prints as data keeps each word that equals the password', async () => {
  const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::D1'] }]);
  const own = await startEmulator({ range, login: { ...LOGIN, password: 'ACME' } });
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  const file = await writePipeline(folder, { service });
  await runChild(['run', file], environmentOf(own));
  for (const words of [
    ['catalogue', 'ls'],
    ['catalogue', 'show', 'ACME/DESK/D1', '--json'],
    ['run', file, '--dry-run'],
    ['explain', 'ACME/*', '--pipeline', file],
  ]) {
    const { exit, stdout, stderr } = await runChild(words, environmentOf(own));
    expect(exit, stderr).toBe(0);
    expect(stdout).toContain('ACME');
    expect(stdout).not.toContain('***');
  }
  await own.close();
});

describe('a folder named like the password', () => {
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  const LIST = 'manufacturer;program;basearticlenumber\nACME;DESK;D1\nACME;DESK;NONE\n';
  let file: string;

  /** Runs the program, expects no secret in what it prints, and returns that. */
  const printed = async (words: string[], expected: number) => {
    const { exit, stdout, stderr } = await runChild(words, environmentOf(emulator));
    expect(exit, stderr).toBe(expected);
    expectNoSecret(stdout + stderr);
    return stdout;
  };

  beforeAll(async () => {
    const home = join(folder, LOGIN.password);
    await mkdir(join(home, 'a'), { recursive: true });
    await writeFile(join(home, 'a', 'l.csv'), LIST);
    await writeFile(join(folder, 'other.csv'), LIST);
    const articles = [
      { list: join(home, 'a', 'l.csv') },
      { list: join(folder, 'other.csv') },
      { carts: join(home, 'none.json') },
      { carts: join(home, 'no-*.json') },
    ];
    file = await writePipeline(home, { service, articles });
    await printed(['run', file], 1);
  });

  test('is masked in names of carts, lists and globs', async () => {
    const listed = await printed(['run', file, '--dry-run'], 1);
    expect(listed).toContain('***/a/l.csv:2');
    expect(listed).toMatch(/no cart matches .*\/\*\*\*\/no-\*\.json/);
    const explained = await printed(['explain', 'ACME/DESK/NONE', '--pipeline', file], 0);
    expect(explained).toContain('selected by ***/a/l.csv:3');
    const reports = await reportsBelow(join(folder, LOGIN.password, 'out'));
    expect(reports).toContain('/***/none.json');
    expectNoSecret(reports);
  });

  test('is masked where verify names a damaged file', async () => {
    const out = join(folder, LOGIN.password, 'out');
    const objects = await readdir(join(out, 'objects'), { recursive: true, withFileTypes: true });
    const object = objects.find((entry) => entry.isFile())!;
    const path = join(object.parentPath, object.name);
    await chmod(path, 0o644);
    await writeFile(path, 'damaged');
    const found = await printed(['verify', file], 1);
    expect(found).toMatch(/\/\*\*\*\/out\/objects\/.*: damaged/);
    expect(found).toMatch(/shared by .*\/\*\*\*\/out\/articles\//);
    expect(JSON.parse(await printed(['verify', file, '--json'], 1)).problems).toHaveLength(1);
  });
});

test('a secret in an image reference is masked in warnings, and stays in the data', async () => {
  const pic = `http://h/x.jpg?token=${LOGIN.password}`;
  const range = smallRange([{ number: 'D1', blocks: ['ACME::DESK::D1'], pics: [pic] }]);
  const own = await startEmulator({ range, login: LOGIN });
  const home = join(folder, 'reference');
  await mkdir(home);
  const service = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };
  const file = await writePipeline(home, { service });
  const D1 = ['--manufacturer', 'ACME', '--program', 'DESK', '--basearticlenumber', 'D1'];
  const streams: string[] = [];
  for (const words of [
    ['run', file],
    ['convert', ...D1, '--output', join(home, 'D1.glb')],
  ]) {
    const { exit, stdout, stderr } = await runChild(words, environmentOf(own));
    expect(exit, stderr).toBe(0);
    streams.push(stdout, stderr);
  }
  await own.close();
  const reports = await reportsBelow(join(home, 'out'));
  expect(reports).toContain('http://h/x.jpg?token=***');
  expectNoSecret(reports + streams.join(''));
  const manifest = await readFile(join(home, 'out', 'manifest.jsonl'), 'utf8');
  const { losses, warnings } = JSON.parse(manifest) as Pick<ManifestLine, 'losses' | 'warnings'>;
  expect(losses).toContainEqual(expect.objectContaining({ field: 'pic', value: pic }));
  expectNoSecret(JSON.stringify(warnings));
});

function expectNoSecret(text: string): void {
  for (const secret of [LOGIN.password, LOGIN.appKey]) expect(text).not.toContain(secret);
}

/** Every file of the reports of an output folder, as one text. */
async function reportsBelow(outputDir: string): Promise<string> {
  const entries = await readdir(join(outputDir, 'runs'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}
