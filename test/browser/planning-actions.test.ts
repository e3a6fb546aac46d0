/// <reference lib="dom" />
/** What a person does with a configuration on the planning page: cart, permanent link, files; and how each is cancelled. */
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { closePages } from '../helpers/browser.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import {
  choose,
  DESK,
  hold,
  modelOf,
  type PlanningServer,
  startPlanning,
  withoutGraphics,
} from '../helpers/planning-page.ts';
import { OF_BOXES } from '../helpers/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';

const CONFIGURATOR = { ...DESK, disablecatalogue: 'true' };

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
    answer(status: number) {
      const response = waiting.shift()!;
      response.statusCode = status;
      response.end(status === 200 ? '{"stored":true}' : '{"reason":"<b>sold out</b>"}');
    },
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

describe.runIf(HAS_BROWSER)('an action of the planning page', () => {
  let planning: PlanningServer;
  let cart: Awaited<ReturnType<typeof startCart>>;

  beforeAll(async () => {
    planning = await startPlanning(() => OF_BOXES);
    cart = await startCart();
  });
  afterEach(closePages);
  afterAll(async () => {
    await planning?.close();
    await cart?.close();
  });

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

  test('the answer of a cart is shown, for the configuration that was sent; a refusal loses nothing', async () => {
    const parameters = { ...CONFIGURATOR, urlwarenkorb: cart.url };
    const { page } = await planning.open(parameters, { prepare: withoutGraphics });
    const send = async (status: number) => {
      await page.locator('.cart .primary').click();
      await expect.poll(cart.received).toBe(1);
      cart.answer(status);
    };
    await send(409);
    await page.getByText('The cart did not accept the article (status 409).').waitFor();
    const answer = page.locator('.answer');
    expect(await answer.innerText()).toContain('<b>sold out</b>');
    await send(200);
    await page.getByText('The article is in the cart.').waitFor();
    // What the receiver says is folded away, and all of it goes.
    expect(await answer.isVisible()).toBe(false);
    await page.getByText('Answer of the receiver').click();
    await expect.poll(() => answer.innerText()).toContain('"stored": true');
    await page.locator('.cart').getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.locator('.cart .success').count()).toBe(0);
    expect(await focused(page)).toBe('Add to cart');
    await send(200);
    await page.locator('.cart .success').waitFor();
    await choose(page, 'Finish', 'Walnut veneer');
    await page.getByText('LN-M-V.NB').waitFor();
    await page.locator('.cart .success').waitFor({ state: 'detached' });
    await page.route(cart.url, (route) => route.abort());
    await page.locator('.cart .primary').click();
    await page.getByText('The cart did not answer.').waitFor();
    expect(await page.locator('h1').innerText()).toBe('Desk made to measure');
    expect(await page.locator('.cart .primary').isEnabled()).toBe(true);
  });

  test.runIf(IS_LONG)(
    'cart and permanent link are used and cancelled by keys, and the focus stays',
    async () => {
      const parameters = { ...CONFIGURATOR, urlwarenkorb: cart.url };
      const { page } = await planning.open(parameters);
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
      await expect.poll(() => page.locator('.link .failure').count()).toBe(0);

      await page.unroute(/\/reinit/);
      await keyboard.press('Enter');
      const field = page.getByLabel('Permanent link');
      await field.waitFor();
      expect(await focused(page)).toBe('Permanent link');
      await keyboard.press('Tab');
      await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
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
      cart.answer(200);
      await keyboard.press('Enter');
      await expect.poll(cart.received).toBe(1);
      cart.answer(200);
      await page.getByText('The article is in the cart.').waitFor();
      expect(await focused(page)).toBe('Add to cart');
    },
  );

  test.runIf(IS_LONG)(
    'files are made for Apple devices and as a picture, and none that was cancelled',
    async () => {
      const { page, trouble } = await planning.open(CONFIGURATOR);
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
      const program = await hold(page, /\/usdz\.js$/);
      await page.getByRole('button', { name: 'For Apple devices (USDZ)' }).click();
      await page.locator('.downloads .late').click();
      await expect.poll(() => page.getByText('Being made …').count()).toBe(0);
      expect(await focused(page)).toBe('Download');
      await program.release();
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
