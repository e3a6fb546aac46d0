/// <reference lib="dom" />
/** What is pasted into a shop: pages and snippets of articles, in model-viewer as npm has it. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedModel, snippetOf } from '../../src/deliver/embed/snippet.ts';
import { deliveryLines } from '../../src/run/output/delivered-files.ts';
import { closePages, openPage, watch, withoutDrawing } from '../helpers/browser.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { servePackages } from '../helpers/npm-packages.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { violations } from '../helpers/planning-page.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
const PEDESTAL = { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-R3' };
const DESK_PAGE = 'embed/FJEL/LINEA/LN-M/default/index.html';
const PEDESTAL_PAGE = 'embed/FJEL/DEPOT/DP-R3/default/index.html';
/** Graphics are drawn by the processor: each pixel costs time. */
const SMALL = { viewport: { width: 390, height: 300 }, deviceScaleFactor: 0.25 } as const;
const SHOP = { viewport: { width: 420, height: 800 }, deviceScaleFactor: 0.25 } as const;

describe.runIf(HAS_BROWSER)('an article in the page of a shop', () => {
  let folder: string;
  let out: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const colours = ['WS', 'LG'].map((value) => ({
      configurations: { ...PEDESTAL, values: { 'OBERFLÄCHE.DEKOR': value } },
    }));
    const pipeline = await writePipeline(folder, {
      service: { emulator: true },
      articles: [{ article: DESK }, ...colours],
      deliver: { profiles: ['web', 'ar-ios'], variants: true, embed: true },
    });
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    out = join(folder, 'out');
    server = await serveFolder(out);
  });
  afterEach(closePages);
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function opened(path: string, options: Parameters<typeof openPage>[0] = SMALL) {
    const watched = watch(await openPage(options));
    await servePackages(watched.page);
    await withoutDrawing(watched.page);
    await watched.page.goto(`${server.address}/${path}`);
    return watched;
  }

  /** The page of a shop: what is pasted is in an ordinary element of it. */
  async function shopWith(...models: readonly EmbeddedModel[]) {
    const pasted = models.map((model) => snippetOf(model)).join('<hr>');
    await writeFile(
      join(out, 'shop.html'),
      `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><article>${pasted}</article>`,
    );
    return opened('shop.html', SHOP);
  }

  it('is loaded with the decoder that its page names, and keeps to its addresses; the page says what it is, and why there is no 3D view', async () => {
    const { page, trouble, asked } = await opened(DESK_PAGE);
    await isLoaded(page.locator('model-viewer'));
    await page.getByText('1,600 × 800 × 740 mm', { exact: true }).waitFor();
    expect(trouble).toEqual([]);
    const others = asked.filter((url) => !/^(?:data|blob):/.test(url));
    const hosts = new Set(others.map((url) => new URL(url).origin));
    expect(hosts).toEqual(new Set([server.address, 'https://cdn.jsdelivr.net']));
    expect(asked.some((url) => url.endsWith('/meshopt_decoder.js'))).toBe(true);
    expect(asked.some((url) => /\/web\/.*\.glb$/.test(url))).toBe(true);

    await page.route(/\.glb$/, (route) => route.abort());
    await page.reload();
    await page.getByText('The model cannot be shown. Reload the page.').waitFor();
    await page.route(/model-viewer/, (route) => route.abort());
    await page.reload();
    await page.getByText('The 3D view cannot be loaded. Reload the page.').waitFor();
  });

  it('works where the HTML of its accessible page is pasted, as large as there is space, twice in one page', async () => {
    const { page: embed } = await opened(PEDESTAL_PAGE, { ...SMALL, bypassCSP: true });
    await isAccessible(embed);
    const html = await embed.getByLabel('HTML', { exact: true }).inputValue();
    expect(html).toContain(`<model-viewer src="${server.address}/variants/FJEL/`);
    await writeFile(
      join(out, 'shop.html'),
      `<!doctype html><link rel="icon" href="data:,">${html}${html}`,
    );
    const { page, trouble } = await opened('shop.html', SHOP);
    const viewers = page.locator('model-viewer');
    const size = await viewers.first().boundingBox();
    expect(size!.width).toBeGreaterThan(390);
    expect(size!.width / size!.height).toBeCloseTo(4 / 3, 2);
    await isLoaded(viewers.first());
    await page.getByLabel('Finish').nth(1).selectOption({ index: 1 });
    const shown = () => viewers.evaluateAll((all) => all.map((one) => one.getAttribute('alt')));
    expect((await shown())[0]).not.toBe((await shown())[1]);
    await isLoaded(viewers.nth(1));
    await page.getByLabel('Finish').first().selectOption({ index: 1 });
    expect((await shown())[0]).toBe((await shown())[1]);
    const [ios] = await viewers.evaluateAll((all) => all.map((one) => one.getAttribute('ios-src')));
    expect((await fetch(ios!)).status).toBe(200);
    expect(await finishesOf(viewers.first())).toMatchObject({ isOfFile: true });
    expect(trouble).toEqual([]);
  });

  it('shows its poster until the model is loaded', async () => {
    const poster = 'poster.svg';
    await writeFile(join(out, poster), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const { page, asked } = await shopWith({ model: 'data:,', poster, alt: 'Desk' });
    await page.waitForFunction(() => customElements.get('model-viewer') !== undefined);
    await page.waitForFunction(() => {
      const shadow = document.querySelector('model-viewer')?.shadowRoot;
      return getComputedStyle(shadow!.querySelector('#default-poster')!).backgroundImage !== 'none';
    });
    expect(asked.some((url) => url.endsWith(poster))).toBe(true);
  });

  it.runIf(IS_LONG)('is alone in a frame', async () => {
    const frame = `<!doctype html><link rel="icon" href="data:,"><iframe src="${PEDESTAL_PAGE}"></iframe>`;
    await writeFile(join(out, 'shop.html'), frame);
    const { page, trouble } = await opened('shop.html');
    const inside = page.frameLocator('iframe');
    await inside.locator('select').waitFor();
    await inside.locator('#help').waitFor({ state: 'detached' });
    expect(trouble).toEqual([]);
  });

  it('has one page, whose address no configuration changes', async () => {
    const pages = new Set<string>();
    for await (const { delivery, files } of deliveryLines(out))
      if (delivery === 'embed') for (const { path } of files) pages.add(path);
    expect([...pages].sort()).toEqual([PEDESTAL_PAGE, DESK_PAGE]);
  });
});

/** Waits until model-viewer has loaded its model. */
function isLoaded(viewer: Locator): Promise<void> {
  return expect
    .poll(() => viewer.evaluate((one) => (one as HTMLElement & { loaded?: boolean }).loaded))
    .toBe(true);
}

/** Without faults for assistive technology, and as wide as a phone, in light and dark. */
async function isAccessible(page: Page): Promise<void> {
  await page.locator('details').evaluate((details: HTMLDetailsElement) => {
    details.open = true;
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page, 'colour')).toEqual([]);
}

/** The finish that is shown, and whether the file has one of this name. */
function finishesOf(viewer: Locator) {
  return viewer.evaluate((one) => {
    const { variantName, availableVariants } = one as HTMLElement & {
      variantName: string;
      availableVariants: string[];
    };
    return { variantName, isOfFile: availableVariants.includes(variantName) };
  });
}
