/** Accounts: what one account was answered is not another's, since prices and texts differ (D-716). */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { command, temporaryFolder, writePipeline } from '../helpers/command.ts';
import { logIn } from '../helpers/emulated-session.ts';
import { smallRange } from '../helpers/small-range.ts';

let folder: string;
let emulator: Emulator;
let file: string;
let addresses: Record<string, string>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const numbers = ['D1', 'D2'];
  const range = smallRange(
    numbers.map((number) => ({ number, blocks: [`ACME::DESK::${number}`] })),
  );
  emulator = await startEmulator({ range });
  addresses = { BTG2GLTF_AUTH_URL: emulator.authUrl, BTG2GLTF_BASE_URL: emulator.baseUrl };
  const service = { authUrl: emulator.authUrl, baseUrl: emulator.baseUrl };
  file = await writePipeline(folder, { service });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

/** Requests for articles that a command sends. */
async function articlesRequestedBy(name: string, env: Record<string, string>): Promise<number> {
  const before = emulator.counts.get('getarticles') ?? 0;
  const { exit, stderr } = await command([name, file], { env: { ...addresses, ...env } });
  expect(exit, stderr).toBe(0);
  return (emulator.counts.get('getarticles') ?? 0) - before;
}

test('a cached response serves the account that requested it, and no other', async () => {
  const { username, password, appKey } = emulator;
  const login = { BTG2GLTF_USERNAME: username, BTG2GLTF_PASSWORD: password };
  const withKey = { ...login, BTG2GLTF_APP_KEY: appKey };
  const given = { BTG2GLTF_TOKEN: await logIn(emulator) };
  const requests = [];
  for (const env of [withKey, login, given, withKey, login, given]) {
    requests.push(await articlesRequestedBy('run', env));
  }
  expect(requests).toEqual([2, 2, 2, 0, 0, 0]);
});

test('build finds what was fetched without any credentials', async () => {
  expect(await articlesRequestedBy('build', {})).toBe(0);
});
