/// <reference lib="dom" />
/** The 3D view of the gallery switches between the finishes of an article: of the sample range, in a browser. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGallery } from '../../src/deliver/gallery/publish-gallery.ts';
import { readGallery } from '../../src/deliver/gallery/read-gallery.ts';
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

/** The property that chooses the finish of the pedestal. */
const PROPERTY = 'OBERFLÄCHE.DEKOR';

/** Of a configuration: its place in the gallery, its number, its finish, and the value that chooses it. */
interface Place {
  id: string;
  number: string;
  finish: string;
  value: string;
}

// That a finish is switched is in npm test, too: test/browser/gallery.test.ts.
describe.runIf(HAS_BROWSER && IS_LONG)('the finishes of a pedestal', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof openGalleryServer>>;
  let page: Page;
  const places: Place[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const pedestal = { manufacturer: 'FJEL', program: 'DEPOT', basearticlenumber: 'DP-R3' };
    // Two colours, and one texture.
    const configurations = ['WS', 'LG', 'NB'].map((value) => ({
      ...pedestal,
      values: { [PROPERTY]: value },
    }));
    const pipeline = await writePipeline(folder, {
      service: { emulator: true },
      articles: configurations.map((one) => ({ configurations: one })),
      deliver: { variants: true },
    });
    expect(await command(['run', pipeline])).toMatchObject({ exit: 0 });
    const out = join(folder, 'out');
    const { parts } = await readGallery(out, 'pedestals', {
      read: () => Promise.resolve(undefined),
    });
    for (const { id, number, properties, files } of parts.flatMap((part) => part.configurations)) {
      const finish = files.find(({ delivery }) => delivery === 'variants')!.finish!;
      const { value } = properties.find((property) => property.id === PROPERTY)!;
      places.push({ id, number, finish, value });
    }
    server = await openGalleryServer(await openGallery(publishedIn(out, Date.now), 'pedestals'));
    page = await openPage({ viewport: { width: 400, height: 600 } });
  });
  afterAll(async () => {
    await closePages();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The picture of each configuration, by its number. */
  const own = new Map<string, Buffer>();
  const dialog = () => page.getByRole('dialog');
  const canvas = () => page.locator('.stage canvas');
  /** From the top, where the bar covers no part of the view. */
  const picture = async () => {
    await dialog().evaluate((inside) => inside.scrollTo(0, 0));
    return canvas().screenshot();
  };
  const isOpen = (number: string) =>
    dialog().locator('dd').getByText(number, { exact: true }).waitFor();
  /** Opens the 3D view of a configuration in a page that has shown no other, and returns its picture. */
  async function shown({ id, number }: Place): Promise<Buffer> {
    await page.goto('about:blank');
    await page.goto(`${server.url}#article=${encodeURIComponent(id)}`);
    await isOpen(number);
    await page.getByRole('button', { name: '3D' }).click();
    await canvas().waitFor();
    return picture();
  }
  const looksAs = (number: string) =>
    expect.poll(async () => difference(await picture(), own.get(number)!)).toBeLessThan(0.2);

  it('differ, and follow the values that are chosen, in one file', async () => {
    expect(new Set(places.map(({ finish }) => finish)).size).toBe(3);
    for (const place of places) own.set(place.number, await shown(place));
    const [a, b, c] = [...own.values()] as [Buffer, Buffer, Buffer];
    for (const [one, other] of [[a, b] as const, [b, c] as const, [a, c] as const])
      expect(await difference(one, other)).toBeGreaterThan(1);
    const models: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('.glb')) models.push(request.url());
    });
    const value = (name: string) => dialog().locator(`[data-key="${PROPERTY}=${name}"]`);
    for (const { number, value: name } of places) {
      await value(name).click();
      await isOpen(number);
      await looksAs(number);
    }
    // The last one of several that are chosen at once.
    await dialog().evaluate(
      (inside, keys) => {
        for (const key of keys)
          inside.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)!.click();
      },
      [1, 2, 0, 1, 0].map((place) => `${PROPERTY}=${places[place]!.value}`),
    );
    await isOpen(places[0]!.number);
    await looksAs(places[0]!.number);
    expect(models).toEqual([]);
  });

  it('look as the masters do', async () => {
    await rm(join(folder, 'out', 'deliveries.jsonl'));
    for (const place of places)
      expect(await difference(await shown(place), own.get(place.number)!)).toBeLessThan(0.2);
  });
});
