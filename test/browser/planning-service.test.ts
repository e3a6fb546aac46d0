/// <reference lib="dom" />
/** The planning page of a live service in a real browser: what the pipeline says of the service reaches the page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { createSampleRange } from '../../src/emulator/sample/sample-range.ts';
import { closePages, openPage, watch } from '../helpers/browser.ts';
import { writePipeline } from '../helpers/command.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { DESK, modelOf, violations, withoutView } from '../helpers/planning-page.ts';
import { type ServedPage, servePage } from '../helpers/served-page.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const TOKEN_OF_THE_SERVICE = 'a-token-of-the-service';

describe.runIf(HAS_BROWSER)('the planning page of a live service', () => {
  let service: Emulator;
  let served: ServedPage;

  beforeAll(async () => {
    const folder = await temporaryFolder();
    service = await startLive();
    const { authUrl, baseUrl, username, password, appKey } = service;
    const imageLocation = '{manufacturer}/OF-{name}';
    const pipeline = await writePipeline(folder, { service: { authUrl, baseUrl, imageLocation } });
    served = await servePage(['--planning-for', pipeline], {
      BTG2GLTF_USERNAME: username,
      BTG2GLTF_PASSWORD: password,
      BTG2GLTF_APP_KEY: appKey,
    });
  });
  afterAll(async () => {
    await closePages();
    await served?.end();
    await service?.close();
  });

  test('shows the images of the service, which answers with whole addresses, large too', async () => {
    for (const [name, value] of Object.entries({ ...DESK, disablecatalogue: 'true' }))
      served.link.searchParams.set(name, value);
    const { page, trouble, asked } = watch(await openPage());
    await withoutView(page);
    await page.goto(served.link.href);
    await modelOf(page);
    // Of the images of materials none is missing.
    expect(await page.getByText('Parts or images of this model are missing.').count()).toBe(0);
    const finish = page.getByRole('group', { name: 'Finish' });
    await finish.locator('.swatch img').first().waitFor();

    const open = page.getByRole('button', { name: 'Larger pictures: Finish' });
    await open.press('Enter');
    const walnut = page.getByRole('dialog').getByRole('button', { name: 'Walnut veneer' });
    const picture = walnut.locator('img');
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(128);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect
      .poll(() => open.evaluate((button) => button === document.activeElement))
      .toBe(true);
    await open.click();
    await walnut.press('Enter');
    await page.getByText('LN-M-V.NB').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);

    // Only the server of the page was asked, and the token of the service never left it.
    const { origin } = served.link;
    expect(asked.filter((address) => /^http/.test(address) && !address.startsWith(origin))).toEqual(
      [],
    );
    expect(asked.filter((address) => address.includes('/preview/')).length).toBeGreaterThan(1);
    const kept = await page.evaluate(() => JSON.stringify(history.state));
    expect(kept).toContain('?token=***');
    expect(kept + asked.join()).not.toContain(TOKEN_OF_THE_SERVICE);
    expect(trouble).toEqual([]);
  });
});

/** A service whose answers have whole addresses with a token, and whose images of materials have other names. */
async function startLive(): Promise<Emulator> {
  const range = createSampleRange();
  let baseUrl = '';
  const whole = <Answer>(answer: Answer): Answer => {
    const text = JSON.stringify(answer);
    if (text === undefined) return answer;
    const address = `${baseUrl}/api/ocd.dll/ocd/preview`;
    return JSON.parse(
      text.replace(/"ocd\/preview([^"]*)"/g, `"${address}$1?token=${TOKEN_OF_THE_SERVICE}"`),
    );
  };
  const service = await startEmulator({
    range: {
      ...range,
      article: (query) => whole(range.article(query)),
      configure: (query, change) => whole(range.configure?.(query, change)),
      material: async (manufacturer, name) =>
        name.startsWith('OF-') ? range.material(manufacturer, name.slice(3)) : undefined,
    },
  });
  ({ baseUrl } = service);
  return service;
}
