/// <reference lib="dom" />
/** The group of the gallery: when a browser shows the first cards of a large range, and how fast it searches. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import type { GalleryData } from '../../src/deliver/gallery/gallery-data.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { inMs } from './details.ts';
import { median } from './process.ts';
import type { GroupInput } from './results.ts';

const ARTICLES = 2_000;
const CONFIGURATIONS = 10;
const FINISHES = 400;
const NOUNS = ['Desk', 'Chair', 'Cabinet', 'Table', 'Screen', 'Lamp', 'Bench', 'Shelf'];

/** Typed one after the other: found words, part of a number, nothing, and typing errors. The first one is an error. */
const SEARCHES = ['cabinte', 'desk', 'chair finish 12', 'n1999-7', 'bnech 3', 'shlef', ''];

/** Measures the page of a generated range of 20,000 configurations, from a disk. */
export async function gallery({ results, isQuick }: GroupInput): Promise<void> {
  const { findBrowser, startBrowser, endBrowser } =
    await built<typeof import('../../src/deliver/pictures/browser.ts')>('pictures/browser.js');
  const found = await findBrowser({}, '.cache');
  if (found === undefined) {
    for (const row of ['first', 'search'] as const)
      results.add('gallery', row, { missing: 'there is no browser' });
    return;
  }
  const address = await writeRange();
  const browser = await startBrowser(found);
  try {
    const times = [];
    for (let i = 0; i < (isQuick ? 2 : 7); i++) times.push(await visit(browser, address));
    const first = times.map((one) => one.first);
    const slowest = Math.max(...times.map((one) => one.slowest));
    const detail = `${first.length} times without a cache; the slowest ${inMs(Math.max(...first))}`;
    results.add('gallery', 'first', { value: median(first), detail });
    const searched = `the slowest of ${times.length} × ${SEARCHES.length}, with typing errors`;
    results.add('gallery', 'search', { value: slowest, detail: searched });
  } finally {
    await endBrowser(browser);
  }
}

/** In seconds: until cards are shown, and the slowest search. */
async function visit(
  browser: Browser,
  address: string,
): Promise<{ first: number; slowest: number }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('.card').first().waitFor();
  const first = (performance.now() - began) / 1000;
  // A person reads before typing.
  await page.waitForTimeout(1000);
  const slowest = await page.evaluate((searches) => {
    const field = document.querySelector<HTMLInputElement>('#find')!;
    const times = searches.map((text) => {
      field.value = text;
      const before = performance.now();
      // As the Enter key: cards are made before it returns.
      field.form!.requestSubmit();
      return performance.now() - before;
    });
    return Math.max(...times) / 1000;
  }, SEARCHES);
  await context.close();
  return { first, slowest };
}

/** A module of the built program. */
function built<Module>(name: string): Promise<Module> {
  return import(pathToFileURL(resolve('dist', 'deliver', name)).href);
}

/** Writes the page and its data. @returns Its address. */
async function writeRange(): Promise<string> {
  const folder = join(await temporaryFolder(), 'gallery');
  await mkdir(folder, { recursive: true });
  const { galleryDataFile, galleryPageFiles } =
    await built<typeof import('../../src/deliver/gallery/gallery.ts')>('gallery/gallery.js');
  const files = await galleryPageFiles();
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
  await writeFile(join(folder, 'articles.js'), galleryDataFile(rangeOfArticles()));
  return pathToFileURL(join(folder, 'index.html')).href;
}

function rangeOfArticles(): GalleryData {
  const articles = Array.from({ length: ARTICLES }, (_, i) => ({
    ...{ manufacturer: `M${i % 7}`, manufacturerName: `Maker ${i % 7}` },
    ...{ program: `S${i % 40}`, programName: `Series ${i % 40}` },
    ...{ number: `N${i}`, name: `${NOUNS[i % NOUNS.length]} ${i % 97}`, swatches: [], part: 0 },
    configurations: Array.from({ length: CONFIGURATIONS }, (_, j) => ({
      ...{ id: `M${i % 7}/S${i % 40}/N${i}/${j}`, number: `N${i}-${j}` },
      ...{ texts: [(i + j) % FINISHES, (i * 3 + j * 7) % FINISHES], price: 100 + i + j },
      ...{ currency: 'EUR', size: [600 + (i % 20) * 100, 800, 740] as const },
    })),
  }));
  const texts = Array.from({ length: FINISHES }, (_, i) => `Finish ${i}: tone ${i} of oak`);
  return { ...{ title: 'bench', hasContactSheet: false, parts: 1 }, texts, articles };
}
