/** Listings of the catalogue that are empty, or much shorter than before, by a mistake of the service. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { type SmallRange, smallRange } from '../helpers/small-range.ts';

const ARTICLES = 10;

let range: SmallRange;
/** All of it. */
let listed: SmallRange['nodes'];
let runs: DailyRuns;
let day = 1;

const dayAt = (of: number) => `2026-03-${String(of).padStart(2, '0')}`;
/** Runs on the next day, which has to end with a status. */
const run = async (exit: number, ...options: string[]) =>
  expect((await runs.run(dayAt(++day), ...options)).exit).toBe(exit);
const configure = (refuse: number) => runs.configure({ gates: { articlesGone: { refuse } } });

/** One series for all tests: each begins with all of it published. */
beforeAll(async () => {
  const articles = Array.from({ length: ARTICLES }, (_, i) => {
    const number = `D${10 + i}`;
    return { number, blocks: ['ACME::DESK::TOP'] };
  });
  range = smallRange(articles);
  listed = range.nodes;
  runs = await openDailyRuns(range);
  await configure(1);
  await run(0);
});
afterEach(async () => {
  await configure(1);
  if ((await published()) === ARTICLES) return;
  // After another conversion, which clears all doubts.
  list(ARTICLES);
  await run(0);
});
afterAll(() => runs.close());

/** From now on, which is after another conversion, the series lists so many articles. */
function list(count: number): void {
  mend(count);
  range.convertdate = dayAt(day);
}

/** From now on it lists so many, without another conversion: it has listed others by mistake. */
function mend(count = ARTICLES): void {
  range.nodes = (parentnode) => {
    const nodes = listed(parentnode);
    return parentnode === '' ? nodes : nodes?.slice(0, count);
  };
}

const published = async () => (await readManifest(runs.outputDir)).length;
const askedForSeries = () =>
  runs.proxy.seen.filter((url) => url.includes('getnodes') && url.includes('DESK')).length;
/** How often each of these runs asks for the listing of the series. */
async function asksOf(...each: (() => Promise<void>)[]): Promise<number[]> {
  const asks: number[] = [];
  for (const one of each) {
    const before = askedForSeries();
    await one();
    asks.push(askedForSeries() - before);
  }
  return asks;
}

// The last test has this after two such nights.
test.runIf(IS_LONG)(
  'an empty selection is asked for again in the next night, and nothing is lost',
  async () => {
    list(0);
    await run(2);
    mend();
    await run(0);
    expect(await published()).toBe(ARTICLES);
  },
);

test('a listing that lacks a fifth is asked for again, and what was gone comes back', async () => {
  list(8);
  await run(0);
  expect(await published()).toBe(8);
  mend();
  await run(0);
  expect(await published()).toBe(ARTICLES);
});

test('it is believed once it was the same on two days', async () => {
  list(8);
  await run(0);
  const onSameDay = async () => expect((await runs.run(dayAt(day))).exit).toBe(0);
  const onNextDay = () => run(0);
  expect(await asksOf(onSameDay, onNextDay, onNextDay)).toEqual([1, 1, 0]);
});

test('one that was rightly empty is asked for again after another conversion, of which it may lack all', async () => {
  list(0);
  await run(2);
  await run(2);
  list(0);
  await run(2);
  mend();
  await run(0);
  expect(await published()).toBe(ARTICLES);
});

test('one that lacks less is believed at once', async () => {
  list(9);
  await run(0);
  expect(await asksOf(() => run(0))).toEqual([0]);
});

test('--accept asks again for what was doubted: a refused loss is published only if it is still there', async () => {
  await configure(0.5);
  list(2);
  await run(4);
  await run(0, '--accept');
  expect(await published()).toBe(2);
});

test('a run after a refusal asks again for every listing, a run with --accept only for those in doubt', async () => {
  await configure(0.05);
  list(9);
  const asks = await asksOf(
    () => run(4),
    () => run(4),
    () => run(0, '--accept'),
    () => run(0),
  );
  expect(asks).toEqual([1, 1, 0, 0]);
});

test('what a refused run has listed wrongly is right in the next, without another date', async () => {
  await configure(0.05);
  list(9);
  await run(4);
  mend();
  await run(0);
  expect(await published()).toBe(ARTICLES);
});

test('a run after one that selected nothing asks again, though the empty listing was believed', async () => {
  list(0);
  await run(2);
  await run(2);
  mend();
  await run(0);
  expect(await published()).toBe(ARTICLES);
});
