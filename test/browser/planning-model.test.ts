/// <reference lib="dom" />
/** The model of the planning page: of which configuration it is, and what a person sees where some of it does not come. */
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../../src/deliver/browser.ts';
import type { EmulatedRange } from '../../src/sample/range.ts';
import { HAS_BROWSER, pictureBrowser } from '../helpers/picture-browser.ts';
import {
  choose,
  DESK,
  modelOf,
  type PlanningServer,
  startPlanning,
} from '../helpers/planning-page.ts';

const CONFIGURATOR = { ...DESK, disablecatalogue: 'true' };
const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const PARTS_LISTS = /\/odb\/btg\?/;
const BLOCKS = /\/odb\/block\//;
const STUDIO = /\/studio\.bin$/;
const NO_VIEW = /cannot show the 3D view/;

describe.runIf(HAS_BROWSER)('the model of the planning page', () => {
  let browser: Browser;
  let planning: PlanningServer;
  const open: PlanningServer[] = [];

  beforeAll(async () => {
    browser = await startBrowser(await pictureBrowser());
    planning = await startPlanning();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const server of open.splice(0)) await server.close();
  });
  afterAll(async () => {
    await browser?.close();
    await planning?.close();
  });

  async function start(change: (range: EmulatedRange) => Partial<EmulatedRange>) {
    const started = await startPlanning(change);
    open.push(started);
    return started;
  }

  /** Opens a page some of whose requests fail from the first on. */
  async function openBroken(broken: RegExp): Promise<Page> {
    const page = await browser.newPage();
    await page.route(broken, (route) => route.abort());
    await page.goto(planning.address(CONFIGURATOR));
    return page;
  }

  test('is offered as a file, and its size shown, only for what is planned', async () => {
    const { page, asked } = await planning.open(browser, CONFIGURATOR);
    await modelOf(page);
    await page.getByText('Download', { exact: true }).click();
    const glb = page.getByRole('button', { name: '3D model (GLB)' });
    expect(await glb.isEnabled()).toBe(true);
    let release = () => {};
    const gate = new Promise<void>((done) => {
      release = done;
    });
    await page.route(PARTS_LISTS, async (route) => {
      await gate;
      await route.continue().catch(() => undefined);
    });
    const width = page.getByRole('textbox', { name: /^Width in mm/ });
    await width.fill('1800');
    await width.press('Enter');
    await page.getByText('LN-M-V.EI.D.SW.1800').waitFor();
    expect(await glb.isEnabled()).toBe(false);
    await page.getByText('Available when the 3D view shows this configuration.').waitFor();
    await page.locator('.stage').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The 3D view still shows what was chosen before.').waitFor();
    expect(await glb.isEnabled()).toBe(false);
    expect(await page.locator('.facts').count()).toBe(0);

    // Back to what is shown: nothing is made again.
    const before = asked.length;
    await width.fill('1600');
    await width.press('Enter');
    expect(await modelOf(page)).toMatch(/1,600 ×/);
    expect(asked.slice(before).filter((address) => PARTS_LISTS.test(address))).toEqual([]);
    release();
    await width.fill('1800');
    await width.press('Enter');
    await page.getByText('depth: 1,800 ×').waitFor();
    const download = page.waitForEvent('download');
    await glb.click();
    expect((await download).suggestedFilename()).toMatch(/^FJEL_LN-M-V\.EI\.D\.SW\.1800.*\.glb$/);
  });

  test('is not shown in part when the connection breaks: a person can load the rest', async () => {
    const page = await browser.newPage();
    let first = '';
    const asked: string[] = [];
    await page.route(BLOCKS, (route) => {
      const [address] = route.request().url().split('?');
      first ||= address!;
      asked.push(address!);
      return address === first ? route.abort() : route.continue();
    });
    await page.goto(planning.address(CONFIGURATOR));
    const failure = page.locator('.stage .failure');
    expect(await failure.innerText()).toMatch(/could not be made.*cannot be reached/s);
    expect(await page.locator('.facts').count()).toBe(0);
    await page.unroute(BLOCKS);
    await page.route(BLOCKS, (route) => {
      asked.push('again');
      return route.continue();
    });
    await failure.getByRole('button', { name: 'Try again' }).click();
    expect(await modelOf(page)).toBe('Width × height × depth: 1,600 × 740 × 802 mm');
    expect(await page.locator('.warnings.incomplete').count()).toBe(0);
    expect(asked.filter((address) => address === 'again')).toHaveLength(1);
  });

  test('has a mark for a missing part, a note for it and for a missing texture, and a file without marks', async () => {
    const bytesOf = async (page: Page) => {
      await page.getByText('Download', { exact: true }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: '3D model (GLB)' }).click();
      return readFile(await (await download).path());
    };
    let missing = '';
    const lacking = await start((range) => ({
      block: async (name) => {
        missing ||= name;
        return name === missing ? undefined : range.block(name);
      },
      material: async () => undefined,
    }));
    const { page } = await lacking.open(browser, CONFIGURATOR);
    await modelOf(page);
    await page.getByText('Parts or images of this model are missing.').click();
    const notes = await page.locator('.warnings').innerText();
    expect(notes).toMatch(/A grey box marks the place of each missing part\./);
    expect(notes).toContain(missing);
    expect(notes).toMatch(/image of a material: .*pic/);
    expect(await page.locator('.stage .failure').count()).toBe(0);
    const json = (await bytesOf(page)).toString('latin1');
    expect(json).not.toContain(missing);
    expect(json).not.toContain('image/jpeg');
  });

  test('is not said to be shown when there is none any more', async () => {
    const page = await browser.newPage();
    // The view waits for its light.
    await page.route(STUDIO, () => undefined);
    await page.goto(planning.address(CONFIGURATOR));
    await page.getByText('Showing the 3D model …').waitFor();
    await page.route(PARTS_LISTS, (route) => route.fulfill({ status: 500, body: '' }));
    await choose(page, 'Finish', 'Walnut veneer');
    await page.locator('.stage .failure').waitFor();
    expect(await page.getByText('Showing the 3D model …').count()).toBe(0);
  });

  test.runIf(IS_LONG)(
    'is shown by a second attempt where the light of the view did not come',
    async () => {
      const page = await openBroken(STUDIO);
      const note = page.getByText(NO_VIEW);
      await note.waitFor();
      await page.unroute(STUDIO);
      await note.getByRole('button', { name: 'Try again' }).click();
      await note.waitFor({ state: 'detached' });
      await page.getByText('Download', { exact: true }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Picture (PNG)' }).click();
      const { dominant } = await sharp(await (await download).path()).stats();
      expect(dominant).not.toEqual({ r: 0, g: 0, b: 0 });
      expect(await note.count()).toBe(0);
    },
  );

  test.runIf(IS_LONG)('is shown with the next choice where the light did not come', async () => {
    const page = await openBroken(STUDIO);
    await page.getByText(NO_VIEW).waitFor();
    await page.unroute(STUDIO);
    await choose(page, 'Finish', 'Walnut veneer');
    await page.getByText('LN-M-V.NB').waitFor();
    await modelOf(page);
    await page.getByText(NO_VIEW).waitFor({ state: 'detached' });
  });

  test.runIf(IS_LONG)(
    'a value without a picture has no swatch, and one whose picture fails no colour',
    async () => {
      let pictured = 0;
      const other = await start((range) => ({
        article: (query) => {
          // biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
          const article: any = range.article(query);
          const values = article.ocd.propclasses
            // biome-ignore lint/suspicious/noExplicitAny: the same
            .flatMap(({ properties }: any) => properties)
            // biome-ignore lint/suspicious/noExplicitAny: the same
            .find(({ text }: any) => text === 'Finish').propertyvalues;
          const [first, second] = values;
          first.previewimage = '';
          second.previewimage = second.previewimage.replace(/\w+\.(jpe?g|png)/i, 'gone.$1');
          // biome-ignore lint/suspicious/noExplicitAny: the same
          pictured = values.filter(({ previewimage }: any) => previewimage !== '').length;
          return article;
        },
      }));
      const { page } = await other.open(browser, CONFIGURATOR, { colorScheme: 'dark' });
      const finish = page.getByRole('group', { name: 'Finish' });
      await finish.locator('img').first().waitFor();
      const swatches = finish.locator('.swatch');
      expect(await swatches.count()).toBe(pictured);
      const colourOf = (one: Element) => getComputedStyle(one).backgroundColor;
      expect(await swatches.first().evaluate(colourOf)).toBe('rgba(0, 0, 0, 0)');
    },
  );
});
