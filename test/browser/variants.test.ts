/// <reference lib="dom" />
/** The 3D view of the gallery switches between the finishes of an article: of the sample range, in a browser. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGallery } from '../../src/deliver/gallery/publish-gallery.ts';
import type { DeliveryLine } from '../../src/run/output/delivered-files.ts';
import { readManifest } from '../../src/run/output/manifest.ts';
import { publishedIn } from '../../src/run/output/published.ts';
import { openGalleryServer } from '../../src/web/servers/gallery-server.ts';
import { closePages, openPage } from '../helpers/browser.ts';
import { command, writePipeline } from '../helpers/command.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

/** Mean difference of two pictures, of 255. */
async function difference(a: Buffer, b: Buffer): Promise<number> {
  const [left, right] = await Promise.all(
    [a, b].map((one) => sharp(one).removeAlpha().raw().toBuffer()),
  );
  expect(left!.length).toBe(right!.length);
  let sum = 0;
  for (const [i, value] of left!.entries()) sum += Math.abs(value - right![i]!);
  return sum / left!.length;
}

/** Of a configuration: its place in the gallery, its number and its finish. */
interface Place {
  id: string;
  number: string;
  finish: string;
}

// That a finish is switched is in npm test, too: test/browser/gallery.test.ts.
describe.runIf(HAS_BROWSER && IS_LONG)('the finishes of a pedestal', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof openGalleryServer>>;
  let page: Page;
  const finishes: Place[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const pedestal = { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-R3' };
    // Two colours, and one texture.
    const configurations = ['WS', 'LG', 'NB'].map((value) => ({
      ...pedestal,
      values: { 'OBERFLÄCHE.DEKOR': value },
    }));
    const pipeline = await writePipeline(folder, {
      service: { emulator: true },
      articles: configurations.map((one) => ({ configurations: one })),
      deliver: { variants: true },
    });
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    const out = join(folder, 'out');
    const published = new Map(
      (await readManifest(out)).map(({ finalarticlenumber, glb }) => [finalarticlenumber, glb!]),
    );
    const lines = (await readFile(join(out, 'deliveries.jsonl'), 'utf8')).trimEnd().split('\n');
    for (const line of lines) {
      const { finalarticlenumber: number, files } = JSON.parse(line) as DeliveryLine;
      const id = published.get(number)!.replace(/^articles\/|\.glb$/g, '');
      finishes.push({ id, number, finish: String(files[0]!.facts.variant) });
    }
    server = await openGalleryServer(await openGallery(publishedIn(out, Date.now), 'pedestals'));
    page = await openPage({ viewport: { width: 400, height: 400 } });
  });
  afterAll(async () => {
    await closePages();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The picture of each configuration. */
  const own = new Map<string, Buffer>();
  const finish = () => page.getByLabel('Finish');
  const canvas = () => page.locator('.stage canvas');
  /** Opens the 3D view of a configuration, and returns its picture. */
  async function shown({ id, number }: Place): Promise<Buffer> {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, encodeURIComponent(id));
    await page.getByRole('dialog').locator('dd').getByText(number, { exact: true }).waitFor();
    await page.getByRole('button', { name: '3D' }).click();
    await canvas().waitFor();
    return canvas().screenshot();
  }
  const chosen = () =>
    finish().evaluate((select) => (select as HTMLSelectElement).selectedOptions[0]!.text);

  it('are in one list; the one of the configuration is shown at first, others when they are chosen, with the way to theirs', async () => {
    expect(finishes).toHaveLength(3);
    await page.goto(server.url);
    for (const place of finishes) {
      own.set(place.finish, await shown(place));
      expect(await chosen()).toBe(place.finish);
      expect(await finish().locator('option').count()).toBe(3);
    }
    const [a, b, c] = [...own.values()] as [Buffer, Buffer, Buffer];
    for (const [one, other] of [[a, b] as const, [b, c] as const, [a, c] as const])
      expect(await difference(one, other)).toBeGreaterThan(1);
    for (const { finish: name } of finishes) {
      await finish().selectOption({ label: name });
      await expect
        .poll(async () => difference(await canvas().screenshot(), own.get(name)!))
        .toBeLessThan(0.2);
    }
    // The last one of several that were chosen at once.
    await finish().evaluate((select) => {
      for (const value of ['1', '2', '0', '1', '0']) {
        (select as HTMLSelectElement).value = value;
        select.dispatchEvent(new Event('change'));
      }
    });
    const first = await chosen();
    await expect
      .poll(async () => difference(await canvas().screenshot(), own.get(first)!))
      .toBeLessThan(0.2);

    const [{ finish: other }, , { finish: last }] = finishes as [Place, Place, Place];
    await finish().selectOption({ label: last });
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('.finish a').count()).toBe(0);
    await finish().selectOption({ label: other });
    const link = dialog.locator('.finish a');
    const [number] = (await link.textContent())!.split(' · ');
    await link.click();
    await dialog.locator('dd').getByText(number!, { exact: true }).waitFor();
    expect(await dialog.locator('.text.quiet').textContent()).toContain(other);
    expect(other).not.toBe(last);
  });

  it('look as the masters do', async () => {
    await rm(join(folder, 'out', 'deliveries.jsonl'));
    await page.goto('about:blank');
    await page.goto(server.url);
    for (const place of finishes) {
      const master = await shown(place);
      expect(await finish().count()).toBe(0);
      expect(await difference(master, own.get(place.finish)!)).toBeLessThan(0.2);
    }
  });
});
