/// <reference lib="dom" />
/** What the planning page keeps while a person goes on: choices, focus, language. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import { closePages, openPage } from '../helpers/browser.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import {
  choose,
  DESK,
  hold,
  modelOf,
  type PlanningServer,
  startPlanning,
  violations,
  WORKPLACE,
  withoutGraphics,
} from '../helpers/planning-page.ts';
import { OF_BOXES } from '../helpers/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';

const CONFIGURATOR = { disablecatalogue: 'true' };
const LINEA = 'FJEL;:@1;:LINEA@1';
const WIDE = { viewport: { width: 1440, height: 900 } };

// biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
type Wire = any;

describe.runIf(HAS_BROWSER)('the planning page', () => {
  let planning: PlanningServer;
  const others: PlanningServer[] = [];

  beforeAll(async () => {
    planning = await startPlanning(() => OF_BOXES);
  });
  afterEach(async () => {
    await closePages();
    for (const other of others.splice(0)) await other.close();
  });
  afterAll(() => planning?.close());

  async function start(change: (range: EmulatedRange) => Partial<EmulatedRange>) {
    const other = await startPlanning(change);
    others.push(other);
    return other;
  }
  const number = (page: Page) => page.locator('.number-line').innerText();
  const field = (page: Page, name: RegExp) => page.getByRole('textbox', { name });
  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement!.id || document.activeElement!.tagName);

  test('keeps token and focus: first loading cancelled, properties skipped to, change cancelled', async () => {
    const page = await openPage();
    await withoutGraphics(page);
    const held = await hold(page, /\/articles\?/);
    await page.goto(planning.address({ ...DESK, ...CONFIGURATOR }));
    await (await late(page, 'Cancel')).click();
    await page.getByText('The article was not loaded.').waitFor();
    await held.release();
    await page.getByRole('button', { name: 'Load it' }).click();
    await page.locator('.price').waitFor();

    await page.getByRole('button', { name: 'Skip to the properties' }).press('Enter');
    expect(await focused(page)).toBe('properties');
    await page.reload();
    await page.locator('.price').waitFor();
    const image = page.getByRole('group', { name: 'Finish' }).locator('.swatch img').first();
    await expect
      .poll(() => image.evaluate((image) => (image as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0);

    const change = await hold(page, /\/articles\?/);
    await page.getByRole('radio', { name: 'Walnut veneer' }).press('Space');
    await (await late(page, 'Cancel')).press('Enter');
    expect(await focused(page)).toBe('H1');
    await change.release();
    expect(await page.getByRole('radio', { name: 'Oak veneer' }).isChecked()).toBe(true);
  });

  test('speaks German, in numbers too, masks tokens, and fixes an article that is being replaced', async () => {
    let token = '';
    const masked = await start((range) => ({
      ...OF_BOXES,
      article: (query) => withText(range.article(query), (text) => `${text} ${token}`),
    }));
    token = masked.emulator.issueToken();
    const parameters = { ...DESK, token, lang: 'de', parentnode: LINEA };
    const { page } = await masked.open(parameters, { ...WIDE, prepare: withoutGraphics });
    await page.locator('.price').waitFor();
    expect(await page.title()).toContain('Schreibtisch nach Maß ***');
    expect(await page.locator('h1').innerText()).not.toContain(token);
    await page.locator('.node img').first().waitFor();
    const width = field(page, /^Breite in mm/);
    await width.fill('1.800');
    await width.press('Enter');
    await page.getByText('LN-M-V.EI.D.SW.1800').waitFor();

    // A list that comes late takes no focus from a field.
    const nodes = await hold(page, /\/getnodes\?/);
    await page.locator('.path button').first().click();
    await width.fill('17');
    await nodes.release();
    await page.getByRole('button', { name: 'Fjelmark' }).waitFor();
    expect(await width.inputValue()).toBe('17');
    expect(await width.evaluate((input) => input === document.activeElement)).toBe(true);
    await width.fill('1800');

    await page.goBack();
    const articles = await hold(page, /\/articles\?/);
    await page.getByRole('button', { name: '1600 × 800' }).first().click();
    await expect.poll(() => width.isDisabled()).toBe(true);
    await expect.poll(() => page.getByRole('radio', { name: 'Nussbaum' }).isDisabled()).toBe(true);
    await (await late(page, 'Abbrechen')).click();
    await articles.release();
    expect(await width.isEnabled()).toBe(true);
    expect(await number(page)).toContain('1800');
  });

  test('says that a language is not there, and keeps what is planned in another one', async () => {
    const french = { ...DESK, ...CONFIGURATOR, lang: 'fr' };
    const { page, trouble } = await planning.open(french, { prepare: withoutGraphics });
    const note = page.getByText('This page is not available in “French”, so it is in English.');
    await note.waitFor();
    await choose(page, 'Finish', 'Walnut veneer');
    await page.getByText('LN-M-V.NB').waitFor();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await expect.poll(() => page.locator('h1').innerText()).toBe('Schreibtisch nach Maß');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await number(page)).toContain('LN-M-V.NB');
    expect(await page.locator('.price').innerText()).toMatch(/,\d\d\s€$/);
    expect(await page.getByRole('status').filter({ hasText: 'French' }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('token')).toBeNull();
    // A planning that is loaded again is in planning-page.test.ts, too.
    if (IS_LONG) await page.reload();
    await expect.poll(() => number(page)).toContain('LN-M-V.NB');
    expect(trouble).toEqual([]);
  });

  test.runIf(IS_LONG)(
    'says in German what a model lacks, and what the service answered',
    async () => {
      let isFirst = true;
      const lacking = await start((range) => ({
        block: async (name) => {
          if (!isFirst) return range.block(name);
          isFirst = false;
          return undefined;
        },
      }));
      const german = { ...CONFIGURATOR, lang: 'de' };
      const { page } = await lacking.open({ ...DESK, ...german });
      await modelOf(page);
      await page.getByText('An diesem Modell fehlen Teile oder Bilder.').click();
      const warnings = await page.locator('.warnings li').allInnerTexts();
      expect(warnings).toEqual([
        'Ein grauer Kasten steht, wo ein Teil fehlt.',
        expect.stringMatching(/^Der Dienst hat ein Teil nicht: \S+::\S+$/),
      ]);
      await page.route(/\/articles\?/, (route) => route.fulfill({ status: 500, body: '' }));
      await page.getByRole('radio', { name: 'Nussbaum' }).click();
      await page.getByText('Die Änderung ließ sich nicht ausführen.').waitFor();
      expect(await page.locator('.said').innerText()).toBe('Status 500');

      const unknown = await lacking.open({ permanentid: 'GONE', ...german });
      await unknown.page.getByText('ist keine Planung bekannt').waitFor();
      expect(await unknown.page.locator('main').innerText()).not.toContain('Katalog');
    },
  );

  test.runIf(IS_LONG)('opens a configuration, in the second language of the address', async () => {
    const asked: string[] = [];
    const page = await openPage();
    page.on('response', async (response) => {
      if (!response.url().includes('/articles?')) return;
      const { ocd }: Wire = await response.json();
      asked.push(ocd.reinitstring);
    });
    const french = { ...DESK, ...CONFIGURATOR, lang: 'fr', langalt: 'de' };
    await page.goto(planning.address(french));
    await expect.poll(() => page.locator('h1').innerText()).toBe('Schreibtisch nach Maß');
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByRole('radio', { name: 'Nussbaum' }).click();
    await page.getByText('LN-M-V.NB').waitFor();
    const opened = await planning.open({ ...french, ocdreinit: asked.at(-1)! });
    await opened.page.getByText('LN-M-V.NB').waitFor();
    expect(opened.trouble).toEqual([]);
  });

  test.runIf(IS_LONG)('restores a planning with its articles, in another language', async () => {
    const { page } = await planning.open({ ...WORKPLACE, ...CONFIGURATOR });
    await choose(page, 'Lamp', 'none');
    await page.getByRole('heading', { name: 'Consists of 3 articles' }).waitFor();
    const part = page.locator('.parts li').nth(1);
    await part.getByText('Properties of this article').click();
    await part.getByRole('radio', { name: 'Walnut veneer' }).check();
    await expect.poll(() => page.locator('.head .working').innerText()).toBe('');
    const numbers = (page: Page) => page.locator('.part .quiet').allInnerTexts();
    const stored = await numbers(page);
    await page.getByRole('button', { name: 'Permanent link' }).click();
    const link = new URL(await page.getByLabel('Permanent link').inputValue());
    const permanentid = link.searchParams.get('permanentid')!;
    const german = { permanentid, ...CONFIGURATOR, lang: 'de' };
    const restored = await planning.open(german);
    await restored.page.getByRole('heading', { name: 'Besteht aus 3 Artikeln' }).waitFor();
    expect(await restored.page.locator('h1').innerText()).not.toBe(
      await page.locator('h1').innerText(),
    );
    expect(await numbers(restored.page)).toEqual(stored);
    expect(await violations(restored.page)).toEqual([]);
    expect(restored.trouble).toEqual([]);
  });

  const looks: [string, Record<string, string>, BrowserContextOptions][] = [
    ['a dark German configurator', { ...DESK, ...CONFIGURATOR, lang: 'de' }, dark(1280, 800)],
    ['a dark catalogue', { opencatalogue: 'true', parentnode: LINEA }, dark(1280, 800)],
    ['a planning on a tablet', WORKPLACE, { viewport: { width: 820, height: 1180 } }],
    ['a dark planning on a tablet', { ...WORKPLACE, lang: 'de' }, dark(1180, 820)],
    ['4K', { ...DESK, parentnode: LINEA }, { viewport: { width: 3840, height: 2160 } }],
    ['4K in the dark', { ...DESK, parentnode: LINEA }, dark(3840, 2160)],
    ['a page without motion', DESK, { ...WIDE, reducedMotion: 'reduce' }],
    ['a dark page that cannot be opened', { token: '' }, dark(390, 844)],
  ];
  test.each(IS_LONG ? looks : [])('%s has no violation', async (_, parameters, options) => {
    const cart = { urlwarenkorb: 'http://127.0.0.1:9/cart' };
    const { page } = await planning.open({ ...parameters, ...cart }, options);
    if ('basearticlenumber' in parameters) {
      await modelOf(page);
      await page.getByRole('button', { name: /^(Dauerhafter Link|Permanent link)$/ }).click();
      await page.getByText(/^(Dauerhafte Kennung|Permanent identifier)/).waitFor();
      await page.getByRole('button', { name: /^(Maße|Dimensions)$/ }).click();
    } else await page.locator('.node, .problems').first().waitFor();
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    expect(await violations(page)).toEqual([]);
    const { width } = options.viewport!;
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    // All that moves: nothing, where a person has asked for that.
    const moving = await page.evaluate(() => document.getAnimations().length);
    if (options.reducedMotion === 'reduce') expect(moving).toBe(0);
  });
});

function dark(width: number, height: number): BrowserContextOptions {
  return { viewport: { width, height }, colorScheme: 'dark' };
}

/** A button that appears when something takes long: the time has passed. */
async function late(page: Page, name: string) {
  const button = page.locator('.panel .late', { hasText: name });
  await button.waitFor({ state: 'attached' });
  await button.evaluate((element) => {
    for (const animation of element.getAnimations()) animation.finish();
  });
  return button;
}

function withText(article: Wire, change: (text: string) => string): Wire {
  if (article !== undefined) article.ocd.shorttext = change(article.ocd.shorttext);
  return article;
}
