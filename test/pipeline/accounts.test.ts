/** Accounts: what one account was answered is not another's, since prices and texts differ (D-716). */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { logIn } from '../helpers/emulated-session.ts';
import { type SmallArticle, smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const articles: SmallArticle[] = ['D1', 'D2'].map((number) => {
  return { number, blocks: [`ACME::DESK::${number}`] };
});
let folder: string;
let emulator: Emulator;
let file: string;
let addresses: Record<string, string>;

beforeAll(async () => {
  folder = await temporaryFolder();
  emulator = await startEmulator({ range: smallRange(articles) });
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

test('build takes the data of the account that fetched for its output folder', async () => {
  const service = { authUrl: emulator.authUrl, baseUrl: emulator.baseUrl };
  const cache = { dir: join(folder, 'shared') };
  const files: Record<string, string> = {};
  for (const name of ['a', 'b', 'c']) {
    await mkdir(join(folder, name));
    files[name] = await writePipeline(join(folder, name), { service, cache });
  }
  const { username, password, appKey } = emulator;
  const login = { BTG2GLTF_USERNAME: username, BTG2GLTF_PASSWORD: password };
  const accounts = { a: { ...login, BTG2GLTF_APP_KEY: appKey }, b: login };
  const fetchAs = async (name: 'a' | 'b', ...options: string[]) => {
    for (const one of articles) {
      one.article = { ocd: { finalarticlenumber: one.number, shorttext: `text of ${name}` } };
    }
    const args = ['fetch', files[name]!, ...options];
    const { exit, stderr } = await command(args, { env: accounts[name] });
    expect(exit, stderr).toBe(0);
  };
  const build = (name: string) => command(['build', files[name]!], { env: {} });
  await fetchAs('a');
  await fetchAs('b');
  await fetchAs('a', '--force');
  for (const name of ['a', 'b']) {
    const { exit, stderr } = await build(name);
    expect(exit, stderr).toBe(0);
    const catalogue = await readFile(join(folder, name, 'out', 'catalogue.jsonl'), 'utf8');
    expect(new Set(catalogue.match(/text of \w/g))).toEqual(new Set([`text of ${name}`]));
  }
  // Nothing was fetched for this one, so its data could be that of either.
  const { exit, stderr } = await build('c');
  expect(exit).toBe(2);
  expect(stderr).toMatch(
    /BTG2GLTF_USERNAME and BTG2GLTF_APP_KEY, or BTG2GLTF_TOKEN: expected those of the fetch, since .*shared has data of several accounts, received none/,
  );
});
