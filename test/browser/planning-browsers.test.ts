/** The layout of the planning page in Firefox and WebKit, as far as they differ from the browser of the other tests. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInOtherBrowsers, type OtherBrowser, tabTo } from '../helpers/other-browsers.ts';
import { DESK, type PlanningServer, startPlanning } from '../helpers/planning-page.ts';
import { until } from '../helpers/until.ts';

const CART = { urlwarenkorb: 'http://127.0.0.1:9/cart' };
const LINEA = 'FJEL;:@1;:LINEA@1';
const WIDTHS = [390, 820, 1440, 2560];

/** What is wrong with the open page: serious violations that axe-core finds, and what scrolls sideways. */
async function findings(browser: OtherBrowser): Promise<string[]> {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  if (await browser.evaluate('typeof axe === "undefined"'))
    await browser.evaluate(`(() => { ${await readFile(axe, 'utf8')} })()`);
  // Colours are compared when they have changed.
  await browser.evaluate('document.getAnimations().map((animation) => animation.finish())');
  return browser.evaluate<string[]>(`axe.run().then(({ violations }) => [
    ...violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes[0].html),
    ...['html', '.panel', '.browse']
      .filter((name) => {
        const part = document.querySelector(name);
        return part !== null && part.scrollWidth > part.clientWidth;
      })
      .map((name) => name + ' scrolls sideways'),
  ])`);
}

describeInOtherBrowsers('the planning page', (start) => {
  let browser: OtherBrowser;
  let planning: PlanningServer;
  beforeAll(async () => {
    planning = await startPlanning();
    browser = await start();
  });
  afterAll(async () => {
    await browser?.end();
    await planning?.close();
  });

  test('nothing scrolls sideways beside the cart', async () => {
    await browser.open(planning.address({ ...DESK, ...CART, disablecatalogue: 'true' }));
    await until(() => browser.evaluate("document.querySelector('.cart') !== null"));
    const overflow = `['.panel', 'html'].map((name) => document.querySelector(name))
      .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`;
    expect(await browser.evaluate(overflow)).toEqual([0, 0]);
  });

  test('start page, folder and article fit in each window, light and dark, without violation or error', async () => {
    const found: string[] = [];
    const look = async (place: string) => {
      for (const width of WIDTHS) {
        await browser.resize(width, 900);
        for (const scheme of ['light', 'dark']) {
          await browser.evaluate(`(document.documentElement.style.colorScheme = '${scheme}')`);
          for (const one of await findings(browser))
            found.push(`${place}, ${width} px, ${scheme}: ${one}`);
        }
      }
    };
    const press = (selector: string) =>
      browser.evaluate(`document.querySelector('${selector}').click()`);
    const isThere = (selector: string) =>
      until(() => browser.evaluate(`document.querySelector('${selector}') !== null`));
    await browser.open(planning.address(CART));
    await isThere('.maker .node img');
    await look('start page');
    await press('.modes .choice:last-child input');
    await press('.maker .node');
    await isThere('.article img');
    await look('folder');
    await press('.article');
    await isThere('.facts p');
    // The configurator has nothing but its article.
    expect(await browser.evaluate("document.querySelector('.switch')")).toBe(null);
    await look('article');
    expect(found).toEqual([]);
    expect(browser.trouble()).toEqual([]);
  });

  const shows = (text: string) =>
    until(() => browser.evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`));
  const has = (selector: string) =>
    until(() => browser.evaluate(`document.querySelector('${selector}') !== null`));

  test('the keyboard changes an article, and undoes the change', async () => {
    await browser.open(planning.address({ ...DESK, disablecatalogue: 'true' }));
    await shows('LN-M-V');
    await tabTo(browser, '.panel input[type=radio]');
    await browser.press('ArrowRight');
    await shows('LN-M-K');
    expect(await browser.evaluate('document.activeElement.type')).toBe('radio');
    await tabTo(browser, '.undo button[aria-disabled=false]', 'Shift+Tab');
    await browser.press('Enter');
    await shows('LN-M-V');
  });

  test('a finger leads from the start page to a changed article', async () => {
    await browser.open(planning.address(CART));
    await has('.maker .node img');
    await browser.touch('.maker .node');
    await has('.article');
    await browser.touch('.article');
    await has('label:has(input[type=radio]:not(:checked))');
    const numbers = 'document.body.innerText';
    const before = await browser.evaluate<string>(numbers);
    await browser.touch('label:has(input[type=radio]:not(:checked))');
    await until(async () => expect(await browser.evaluate(numbers)).not.toBe(before));
    await has('.undo button[aria-disabled=false]');
  });

  test('pictures of the catalogue are 4 : 3, whatever the shape of the image', async () => {
    await browser.open(planning.address({ opencatalogue: 'true', parentnode: LINEA }));
    const ratios = `[...document.querySelectorAll('.shot:has(img)')].map((shot) => {
      const { width, height } = shot.getBoundingClientRect();
      return Math.round((width / height) * 100);
    })`;
    const shown = () => browser.evaluate<number[]>(ratios);
    await until(async () => expect((await shown()).length).toBeGreaterThan(4));
    expect(new Set(await shown())).toEqual(new Set([133]));
  });
});
