/** Prices and texts: what is published is what the answers of the service say, whatever has cached them first. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCatalogue, readManifest } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { parsedLines } from '../helpers/output-folder.ts';
import { type SmallArticle, type SmallRange, smallRange } from '../helpers/small-range.ts';

const NUMBERS = ['D1', 'D2', 'D3', 'D4'];

let articles: SmallArticle[];
let range: SmallRange;
let runs: DailyRuns;
let day = 1;
let price = 100;

const dayAt = (of: number) => `2026-03-${String(of).padStart(2, '0')}`;
const run = (name: string, ...options: string[]) => runs.command(name, dayAt(++day), ...options);

/** From now on the service has other prices, and so another conversion date; no GLB changes. */
function changePrices(): void {
  price += 100;
  // What has a conversion date of the day before is asked for once.
  range.convertdate = dayAt(day);
  for (const [i, article] of articles.entries()) {
    const { number } = article;
    const id = { finalarticlenumber: `${number}-STD`, reinitstring: `${number};F=STD::` };
    const ocd = { ...id, articlewithprice: true, price: price + i, convertdate: range.convertdate };
    article.article = { ocd: { ...ocd, shorttext: `Desk for ${price + i}` } };
  }
}

/** One range for all tests: each begins and ends with the prices of the service published. */
beforeAll(async () => {
  articles = NUMBERS.map((number) => ({ number, blocks: ['ACME::DESK::TOP'] }));
  range = smallRange(articles);
  changePrices();
  runs = await openDailyRuns(range);
  expect((await run('run')).exit).toBe(0);
});
afterAll(() => runs.close());

/** Checks that all lines say the prices of the service, and are of its date. */
async function expectPrices(outputDir = runs.outputDir): Promise<void> {
  const lines = await readCatalogue(outputDir);
  expect(lines.map((line) => [line.basearticlenumber, line.price, line.shorttext])).toEqual(
    articles.map(({ number }, i) => [number, price + i, `Desk for ${price + i}`]),
  );
  const dates = (await readManifest(outputDir)).map(({ convertdate }) => convertdate);
  expect(dates).toEqual(articles.map(() => range.convertdate));
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
    changePrices();
    expect(await verified()).toBe('');
    expect((await run('fetch')).exit).toBe(0);
    expect(await verified()).toContain('newer answers than 4 lines of the catalogue');
    expect((await run(name)).exit).toBe(0);
    await expectPrices();
    expect(await verified()).toBe('');
  });

  test('by the run after one that was interrupted', async () => {
    changePrices();
    const controller = new AbortController();
    const { partsList } = range;
    let asked = 0;
    range.partsList = (query) => {
      if (++asked === 3) controller.abort(new Error('SIGTERM'));
      return partsList(query);
    };
    const words = ['run', runs.pipelineFile, '--concurrency', '1'];
    const { env } = runs.proxy;
    const at = `${dayAt(++day)}T02:30:00Z`;
    expect((await runs.call(words, { env, at, signal: controller.signal })).exit).not.toBe(0);
    range.partsList = partsList;
    expect((await run('run')).exit).toBe(0);
    await expectPrices();
  });

  test('by a second pipeline that shares the cache', async () => {
    const other = join(runs.folder, 'other');
    const second = () => run('run', '--output', other, '--cache', runs.cacheDir);
    expect((await second()).exit).toBe(0);
    changePrices();
    expect((await run('run')).exit).toBe(0);
    expect((await second()).exit).toBe(0);
    await expectPrices();
    await expectPrices(other);
  });
});

test('lines of an earlier version that are old become right, without a request for an article', async () => {
  changePrices();
  expect((await run('fetch')).exit).toBe(0);
  const path = join(runs.outputDir, 'manifest.jsonl');
  const lines = parsedLines<{ requested: { answers?: string }[] }>(await readFile(path, 'utf8'));
  for (const { requested } of lines) for (const request of requested) delete request.answers;
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const before = runs.proxy.seen.length;
  expect((await run('run')).exit).toBe(0);
  await expectPrices();
  const asked = runs.proxy.seen.slice(before).filter((url) => /articles|btg/.test(url));
  expect(asked).toEqual([]);
});

test('a run in which nothing is new reads no answer, and writes no line', async () => {
  const path = join(runs.outputDir, 'manifest.jsonl');
  expect((await run('run')).exit).toBe(0);
  const before = await readFile(path, 'utf8');
  expect((await run('run')).exit).toBe(0);
  expect(await readFile(path, 'utf8')).toBe(before);
  expect((await runs.report()).configurations).toMatchObject({ unchanged: 4, kept: 4 });
});

// The last one, since most of the range is gone after it.
test('new prices are published by `--accept` after a gate refused them, since most of the range was gone', async () => {
  await runs.configure({ gates: { articlesGone: { refuse: '50%' } } });
  changePrices();
  articles.splice(1);
  expect((await run('run')).exit).toBe(4);
  expect((await run('run', '--accept')).exit).toBe(0);
  await expectPrices();
});
