/** Assets in a browser: the configurator of the examples, and the page that shows an article in a room. */
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closePages, openPage, shareBrowser, watch, withoutDrawing } from '../helpers/browser.ts';
import { writePipeline } from '../helpers/command.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { type RunningCommand, startCommand } from '../helpers/running-command.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

shareBrowser();

const CONFIGURATOR = fileURLToPath(
  new URL('../../pipelines/embedding/configurator.html', import.meta.url),
);
const MODEL_VIEWER = fileURLToPath(
  new URL('../../node_modules/@google/model-viewer/dist/model-viewer.min.js', import.meta.url),
);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const PHONES = {
  apple:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36',
  other:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36',
} as const;

let folder: string;
let shop: Awaited<ReturnType<typeof serveFolder>>;
let served: RunningCommand;
let origin: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  shop = await serveFolder(folder);
  const desk = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
  const pipeline = await writePipeline(folder, {
    ...{ service: { emulator: true }, articles: [{ article: desk }], assets: { prices: true } },
  });
  served = await startCommand(['assets', pipeline, '--port', '0', '--allow-origin', shop.address]);
  origin = new URL(served.url).origin;
  const html = (await readFile(CONFIGURATOR, 'utf8'))
    .replace(/https:\/\/cdn[^"]*/, '/model-viewer.js')
    .replace('http://127.0.0.1:4860', origin);
  await writeFile(join(folder, 'shop.html'), html);
  await copyFile(MODEL_VIEWER, join(folder, 'model-viewer.js'));
});
afterEach(closePages);
afterAll(async () => {
  await served.end();
  await shop.close();
  await rm(folder, { recursive: true, force: true });
});

describe.runIf(HAS_BROWSER)('the configurator of the examples', () => {
  it('shows each finish that is chosen, with its price, in model-viewer', async () => {
    const { page, trouble, asked } = watch(await openPage());
    await withoutDrawing(page);
    // No sentence is about the pixels of a poster, for which the server would start a browser.
    await page.route(/\.webp/, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: SVG }),
    );
    await page.goto(`${shop.address}/shop.html`);
    const shown = () =>
      page.evaluate(() => {
        const viewer = document.querySelector('model-viewer') as HTMLElement & {
          loaded: boolean;
          src: string;
        };
        return {
          isLoaded: viewer.loaded,
          src: viewer.src,
          ios: viewer.getAttribute('ios-src'),
          alt: viewer.getAttribute('alt'),
        };
      });
    await until(async () => expect((await shown()).isLoaded).toBe(true));
    const first = await shown();
    await page.locator('select[name="OBERFLÄCHE.DEKOR"]').selectOption('NB');
    await until(async () =>
      expect(await shown()).toMatchObject({ isLoaded: true, src: expect.stringContaining('NB') }),
    );
    const second = await shown();
    expect(second.ios).toMatch(/LN-M\.usdz\?.*NB/);
    expect(second.alt).not.toBe(first.alt);
    expect(await page.locator('#price').textContent()).toMatch(/€\d/);
    const poster = asked.find((url) => url.includes('.webp'));
    expect(poster).toMatch(/size=800/);
    expect(trouble).toEqual([]);
  });
});

describe.runIf(HAS_BROWSER)('the page that shows an article in a room', () => {
  it.each([
    ['apple', 'a[rel=ar]', /\/a\/FJEL\/LINEA\/LN-M\.usdz\?DEKOR=NB#allowsContentScaling=0$/],
    [
      'android',
      'a.open',
      /^intent:\/\/arvr\.google\.com\/scene-viewer\/1\.0\?file=http.*LN-M\.glb.*#Intent;/,
    ],
    ['other', 'svg', undefined],
  ] as const)('has for %s the one way that it has', async (device, selector, address) => {
    const { page, trouble } = watch(await openPage({ userAgent: PHONES[device] }));
    await withoutDrawing(page);
    await page.goto(`${origin}/ar/FJEL/LINEA/LN-M?DEKOR=NB`);
    const parts = await page
      .locator('[data-for]:visible')
      .evaluateAll((all) => all.map((part) => (part as HTMLElement).dataset.for));
    expect(parts).toEqual([device]);
    const way = page.locator(`[data-for=${device}] ${selector}`);
    expect(await way.isVisible()).toBe(true);
    if (address !== undefined) expect(await way.getAttribute('href')).toMatch(address);
    if (device === 'other') await page.locator('#view canvas').waitFor();
    const isDrawn = () =>
      page
        .locator(`[data-for=${device}] img`)
        .evaluate((image) => (image as HTMLImageElement).naturalWidth > 0);
    await until(async () => expect(await isDrawn()).toBe(true));
    expect(trouble).toEqual([]);
  });
});
