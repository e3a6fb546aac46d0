/** Listings of the catalogue that are empty, or much shorter than before, by a mistake of the service. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type SmallArticle, type SmallRange, smallRange } from '../helpers/small-range.ts';

const DAYS = [1, 2, 3, 4, 5].map((day) => `2026-03-0${day}`);
const ARTICLES = 10;

let articles: SmallArticle[];
let range: SmallRange;
let runs: DailyRuns;

beforeEach(async () => {
  articles = Array.from({ length: ARTICLES }, (_, i) => {
    const number = `D${10 + i}`;
    return { number, blocks: ['ACME::DESK::TOP'] };
  });
  range = smallRange(articles);
  range.convertdate = '2026-02-01';
  runs = await openDailyRuns(range, { gates: { articlesGone: { refuse: 1 } } });
  expect((await runs.run(DAYS[0]!)).exit).toBe(0);
});
afterEach(() => runs.close());

/** From now on the series lists so many articles. */
function list(count: number): void {
  const all = smallRange(articles).nodes;
  range.nodes = (parentnode) => {
    const nodes = all(parentnode);
    return parentnode === '' ? nodes : nodes?.slice(0, count);
  };
}

/** The same on top, with another date. */
function convert(day: string): void {
  const { nodes } = range;
  range.convertdate = day;
  range.nodes = (parentnode) =>
    nodes(parentnode)?.map((node) => (parentnode === '' ? { ...node, convertdate: day } : node));
}

const published = async () => (await readManifest(runs.outputDir)).length;
const askedForSeries = () =>
  runs.proxy.seen.filter((url) => url.includes('getnodes') && url.includes('DESK')).length;

test('an empty selection is asked for again in the next night, and nothing is lost', async () => {
  list(0);
  convert('2026-03-01');
  expect((await runs.run(DAYS[1]!)).exit).toBe(2);
  list(ARTICLES);
  convert('2026-03-01');
  expect((await runs.run(DAYS[2]!)).exit).toBe(0);
  expect(await published()).toBe(ARTICLES);
});

test('a listing that lacks a fifth is asked for again, and what was gone comes back', async () => {
  list(8);
  convert('2026-03-01');
  expect((await runs.run(DAYS[1]!)).exit).toBe(0);
  expect(await published()).toBe(8);
  list(ARTICLES);
  convert('2026-03-01');
  expect((await runs.run(DAYS[2]!)).exit).toBe(0);
  expect(await published()).toBe(ARTICLES);
});

test('it is believed once it was the same on two days', async () => {
  list(8);
  convert('2026-03-01');
  const asked: number[] = [];
  for (const day of [DAYS[1]!, DAYS[1]!, DAYS[2]!, DAYS[3]!]) {
    expect((await runs.run(day)).exit).toBe(0);
    asked.push(askedForSeries());
  }
  const [first, sameDay, nextDay, after] = asked as [number, number, number, number];
  expect([sameDay - first, nextDay - sameDay, after - nextDay]).toEqual([1, 1, 0]);
});

test('one that was rightly empty is asked for again after another conversion, of which it may lack all', async () => {
  list(0);
  convert('2026-03-01');
  for (const day of [DAYS[1]!, DAYS[2]!]) expect((await runs.run(day)).exit).toBe(2);
  convert('2026-03-02');
  expect((await runs.run(DAYS[3]!)).exit).toBe(2);
  list(ARTICLES);
  convert('2026-03-02');
  expect((await runs.run(DAYS[4]!)).exit).toBe(0);
  expect(await published()).toBe(ARTICLES);
});

test('one that lacks less is believed at once', async () => {
  list(9);
  convert('2026-03-01');
  expect((await runs.run(DAYS[1]!)).exit).toBe(0);
  const asked = askedForSeries();
  expect((await runs.run(DAYS[2]!)).exit).toBe(0);
  expect(askedForSeries()).toBe(asked);
});

test('--accept asks again for what was doubted: a refused loss is published only if it is still there', async () => {
  await runs.configure({ gates: { articlesGone: { refuse: 0.5 } } });
  list(2);
  convert('2026-03-01');
  expect((await runs.run(DAYS[1]!)).exit).toBe(4);
  expect((await runs.run(DAYS[2]!, '--accept')).exit).toBe(0);
  expect(await published()).toBe(2);
});

test('a run after a refusal asks again for every listing, a run with --accept only for those in doubt', async () => {
  await runs.configure({ gates: { articlesGone: { refuse: 0.05 } } });
  list(9);
  convert('2026-03-01');
  const asked: number[] = [askedForSeries()];
  for (const day of [DAYS[1]!, DAYS[2]!]) {
    expect((await runs.run(day)).exit).toBe(4);
    asked.push(askedForSeries());
  }
  expect((await runs.run(DAYS[3]!, '--accept')).exit).toBe(0);
  asked.push(askedForSeries());
  expect((await runs.run(DAYS[4]!)).exit).toBe(0);
  asked.push(askedForSeries());
  const [before, refused, again, accepted, after] = asked as [
    number,
    number,
    number,
    number,
    number,
  ];
  expect([refused - before, again - refused, accepted - again, after - accepted]).toEqual([
    1, 1, 0, 0,
  ]);
});

test('what a refused run has listed wrongly is right in the next, without another date', async () => {
  await runs.configure({ gates: { articlesGone: { refuse: 0.05 } } });
  list(9);
  convert('2026-03-01');
  expect((await runs.run(DAYS[1]!)).exit).toBe(4);
  list(ARTICLES);
  convert('2026-03-01');
  expect((await runs.run(DAYS[2]!)).exit).toBe(0);
  expect(await published()).toBe(ARTICLES);
});

test('a run after one that selected nothing asks again, though the empty listing was believed', async () => {
  list(0);
  convert('2026-03-01');
  for (const day of [DAYS[1]!, DAYS[2]!]) expect((await runs.run(day)).exit).toBe(2);
  list(ARTICLES);
  convert('2026-03-01');
  expect((await runs.run(DAYS[3]!)).exit).toBe(0);
  expect(await published()).toBe(ARTICLES);
});
