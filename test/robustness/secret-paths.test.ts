/** A user name and a secret that occur in an output path or in the data, with the real program. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { environmentOf, runChild } from '../helpers/child.ts';
import { temporaryFolder, writePipeline } from '../helpers/command.ts';
import { smallRange } from '../helpers/small-range.ts';

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
