/// <reference lib="dom" />
/**
 * The page of a report in a real browser: what a person can do with it, and that it keeps to itself.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reportHtml } from '../../src/run/report/html.ts';
import { junitXml } from '../../src/run/report/junit.ts';
import { closePages, openWatched } from '../helpers/browser.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { HOSTILE, mixedReport, reportedLine, reportOf } from '../helpers/reports.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { until } from '../helpers/until.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

describe.runIf(HAS_BROWSER)('report.html', () => {
  let folder: string;
  let address: string;
  let trouble: string[];
  let asked: string[];
  let page: Page;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const runs = join(folder, 'runs', 'now');
    await mkdir(runs, { recursive: true });
    const file = join(runs, 'report.html');
    await writeFile(file, reportHtml(mixedReport(900)));
    await writeFile(join(runs, 'quiet.html'), reportHtml(reportOf([reportedLine('D1')])));
    address = pathToFileURL(file).href;
    ({ page, trouble, asked } = await openWatched(address));
  });
  afterAll(async () => {
    await closePages();
    await rm(folder, { recursive: true, force: true });
  });

  /** All tests share one page, which each leaves as it was. */
  const show = async (viewport: typeof DESKTOP, colorScheme: 'light' | 'dark' = 'light') => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
  };
  beforeEach(() => show(DESKTOP));
  afterEach(() => {
    expect(trouble).toEqual([]);
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([address]);
  });

  const rows = (section: string) => page.locator(`#${section} tbody tr:visible`);
  const numbers = (section: string, column: number) =>
    rows(section).evaluateAll(
      (all, at) => all.map((row) => Number((row as HTMLTableRowElement).cells[at]!.dataset.v)),
      column,
    );

  test('at 390 px search field, header row and rows are aligned, and nothing is cut', async () => {
    await show({ width: 390, height: 844 });
    const edges = await page.evaluate(() => {
      const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
      const headers = [...document.querySelectorAll('#changes th button')];
      const right = Math.max(...headers.map((one) => one.getBoundingClientRect().right));
      return {
        search: [box('#find').left, box('#find').right],
        card: [box('#changes').left, box('#changes').right],
        header: box('#changes th button').left,
        row: box('#changes tbody b').left,
        isCut: right > box('#changes').right || document.documentElement.scrollWidth > innerWidth,
      };
    });
    expect(edges.search).toEqual(edges.card);
    expect(edges.header).toBe(edges.row);
    expect(edges.isCut).toBe(false);
  });

  test.each([390, 1280])(
    'at %i px figures begin below their title, and no card is half empty',
    async (width) => {
      await show({ width, height: 844 });
      const { lefts, spaces } = await page.evaluate(() => {
        const box = (element: Element) => element.getBoundingClientRect();
        const first = document.querySelector('.totals li .label')!;
        const cards = [...document.querySelectorAll('.needs, .totals')];
        return {
          lefts: [box(document.querySelector('.totals h2')!).left, box(first).left],
          spaces: cards.map((card) => box(card).bottom - box(card.lastElementChild!).bottom),
        };
      });
      expect(lefts[1]).toBe(lefts[0]);
      expect(Math.max(...spaces)).toBeLessThan(30);
    },
  );

  test('the first screen shows the result, what changed and what needs attention', async () => {
    const seen = await page.evaluate(() =>
      [...document.querySelectorAll('h1, .tiles:not(.totals) b, .needs li')]
        .filter((element) => element.getBoundingClientRect().bottom <= innerHeight)
        .map((element) => element.className || element.tagName),
    );
    expect(seen.filter((name) => name === 'H1')).toHaveLength(1);
    expect(seen.filter((name) => name === 'B')).toHaveLength(5);
    // Failures by cause, gates, drift: all that needs attention.
    expect(seen.filter((name) => name === 'partly')).toHaveLength(4);
    expect(seen.filter((name) => name === 'look')).toHaveLength(3);
    expect(await page.title()).toMatch(
      /^nightly: \d+ of 9\d\d configurations failed · 21 Nov 2026$/,
    );
  });

  test('a search narrows every table and says how many rows it found', async () => {
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('find');
    await page.keyboard.type('onmouseover');
    await page
      .locator('#found', { hasText: /^\d+ rows found on this page · long lists are cut$/ })
      .waitFor();
    const texts = await page.locator('.list tbody tr:visible').allTextContents();
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.every((text) => text.toLowerCase().includes('onmouseover'))).toBe(true);
    expect(await page.locator('#gates').isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('#gates').isVisible()).toBe(true);
    await expect.poll(() => page.locator('#found').textContent()).toBe('');
  });

  test('a click on a heading sorts, the largest first, and a second one turns it around', async () => {
    const heading = page.locator('#largest th', { hasText: 'Triangles' });
    await heading.getByRole('button').click();
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('descending');
    const down = await numbers('largest', 2);
    expect(down.length).toBeGreaterThan(10);
    expect(down).toEqual(down.toSorted((a, b) => b - a));
    // By the keyboard too.
    await page.keyboard.press('Enter');
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending');
    const up = await numbers('largest', 2);
    expect(up).toEqual(up.toSorted((a, b) => a - b));
    expect(up[0]).toBeLessThan(down[0]!);
  });

  test('buttons filter a table by kind, whose texts with numbers sort; the remaining rows are shown on demand', async () => {
    const all = await page.locator('#changes tbody tr').count();
    expect(await rows('changes').count()).toBe(15);
    const removed = page.locator('#changes .chip', { hasText: 'Removed' });
    await removed.click();
    await expect.poll(() => removed.getAttribute('aria-pressed')).toBe('true');
    const article = page.locator('#changes th', { hasText: 'Article' }).getByRole('button');
    await article.click();
    const names = await rows('changes').locator('b').allTextContents();
    expect(names).toEqual(Array.from({ length: 14 }, (_, i) => `OLD-${i}`));
    await page.locator('#changes .chip', { hasText: 'New' }).click();
    await removed.click();
    expect(new Set(await rows('changes').locator('.tag').allTextContents())).toEqual(
      new Set(['New']),
    );
    await page.locator('#changes .chip', { hasText: 'New' }).click();
    await page.locator('#changes .more').click();
    await expect.poll(() => rows('changes').count()).toBe(all);
    await page.locator('#changes .more').click();
    await expect.poll(() => rows('changes').count()).toBe(15);
  });

  test('the name of an article is shown as text and never executed', async () => {
    const found = await page.evaluate(() => ({
      scripts: document.scripts.length,
      strangers: document.querySelectorAll('img, iframe, object, embed, form, [style]').length,
      handlers: [...document.querySelectorAll('*')]
        .flatMap((element) => [...element.attributes])
        .filter(({ name }) => name.startsWith('on')).length,
      links: [...document.querySelectorAll('a')].map((link) => link.getAttribute('href')!),
      text: document.body.textContent!,
    }));
    expect(found).toMatchObject({ scripts: 1, strangers: 0, handlers: 0 });
    const ours =
      /^(#[a-z-]+|\.\.\/\.\.\/(articles\/[\w%./~-]+|manifest\.jsonl)|report\.json|failures\.jsonl|\.\.\/[\dTZ.-]+\/report\.html)$/;
    expect(found.links.filter((link) => !ours.test(link))).toEqual([]);
    for (const text of HOSTILE.slice(0, 6)) expect(found.text).toContain(text);
    expect(found.text).toContain('A\\u202Egpj.exe');
  });

  test('on a phone nothing exceeds the width of the screen, and a row is a card', async () => {
    await show(PHONE, 'dark');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
    const [number, size] = await page
      .locator('#changes tbody tr:visible')
      .first()
      .locator('td')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().top));
    expect(size).toBeGreaterThan(number!);
  });

  test('a run without changes fits on one screen and needs no attention', async () => {
    const quiet = address.replace('report.html', 'quiet.html');
    const { page, trouble, asked } = await openWatched(quiet);
    expect(await page.locator('h1').textContent()).toBe('Nothing has changed');
    expect(await page.locator('.needs').textContent()).toContain(
      'Nothing. You can close this page.',
    );
    expect([trouble, asked]).toEqual([[], [quiet]]);
  });

  test('a parser reads the JUnit file of the same run', async () => {
    const report = mixedReport(900);
    const times = { startedAt: 0, endedAt: 1000 };
    const text = junitXml({ pipeline: HOSTILE.join(' '), exitCode: 1, ...times, report });
    const read = await page.evaluate((xml) => {
      const document = new DOMParser().parseFromString(xml, 'application/xml');
      const messages = [...document.querySelectorAll('failure')].map((e) =>
        e.getAttribute('message'),
      );
      return { broken: document.querySelector('parsererror')?.textContent, messages };
    }, text);
    expect(read.broken).toBeUndefined();
    const failed = report.failures.filter(({ quarantined }) => !quarantined);
    expect(read.messages).toHaveLength(failed.length);
    expect(read.messages).toContain(HOSTILE[1]);
  });

  test('the content security policy blocks all other scripts, loads and requests', async () => {
    const blocked = await page.evaluateHandle(async () => {
      const events: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) =>
        events.push(event.effectiveDirective),
      );
      const script = document.createElement('script');
      script.textContent = 'document.title = "hacked"';
      document.body.append(script);
      const image = document.createElement('img');
      image.src = 'https://example.invalid/x.png';
      document.body.append(image);
      await fetch('https://example.invalid/').catch(() => undefined);
      return events;
    });
    await until(async () =>
      expect((await blocked.jsonValue()).toSorted()).toEqual([
        'connect-src',
        'img-src',
        'script-src-elem',
      ]),
    );
    expect(await page.title()).not.toBe('hacked');
    // The browser reports the violations on the console, as it should.
    trouble = trouble.filter((text) => !text.includes('Content Security Policy'));
    asked = asked.filter((url) => !url.includes('example.invalid'));
  });
});
