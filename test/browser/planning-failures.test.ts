/// <reference lib="dom" />
/** What the planning page says when something is wrong, and that nothing of the configuration is lost. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../../src/deliver/browser.ts';
import type { EmulatedRange } from '../../src/sample/range.ts';
import { HAS_BROWSER, pictureBrowser } from '../helpers/browser.ts';
import {
  choose,
  DESK,
  modelOf,
  type PlanningServer,
  startParent,
  startPlanning,
} from '../helpers/planning-page.ts';
import { HOSTILE } from '../helpers/reports.ts';

const CONFIGURATOR = { ...DESK, disablecatalogue: 'true' };
type Message = { type: string; origin: string; article?: { ocd: { finalarticlenumber: string } } };

describe.runIf(HAS_BROWSER)('the planning page', () => {
  let browser: Browser;
  const open: PlanningServer[] = [];

  beforeAll(async () => {
    browser = await startBrowser(await pictureBrowser());
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const planning of open.splice(0)) await planning.close();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function start(change?: (range: EmulatedRange) => Partial<EmulatedRange>) {
    const planning = await startPlanning(change);
    open.push(planning);
    return planning;
  }

  // The unit test of the parameters has all of them.
  test.each<[string, Record<string, string>, RegExp]>([
    ['no token', { token: '' }, /token is missing/],
    ['both modes', { opencatalogue: 'true', disablecatalogue: 'true' }, /received both/],
    ['a cart that is no web address', { urlwarenkorb: 'javascript:alert(1)' }, /http:\/\//],
  ])('says what is wrong with %s', async (_, parameters, sentence) => {
    const { page, trouble, asked } = await (await start()).open(browser, parameters);
    await page.getByRole('heading', { name: 'This page cannot be opened like this' }).waitFor();
    expect(await page.locator('main').innerText()).toMatch(sentence);
    expect(asked.filter((address) => address.includes('/api/'))).toEqual([]);
    expect(trouble).toEqual([]);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['an unknown permanent identifier', { permanentid: 'GONE' }, /No planning is known under/],
    ['an unknown article', { ...DESK, basearticlenumber: 'NONE' }, /has no such article/],
  ])('says that there is no %s', async (_, parameters, sentence) => {
    const { page } = await (await start()).open(browser, parameters);
    const failure = page.locator('.panel .failure');
    expect(await failure.innerText()).toMatch(sentence);
    expect(await failure.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
  });

  test('says of a token that was never accepted that it is not valid, not that it has expired', async () => {
    const { page } = await (await start()).open(browser, { ...CONFIGURATOR, token: 'nonsense' });
    const notice = page.locator('.token');
    expect(await notice.innerText()).toMatch(/^This session is not valid: the service does not/);
    expect(await notice.innerText()).not.toMatch(/expired|still here/);
  });

  test('keeps what was chosen when the token expires, and goes on with a new one', async () => {
    const planning = await start();
    const { emulator } = planning;
    const addressOf = (parentorigin: string) => planning.address({ ...CONFIGURATOR, parentorigin });
    const parent = await startParent(addressOf, '127.0.0.1');
    const page = await browser.newPage();
    await withoutAncestorOrigins(page);
    await page.goto(parent.origin);
    const frame = page.frameLocator('iframe');
    await frame.getByText('LN-M-V.EI').waitFor();
    await frame.locator('.facts').waitFor();
    emulator.expireTokens();
    await frame.getByRole('radio', { name: 'Walnut veneer' }).click();
    await frame.getByText('Your session has expired. What you have chosen').waitFor();
    expect(await frame.locator('h1').innerText()).toBe('Desk made to measure');
    const received = async () => (await page.evaluate('received')) as Message[];
    const types = async () => (await received()).map(({ type }) => type);
    // Loaded again, it has all of that, and tries again what the service has not answered.
    await page.frames()[1]!.evaluate(() => location.reload());
    const tried = ['LOADED', 'ERROR', 'LOADED', 'ERROR', 'ERROR'];
    await expect.poll(types, { timeout: 30_000 }).toEqual(tried);
    expect(await frame.locator('h1').innerText()).toBe('Desk made to measure');
    const token = emulator.issueToken();
    await page.evaluate((token) => {
      // biome-ignore lint/suspicious/noExplicitAny: the page of the test
      (window.frames[0] as any).postMessage({ type: 'SET_TOKEN', token }, '*');
    }, token);
    await frame.getByText('LN-M-V.NB').waitFor();
    expect(await frame.getByText('Your session has expired').count()).toBe(0);
    expect(JSON.stringify(await received())).not.toContain(token);
    expect(await types()).toEqual([...tried, 'PROPERTY_UPDATED']);

    // The page around it is loaded again: its address asks for the article as it was.
    await page.reload();
    await frame.getByText('LN-M-V.EI').waitFor();
    await frame.getByRole('button', { name: 'Continue with it' }).click();
    await frame.getByText('LN-M-V.NB').waitFor();
    expect(await frame.getByRole('button', { name: 'Continue with it' }).count()).toBe(0);
    await parent.close();
  });

  test('posts nothing to a page that has not the origin that it is given', async () => {
    const planning = await start();
    const parentorigin = 'https://shop.example';
    const parent = await startParent(() => planning.address({ ...CONFIGURATOR, parentorigin }));
    const page = await browser.newPage();
    await withoutAncestorOrigins(page);
    await page.goto(parent.origin);
    await page.frameLocator('iframe').getByText('LN-M-V.EI').waitFor();
    await page.frames()[1]!.evaluate(() => window.parent.postMessage({ type: 'LAST' }, '*'));
    await expect.poll(() => page.evaluate('received.length')).toBe(1);
    expect(await page.evaluate('received')).toMatchObject([{ type: 'LAST' }]);
    await parent.close();
  });

  test('obeys and answers the page around it, and no other', async () => {
    const planning = await start((range) => ({
      // A text that is no JSON any more where it is masked as a part of it.
      article: (query) => ({ ...range.article(query), metamessages: ['x?token=abc\\" y'] }),
    }));
    const parent = await startParent(() => planning.address(CONFIGURATOR));
    const page = await browser.newPage();
    await page.goto(parent.origin);
    const frame = page.frameLocator('iframe');
    await frame.getByText('LN-M-V.EI').waitFor();
    await page.evaluate(() => {
      const article = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-D160/80' };
      window.frames[0]!.postMessage({ type: 'SET_ARTICLE', article }, '*');
    });
    await frame.getByRole('heading', { name: '1600 × 800' }).waitFor();
    // A message of the frame to itself is not one of its parent.
    await page.frames()[1]!.evaluate(() => {
      window.postMessage({ type: 'SET_ARTICLE', article: { permanentid: 'X' } }, '*');
    });
    await page.evaluate(() => {
      window.frames[0]!.postMessage({ type: 'REQUEST_CURRENT_ARTICLE' }, '*');
    });
    await expect.poll(() => page.evaluate('received.length')).toBe(3);
    const received = (await page.evaluate('received')) as Message[];
    expect(received.map(({ type }) => type)).toEqual([
      'LOADED',
      'CURRENT_ARTICLE',
      'CURRENT_ARTICLE',
    ]);
    expect(received[2]!.article!.ocd.finalarticlenumber).toMatch(/^LN-D160\/80/);
    expect(received[2]!.origin).toBe(new URL(planning.emulator.baseUrl).origin);
    await parent.close();
  });

  test('shows a model without the blocks that are missing, and says so', async () => {
    let isFirst = true;
    const planning = await start((range) => ({
      block: async (name) => {
        if (!isFirst) return range.block(name);
        isFirst = false;
        return undefined;
      },
    }));
    const { page } = await planning.open(browser, CONFIGURATOR);
    await modelOf(page);
    await page.getByText('Parts or images of this model are missing.').click();
    expect(await page.locator('.warnings').innerText()).toMatch(/a part: \S+::/);
  });

  test('plans an article that has no 3D data', async () => {
    const planning = await start(() => ({ partsList: () => undefined }));
    const { page } = await planning.open(browser, CONFIGURATOR);
    await page.getByText('There is no 3D model of this article.').waitFor();
    await choose(page, 'Finish', 'Walnut veneer');
    await page.getByText('LN-M-V.NB').waitFor();
    expect(await page.locator('.panel .failure').count()).toBe(0);
  });

  test('waits for a slow service, and a person can cancel', async () => {
    let release = () => {};
    const gate = new Promise<void>((done) => {
      release = done;
    });
    const planning = await start((range) => ({
      block: async (name) => {
        await gate;
        return range.block(name);
      },
    }));
    const { page, trouble } = await planning.open(browser, CONFIGURATOR);
    await page.getByText(/Loading parts and images: \d+ of \d+/).waitFor();
    expect(await page.locator('h1').innerText()).toBe('Desk made to measure');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The 3D model was not loaded to its end.').waitFor();
    release();
    await page.getByRole('button', { name: 'Load it' }).click();
    await modelOf(page);
    expect(trouble).toEqual([]);
  });

  test('keeps the configuration where a cart refuses or does not answer', async () => {
    const server = createServer((request, response) => {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', 'content-type');
      response.statusCode = request.method === 'OPTIONS' ? 204 : 409;
      response.end(request.method === 'OPTIONS' ? '' : '{"reason":"<b>sold out</b>"}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const urlwarenkorb = `http://127.0.0.1:${port}/cart`;
    const { page } = await (await start()).open(browser, { ...CONFIGURATOR, urlwarenkorb });
    const cart = page.getByRole('button', { name: 'Add to cart' });
    await cart.click();
    await page.getByText('The cart did not accept the article (status 409).').waitFor();
    expect(await page.locator('.answer').innerText()).toContain('<b>sold out</b>');
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await cart.click();
    await page.getByText('The cart did not answer.').waitFor();
    expect(await page.locator('h1').innerText()).toBe('Desk made to measure');
    expect(await cart.isEnabled()).toBe(true);
  });

  test('a change that the service refuses is undone, and the next one works', async () => {
    const planning = await start((range) => ({
      article: (query) => withForeignValue(range.article(query)),
      configure: (query, change) => range.configure?.(query, change),
    }));
    const { page } = await planning.open(browser, CONFIGURATOR);
    await page.getByRole('radio', { name: 'Unobtainium' }).click();
    await page.getByText('The service does not accept this value.').waitFor();
    expect(await page.getByRole('radio', { name: 'Black' }).last().isChecked()).toBe(true);
    await choose(page, 'Frame', 'Silver');
    await page.getByText('LN-M-V.EI.D.SI').waitFor();
    expect(await page.locator('.panel .failure').count()).toBe(0);
  });

  test('a property may be fixed, out of sight, long, or take values that are not listed', async () => {
    const planning = await start((range) => ({
      article: (query) => unusual(range.article(query)),
    }));
    const { page, trouble } = await planning.open(browser, CONFIGURATOR);
    const finish = page.getByRole('combobox', { name: /^Finish/ });
    await finish.waitFor();
    expect(await finish.locator('option').count()).toBe(65);
    expect(await page.getByRole('textbox', { name: 'Another value for Finish' }).count()).toBe(1);
    expect(await page.getByRole('radio', { name: 'as the top' }).isDisabled()).toBe(true);
    expect(await page.getByRole('group', { name: 'Frame' }).count()).toBe(0);
    await finish.selectOption('Walnut veneer');
    await page.getByText('LN-M-V.NB').waitFor();
    expect(trouble).toEqual([]);
  });

  test('texts of the service are texts', async () => {
    const planning = await start((range) => ({
      article: (query) => hostile(range.article(query)),
      nodes: (parentnode, view) =>
        range.nodes(parentnode, view)?.map((node, index) => ({
          ...node,
          text: HOSTILE[index % HOSTILE.length],
        })),
    }));
    const { page, trouble } = await planning.open(browser, DESK);
    await modelOf(page);
    expect(await page.locator('h1').innerText()).toBe(HOSTILE[0]);
    expect(await page.locator('.messages').innerText()).toContain('onerror');
    expect(await page.locator('main script, main [onerror], main [onload]').count()).toBe(0);
    expect(trouble).toEqual([]);
  });
});

/** As in browsers that do not know it. No program can remove it from this one, so the page asks for another name. */
async function withoutAncestorOrigins(page: Page): Promise<void> {
  await page.route('**/page.js', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('ancestorOrigins', 'unknownOrigins');
    await route.fulfill({ response, body });
  });
}

// biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
type Wire = any;

function withForeignValue(article: Wire): Wire {
  const [, finishes] = article.ocd.propclasses;
  const frame = finishes.properties.find(({ name }: Wire) => name === 'GESTELL');
  frame.propertyvalues.push({ ...frame.propertyvalues[0], valuefrom: 'ZZ', text: 'Unobtainium' });
  return article;
}

function unusual(article: Wire): Wire {
  const [, { properties }] = article.ocd.propclasses;
  const [finish, edge, frame] = properties;
  const [first] = finish.propertyvalues;
  for (let count = 0; count < 60; count++)
    finish.propertyvalues.push({ ...first, valuefrom: `X${count}`, text: `Finish ${count}` });
  finish.addvalues = true;
  edge.enabled = false;
  frame.visible = false;
  return article;
}

function hostile(article: Wire): Wire {
  const { ocd } = article;
  ocd.shorttext = HOSTILE[0];
  ocd.longtext = HOSTILE.join('\n');
  ocd.usermessages = HOSTILE;
  ocd.propclasses.forEach((group: Wire, index: number) => {
    group.text = HOSTILE[index % HOSTILE.length];
    group.properties.forEach((property: Wire, at: number) => {
      property.text = HOSTILE[at % HOSTILE.length];
      property.propertyvalues.forEach((value: Wire, i: number) => {
        value.text = HOSTILE[i % HOSTILE.length];
        value.previewimage = HOSTILE[(i + 2) % HOSTILE.length];
      });
    });
  });
  return article;
}
