/** The example of embedding: a shop that shows the planning page of another origin in a frame. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { startEmulatorOf } from '../../src/emulator/start-emulator.ts';
import { openPlanningSite } from '../../src/web/servers/planning-site.ts';
import { closePages, openPage, watch } from '../helpers/browser.ts';
import { environmentOf } from '../helpers/child.ts';
import { writePipeline } from '../helpers/command.ts';
import { WORKPLACE } from '../helpers/configurator.ts';
import { describeInOtherBrowsers, type OtherBrowser } from '../helpers/other-browsers.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { withoutView } from '../helpers/planning-page.ts';
import { OF_BOXES } from '../helpers/sample-range.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

const SERVER = fileURLToPath(new URL('../../pipelines/embedding/server.mjs', import.meta.url));
const OWN_SERVER = new URL('../../pipelines/embedding/own-server.mjs', import.meta.url).href;
const SECRET = 'a secret of the sender';

interface Shop {
  url: string;
  /** All that it has printed. */
  printed: string[];
  process: ChildProcess;
}

let emulator: Emulator;
let shop: Shop;
/** The address of a server of your own, which is in the process of the shop: each would load the same libraries. */
let ownUrl: string;

beforeAll(async () => {
  // No test looks at a model.
  const range = { ...createSampleRange(), ...OF_BOXES };
  emulator = await startEmulator({ range, planningSite: openPlanningSite() });
  const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
  const service = { emulator: true };
  const pipeline = await writePipeline(await temporaryFolder(), {
    ...{ service, articles: [{ article: desk }] },
  });
  shop = await openShop(['--import', OWN_SERVER, SERVER, pipeline]);
  [, ownUrl = ''] = /^(http:\S+)$/m.exec(shop.printed.join(''))!;
});
afterAll(async () => {
  await closeShop(shop);
  await emulator?.close();
});

async function closeShop({ process }: Shop): Promise<void> {
  const ended = once(process, 'exit');
  process.kill();
  await ended;
}

/** Starts the example as a program of its own, for the emulator that serves the page. */
async function openShop(words = [SERVER]): Promise<Shop> {
  const env = {
    ...environmentOf(emulator),
    BTG2GLTF_FRONTEND_URL: emulator.frontendUrl,
    CART_URL: 'http://127.0.0.1:9/cart',
    PORT: '0',
  };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (text) => printed.push(String(text)));
    child.stdout.on('data', (text) => {
      printed.push(String(text));
      const [, found] = /The shop is at (\S+)/.exec(printed.join('')) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', () => reject(new Error(printed.join(''))));
  });
  return { url, printed, process: child };
}

describe('a server of your own', () => {
  it('makes what is asked for, and says what is wrong', async () => {
    const address = `${ownUrl}/models/FJEL/LINEA/LN-M`;
    const glb = await fetch(`${address}?DEKOR=NB`);
    expect([glb.status, glb.headers.get('content-type')]).toEqual([200, 'model/gltf-binary']);
    expect(new TextDecoder().decode((await glb.arrayBuffer()).slice(0, 4))).toBe('glTF');
    const refused = await fetch(`${address}?DEKOR=NONE`);
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('DEKOR')]);
  });
});

describe('the page of the shop', () => {
  it('has the address of the planning page, built on the server, and nothing of the login', async () => {
    const response = await fetch(shop.url);
    const html = await response.text();
    const [, src = ''] = /<iframe[^>]* src="([^"]*)"/.exec(html)!;
    const address = new URL(src.replaceAll('&amp;', '&'));
    expect(`${address.origin}${address.pathname}`).toBe(`${emulator.frontendUrl}/planning`);
    expect((await fetch(address)).status).toBe(200);
    expect(address.searchParams.get('parentorigin')).toBe(new URL(shop.url).origin);
    const { username, password, appKey } = emulator;
    for (const secret of [username, password, appKey]) expect(html).not.toContain(secret);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(shop.printed.join('')).not.toContain(address.searchParams.get('token'));
  });

  it('is served with one login, however often it is opened', async () => {
    await fetch(shop.url);
    await fetch(shop.url);
    expect(emulator.counts.get('getsessiontoken')).toBe(1);
  });
});

describe.runIf(HAS_BROWSER)('the planning page in the frame of the shop', () => {
  afterEach(closePages);

  it('exchanges messages with the shop alone, and shows what it sets', async () => {
    const { page, trouble } = watch(await openPage());
    await withoutView(page);
    await page.goto(shop.url);
    await page.waitForSelector('#received li:has-text("is ready and shows LN-M-")');
    const frame = page.frames().find((one) => one.url() !== shop.url)!;
    expect(trouble.filter((text) => /frame-ancestors|Refused to frame/.test(text))).toEqual([]);

    const article = { ocd: { finalarticlenumber: '<b>X-1</b>' } };
    await frame.evaluate(
      (message) => {
        window.parent.postMessage(message, '*');
      },
      { type: 'CURRENT_ARTICLE', article },
    );
    await page.waitForSelector('#received li:has-text("X-1")');
    const received = page.locator('#received');
    expect(await received.innerHTML()).toContain('&lt;b&gt;X-1');

    // Of the shop's own window, and of no known type: neither is shown.
    await page.evaluate((secret) => window.postMessage({ type: 'CART', secret }, '*'), SECRET);
    await frame.evaluate((secret) => {
      window.parent.postMessage({ type: 'OTHER', secret }, '*');
      window.parent.postMessage({ type: 'ERROR', code: 'LAST' }, '*');
    }, SECRET);
    await page.waitForSelector('#received li:has-text("LAST")');
    expect(await received.innerText()).not.toContain(SECRET);

    await frame.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      window.addEventListener('message', ({ data }) => heard.push(data));
    });
    await page.click('#set');
    await page.click('#request');
    await frame.waitForFunction(
      () => (window as unknown as { heard: unknown[] }).heard.length === 2,
    );
    expect(await frame.evaluate(() => (window as unknown as { heard: unknown[] }).heard)).toEqual([
      { type: 'SET_ARTICLE', ...WORKPLACE },
      { type: 'REQUEST_CURRENT_ARTICLE' },
    ]);
    await page.waitForSelector('#received li:has-text("This is planned: LN-PLATZ 1")');

    // The session ends: the server of the shop gets another token, and the change is made all the same.
    emulator.expireTokens();
    await frame.getByRole('group', { name: 'Lamp' }).getByRole('radio', { name: 'none' }).click();
    await page.waitForSelector('#received li:has-text("LEUCHTE was changed to OHNE")');
    await frame.getByRole('button', { name: 'Permanent link' }).click();
    const identifier = await frame.locator('.link code').innerText();
    await page.waitForSelector(`#received li:has-text("is stored as ${identifier}")`);
    await page.getByLabel('Permanent identifier').fill('GONE');
    await page.getByRole('button', { name: 'Open it' }).click();
    await page.waitForSelector('#received li:has-text("PERMANENT_ID_NOT_RESOLVABLE")');
  });

  it('is not shown to a shop whose origin is not listed', async () => {
    const planningSite = openPlanningSite({ frameAncestors: ['https://other.example'] });
    const other = await startEmulatorOf({}, { planningSite });
    const { page, trouble } = watch(await openPage());
    // At the address of the planning page is the other one.
    await page.route(`${emulator.frontendUrl}/planning?*`, async (route) => {
      const url = route.request().url().replace(emulator.frontendUrl, other.frontendUrl);
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.goto(shop.url);
    expect(trouble.join('\n')).toContain('frame-ancestors');
    expect(await page.locator('#received li').count()).toBe(0);
    await other.close();
  });
});

/** Firefox keeps the origin of the shop from a frame without referrer. */
describeInOtherBrowsers('the planning page in the frame of the shop', (start) => {
  let browser: OtherBrowser;
  /** Of its own, since one renews the token once a minute. */
  let own: Shop;
  beforeAll(async () => {
    own = await openShop();
    browser = await start();
  });
  afterAll(async () => {
    await browser?.end();
    await closeShop(own);
  });

  it('exchanges messages with the shop, and goes on with another token when the first has died', async () => {
    const received = () =>
      browser.evaluate<string>("document.getElementById('received').innerText");
    const receives = (text: string) => until(async () => expect(await received()).toContain(text));
    await browser.open(own.url);
    await receives('is ready and shows LN-M-');
    await browser.evaluate("document.getElementById('set').click()");
    await receives('This is planned: LN-PLATZ 1');
    emulator.expireTokens();
    const choice = `[...document.querySelectorAll('fieldset')]
      .find((group) => group.innerText.includes('Lamp'))
      ?.querySelector('input[value=OHNE]')`;
    await until(() => browser.evaluate(`${choice} !== undefined`, 'frame'));
    await browser.evaluate(`${choice}.click()`, 'frame');
    await receives('LEUCHTE was changed to OHNE');
    await browser.evaluate("document.getElementById('request').click()");
    await until(async () => expect((await received()).match(/is planned/g)).toHaveLength(2));
    expect(await received()).toContain('TOKEN_DIED');
  });
});
