/** Accounts: what one account was answered is not another's, since prices and texts differ (D-716). */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, writePipeline } from '../helpers/command.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { logIn } from '../helpers/emulated-session.ts';
import { type SmallArticle, smallRange } from '../helpers/small-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const articles: SmallArticle[] = [{ number: 'D1', blocks: ['ACME::DESK::D1'] }];
let runs: DailyRuns;
let addresses: Record<string, string>;
let logins: Record<'withKey' | 'login' | 'given', Record<string, string>>;

beforeAll(async () => {
  runs = await openDailyRuns(smallRange(articles));
  const { BTG2GLTF_APP_KEY, BTG2GLTF_USERNAME, BTG2GLTF_PASSWORD, ...rest } = runs.proxy.env;
  addresses = rest;
  const login = { BTG2GLTF_USERNAME: BTG2GLTF_USERNAME!, BTG2GLTF_PASSWORD: BTG2GLTF_PASSWORD! };
  const withKey = { ...login, BTG2GLTF_APP_KEY: BTG2GLTF_APP_KEY! };
  logins = { withKey, login, given: { BTG2GLTF_TOKEN: await logIn(runs.emulator) } };
});
afterAll(() => runs.close());

/** Runs a command with an account. */
async function succeed(words: string[], env: Record<string, string>): Promise<void> {
  const { exit, stderr } = await runs.call(words, { env: { ...addresses, ...env } });
  expect(exit, stderr).toBe(0);
}

/** Requests for articles that a command sends. */
async function articlesRequestedBy(name: string, env: Record<string, string>): Promise<number> {
  const before = runs.emulator.counts.get('getarticles') ?? 0;
  await succeed([name, runs.pipelineFile], env);
  return (runs.emulator.counts.get('getarticles') ?? 0) - before;
}

test('a cached response serves the account that requested it, and no other', async () => {
  const { withKey, login, given } = logins;
  const requests = [];
  for (const env of [withKey, login, given, withKey, login, given]) {
    requests.push(await articlesRequestedBy('run', env));
  }
  expect(requests).toEqual([1, 1, 1, 0, 0, 0]);
});

test('build finds what was fetched without any credentials', async () => {
  expect(await articlesRequestedBy('build', {})).toBe(0);
});

test('build takes the data of the account that fetched for its output folder', async () => {
  const folder = await temporaryFolder();
  const service = { authUrl: addresses.BTG2GLTF_AUTH_URL, baseUrl: addresses.BTG2GLTF_BASE_URL };
  const cache = { dir: join(folder, 'shared') };
  const files: Record<string, string> = {};
  for (const name of ['a', 'b', 'c']) {
    await mkdir(join(folder, name));
    files[name] = await writePipeline(join(folder, name), { service, cache });
  }
  const accounts = { a: logins.withKey, b: logins.login };
  const fetchAs = async (name: 'a' | 'b', ...options: string[]) => {
    for (const one of articles) {
      one.article = { ocd: { finalarticlenumber: one.number, shorttext: `text of ${name}` } };
    }
    await succeed(['fetch', files[name]!, ...options], accounts[name]);
  };
  const build = (name: string) => command(['build', files[name]!], { env: {} });
  await fetchAs('a');
  await fetchAs('b');
  await fetchAs('a', '--force');
  for (const name of ['a', 'b']) {
    expect(await build(name)).toMatchObject({ exit: 0 });
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
