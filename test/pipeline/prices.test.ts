/** Prices and texts: what is published is what the answers of the service say, whatever has cached them first. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { parsedLines } from '../helpers/output-folder.ts';
import { type SmallArticle, type SmallRange, smallRange } from '../helpers/small-range.ts';

const NUMBERS = Array.from({ length: 18 }, (_, i) => `D${10 + i}`);
/** What has a conversion date of the day before is asked for once. */
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'] as const;

let articles: SmallArticle[];
let range: SmallRange;
let runs: DailyRuns;

/** From now on the service has another price, and so another conversion date; no GLB changes. */
function setPrices(price: number, day: string): void {
  for (const [i, article] of articles.entries()) {
    const { number } = article;
    const id = { finalarticlenumber: `${number}-STD`, reinitstring: `${number};F=STD::` };
    const ocd = { ...id, articlewithprice: true, price: price + i, convertdate: day };
    article.article = { ocd: { ...ocd, shorttext: `Desk for ${price + i}` } };
  }
  range.convertdate = day;
}

beforeEach(async () => {
  articles = NUMBERS.map((number) => ({ number, blocks: ['ACME::DESK::TOP'] }));
  range = smallRange(articles);
  setPrices(100, DAYS[0]);
  runs = await openDailyRuns(range);
  expect((await runs.run(DAYS[0])).exit).toBe(0);
});
afterEach(() => runs.close());

/** Checks that all lines say these prices, and are of this date. */
async function areSold(price: number, day: string, outputDir = runs.outputDir): Promise<void> {
  const lines = await readCatalogue(outputDir);
  expect(lines.map((line) => [line.basearticlenumber, line.price, line.shorttext])).toEqual(
    articles.map(({ number }, i) => [number, price + i, `Desk for ${price + i}`]),
  );
  const dates = (await readManifest(outputDir)).map(({ convertdate }) => convertdate);
  expect(dates).toEqual(articles.map(() => day));
}

/** What `verify` notes of the cache; nothing is damaged. */
async function verified(): Promise<string> {
  const { exit, stdout } = await runs.call(['verify', runs.pipelineFile]);
  expect({ exit, stdout }).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('all intact'),
  });
  return /^note: .*/m.exec(stdout)?.[0] ?? '';
}

describe('new prices are published', () => {
  test.each(['build', 'run'])('by `%s` after a `fetch`', async (name) => {
    setPrices(200, DAYS[1]);
    expect(await verified()).toBe('');
    expect((await runs.command('fetch', DAYS[2])).exit).toBe(0);
    expect(await verified()).toContain('newer answers than 18 lines of the catalogue');
    expect((await runs.command(name, DAYS[2])).exit).toBe(0);
    await areSold(200, DAYS[1]);
    expect(await verified()).toBe('');
  });

  test('by the run after one that was interrupted', async () => {
    setPrices(200, DAYS[1]);
    const controller = new AbortController();
    const { partsList } = range;
    let asked = 0;
    range.partsList = (query) => {
      if (++asked === 16) controller.abort(new Error('SIGTERM'));
      return partsList(query);
    };
    const words = ['run', runs.pipelineFile, '--concurrency', '1'];
    const { env } = runs.proxy;
    const at = `${DAYS[2]}T02:30:00Z`;
    expect((await runs.call(words, { env, at, signal: controller.signal })).exit).not.toBe(0);
    expect((await runs.run(DAYS[2])).exit).toBe(0);
    await areSold(200, DAYS[1]);
  });

  test('by `--accept` after a gate refused them, since most of the range was gone', async () => {
    setPrices(200, DAYS[1]);
    articles.splice(6);
    expect((await runs.run(DAYS[2])).exit).toBe(4);
    expect((await runs.run(DAYS[3], '--accept')).exit).toBe(0);
    await areSold(200, DAYS[1]);
  });

  test('by a second pipeline that shares the cache', async () => {
    const other = join(runs.folder, 'other');
    const second = (day: string) => runs.run(day, '--output', other, '--cache', runs.cacheDir);
    expect((await second(DAYS[0])).exit).toBe(0);
    setPrices(200, DAYS[1]);
    expect((await runs.run(DAYS[2])).exit).toBe(0);
    expect((await second(DAYS[2])).exit).toBe(0);
    await areSold(200, DAYS[1]);
    await areSold(200, DAYS[1], other);
  });
});

test('lines of an earlier version that are old become right, without a request for an article', async () => {
  setPrices(200, DAYS[1]);
  expect((await runs.command('fetch', DAYS[2])).exit).toBe(0);
  const path = join(runs.outputDir, 'manifest.jsonl');
  const lines = parsedLines<{ requested: { answers?: string }[] }>(await readFile(path, 'utf8'));
  for (const { requested } of lines) for (const request of requested) delete request.answers;
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const before = runs.proxy.seen.length;
  expect((await runs.run(DAYS[2])).exit).toBe(0);
  await areSold(200, DAYS[1]);
  const asked = runs.proxy.seen.slice(before).filter((url) => /articles|btg/.test(url));
  expect(asked).toEqual([]);
});

test('a run in which nothing is new reads no answer, and writes no line', async () => {
  const path = join(runs.outputDir, 'manifest.jsonl');
  expect((await runs.run(DAYS[1])).exit).toBe(0);
  const before = await readFile(path, 'utf8');
  expect((await runs.run(DAYS[1])).exit).toBe(0);
  expect(await readFile(path, 'utf8')).toBe(before);
  expect((await runs.report()).configurations).toMatchObject({ unchanged: 18, kept: 18 });
});
