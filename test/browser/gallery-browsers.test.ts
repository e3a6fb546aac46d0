/** Gallery and embed pages in Firefox and WebKit, as far as they may differ from the browser of the other tests. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGallery } from '../../src/deliver/gallery/publish-gallery.ts';
import { publishedIn } from '../../src/run/output/published.ts';
import { openGalleryServer } from '../../src/web/servers/gallery-server.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { writeOutput } from '../helpers/gallery-output.ts';
import { openPackageServer } from '../helpers/npm-packages.ts';
import { describeInOtherBrowsers, type OtherBrowser, tabTo } from '../helpers/other-browsers.ts';
import { serveFolder } from '../helpers/static-server.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

const WIDTHS = [390, 820, 1440, 2560];
const GLB = new TextEncoder().encode('glb');

describeInOtherBrowsers('the gallery', (start) => {
  let browser: OtherBrowser;
  let server: Awaited<ReturnType<typeof openGalleryServer>>;
  beforeAll(async () => {
    const folder = await temporaryFolder();
    const article = (finish: string) => {
      const property = { class: 'LOOK', name: 'FINISH', text: 'Finish', visible: true };
      const properties = [{ ...property, value: finish, valueText: finish }];
      const line = { basearticlenumber: 'DESK', finalarticlenumber: `DESK-${finish}` };
      return { glb: GLB, line, entry: { ...line, properties } };
    };
    await writeOutput(folder, [article('oak'), article('walnut'), { glb: GLB }]);
    server = await openGalleryServer(await openGallery(publishedIn(folder, Date.now), 'office'));
    browser = await start();
  });
  afterAll(async () => {
    await browser?.end();
    await server?.close();
  });

  const has = (selector: string) =>
    until(() => browser.evaluate(`document.querySelector(${JSON.stringify(selector)}) !== null`));
  const overflow = (selector: string) =>
    browser.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
      document.querySelector(${JSON.stringify(selector)}))`);

  test('nothing scrolls sideways, and a choice keeps its place', async () => {
    await browser.open(server.url);
    await has('.card');
    expect(await overflow('html')).toBe(0);
    await browser.evaluate("document.querySelector('.card').click()");
    await has('dialog[open] .value');
    expect(await overflow('dialog')).toBe(0);
    await browser.evaluate("document.querySelector('.value[aria-pressed=false]').click()");
    await until(() => browser.evaluate("document.activeElement.textContent === 'walnut'"));
    expect(await browser.evaluate('document.activeElement.ariaPressed')).toBe('true');
    await browser.evaluate('history.back()');
    await until(() => browser.evaluate("!document.querySelector('dialog').open"));
  });

  const isChosen = (finish: string) =>
    until(async () => {
      const chosen = "document.querySelector('.value[aria-pressed=true]').textContent";
      expect(await browser.evaluate(chosen)).toBe(finish);
    });
  const isClosed = () => until(() => browser.evaluate("!document.querySelector('dialog').open"));

  test('the keyboard opens an article, chooses a finish, and leads back to its card', async () => {
    await browser.open(server.url);
    await has('.card');
    await tabTo(browser, '.card');
    await browser.press('Enter');
    await has('dialog[open] .value');
    await tabTo(browser, '.value[aria-pressed=false]');
    await browser.press('Space');
    await isChosen('walnut');
    await browser.press('Escape');
    await isClosed();
    await until(() => browser.evaluate("document.activeElement.matches('.card')"));
  });

  test('a finger opens an article, chooses a finish, and closes it', async () => {
    await browser.open(server.url);
    await has('.card');
    await browser.touch('.card');
    await has('dialog[open] .value');
    await browser.touch('.value[aria-pressed=false]');
    await isChosen('walnut');
    await browser.touch('dialog .close');
    await isClosed();
  });
});

const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
const PEDESTAL = { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-R3' };
const EMBED_PAGES = [PEDESTAL, DESK].map(({ manufacturer, program, basearticlenumber }) =>
  ['embed', manufacturer, program, basearticlenumber, 'default/index.html'].join('/'),
);

describeInOtherBrowsers('an embed page', (start) => {
  let packages: Awaited<ReturnType<typeof openPackageServer>>;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    packages = await openPackageServer();
    const folder = await temporaryFolder();
    const colours = ['WS', 'LG'].map((value) => ({
      configurations: { ...PEDESTAL, values: { 'OBERFLÄCHE.DEKOR': value } },
    }));
    const pipeline = await writePipeline(folder, {
      service: { emulator: true },
      articles: [{ article: DESK }, ...colours],
      deliver: { profiles: ['web'], variants: true, embed: { packages: packages.address } },
    });
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    server = await serveFolder(join(folder, 'out'));
  });
  afterAll(async () => {
    await server?.close();
    await packages?.close();
  });

  /** What is wrong in a window: scrolling sideways, and controls that are small or out of sight. */
  const FINDINGS = `(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const controls = [...document.querySelectorAll('select, summary')].filter((control) => {
      const { top, bottom, left, right, height } = control.getBoundingClientRect();
      return height < 44 || top < 0 || left < 0 || right > innerWidth || bottom > innerHeight;
    });
    return [
      ...(scrollWidth > clientWidth ? ['scrolls sideways'] : []),
      ...controls.map(({ localName }) => localName),
    ];
  })()`;

  test('it fits in each window, and shows its model', async () => {
    const browser = await start();
    const found: string[] = [];
    for (const path of EMBED_PAGES) {
      await browser.open(`${server.address}/${path}`);
      await until(() => browser.evaluate(`document.querySelector('model-viewer').loaded === true`));
      for (const width of WIDTHS) {
        await browser.resize(width, 900);
        for (const one of await browser.evaluate<string[]>(FINDINGS))
          found.push(`${path}, ${width} px: ${one}`);
      }
      await browser.evaluate("document.querySelector('summary').click()");
      expect(await browser.evaluate("document.querySelector('textarea').value")).toContain(
        `src="${server.address}/`,
      );
      for (const one of await browser.evaluate<string[]>(FINDINGS))
        found.push(`${path}, open: ${one}`);
    }
    expect(found).toEqual([]);
    expect(browser.trouble()).toEqual([]);
    await browser.end();
  });
});
