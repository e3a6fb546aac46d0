/// <reference lib="dom" />
/**
 * The page of a survey in a real browser, from a disk: answers, what follows from them, keys, and both schemes.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { surveyPage } from '../../src/survey/survey-page.ts';
import { closePages, openWatched } from '../helpers/browser.ts';
import { HAS_BROWSER } from '../helpers/picture-browser.ts';
import { violations } from '../helpers/planning-page.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { surveyPictures, surveyRecord } from '../helpers/survey-record.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

describe.runIf(HAS_BROWSER)('the page of a survey', () => {
  let address: string;
  let page: Page;
  let trouble: string[];
  let asked: string[];

  beforeAll(async () => {
    const file = join(await temporaryFolder(), 'index.html');
    await writeFile(file, await surveyPage(surveyRecord(), await surveyPictures()));
    address = pathToFileURL(file).href;
    const viewport = { width: 1440, height: 900 };
    ({ page, trouble, asked } = await openWatched(address, { viewport }));
  });
  afterAll(closePages);
  afterEach(() => {
    expect(trouble).toEqual([]);
    expect(asked.filter((url) => !/^(?:data|blob):/.test(url) && url !== address)).toEqual([]);
  });

  const section = () => page.locator('#section').textContent();
  const answered = () => page.locator('#answered').textContent();
  const right = (question: number, letter: string) =>
    page.locator(`#question-${question}`).getByLabel(`This is right: picture ${letter}`);

  test('answers become lines of convert:, and another one takes the place of the first', async () => {
    const decided =
      'convert:\n  normalMap: directx # decided: the relief of the image is a possible surface\n';
    expect(await section()).toBe(decided);
    await right(1, 'B').click();
    await right(2, 'B').click();
    expect(await section()).toBe(
      `${decided}  rotationOrder: zyx # your answer\n  flipV: false # your answer\n`,
    );
    expect(await answered()).toBe('2 of 2 answered');
    await right(2, 'B').click();
    expect(await answered()).toBe('2 of 2 answered');
    await page.locator('#question-2').getByRole('button', { name: 'I am not sure' }).click();
    expect(await section()).toBe(`${decided}  rotationOrder: zyx # your answer\n`);
    expect(await answered()).toBe('2 of 2 answered');
    expect(await page.locator('#answers li').allInnerTexts()).toEqual([
      'Is every part turned the right way? Picture B',
      'Is the pattern on the surface the right way up? not sure',
    ]);
  });

  test('answers are there again when the page is opened again, and become a file', async () => {
    // A browser writes what a page keeps in a process of its own.
    const again = () => page.reload().then(answered);
    await expect.poll(again).toBe('2 of 2 answered');
    expect(await right(1, 'B').getAttribute('aria-pressed')).toBe('true');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save your answers' }).click(),
    ]);
    expect(await page.locator('#saved').textContent()).toContain('Send this file');
    expect(download.suggestedFilename()).toBe('choices.json');
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toEqual({
      version: 1,
      choices: { rotationOrder: 'zyx' },
    });
  });

  test('keys move between questions, and answer them', async () => {
    const focused = () => page.evaluate(() => document.activeElement!.textContent);
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator('#question-1-heading').focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Question 2 Is the pattern on the surface the right way up?');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Your answers');
    await page.locator('#question-2-heading').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toContain('Question 1');
    await right(1, 'A').focus();
    await page.keyboard.press('Enter');
    expect(await section()).toContain('rotationOrder: xyz # your answer');
  });

  test('a page that asks nothing has the lines that are decided, and the command that writes them', async () => {
    const record = surveyRecord();
    const options = record.options.filter(({ state }) => state !== 'question');
    const file = join(await temporaryFolder(), 'index.html');
    await writeFile(file, await surveyPage({ ...record, options }, { questions: new Map() }));
    const { page: decided, trouble: heard } = await openWatched(pathToFileURL(file).href);
    expect(await decided.locator('#section').textContent()).toContain('normalMap: directx');
    expect(await decided.locator('#result').textContent()).toContain('PIPELINE.yaml --apply');
    expect(await decided.getByRole('button').allTextContents()).toEqual(['Copy']);
    await decided.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => decided.locator('#copied').textContent()).not.toBe('');
    expect(heard).toEqual([]);
    await decided.close();
  });

  test('a picture is shown large, and the others in its place', async () => {
    await page.locator('#question-1 button.detail').first().click();
    const name = page.locator('#large-name');
    expect(await name.textContent()).toBe(
      'Picture A: the marked place of ACME/DESKS/DESK 1 (1 of 2)',
    );
    await page.keyboard.press('ArrowRight');
    expect(await name.textContent()).toBe(
      'Picture B: the marked place of ACME/DESKS/DESK 1 (2 of 2)',
    );
    await page.getByRole('button', { name: 'The next picture' }).click();
    expect(await name.textContent()).toContain('Picture A');
    await page.keyboard.press('Escape');
    expect(await page.locator('#large').isVisible()).toBe(false);
    await page.locator('#question-1 button.detail').nth(1).click();
    await page.locator('#large-right').click();
    expect(await page.locator('#large').isVisible()).toBe(false);
    expect(await right(1, 'B').getAttribute('aria-pressed')).toBe('true');
  });

  test('it can be read by everybody, in both schemes, and fits a phone', async () => {
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    // A phone has the same colours.
    if (IS_LONG) expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    if (IS_LONG) expect(await violations(page)).toEqual([]);
  });
});
