/// <reference lib="dom" />
/** What a person does with a configuration on the planning page: cart, permanent link, files; and how each is cancelled. */
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../../src/deliver/browser.ts';
import { HAS_BROWSER, pictureBrowser } from '../helpers/picture-browser.ts';
import {
  choose,
  DESK,
  modelOf,
  type PlanningServer,
  startParent,
  startPlanning,
  violations,
} from '../helpers/planning-page.ts';

const CONFIGURATOR = { ...DESK, disablecatalogue: 'true' };
const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';

/** A cart that answers when a test lets it. */
async function startCart() {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'content-type');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else waiting.push(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cart`,
    received: () => waiting.length,
    answer: () => waiting.shift()!.end('{"stored":true}'),
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

describe.runIf(HAS_BROWSER)('an action of the planning page', () => {
  let browser: Browser;
  let planning: PlanningServer;
  let cart: Awaited<ReturnType<typeof startCart>>;

  beforeAll(async () => {
    browser = await startBrowser(await pictureBrowser());
    planning = await startPlanning();
    cart = await startCart();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await planning?.close();
    await cart?.close();
  });

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

  test('the answer of a cart is shown for the configuration that was sent, and for no other', async () => {
    const parameters = { ...CONFIGURATOR, urlwarenkorb: cart.url };
    const { page, trouble } = await planning.open(browser, parameters);
    const button = page.locator('.cart .primary');
    await button.click();
    await expect.poll(cart.received).toBe(1);
    await choose(page, 'Finish', 'Walnut veneer');
    await page.getByText('LN-M-V.NB').waitFor();
    const answered = page.waitForResponse(
      (response) => response.url() === cart.url && response.request().method() === 'POST',
    );
    cart.answer();
    await (await answered).finished();
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await page.locator('.cart .success').count()).toBe(0);
    await button.click();
    await expect.poll(cart.received).toBe(1);
    cart.answer();
    await page.getByText('The article is in the cart.').waitFor();
    // What the receiver says is folded away, and all of it goes.
    const answer = page.locator('.answer');
    expect(await answer.isVisible()).toBe(false);
    await page.getByText('Answer of the receiver').click();
    expect(await answer.innerText()).toContain('"stored": true');
    await page.locator('.cart').getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('.cart .success').count()).toBe(0);
    expect(await focused(page)).toBe('Add to cart');
    expect(trouble).toEqual([]);
  });

  test('a field whose value is not possible holds back cart, link and files, until it is corrected', async () => {
    const parameters = { ...CONFIGURATOR, urlwarenkorb: cart.url };
    const viewport = { width: 390, height: 844 };
    const { page, trouble } = await planning.open(browser, parameters, { viewport });
    await modelOf(page);
    await page.getByText('Download', { exact: true }).click();
    const width = page.getByRole('textbox', { name: /^Width/ });
    const taken = ['Add to cart', 'Permanent link', '3D model (GLB)', 'Picture (PNG)'].map((name) =>
      page.getByRole('button', { name }),
    );
    const enabled = () => Promise.all(taken.map((button) => button.isEnabled()));
    const [all, none] = [taken.map(() => true), taken.map(() => false)];
    expect(await enabled()).toEqual(all);

    await width.fill('99999');
    // As a finger does: it leaves the field, and is on the button already.
    await taken[0]!.click();
    await page.getByText('This value is not possible. The largest is').waitFor();
    expect(await enabled()).toEqual(none);
    expect(cart.received()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.locator('.cart').getByRole('button', { name: 'Width in mm' }).click();
    expect(await width.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Keep 1600' }).click();
    expect(await width.inputValue()).toBe('1600');
    expect(await enabled()).toEqual(all);

    await width.fill('1');
    await width.press('Enter');
    expect(await enabled()).toEqual(none);
    await width.fill('1700');
    await width.press('Enter');
    await page.getByText('.SW.1700').waitFor();
    await expect.poll(enabled).toEqual(all);
    // The price is beside the button, too, where the one above is out of sight.
    expect(await page.locator('.sum').innerText()).toBe(await page.locator('.price').innerText());
    expect(trouble).toEqual([]);
  });

  test.runIf(IS_LONG)(
    'cart and permanent link are used and cancelled by keys, and the focus stays',
    async () => {
      const parameters = { ...CONFIGURATOR, urlwarenkorb: cart.url };
      const { page } = await planning.open(browser, parameters);
      const { keyboard } = page;
      const link = page.locator('.link > button').first();
      await page.route(/\/reinit/, () => undefined);
      await link.focus();
      await keyboard.press('Enter');
      await page.getByText('Storing the configuration …').waitFor();
      await page.locator('.link .late').waitFor();
      await keyboard.press('Tab');
      expect(await focused(page)).toBe('Cancel');
      await keyboard.press('Enter');
      expect(await focused(page)).toBe('Permanent link');
      expect(await page.locator('.link .failure').count()).toBe(0);

      await page.unroute(/\/reinit/);
      await keyboard.press('Enter');
      const field = page.getByLabel('Permanent link');
      await field.waitFor();
      expect(await focused(page)).toBe('Permanent link');
      await keyboard.press('Tab');
      expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
      await keyboard.press('Tab');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await keyboard.press('Enter');
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(await field.inputValue());
      expect(copied).toMatch(/permanentid=/);

      for (let count = 0; count < 9 && !(await focused(page))!.startsWith('Add to'); count++)
        await keyboard.press('Tab');
      await keyboard.press('Enter');
      await expect.poll(cart.received).toBe(1);
      expect(await focused(page)).toBe('Sending to the cart …');
      await page.locator('.cart .late').waitFor();
      await keyboard.press('Tab');
      await keyboard.press('Enter');
      await page.getByText('The cart may have the article all the same').waitFor();
      expect(await focused(page)).toBe('Add to cart');
      cart.answer();
      await keyboard.press('Enter');
      await expect.poll(cart.received).toBe(1);
      cart.answer();
      await page.getByText('The article is in the cart.').waitFor();
      expect(await focused(page)).toBe('Add to cart');
    },
  );

  test('a permanent identifier is told to the page around, and the link says that it has no session', async () => {
    const parent = await startParent((parentorigin) =>
      planning.address({ ...CONFIGURATOR, parentorigin }),
    );
    const page = await browser.newPage();
    await page.goto(parent.origin);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Permanent link' }).click();
    await frame.getByText('adds a session token').waitFor();
    const permanentid = await frame.locator('.link code').innerText();
    const received = await page.evaluate('received');
    expect(received).toContainEqual(
      expect.objectContaining({
        type: 'PERMANENTID_CREATED',
        permanentid,
        article: expect.objectContaining({ basearticlenumber: 'LN-M' }),
      }),
    );
    await parent.close();
  });

  test.runIf(IS_LONG)(
    'files are made for Apple devices and as a picture, and none that was cancelled',
    async () => {
      const { page, trouble } = await planning.open(browser, CONFIGURATOR);
      await modelOf(page);
      await page.getByText('Download', { exact: true }).click();
      const fileOf = async (name: string) => {
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name }).click();
        const made = await download;
        return { name: made.suggestedFilename(), bytes: await readFile(await made.path()) };
      };
      let downloads = 0;
      page.on('download', () => downloads++);
      let release = () => {};
      const gate = new Promise<void>((done) => {
        release = done;
      });
      await page.route(/\/usdz\.js$/, async (route) => {
        await gate;
        await route.continue();
      });
      await page.getByRole('button', { name: 'For Apple devices (USDZ)' }).click();
      await page.locator('.downloads .late').click();
      expect(await page.getByText('Being made …').count()).toBe(0);
      expect(await focused(page)).toBe('Download');
      release();
      const usdz = await fileOf('For Apple devices (USDZ)');
      expect(usdz.name).toMatch(/^FJEL_LN-M-V.*\.usdz$/);
      expect(usdz.bytes.subarray(0, 2).toString()).toBe('PK');
      expect(usdz.bytes.includes('.usdc') || usdz.bytes.includes('.usda')).toBe(true);
      const picture = await fileOf('Picture (PNG)');
      expect(picture.name).toMatch(/^FJEL_LN-M-V.*\.png$/);
      const { width, height } = await sharp(picture.bytes).metadata();
      expect([width, height]).toEqual([1600, 1200]);
      expect(downloads).toBe(2);
      const { entropy } = await sharp(picture.bytes).stats();
      expect(entropy).toBeGreaterThan(0.5);
      expect(trouble).toEqual([]);
    },
  );
});
