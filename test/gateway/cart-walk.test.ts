/**
 * A planning all the way over HTTP: relay, link, page, cart post, inbox, permanent identifier, page.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { openCacheDatabase } from '../../src/source/cache/database.ts';
import { SILENT } from '../../src/support/log.ts';
import { type PlanningLink, planningUrl } from '../../src/web/servers/planning-url.ts';
import { openRelay } from '../../src/web/servers/relay.ts';
import { environmentOf } from '../helpers/child.ts';
import { articleIn, WORKPLACE } from '../helpers/configurator.ts';
import { jsonOf } from '../helpers/json-of.ts';
import { startCommand } from '../helpers/running-command.ts';
import type { Wire } from '../helpers/sample-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

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
async function pageOf(link: PlanningLink): Promise<{ article: Wire; cartUrl: string }> {
  const response = await fetch(planningUrl(link));
  const html = await response.text();
  expect(response.status).toBe(200);
  return { article: articleIn(html), cartUrl: /data-url="([^"]*)"/.exec(html)?.[1] ?? '' };
}

it('a planning goes into the cart and is restored completely by its permanent identifier', async () => {
  const { authUrl, appKey, username, password, baseUrl, frontendUrl } = emulator;
  const relay = await openRelay({ authUrl, appKey, now: Date.now, random: () => 0, log: SILENT });
  const login = new URLSearchParams({ username, password, rememberme: 'false' });
  const token = await (await fetch(relay.url, { method: 'POST', body: login })).text();
  await relay.close();

  const store = join(folder, 'carts');
  const cache = join(folder, 'cache');
  const { origin } = new URL(frontendUrl);
  const words = ['inbox', '--port', '0', '--store', store, '--cache', cache, '--permanent-ids'];
  words.push('--allow-origin', origin);
  const link = { frontendUrl, token, mode: 'configurator' } as const;
  const { url: urlwarenkorb, end } = await startCommand(words, environmentOf(emulator));
  const { article: planned, cartUrl } = await pageOf({ ...link, open: WORKPLACE, urlwarenkorb });
  expect(cartUrl).toBe(urlwarenkorb);
  const post = async (json: unknown): Promise<string> => {
    const headers = { 'content-type': 'application/json', origin };
    const body = JSON.stringify({ json });
    const answer = await jsonOf(fetch(cartUrl, { method: 'POST', headers, body }));
    expect(answer).toMatchObject({ stored: true, permanentid: expect.any(String), warnings: [] });
    return answer.permanentid;
  };
  const permanentid = await post(planned);
  // Section 4.6 does not list `reinit`, and POST reinit does not require it.
  const { reinit: _, ...listed } = planned;
  const another = await post(listed);
  expect((await pageOf({ ...link, open: { permanentid: another } })).article).toEqual(listed);
  const { exit, stdout, stderr } = await end();
  expect((await pageOf({ ...link, open: { permanentid } })).article).toEqual(planned);
  expect(exit).toBe(0);
  for (const secret of [token, password, appKey]) expect(stdout + stderr).not.toContain(secret);
  // What the inbox logged in with is logged out; what the relay handed over belongs to the page.
  expect(emulator.openSessions()).toBe(1);
  const state = await openCacheDatabase(cache);
  expect(state.permanentIds.get(baseUrl, permanentid)).toEqual(planned);
  state.close();
});
