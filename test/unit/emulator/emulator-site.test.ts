/** The emulator with a planning page that is served, and the entry points of v1. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/emulator.ts';
import { createSampleRange } from '../../../src/emulator/sample/sample-range.ts';
import { openPlanningSite } from '../../../src/web/servers/planning-site.ts';
import { customer, MADE_TO_MEASURE } from '../../helpers/configurator.ts';
import { jsonOf } from '../../helpers/json-of.ts';

let [plain, served]: [Emulator, Emulator] = [] as never;
let token: string;
beforeAll(async () => {
  const range = createSampleRange();
  plain = await startEmulator({ range });
  served = await startEmulator({ range, planningSite: openPlanningSite() });
  token = served.issueToken();
});
afterAll(() => Promise.all([plain.close(), served.close()]));

const open = (path: string, { frontendUrl }: Emulator = served, headers = {}) =>
  fetch(`${frontendUrl}/${path}`, { redirect: 'manual', headers });

describe('with a site, the emulator', () => {
  it('answers every query with the page, which itself says what is wrong', async () => {
    for (const query of [`token=${token}`, '', 'token=expired', 'showprice=perhaps&other=1']) {
      const response = await open(`planning?${query}`);
      const html = await response.text();
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(html).toContain(`data-base-url="${served.baseUrl}"`);
    }
    expect(served.counts.get('planning')).toBeGreaterThanOrEqual(4);
  });

  it('names the service by the address at which the browser called', async () => {
    const local = served.frontendUrl.replace('127.0.0.1', 'localhost');
    const html = await (await fetch(`${local}/planning`)).text();
    expect(html).toContain(`data-base-url="${served.baseUrl.replace('127.0.0.1', 'localhost')}"`);
    const behind = await open('planning', served, { 'x-forwarded-proto': 'https' });
    expect(await behind.text()).toContain(`="${served.baseUrl.replace('http:', 'https:')}"`);
  });

  it('serves the files of the page below it', async () => {
    const response = await open('planning/studio.bin');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/octet-stream',
    ]);
    expect((await open('planning/other.js')).status).toBe(404);
  });

  it('refuses a query that is too long, as at every address', async () => {
    expect((await open(`planning?token=${'x'.repeat(3000)}`)).status).toBe(414);
  });

  it('answers a stored planning to who has a token, and a sentence for an unknown one', async () => {
    const buyer = customer(served, token);
    const article = await buyer.load(MADE_TO_MEASURE);
    const { permanentid } = await jsonOf(buyer.store(article));
    const path = `${served.baseUrl}/planning/permanentid`;
    const query = `?token=${encodeURIComponent(token)}`;
    expect(await jsonOf(fetch(`${path}/${permanentid}${query}`))).toEqual(article);
    const unknown = await jsonOf(fetch(`${path}/NONE${query}`), 404);
    expect(unknown.error).toContain('permanentid: expected one of a planning');
    expect((await fetch(`${path}/${permanentid}`)).status).toBe(401);
  });

  it('has none of that without a site', async () => {
    expect((await open('planning', plain)).status).toBe(401);
    expect((await open('planning/studio.bin', plain)).status).toBe(404);
    const stored = `${plain.baseUrl}/planning/permanentid/NONE?token=${plain.issueToken()}`;
    expect((await fetch(stored)).status).toBe(404);
  });
});

describe('an entry point of v1', () => {
  const OLD =
    'manuid=FJEL&seriesid=LINEA&baseartnmbr=LN-M&reinitstring=A%2BB%20%C3%BC%3A%3A&lang=en';

  it.each(['index.php', 'configurator.php', 'article.php'])(
    '%s leads to the planning page, its parameters renamed and their values kept',
    async (entry) => {
      for (const emulator of [plain, served]) {
        const own = emulator.issueToken();
        const old = `${entry}?${OLD}&token=${encodeURIComponent(own)}`;
        const response = await open(old, emulator);
        expect(response.status).toBe(301);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('referrer-policy')).toBe('no-referrer');
        const to = new URL(response.headers.get('location')!, `${emulator.frontendUrl}/${old}`);
        expect(`${to.origin}${to.pathname}`).toBe(`${emulator.frontendUrl}/planning`);
        expect(Object.fromEntries(to.searchParams)).toEqual({
          manufacturer: 'FJEL',
          program: 'LINEA',
          basearticlenumber: 'LN-M',
          ocdreinit: 'A+B ü::',
          lang: 'en',
          token: own,
        });
      }
    },
  );

  it('shows the article that it showed', async () => {
    const old = `article.php?manuid=FJEL&seriesid=LINEA&baseartnmbr=LN-M&finalartnmbr=X&token=`;
    const address = `${plain.frontendUrl}/${old}${encodeURIComponent(plain.issueToken())}`;
    const response = await fetch(address);
    expect([response.status, response.redirected]).toEqual([200, true]);
    expect(await response.text()).toContain('LN-M');
  });

  it.each([
    ['manuid=A&manufacturer=B', 'manuid: not together with manufacturer'],
    ['manuid=A&manuid=B', 'parameter manuid: given twice'],
    ['warenkorb=1', 'parameter warenkorb: unknown to planningv1'],
  ])('refuses %s', async (query, error) => {
    expect(await jsonOf(open(`index.php?${query}`), 400)).toEqual({ error });
  });
});
