/// <reference lib="dom" />
/** What the planning page says when something is wrong, and how a person goes on. */
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, describe, expect, test } from 'vitest';
import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
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
import { HOSTILE } from '../helpers/reports.ts';
import { OF_BOXES } from '../helpers/sample-range.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { closedGate } from '../helpers/until.ts';

const CONFIGURATOR = { ...DESK, disablecatalogue: 'true' };
const PARTS_LISTS = /\/odb\/btg\?/;
const STUDIO = /\/studio\.bin$/;
/** A part of the desk. */
const MISSING = 'FJEL::BASIS::GLEITER_40';
const NO_VIEW = /cannot show the 3D view/;
const withoutLight = (page: Page) => page.route(STUDIO, (route) => route.abort());

describe.runIf(HAS_BROWSER)('the planning page', () => {
  const started: PlanningServer[] = [];

  afterEach(async () => {
    await closePages();
    for (const planning of started.splice(0)) await planning.close();
  });

  async function start(change: (range: EmulatedRange) => Partial<EmulatedRange> = () => OF_BOXES) {
    const planning = await startPlanning(change);
    started.push(planning);
    return planning;
  }

  // The unit test of the parameters has all of them.
  test('says what is wrong with its address, and asks for nothing; to a person with a permanent link alone it says who can open it', async () => {
    const modes = { opencatalogue: 'true', disablecatalogue: 'true' };
    const wrong = { token: '', ...modes, urlwarenkorb: 'javascript:alert(1)' };
    const planning = await start();
    const { page, trouble, asked } = await planning.open(wrong);
    await page.getByRole('heading', { name: 'This page cannot be opened like this' }).waitFor();
    const said = await page.locator('main').innerText();
    for (const sentence of [/token is missing/, /received both/, /http:\/\//])
      expect(said).toMatch(sentence);
    expect(asked.filter((address) => address.includes('/api/'))).toEqual([]);
    await page.goto(planning.address({ token: '', permanentid: 'A-1' }));
    await page.getByRole('heading', { name: 'Please open this from the shop' }).waitFor();
    expect(await page.locator('code').innerText()).toBe('A-1');
    expect(await page.locator('main').innerText()).toMatch(/send them this identifier/);
    expect(trouble).toEqual([]);
  });

  test('says what it cannot open, and of a token that was never accepted not that it has expired', async () => {
    const planning = await start();
    const gone = { permanentid: 'GONE' };
    const { page } = await planning.open(gone, { prepare: withoutGraphics });
    for (const [parameters, sentence] of [
      [gone, /^“GONE” could not be loaded. No planning is known under/],
      [{ ...DESK, basearticlenumber: 'NONE' }, /^“FJEL LINEA NONE” .* has no such article/],
    ] as const) {
      await page.setViewportSize({ width: 1280, height: 800 });
      if (parameters !== gone) await page.goto(planning.address(parameters));
      const failure = page.locator('.panel .failure');
      expect(await failure.innerText()).toMatch(sentence);
      expect(await failure.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
      const without = failure.getByRole('button', { name: 'Do without this article' });
      expect(await without.isVisible()).toBe(true);
      // On a phone no empty view is above the sentence.
      expect(await page.locator('.stage').isVisible()).toBe(true);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.locator('.stage').isVisible()).toBe(false);
    }
    await page.goto(planning.address({ ...CONFIGURATOR, token: 'nonsense' }));
    const notice = page.locator('.token');
    expect(await notice.innerText()).toMatch(/^This session is not valid: the service does not/);
    expect(await notice.innerText()).not.toMatch(/expired|still here/);
    // It says so once, and offers nothing that cannot help.
    const failure = notice.page().locator('.failure:not(.token)').first();
    await failure.waitFor();
    expect(await failure.innerText()).toMatch(/could not be loaded\.\s*(?:Close)?$/);
    expect(await failure.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('says what went wrong where the answer comes before the page is drawn', async () => {
    const planning = await start();
    const parameters = { ...CONFIGURATOR, token: 'nonsense' };
    const { page } = await planning.open(parameters, { prepare: withInstantAnswers });
    await page.locator('.token').waitFor();
  });

  test('shows progress, what is missing and which files are of another configuration, and a person can cancel', async () => {
    const gate = closedGate();
    const planning = await start((range) => ({
      block: async (name) => {
        await gate.opened;
        return name === MISSING ? undefined : range.block(name);
      },
      material: async () => undefined,
    }));
    const { page } = await planning.open(CONFIGURATOR, { prepare: withoutGraphics });
    await page.getByText(/Loading parts and images: \d+ of \d+/).waitFor();
    expect(await page.locator('h1').innerText()).toBe('Desk made to measure');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The 3D model was not loaded to its end.').waitFor();
    gate.open();
    await page.getByRole('button', { name: 'Load it' }).click();
    await modelOf(page);
    await page.getByText('Parts or images of this model are missing.').click();
    const notes = await page.locator('.warnings').innerText();
    expect(notes).toMatch(/A grey box marks the place of each missing part\./);
    expect(notes).toContain(MISSING);
    expect(notes).toMatch(/image of a material: .*pic/);
    expect(await page.locator('.stage .failure').count()).toBe(0);

    await page.getByText('Download', { exact: true }).click();
    const glb = page.getByRole('button', { name: '3D model (GLB)' });
    expect(await glb.isEnabled()).toBe(true);
    const partsList = await hold(page, PARTS_LISTS);
    const width = page.getByRole('textbox', { name: /^Width in mm/ });
    await width.fill('1800');
    await width.press('Enter');
    await page.getByText('LN-M-V.EI.D.SW.1800').waitFor();
    expect(await glb.isEnabled()).toBe(false);
    await page.getByText('Available when the 3D view shows this configuration.').waitFor();
    await page.locator('.stage').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The 3D view still shows what was chosen before.').waitFor();
    expect(await page.locator('.facts').count()).toBe(0);
    await partsList.release();
  });

  test('does not say that a model is shown when there is none any more', async () => {
    // The view waits for its light.
    const prepare = (page: Page) => page.route(STUDIO, () => undefined);
    const { page } = await (await start()).open(CONFIGURATOR, { prepare });
    await page.getByText('Showing the 3D model …').waitFor();
    await page.route(PARTS_LISTS, (route) => route.fulfill({ status: 500, body: '' }));
    await choose(page, 'Finish', 'Walnut veneer');
    await page.locator('.stage .failure').waitFor();
    expect(await page.getByText('Showing the 3D model …').count()).toBe(0);

    await page.route(/\/articles\?/, (route) => route.fulfill({ status: 500, body: '' }));
    await page.getByRole('radio', { name: 'Beech veneer' }).click();
    await page.getByRole('button', { name: 'Do without the change of “Finish”' }).click();
    expect(await page.getByRole('radio', { name: 'Walnut veneer' }).isChecked()).toBe(true);
  });

  test.runIf(IS_LONG)(
    'a model is shown by a second attempt where the light of the view did not come',
    async () => {
      const { page } = await (await start()).open(CONFIGURATOR, { prepare: withoutLight });
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

  test.runIf(IS_LONG)(
    'a model is shown with the next choice where the light did not come',
    async () => {
      const { page } = await (await start()).open(CONFIGURATOR, { prepare: withoutLight });
      await page.getByText(NO_VIEW).waitFor();
      await page.unroute(STUDIO);
      await choose(page, 'Finish', 'Walnut veneer');
      await page.getByText('LN-M-V.NB').waitFor();
      await modelOf(page);
      await page.getByText(NO_VIEW).waitFor({ state: 'detached' });
    },
  );

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
      const { page } = await other.open(CONFIGURATOR, { colorScheme: 'dark' });
      const finish = page.getByRole('group', { name: 'Finish' });
      await finish.locator('img').first().waitFor();
      const swatches = finish.locator('.swatch');
      expect(await swatches.count()).toBe(pictured);
      const colourOf = (one: Element) => getComputedStyle(one).backgroundColor;
      expect(await swatches.first().evaluate(colourOf)).toBe('rgba(0, 0, 0, 0)');
    },
  );

  test('texts are texts; properties may be fixed, out of sight, long or open; a refused value is undone', async () => {
    const planning = await start((range) => ({
      article: (query) => unusual(range.article(query)),
      // No answer to a change has them.
      configure: (query, change) => range.configure?.(query, change),
      nodes: (parentnode, view) =>
        range.nodes(parentnode, view)?.map((node, index) => ({
          ...node,
          text: HOSTILE[index % HOSTILE.length],
        })),
      partsList: () => undefined,
    }));
    const { page, trouble } = await planning.open(DESK, { prepare: withoutGraphics });
    await page.getByText('There is no 3D model of this article.').waitFor();
    expect(await page.locator('h1').innerText()).toBe(HOSTILE[0]);
    expect(await page.locator('.messages').innerText()).toContain('onerror');
    await page.locator('.node').first().waitFor();
    expect(await page.locator('main script, main [onerror], main [onload]').count()).toBe(0);

    const finish = page.getByRole('combobox', { name: /^Finish/ });
    expect(await finish.locator('option').count()).toBe(66);
    expect(await page.getByRole('textbox', { name: 'Another value for Finish' }).count()).toBe(1);
    expect(await page.locator('[data-place$="KANTE"] fieldset:disabled').count()).toBe(1);
    expect(await page.locator('fieldset:disabled').count()).toBe(1);
    const shown = await page
      .locator('[data-place]')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.place!.split('\n')[3]));
    expect(shown).not.toContain('GESTELL');
    // The parts list that is not there.
    expect(trouble.filter((text) => !text.includes('404'))).toEqual([]);

    await finish.selectOption('Unobtainium');
    await page.getByText('The service does not accept this value.').waitFor();
    expect(await finish.inputValue()).toBe('EI');
    await finish.selectOption('Walnut veneer');
    await page.getByText('LN-M-V.NB').waitFor();
    expect(await page.locator('.panel .failure').count()).toBe(0);
  });
});

/** The service answers within the task that asks it. */
async function withInstantAnswers(page: Page): Promise<void> {
  await withoutGraphics(page);
  await page.addInitScript(() => {
    globalThis.fetch = async (address) => {
      const request = new XMLHttpRequest();
      request.open('GET', String(address), false);
      request.send();
      return new Response(request.responseText, { status: request.status });
    };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: JSON as it is on the wire
type Wire = any;

function unusual(article: Wire): Wire {
  const { ocd } = article;
  ocd.shorttext = HOSTILE[0];
  ocd.longtext = HOSTILE.join('\n');
  ocd.usermessages = HOSTILE;
  const [, { properties }] = ocd.propclasses;
  const [finish, edge, frame] = properties;
  ocd.propclasses.forEach((group: Wire, index: number) => {
    group.text = HOSTILE[index % HOSTILE.length];
    for (const property of group.properties.filter((one: Wire) => one !== finish)) {
      property.text = HOSTILE[index % HOSTILE.length];
      property.propertyvalues.forEach((value: Wire, i: number) => {
        value.text = HOSTILE[i % HOSTILE.length];
        value.previewimage = HOSTILE[(i + 2) % HOSTILE.length];
      });
    }
  });
  const [first] = finish.propertyvalues;
  for (let count = 0; count < 60; count++)
    finish.propertyvalues.push({ ...first, valuefrom: `X${count}`, text: `Finish ${count}` });
  finish.propertyvalues.push({ ...first, valuefrom: 'ZZ', text: 'Unobtainium' });
  finish.addvalues = true;
  edge.enabled = false;
  frame.visible = false;
  return article;
}
