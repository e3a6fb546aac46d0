/**
 * A planning all the way over HTTP: relay, link, page, cart post, inbox, permanent identifier, page.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCacheDatabase } from '../../src/cache/database.ts';
import { interrupt } from '../../src/cli/command.ts';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { type PlanningLink, planningUrl } from '../../src/gateway/planning-url.ts';
import { openRelay } from '../../src/gateway/relay.ts';
import { createSampleRange } from '../../src/sample/sample-range.ts';
import { createClient } from '../../src/service/client.ts';
import { SILENT } from '../../src/support/log.ts';
import { command } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Runs a command that listens until the work with what it printed is done. */
async function whileRunning(
  words: string[],
  env: Record<string, string>,
  work: (printed: string) => Promise<void>,
) {
  const stop = new AbortController();
  let heard: (text: string) => void = () => {};
  const listening = new Promise<string>((done) => {
    heard = done;
  });
  const ended = command(words, { env, signal: stop.signal, onPrint: heard });
  try {
    await work(await Promise.race([listening, ended.then(({ stderr }) => stderr)]));
  } finally {
    interrupt(stop, 'SIGINT');
  }
  return ended;
}

const WORKPLACE = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' };
let folder: string;
let emulator: Emulator;

beforeAll(async () => {
  folder = await temporaryFolder();
  emulator = await startEmulator({ range: createSampleRange() });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

/** What the page starts with, as its own cart post sends it. */
async function pageOf(link: PlanningLink): Promise<{ article: unknown; cartUrl: string }> {
  const response = await fetch(planningUrl(link));
  const html = await response.text();
  expect(response.status).toBe(200);
  const json = /<script type="application\/json" id="article">(.*?)<\/script>/s.exec(html)![1]!;
  return { article: JSON.parse(json), cartUrl: /data-url="([^"]*)"/.exec(html)?.[1] ?? '' };
}

it('a planning goes into the cart and is restored completely by its permanent identifier', async () => {
  const { authUrl, appKey, username, password, baseUrl, frontendUrl } = emulator;
  const relay = await openRelay({ authUrl, appKey, now: Date.now, random: () => 0, log: SILENT });
  const login = new URLSearchParams({ username, password, rememberme: 'false' });
  const token = await (await fetch(relay.url, { method: 'POST', body: login })).text();
  await relay.close();

  const env = {
    BTG2GLTF_AUTH_URL: authUrl,
    BTG2GLTF_BASE_URL: baseUrl,
    BTG2GLTF_USERNAME: username,
    BTG2GLTF_PASSWORD: password,
    BTG2GLTF_APP_KEY: appKey,
  };
  const store = join(folder, 'carts');
  const cache = join(folder, 'cache');
  const { origin } = new URL(frontendUrl);
  const words = ['inbox', '--port', '0', '--store', store, '--cache', cache, '--permanent-ids'];
  words.push('--allow-origin', origin);
  const link = { frontendUrl, token, mode: 'configurator' } as const;
  let permanentid = '';
  let planned: unknown;
  const { exit, stdout, stderr } = await whileRunning(words, env, async (printed) => {
    const urlwarenkorb = /http:\S+/.exec(printed)![0];
    const page = await pageOf({ ...link, open: WORKPLACE, urlwarenkorb });
    expect(page.cartUrl).toBe(urlwarenkorb);
    planned = page.article;
    const post = async (json: unknown) => {
      const posted = await fetch(page.cartUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ json }),
      });
      const answer = (await posted.json()) as { permanentid: string };
      expect(answer).toMatchObject({ stored: true, permanentid: expect.any(String), warnings: [] });
      return answer.permanentid;
    };
    permanentid = await post(planned);
    // Section 4.6 does not list `reinit`, and POST reinit does not require it.
    const { reinit: _, ...listed } = planned as Record<string, unknown>;
    const another = await post(listed);
    expect((await pageOf({ ...link, open: { permanentid: another } })).article).toEqual(listed);
  });
  expect((await pageOf({ ...link, open: { permanentid } })).article).toEqual(planned);
  expect(exit).toBe(0);
  for (const secret of [token, password, appKey]) expect(stdout + stderr).not.toContain(secret);
  // What the inbox logged in with is logged out; what the relay handed over belongs to the page.
  expect(emulator.openSessions()).toBe(1);
  const state = await openCacheDatabase(cache);
  expect(state.permanentIds.get(baseUrl, permanentid)).toEqual(planned);
  state.close();
});

it('an emulator stores plannings in its cache folder and serves them again', async () => {
  const cache = join(folder, 'served');
  const words = ['serve', '--port', '0', '--cache', cache];
  let stored: [string, string] = ['', ''];
  const range = createSampleRange();
  const article = range.article(WORKPLACE);
  await whileRunning(words, {}, async (printed) => {
    const value = (name: string) => new RegExp(`${name}='([^']*)'`).exec(printed)![1]!;
    const client = createClient({
      authUrl: value('AUTH_URL'),
      baseUrl: value('BASE_URL'),
      credentials: { username: value('USERNAME'), password: value('PASSWORD') },
      now: Date.now,
      random: () => 0,
    });
    stored = [value('BASE_URL'), await client.storePlanning(article)];
    expect(value('FRONTEND_URL')).toMatch(/^http:/);
    await client.close();
  });
  const state = await openCacheDatabase(cache);
  expect(state.permanentIds.get(...stored)).toEqual(JSON.parse(JSON.stringify(article)));
  state.close();
});
