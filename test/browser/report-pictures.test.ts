/// <reference lib="dom" />
/** The pictures on the page of a report, in a real browser: looked at by pointer, by keyboard, and on a phone. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reportHtmlWithPictures } from '../../src/run/report/html.ts';
import type { ArticlePictures } from '../../src/run/report/run-report.ts';
import { closePages, openWatched } from '../helpers/browser.ts';
import { poorContrasts } from '../helpers/contrast.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { HOSTILE, mixedReport } from '../helpers/reports.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const SIDE = 360;

/** A box of one colour on white. */
async function picture(background: string): Promise<Uint8Array> {
  const white = { width: SIDE, height: SIDE, channels: 3 as const, background: '#ffffff' };
  const box = { width: SIDE / 2, height: SIDE / 2, channels: 3 as const, background };
  const input = await sharp({ create: box }).png().toBuffer();
  return sharp({ create: white }).composite([{ input }]).jpeg().toBuffer();
}

describe.runIf(HAS_BROWSER)('pictures in report.html', () => {
  let folder: string;
  let page: Page;
  let trouble: string[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const report = mixedReport(900);
    const [oak, walnut] = await Promise.all(['#b98d5a', '#5a3a22'].map(picture));
    const of = (kind: ArticlePictures['kind'], i: number): ArticlePictures => ({
      kind,
      row: { ...report.changes[kind].rows[i]!, name: i < 3 ? HOSTILE[i]! : `Desk-of-row-${i}` },
      now: walnut!,
      ...(kind === 'changed' && { before: oak!, difference: { tone: 0.2, edges: 0.31 } }),
      width: SIDE,
      height: SIDE,
    });
    const pictures = (['changed', 'new'] as const).flatMap((kind) =>
      Array.from({ length: 12 }, (_, i) => of(kind, i)),
    );
    await writeFile(join(folder, 'report.html'), reportHtmlWithPictures(report, pictures));
    const address = pathToFileURL(join(folder, 'report.html')).href;
    ({ page, trouble } = await openWatched(address));
  });
  afterAll(async () => {
    await closePages();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(() => page.setViewportSize({ width: 1280, height: 844 }));
  afterEach(() => {
    expect(trouble).toEqual([]);
  });

  const slider = () => page.locator('.compare input').first();
  /** Where the line is, as a share of the width; left of it is the picture of before. */
  const shown = () =>
    page
      .locator('.compare .before')
      .first()
      .evaluate((image) => {
        const { clipPath } = getComputedStyle(image);
        const hidden = /^inset\(0px (?:calc\(100% - )?([\d.]+)%/.exec(clipPath)![1];
        return clipPath.includes('calc') ? Number(hidden) : 100 - Number(hidden);
      });

  test('the pictures are loaded, and each has a text', async () => {
    const images = await page
      .locator('.looks img')
      .evaluateAll((all) =>
        (all as HTMLImageElement[]).map(({ naturalWidth, alt }) => [naturalWidth, alt !== '']),
      );
    expect(images).toHaveLength(36);
    for (const image of images) expect(image).toEqual([SIDE, true]);
  });

  test('the line follows the arrow keys and the pointer', async () => {
    expect(await shown()).toBe(50);
    await slider().focus();
    await page.keyboard.press('ArrowRight');
    expect(await shown()).toBe(51);
    await page.keyboard.press('End');
    expect([await shown(), await slider().getAttribute('aria-valuetext')]).toEqual([
      100,
      '100 % before',
    ]);
    const { width, height } = (await slider().boundingBox())!;
    const point = (share: number) =>
      slider().hover({ position: { x: share * width, y: height / 2 } });
    await point(0.9);
    await page.mouse.down();
    expect(Math.abs((await shown()) - 90)).toBeLessThan(2);
    await point(0.2);
    await page.mouse.up();
    expect(Math.abs((await shown()) - 20)).toBeLessThan(2);
  });

  test('more of them are behind a button, and a search finds them there', async () => {
    const visible = () => page.locator('.looks li:visible').count();
    expect(await visible()).toBe(14);
    await page.locator('.looks summary').first().press('Enter');
    expect(await visible()).toBe(22);
    await page.locator('#find').fill('desk-of-row-8');
    await expect.poll(visible).toBe(2);
    await page.locator('#find').fill('no such desk');
    await expect.poll(() => page.locator('.looks:visible').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(visible).toBe(24);
  });

  test.each(['light', 'dark'] as const)('every text can be read in the %s scheme', async (of) => {
    await page.emulateMedia({ colorScheme: of });
    await expect.poll(() => page.evaluate(poorContrasts)).toEqual([]);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(Number(background.match(/\d+/)![0]) > 128).toBe(of === 'light');
  });

  test('at 390 px pairs are as wide as the card, and new ones two a row', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const { lefts, isCut, pair, card } = await page.evaluate(() => {
      const box = (element: Element) => element.getBoundingClientRect();
      const news = [...document.querySelectorAll('.looks ul.new')][0]!;
      return {
        lefts: new Set([...news.children].map((item) => Math.round(box(item).left))).size,
        isCut: document.documentElement.scrollWidth > innerWidth,
        pair: box(document.querySelector('.compare')!).width,
        card: box(document.querySelector('.looks')!).width,
      };
    });
    expect([lefts, isCut]).toEqual([2, false]);
    expect(pair).toBeGreaterThan(0.85 * card);
  });
});
