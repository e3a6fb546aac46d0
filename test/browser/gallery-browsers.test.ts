/** The gallery in Firefox and WebKit, as far as they may differ from the browser of the other tests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGallery } from '../../src/deliver/gallery/publish-gallery.ts';
import { publishedIn } from '../../src/run/output/published.ts';
import { openGalleryServer } from '../../src/web/servers/gallery-server.ts';
import { writeOutput } from '../helpers/gallery-output.ts';
import { OTHER_BROWSERS, type OtherBrowser } from '../helpers/other-browsers.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

const GLB = new TextEncoder().encode('glb');

describe.runIf(IS_LONG).each(OTHER_BROWSERS)('the gallery in %s', (_, start) => {
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
});
