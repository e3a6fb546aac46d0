/** Changes: what a run publishes is compared with what was published last, in `changes.jsonl` and in the report. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChangeLine } from '../../src/run/output/changes.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { parsedLines } from '../helpers/output-folder.ts';
import { type SmallArticle, type SmallRange, smallRange } from '../helpers/small-range.ts';

let articles: SmallArticle[];
let range: SmallRange;
let runs: DailyRuns;
let day = 1;
/** The changes of the first run. */
let first: string[];
/** What the last price was. */
let price = 100;

/** Gives an article another price, and perhaps another text; the service has converted its data since. */
function sell(number: string, shorttext = 'Desk'): void {
  const article = articles.find((one) => one.number === number)!;
  const id = { finalarticlenumber: `${number}-STD`, reinitstring: `${number};F=STD::` };
  article.article = {
    ocd: { ...id, articlewithprice: true, price: ++price, currency: 'EUR', shorttext },
  };
  range.convertdate = dayAt(day);
}
const dayAt = (of: number) => `2026-03-${String(of).padStart(2, '0')}`;
const run = (...options: string[]) => runs.run(dayAt(++day), ...options);
const path = (name: string) => join(runs.outputDir, name);
const lines = async <T>(name: string) => parsedLines<T>(await readFile(path(name), 'utf8'));
const changes = async () =>
  (await lines<ChangeLine>('changes.jsonl')).map(
    ({ change, basearticlenumber, what }) => `${change} ${basearticlenumber}: ${what}`,
  );

/** One range for all tests: each begins and ends with what the service has published. */
beforeAll(async () => {
  articles = ['D1', 'D2', 'D3'].map((number) => ({ number, blocks: [`ACME::DESK::${number}`] }));
  articles.push({ number: 'D4' });
  range = smallRange(articles);
  for (const { number } of articles) sell(number);
  runs = await openDailyRuns(range);
  expect((await run()).exit).toBe(0);
  first = await changes();
});
afterAll(() => runs.close());

test('every pipeline lists its changes: at first all, then none', async () => {
  expect(first).toEqual([
    ...['D1', 'D2', 'D3'].map((number) => `new ${number}: model,price,text,properties`),
    'new D4: price,text,properties',
  ]);
  await run();
  expect(await changes()).toEqual([]);
});

test('prices and texts are changes, which the report names', async () => {
  sell('D1');
  sell('D2', 'Table');
  const { exit, stdout } = await run();
  expect(exit).toBe(0);
  expect(await changes()).toEqual(['changed D1: price', 'changed D2: price,text']);
  expect(stdout).toContain('0 new · 2 changed · 0 removed');
  expect(stdout).toContain('Prices of 2 articles changed');
  expect(stdout).toContain('Texts of 1 article changed');
  const report = await runs.report();
  expect(report.changes.changed).toMatchObject({
    count: 2,
    rows: [{ what: ['price'] }, { what: ['price', 'text'] }],
  });
  expect(report.changedArticles).toMatchObject({ model: 0, price: 2, text: 1 });
  const page = await readFile(path('runs/latest/report.html'), 'utf8');
  expect(page).toContain('Prices of 2 articles changed');
  await run();
  expect(await changes()).toEqual([]);
});

test('an article without geometry has no model, and its price is a change all the same', async () => {
  expect(first).toContain('new D4: price,text,properties');
  sell('D4');
  await run();
  expect(await changes()).toEqual(['changed D4: price']);
});

test.each<[string, () => Promise<void>]>([
  ['no list of what is published', () => rm(path('published.jsonl'))],
  [
    'one without texts',
    async () => {
      const old = (await lines<object>('published.jsonl')).map((line) => ({
        ...line,
        ...{ price: undefined, text: undefined, properties: undefined },
      }));
      await writeFile(
        path('published.jsonl'),
        old.map((line) => `${JSON.stringify(line)}\n`).join(''),
      );
    },
  ],
])(
  'an older version that has left %s is no change, and what changes since is one',
  async (_, leave) => {
    await leave();
    await run();
    expect(await changes()).toEqual([]);
    await leave();
    sell('D3');
    await run();
    expect(await changes()).toEqual(['changed D3: price']);
  },
);

test('a part of a run lists what only that part has changed', async () => {
  sell('D1');
  sell('D3');
  await run('--only', 'ACME/DESK/D1');
  expect(await changes()).toEqual(['changed D1: price']);
  await run();
  expect(await changes()).toEqual(['changed D3: price']);
});

// The last one, since most articles are gone after it.
test('a run that publishes nothing reports what it would have changed, and leaves the list as it was', async () => {
  await runs.configure({ gates: { articlesGone: { refuse: '50%' } } });
  const before = await lines('changes.jsonl');
  sell('D1');
  articles.splice(1);
  expect((await run()).exit).toBe(4);
  const { changes: found, changedArticles } = await runs.report();
  expect([found.changed.count, found.removed.count]).toEqual([1, 3]);
  expect(changedArticles.price).toBe(1);
  expect(await lines('changes.jsonl')).toEqual(before);
  expect((await run('--accept')).exit).toBe(0);
  expect(await changes()).toMatchObject([
    'changed D1: price',
    'removed D2: model,price,text,properties',
    'removed D3: model,price,text,properties',
    'removed D4: price,text,properties',
  ]);
});
