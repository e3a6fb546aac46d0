/** The layout of the planning page in Firefox and WebKit, as far as they differ from the browser of the other tests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_BROWSERS, type OtherBrowser } from '../helpers/other-browsers.ts';
import { DESK, type PlanningServer, startPlanning } from '../helpers/planning-page.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { until } from '../helpers/until.ts';

const CART = { urlwarenkorb: 'http://127.0.0.1:9/cart' };
const LINEA = 'FJEL;:@1;:LINEA@1';

describe.runIf(IS_LONG).each(OTHER_BROWSERS)('the planning page in %s', (_, start) => {
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
