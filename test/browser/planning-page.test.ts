/// <reference lib="dom" />
/** The planning page in a real browser: one walk in each mode, from the first choice to the cart; keyboard, phone, axe. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openInbox } from '../../src/web/servers/inbox.ts';
import { openPlanningSite } from '../../src/web/servers/planning-site.ts';
import { closePages, withoutDrawing } from '../helpers/browser.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import {
  choose,
  DESK,
  modelOf,
  type PlanningServer,
  startPlanning,
  violations,
  WORKPLACE,
  withoutGraphics,
} from '../helpers/planning-page.ts';
import { OF_BOXES } from '../helpers/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';
import { judgeUsdz } from '../helpers/usdz-judge.ts';

const CONFIGURATOR = { disablecatalogue: 'true' };
const LINEA = 'FJEL;:@1;:LINEA@1';
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Frames of a page that happen when the test wants. */
async function lateFrames(page: Page) {
  const frames = await page.evaluateHandle(() => {
    const frames: FrameRequestCallback[] = [];
    globalThis.requestAnimationFrame = (frame) => frames.push(frame);
    return frames;
  });
  return {
    /** Waits until the page asks for one in which it sets the focus, and then they happen. */
    async happen(): Promise<void> {
      const isAsked = (frames: unknown[]) => frames.some((frame) => `${frame}`.includes('.focus('));
      await until(() => frames.evaluate(isAsked));
      await frames.evaluate((frames) => {
        for (const frame of frames) frame(performance.now());
      });
    },
  };
}

/** What a finger can miss: buttons, fields and values below 44 px. A field within a label has that of the label. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, a, select, summary, .choice, .number input')]
      .filter(
        (target) =>
          target.checkVisibility({ visibilityProperty: true }) && !target.matches('.skip'),
      )
      .filter((target) => {
        const { width, height } = target.getBoundingClientRect();
        return Math.min(width, height) < 44;
      })
      .map(({ outerHTML }) => outerHTML),
  );
}

/** The first picture of the catalogue has the colours of its file on the screen. */
async function expectOwnColours(page: Page): Promise<void> {
  const image = page.locator('.shot img').first();
  await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.complete)).toBe(true);
  const shot = page.locator('.shot').first();
  const [shown, own] = await Promise.all([
    shot.screenshot(),
    image.evaluate((one: HTMLImageElement) => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: one.naturalWidth, height: one.naturalHeight });
      canvas.getContext('2d')!.drawImage(one, 0, 0);
      return canvas.toDataURL();
    }),
  ]);
  const means = await Promise.all(
    [shown, Buffer.from(own.split(',')[1]!, 'base64')].map(async (picture) => {
      const { channels } = await sharp(picture).removeAlpha().stats();
      return channels.flatMap(({ mean, min }) => [mean, min]);
    }),
  );
  // The white frame of the picture makes the mean a little lighter.
  for (const [i, value] of means[0]!.entries())
    expect(Math.abs(value - means[1]![i]!)).toBeLessThan(24);
}

describe.runIf(HAS_BROWSER)('the planning page', () => {
  /** With the models of the articles, and with boxes. */
  let planning: PlanningServer;
  let boxes: PlanningServer;

  beforeAll(async () => {
    planning = await startPlanning();
    const site = openPlanningSite({ assetsUrl: 'https://assets.example' });
    boxes = await startPlanning(() => OF_BOXES, site);
  });
  afterEach(closePages);
  afterAll(async () => {
    await planning?.close();
    await boxes?.close();
  });

  const heading = (page: Page) => page.getByRole('heading', { level: 1 });
  const price = (page: Page) => page.locator('.price');
  const isFocused = (element: Element) => element === document.activeElement;

  test('the configurator shows an article, which is changed, put into the cart, stored and restored', async () => {
    const store = await temporaryFolder();
    const { origin } = new URL(planning.emulator.baseUrl);
    const inbox = await openInbox({ store, now: Date.now, log, origins: [origin] });
    const parameters = { ...DESK, ...CONFIGURATOR, urlwarenkorb: inbox.url };
    const { page, trouble, asked } = await planning.open(parameters, { prepare: withoutGraphics });
    expect(await modelOf(page)).toBe('Width × depth × height: 1,600 × 800 × 740 mm');
    expect(await heading(page).innerText()).toBe('Desk made to measure');
    expect(await price(page).innerText()).toContain('€721.00');
    expect(await page.locator('.catalogue').count()).toBe(0);
    // Of a device without Quick Look, such as this one, a sentence says what to do.
    await page.getByRole('button', { name: 'View in your room' }).click();
    await page.getByText('Open this page on an iPhone or iPad').waitFor();
    expect(await page.title()).toBe('Desk made to measure – Planning');
    // The article on a phone, which is checked below, has the same parts.
    if (IS_LONG) expect(await violations(page)).toEqual([]);
    // Stage and properties scroll on their own.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(800);

    await choose(page, 'Finish', 'Walnut veneer');
    const width = page.getByRole('textbox', { name: /^Width in mm/ });
    await width.fill('1850');
    await width.press('Enter');
    await page.getByText('Please correct first: Width in mm').waitFor();
    // The rule that refused the width is gone with the base that it was for.
    await choose(page, 'Base', 'Electrically adjustable');
    await page.getByText('Please correct first').waitFor({ state: 'detached' });
    expect(await width.inputValue()).toBe('1600');
    await width.fill('1450');
    await width.press('Enter');
    await expect
      .poll(() => page.locator('.problem').first().innerText())
      .toMatch(/The nearest are 1400 and 1500/);
    await width.press('ArrowUp');
    await page.getByText('LN-M-H.NB.D.SW.1500').waitFor();
    expect(await price(page).innerText()).not.toContain('721');
    await page.getByText('height: 1,500 ×').waitFor();

    const cartButton = page.getByRole('button', { name: 'Add to cart' });
    expect(await cartButton.isDisabled()).toBe(true);
    await page.getByText('Still to choose: Hand switch').waitFor();
    await page.locator('.cart').getByRole('button', { name: 'Hand switch' }).click();
    const switchOf = page.getByRole('group', { name: /^Hand switch/ });
    expect(await switchOf.locator(':focus').count()).toBe(1);
    // A property that must be chosen says so, and has its mark when it is.
    await switchOf.getByText('please choose').waitFor();
    await choose(page, 'Hand switch', 'up and down');
    await page.getByText('LN-M-H.NB.D.SW.1500.800.74.0.3.A').waitFor();
    expect(await switchOf.locator('.must').innerText()).toMatch(/^\*\s*required$/);
    // The service names components as it names properties.
    await page.getByText('How the price is made up').click();
    const components = await page.locator('.components dt').allInnerTexts();
    expect(components).toEqual(expect.arrayContaining(['Basic price', 'Base', 'Finish']));
    expect(components.join('')).not.toMatch(/[A-Z]{4}/);
    await cartButton.click();
    await page.getByText('The article is in the cart.').waitFor();
    const [file] = await readdir(store);
    const cart = JSON.parse(await readFile(join(store, file!), 'utf8'));
    expect(cart.ocd.finalarticlenumber).toMatch(/^LN-M-H\.NB\.D\.SW\.1500/);
    expect(cart.id).toBe(cart.rootid);
    const download = page.waitForEvent('download');
    await page.getByText('Download', { exact: true }).click();
    await page.getByRole('button', { name: '3D model (GLB)' }).click();
    const made = await download;
    expect(made.suggestedFilename()).toMatch(/^FJEL_LN-M-H\.NB\.D\.SW\.1500.*\.glb$/);
    expect((await readFile(await made.path())).subarray(0, 4).toString()).toBe('glTF');
    // The token is in no address that a person sees, and the page asks its own server only.
    expect(page.url()).not.toContain('token');
    const own = [origin, new URL(inbox.url).origin];
    const others = asked.filter((url) => /^http/.test(url) && !own.includes(new URL(url).origin));
    expect(others).toEqual([]);

    await page.getByRole('button', { name: 'Permanent link' }).click();
    await page.getByText('adds a session token').waitFor();
    const link = await page.getByLabel('Permanent link').inputValue();
    const stored = Object.fromEntries(new URL(link).searchParams);
    expect(stored.token).toBe(undefined);
    await inbox.close();
    // In another language, and without prices.
    const german = { ...stored, lang: 'de', showprice: 'false' };
    await page.goto(planning.address(german));
    await page.getByText('LN-M-H.NB.D.SW.1500').waitFor();
    // The address has no token any more; the page can be loaded again all the same, as planning-state.test.ts shows, too.
    if (IS_LONG) await page.reload();
    await expect.poll(() => heading(page).innerText()).toBe('Schreibtisch nach Maß');
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
    await expect.poll(() => price(page).count()).toBe(0);
    await expect.poll(() => page.locator('body').innerText()).not.toContain('€');
    expect(trouble).toEqual([]);
  });

  test('the keyboard alone leads from the catalogue, whose pictures keep their colours in the dark, to a changed configuration, and to a search', async () => {
    const parameters = { opencatalogue: 'true', parentnode: LINEA };
    const options = { colorScheme: 'dark', prepare: withoutGraphics } as const;
    const { page, trouble } = await boxes.open(parameters, options);
    await expectOwnColours(page);
    await page.getByRole('button', { name: 'Desk made to measure LN-M' }).waitFor();
    const makers = page.getByRole('combobox', { name: 'Manufacturer' }).locator('option');
    expect(await makers.allInnerTexts()).toContain('Fjelmark office furniture');
    expect(await page.locator('.path').innerText()).toMatch(/Start.*Fjelmark.*LINEA/s);
    // The start page, which is checked below, has the same parts.
    if (IS_LONG) expect(await violations(page)).toEqual([]);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    const tabTo = async (isThere: () => Promise<boolean>) => {
      for (let count = 0; count < 60; count++) {
        if (await isThere()) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('the focus did not arrive');
    };
    await tabTo(async () => (await focused()).startsWith('Desk made to measure'));
    await page.keyboard.press('Enter');
    await price(page).waitFor();
    await modelOf(page);
    const isRadio = () =>
      page.evaluate(() => (document.activeElement as HTMLInputElement).type === 'radio');
    await tabTo(isRadio);
    await page.keyboard.press('ArrowRight');
    await page.getByText('LN-M-K').waitFor();
    expect(await isRadio()).toBe(true);
    await page.keyboard.press('Control+z');
    await page.getByText('LN-M-V').waitFor();
    const redo = page.getByRole('button', { name: 'Redo the change of “Base”' });
    await redo.waitFor();
    await page.keyboard.press('Control+Shift+Z');
    await page.getByText('LN-M-K').waitFor();
    await page.getByRole('button', { name: 'Undo the change of “Base”' }).press('Enter');
    await redo.click();
    await page.getByText('LN-M-K').waitFor();
    const late = await lateFrames(page);
    await page.getByRole('button', { name: 'Catalogue' }).click();
    await page.getByRole('searchbox').fill('LN-S1');
    await late.happen();
    // The focus does not leave where the person has set it.
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2 articles for “LN-S1”' }).waitFor();
    expect(trouble).toEqual([]);
  });

  test.runIf(IS_LONG)(
    'a search begins in the manufacturer of the folder, follows the choice, and leads back',
    async () => {
      const { page, trouble, asked } = await planning.open({ opencatalogue: 'true' });
      await page.getByText('Choose an article, configure it, and see it in 3D at once.').waitFor();
      const maker = page.getByRole('combobox', { name: 'Manufacturer' });
      const chosen = () => maker.locator('option:checked').innerText();
      const searched = () =>
        asked.flatMap((address) => /search\/(\w+)\?.*q=sofa/.exec(address)?.[1] ?? []);
      await maker.waitFor();
      expect(await chosen()).toBe('All manufacturers');
      await page.getByRole('button', { name: 'Aulinde home furniture' }).click();
      // A tile that leads nowhere is no button.
      await page.getByText('About Aulinde home furniture').waitFor();
      expect(await page.getByRole('button', { name: 'About' }).count()).toBe(0);
      await page.getByRole('button', { name: 'SALUN' }).click();
      await page.getByRole('heading', { name: 'SALUN' }).waitFor();
      expect(await chosen()).toBe('Aulinde home furniture');
      await page.getByRole('searchbox', { name: 'Search in Aulinde home furniture' }).fill('sofa');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^[1-9]\d* articles for “sofa”/ }).waitFor();
      expect(searched()).toEqual(['AULI']);

      await maker.focus();
      await maker.selectOption('Brenkhoff seating');
      await page.getByText('Nothing was found.').waitFor();
      expect(searched()).toEqual(['AULI', 'BRNK']);
      // Who chooses goes on choosing.
      expect(await maker.evaluate((element) => element === document.activeElement)).toBe(true);
      await maker.selectOption('All manufacturers');
      await page.getByRole('heading', { name: /^[1-9]\d* articles for “sofa”/ }).waitFor();
      expect(searched().slice(2).sort()).toEqual(['AULI', 'BRNK', 'FJEL']);
      expect(await chosen()).toBe('All manufacturers');
      await page.goBack();
      await page.getByText('Nothing was found.').waitFor();
      expect(await chosen()).toBe('Brenkhoff seating');
      await page.reload();
      await page.getByText('Nothing was found.').waitFor();
      await page.getByRole('button', { name: 'End the search' }).click();
      await page.getByRole('heading', { name: 'SALUN' }).waitFor();
      expect(await chosen()).toBe('Aulinde home furniture');
      expect(trouble).toEqual([]);
    },
  );

  test('the hybrid mode shows both beside each other where there is room; its start page has the three modes, and a choice keeps article and language, and is in the address', async () => {
    const viewport = { width: 1440, height: 900 };
    const { page, trouble } = await boxes.open({}, { viewport, prepare: withoutGraphics });
    // The start page has the whole width, and pictures of what each manufacturer has.
    await page.getByRole('heading', { name: 'What would you like to furnish?' }).waitFor();
    const desks = page.locator('.maker', { hasText: 'Fjelmark office furniture' });
    await desks.getByRole('button', { name: 'LINEA desks' }).locator('img').waitFor();
    expect(await page.locator('.plan').isVisible()).toBe(false);
    // Later it has the same parts, and an article to go back to.
    if (IS_LONG) expect(await violations(page)).toEqual([]);
    // On a phone, two beside each other.
    await page.setViewportSize({ width: 390, height: 844 });
    const [first, second] = await desks.locator('.node').all();
    const right = (await second!.boundingBox())!;
    expect(right.y).toBe((await first!.boundingBox())!.y);
    await page.setViewportSize(viewport);
    await page.getByRole('searchbox').fill('LN-M');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('button', { name: 'Desk made to measure LN-M' }).click();
    await heading(page).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('button', { name: 'Fjelmark office furniture' }).click();
    await page.getByRole('button', { name: 'LINEA' }).waitFor();
    expect(await heading(page).isVisible()).toBe(true);
    await page.setViewportSize({ width: 700, height: 900 });
    await expect.poll(() => page.locator('.catalogue').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Catalogue' }).click();
    await expect.poll(() => page.locator('.catalogue').isVisible()).toBe(true);

    await page.setViewportSize(viewport);
    await page.getByRole('button', { name: 'Start' }).click();
    const mode = (name: RegExp) => page.getByRole('radio', { name });
    const parameters = () => new URL(page.url()).searchParams;
    expect(await mode(/^Side by side Catalogue and article/).isChecked()).toBe(true);
    await mode(/^Side by side/).press('ArrowLeft');
    await page.getByRole('heading', { name: 'What would you like to furnish?' }).waitFor();
    expect(parameters().get('opencatalogue')).toBe('true');
    // The focus stays at the choice, which goes on by keys.
    const catalogue = mode(/^Catalogue/);
    expect(await catalogue.evaluate((one: HTMLInputElement) => one.matches(':focus:checked'))).toBe(
      true,
    );
    await catalogue.press('ArrowLeft');
    expect(await mode(/^One article/).isChecked()).toBe(true);
    expect(parameters().get('disablecatalogue')).toBe('true');
    expect(parameters().has('opencatalogue')).toBe(false);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back to the article' }).click();
    await expect.poll(() => page.locator('.switch, .browse:visible').count()).toBe(0);
    if (IS_LONG) await page.reload();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await expect.poll(() => heading(page).innerText()).toBe('Schreibtisch nach Maß');
    expect(await page.locator('.switch').count()).toBe(0);
    await page.getByRole('button', { name: 'Anderen Artikel wählen' }).click();
    await expect.poll(() => mode(/^Nur ein Artikel/).isChecked()).toBe(true);
    await page.locator('.maker .node').first().click();
    await page.locator('.article').first().click();
    await expect.poll(() => page.locator('.switch').count()).toBe(0);
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(trouble).toEqual([]);
  });

  test.runIf(IS_LONG)(
    'a device with Quick Look gets a link to the USDZ file of the configuration',
    async () => {
      const { page, trouble } = await planning.open(
        { ...DESK, ...CONFIGURATOR },
        {
          viewport: { width: 390, height: 844 },
          prepare: (page) =>
            page.addInitScript(() => {
              const { supports } = DOMTokenList.prototype;
              DOMTokenList.prototype.supports = function (token) {
                return token === 'ar' || supports.call(this, token);
              };
            }),
        },
      );
      await modelOf(page);
      const prepare = page.getByRole('button', { name: 'Prepare the view in your room' });
      const link = page.getByRole('link', { name: 'View in your room' });
      const materials = async () => {
        const url = await link.evaluate(async (one: HTMLAnchorElement) => {
          const reader = new FileReader();
          const read = new Promise((done) => reader.addEventListener('load', done));
          reader.readAsDataURL(await (await fetch(one.href)).blob());
          await read;
          return reader.result as string;
        });
        const [type, base64] = url.split(',') as [string, string];
        expect(type).toBe('data:model/vnd.usdz+zip;base64');
        const { problems, meshes } = judgeUsdz(Buffer.from(base64, 'base64'));
        expect(problems).toEqual([]);
        return meshes.map(({ material }) => material?.path).join(' ');
      };
      // Nobody has to look for it below all properties.
      const [button, properties] = [prepare, page.locator('#properties')].map((one) =>
        one.boundingBox(),
      );
      expect((await button)!.y).toBeLessThan((await properties)!.y);
      await prepare.click();
      await link.waitFor();
      // What Safari asks of such a link: an image first, and no other element.
      expect(
        await link.evaluate(({ rel, download, children }: HTMLAnchorElement) => [
          ...[rel, download, document.activeElement?.className],
          ...Array.from(children, ({ tagName }) => tagName),
        ]),
      ).toEqual(['ar', expect.stringMatching(/^FJEL_LN-M.*\.usdz$/), 'primary ar', 'IMG']);
      const old = await link.getAttribute('href');
      expect(await materials()).toMatch(/EICHE/);
      expect(await violations(page)).toEqual([]);

      await choose(page, 'Finish', 'Walnut veneer');
      await page.getByText('LN-M-V.NB').waitFor();
      expect(await link.count()).toBe(0);
      await expect.poll(() => prepare.isEnabled()).toBe(true);
      await prepare.click();
      await link.waitFor();
      expect(await link.getAttribute('href')).not.toBe(old);
      expect(await materials()).toMatch(/NUSSBAUM/);
      expect(trouble).toEqual([]);
    },
  );

  test('a planning lists its articles, is changed as a whole, and outlives a reload and "back"', async () => {
    const parameters = { ...WORKPLACE, opencatalogue: 'true', parentnode: LINEA };
    const options = { prepare: withoutDrawing };
    const { page, trouble, asked } = await boxes.open(parameters, options);
    await page.getByRole('button', { name: 'Back to the article' }).click();
    const parts = page.getByRole('heading', { name: 'Consists of 4 articles' });
    await parts.waitFor();

    // The keyboard reaches the tools before the model and its parts, and a reset what is moved.
    const reset = page.getByRole('button', { name: 'Move parts back' });
    await page.getByRole('button', { name: 'Dimensions' }).focus();
    await expect.poll(() => reset.count()).toBe(0);
    const drawer = page.getByRole('slider', { name: 'SCHUB 1' });
    await drawer.waitFor();
    for (let i = 0; i < 2; i++) await page.keyboard.press('Tab');
    await expect.poll(() => drawer.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.press('End');
    await reset.press('Enter');
    await expect.poll(() => drawer.getAttribute('aria-valuenow')).toBe('0');
    await expect.poll(() => reset.count()).toBe(0);
    await expect
      .poll(() => page.getByRole('button', { name: 'Zoom in' }).evaluate(isFocused))
      .toBe(true);
    await withoutGraphics(page);

    const posted = page.waitForRequest((request) => request.method() === 'POST');
    const part = page.locator('.parts li').nth(1);
    await part.getByText('Properties of this article').click();
    const before = await heading(page).innerText();
    const numbers = () => page.locator('.part .quiet').allInnerTexts();
    const first = await numbers();
    await part.getByRole('radio', { checked: false }).first().check();
    const body = JSON.parse((await posted).postData()!);
    expect(body.id).not.toBe(body.rootid);
    expect(body.jsondata.id).toBe(body.rootid);
    expect(body.jsondata.children).toHaveLength(4);
    await expect.poll(() => page.locator('.head .working').innerText()).toBe('');
    expect(await heading(page).innerText()).toBe(before);
    expect(await page.locator('.failure').count()).toBe(0);
    const changed = await numbers();
    expect(changed).not.toEqual(first);

    const articles = () => asked.filter((address) => address.includes('/articles?')).length;
    const requests = articles();
    await page.reload();
    await parts.waitFor();
    expect(await numbers()).toEqual(changed);
    // The service answered it before.
    expect(articles()).toBe(requests);
    await page.getByRole('button', { name: 'Catalogue' }).click();
    await page.getByRole('button', { name: 'Desk made to measure LN-M' }).click();
    await page.getByText('LN-M-V.EI').waitFor();
    await page.goBack();
    await expect.poll(() => page.getByRole('heading', { name: 'LINEA' }).isVisible()).toBe(true);
    await page.goBack();
    await parts.waitFor();
    expect(await numbers()).toEqual(changed);
    expect(page.url()).not.toContain('token');
    expect(trouble).toEqual([]);
  });

  test.each(IS_LONG ? (['light', 'dark'] as const) : (['light'] as const))(
    'a phone shows all of it, %s, without a sideways scroll, links to the room of a server of assets, and takes nothing while a field is wrong',
    async (colorScheme) => {
      const viewport = { width: 390, height: 844 };
      const parameters = { ...DESK, urlwarenkorb: 'http://127.0.0.1:9/cart' };
      const options = { viewport, colorScheme, hasTouch: true, prepare: withoutDrawing };
      const { page, trouble } = await boxes.open(parameters, options);
      await modelOf(page);
      const link = page.getByRole('link', { name: 'View in your room' });
      const { origin, pathname, searchParams } = new URL((await link.getAttribute('href'))!);
      expect(`${origin}${pathname}`).toBe('https://assets.example/ar/FJEL/LINEA/LN-M');
      expect(searchParams.get('finalarticlenumber')).toMatch(/^LN-M-V\.EI/);
      expect(searchParams.get('reinitstring')).toContain('LN-M');
      expect(await smallTargets(page)).toEqual([]);
      const pageWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
      // Tools and size have a place of their own, which covers nothing of the model.
      for (const phone of [360, 390]) {
        await page.setViewportSize({ ...viewport, width: phone });
        expect(await pageWidth()).toBe(phone);
        const drawn = (await page.locator('.stage canvas').boundingBox())!;
        for (const other of await page.locator('.bar :is(button, .facts)').all()) {
          const { x, y, width: wide } = (await other.boundingBox())!;
          expect(y).toBeGreaterThanOrEqual(drawn.y + drawn.height);
          expect(x + wide).toBeLessThanOrEqual(phone);
        }
      }
      // Later it has all of this, and more.
      if (IS_LONG) expect(await violations(page)).toEqual([]);

      await page.getByText('Download', { exact: true }).click();
      const width = page.getByRole('textbox', { name: /^Width/ });
      const taken = ['Add to cart', 'Permanent link', '3D model (GLB)', 'Picture (PNG)'].map(
        (name) => page.getByRole('button', { name }),
      );
      const enabled = () => Promise.all(taken.map((button) => button.isEnabled()));
      const [all, none] = [taken.map(() => true), taken.map(() => false)];
      expect(await enabled()).toEqual(all);
      await width.fill('99999');
      // As a finger does: it leaves the field, and is on the button already.
      await taken[0]!.click();
      await page.getByText('This value is not possible. The largest is').waitFor();
      expect(await enabled()).toEqual(none);
      expect(await page.locator('.cart-result').count()).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.locator('.cart').getByRole('button', { name: 'Width in mm' }).click();
      await expect.poll(() => width.evaluate(isFocused)).toBe(true);
      await page.getByRole('button', { name: 'Keep 1600' }).click();
      await expect.poll(() => width.inputValue()).toBe('1600');
      expect(await enabled()).toEqual(all);

      await width.fill('1');
      await width.press('Enter');
      expect(await enabled()).toEqual(none);
      // What is wrong with it is not behind the cart.
      const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
      await expect
        .poll(async () => {
          const { y, height } = await boxOf('.problem:not(:empty)');
          return (await boxOf('.cart')).y - y - height;
        })
        .toBeGreaterThanOrEqual(0);
      await width.fill('1700');
      await width.press('Enter');
      await page.getByText('.SW.1700').waitFor();
      await expect.poll(enabled).toEqual(all);
      // The price is beside the button, too, where the one above is out of sight.
      expect(await page.locator('.sum').innerText()).toBe(await price(page).innerText());
      await page.getByRole('button', { name: 'Catalogue' }).click();
      expect(await pageWidth()).toBe(390);
      expect(await smallTargets(page)).toEqual([]);
      expect(trouble).toEqual([]);
    },
  );
});
