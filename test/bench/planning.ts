/// <reference lib="dom" />
/** The group of the planning page: what a browser loads, when it shows an article, and what its memory becomes. */
import { get } from 'node:http';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { browserProcesses } from '../helpers/browser-processes.ts';
import { MIB_PER_PAGE, pagesOf } from '../helpers/process-memory.ts';
import { inMs } from './details.ts';
import { median } from './process.ts';
import type { GroupInput } from './results.ts';
import { whileServing } from './workspace.ts';

/** All that a session can load. */
const SCRIPTS = ['page.js', 'view.js', 'convert-worker.js', 'usdz.js'];

/** An article of the sample range with a choice of five covers. */
const ARTICLE = { manufacturer: 'BRNK', program: 'AKTA', basearticlenumber: 'AK110 N' };
const CHANGES = 20;
const SETTLED_MS = 250;

/** The link to the page, without its language. */
const LINK = /http:\S+\/planning\?token=[^&\s]+/;

/** Measures the page that `serve` offers, in a browser. */
export function planning(input: GroupInput): Promise<void> {
  return whileServing(['serve'], LINK, async (link) => {
    await transfer(input, link);
    const path = resolve('dist', 'deliver', 'pictures', 'browser.js');
    const {
      findBrowser,
      startBrowser,
      endBrowser,
    }: typeof import('../../src/deliver/pictures/browser.ts') = await import(
      pathToFileURL(path).href
    );
    const found = await findBrowser({}, '.cache');
    if (found === undefined) {
      const missing = 'there is no browser';
      for (const row of ['first', 'growth'] as const)
        input.results.add('planning', row, { missing });
      return;
    }
    const browser = await startBrowser(found);
    try {
      const query = new URLSearchParams({ ...ARTICLE, disablecatalogue: 'true', lang: 'en' });
      await firstPicture(input, browser, `${link}&${query}`);
      await memoryGrowth(input, browser, `${link}&${query}`);
    } finally {
      await endBrowser(browser);
    }
  });
}

async function transfer({ results }: GroupInput, link: string): Promise<void> {
  const sizes = await Promise.all(
    SCRIPTS.map((name) => bytesOf(link.replace(/planning\?.*/, `planning/${name}`))),
  );
  const value = sizes.reduce((sum, size) => sum + size, 0) / 1000;
  const each = SCRIPTS.map((name, i) => `${name} ${(sizes[i]! / 1000).toFixed(0)}`).join(', ');
  results.add('planning', 'transfer', { value, detail: `gzip, kB: ${each}` });
}

/** Of the body as it is sent. */
function bytesOf(address: string): Promise<number> {
  return new Promise((done, reject) => {
    const headers = { 'accept-encoding': 'gzip' };
    get(address, { headers }, (response) => {
      if (response.statusCode !== 200)
        return reject(new Error(`${address}: status ${response.statusCode}`));
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      response.on('end', () => done(bytes));
    }).on('error', reject);
  });
}

/** Each in a context of its own, which has nothing in its cache. */
async function firstPicture(
  { results, isQuick }: GroupInput,
  browser: Browser,
  address: string,
): Promise<void> {
  const seconds: number[] = [];
  for (let i = 0; i < (isQuick ? 2 : 7); i++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(address);
    await shown(page);
    seconds.push((performance.now() - began) / 1000);
    await context.close();
  }
  const detail = `${seconds.length} times without a cache; the slowest ${inMs(Math.max(...seconds))}`;
  results.add('planning', 'first', { value: median(seconds), detail });
}

/** Of all processes of the browser, private. */
async function memoryGrowth(
  { results }: GroupInput,
  browser: Browser,
  address: string,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(address);
  await shown(page);
  const covers = page.getByRole('group', { name: 'Upholstery' }).last().getByRole('radio');
  const count = await covers.count();
  const choose = async (number: number) => {
    const answered = page.waitForResponse((response) => response.url().includes('/btg'));
    await covers.nth(number % count).check({ force: true });
    await answered;
    await shown(page);
    // A person looks at it.
    await page.waitForTimeout(SETTLED_MS);
  };
  const memory = await openMemory(page);
  const first = await memory();
  // Programs and buffers that the graphics keep for each finish.
  for (let i = 1; i <= count; i++) await choose(i);
  const before = await memory();
  for (let i = 1; i <= CHANGES; i++) await choose(i);
  const after = await memory();
  const [atFirst, then, atEnd] = [first, before, after].map((mib) => `${mib.toFixed(0)} MiB`);
  const detail = `${count} finishes in turns, all shown once before; ${atFirst} with the first, ${then} before, ${atEnd} after; without garbage`;
  results.add('planning', 'growth', { value: after / before, detail });
  await page.close();
}

/** Collects the garbage of the page and its worker before each measurement. */
async function openMemory(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  const workers: string[] = [];
  session.on('Target.attachedToTarget', ({ sessionId }) => workers.push(sessionId));
  const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: false };
  await session.send('Target.setAutoAttach', attach);
  const method = 'HeapProfiler.collectGarbage';
  return async () => {
    await session.send(method);
    for (const sessionId of workers) {
      const message = JSON.stringify({ id: 1, method });
      await session.send('Target.sendMessageToTarget', { sessionId, message });
    }
    await page.waitForTimeout(SETTLED_MS);
    const pages = browserProcesses().map(({ id }) => {
      const { resident, shared } = pagesOf(id);
      return resident - shared;
    });
    return pages.reduce((sum, one) => sum + one, 0) * MIB_PER_PAGE;
  };
}

/** Waits until the model is drawn: then nothing is in work, and the page says how large it is. */
async function shown(page: Page): Promise<void> {
  await page.locator('.facts p').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.progress')?.textContent === '');
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
}
