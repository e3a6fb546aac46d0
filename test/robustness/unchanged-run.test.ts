/**
 * Unchanged run: nothing has changed, so next to nothing is requested and nothing is written; and a small
 * change, after which exactly what it concerns is asked for and built.
 *
 * `npm test` takes 18 articles, with `BTG2GLTF_TEST_LONG=1` it is 10,000. Seconds and memory are
 * printed by `npm run bench`.
 */
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manifestByNumber } from '../helpers/command.ts';
import { type CountedRange, countedBlock, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { damagesOf, filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';

const ARTICLES = IS_LONG ? 10_000 : 18;
const MANUFACTURERS = 3;
const LOGIN = /GetPublicKey|GetSessionToken|logout/i;

let range: CountedRange;
let runs: DailyRuns;

beforeAll(async () => {
  // More blocks of a manufacturer than an article has: some articles do not use the one that changes.
  const size = { articles: ARTICLES, blocks: Math.max(12, ARTICLES / 3), images: ARTICLES / 30 };
  range = countedRange({ ...size, manufacturers: MANUFACTURERS });
  runs = await openDailyRuns(range);
  expect((await runs.run('2024-06-01')).exit).toBe(0);
});
afterAll(() => runs.close());

test('a run without changes sends next to no request and writes nothing', async () => {
  const [first, second] = [await unchangedRun('2024-06-02'), await unchangedRun('2024-06-03')];
  for (const { asked } of [first, second]) {
    expect(asked.length).toBeLessThanOrEqual(2 * MANUFACTURERS);
  }
  expect(second.times).toEqual(first.times);
  expect(second.times.size).toBeGreaterThan(2 * ARTICLES);
  expect(await runs.report()).toMatchObject({
    configurations: { selected: ARTICLES, converted: 0, unchanged: ARTICLES, failed: 0 },
    changes: { new: { count: 0 }, changed: { count: 0 }, removed: { count: 0 } },
  });
});

test('a changed block rebuilds its articles, with requests to its manufacturer only', async () => {
  const block = range.articleAt(4).blocks[0]!;
  const manufacturer = block.slice(0, block.indexOf('::'));
  const users = range.usersOf(block);
  expect(users.length).toBeGreaterThan(0);
  expect(users.length).toBeLessThan(ARTICLES / 2);
  const before = await fileTimes();
  range.bodies.set(block, countedBlock(block, 2));
  range.convertdates.set(manufacturer, '2024-06-03');

  const { asked } = await runOn('2024-06-04');
  for (const url of asked) {
    if (!/getnodes\?parentnode=&|getnodes\/?\?token/i.test(url))
      expect(url).toContain(manufacturer);
  }
  const lines = Object.values(await manifestByNumber(runs.outputDir));
  const converted = lines.filter(({ status }) => status === 'converted');
  expect(converted.map(({ basearticlenumber }) => basearticlenumber).sort()).toEqual(users.sort());
  const after = await fileTimes();
  const written = [...after].filter(([name, time]) => before.get(name) !== time);
  const links = written.filter(([name]) => name.startsWith('articles') && name.endsWith('.glb'));
  expect(links).toHaveLength(users.length);
  expect(await damagesOf(runs.outputDir)).toEqual([]);
  expect((await runs.report()).changes.changed.count).toBe(users.length);
});

/** The requests of a run without login and logout. */
async function runOn(day: string): Promise<{ asked: string[] }> {
  const before = runs.proxy.seen.length;
  const { exit, stderr } = await runs.run(day);
  expect(exit, stderr).toBe(0);
  return { asked: runs.proxy.seen.slice(before).filter((url) => !LOGIN.test(url)) };
}

async function unchangedRun(day: string) {
  const { asked } = await runOn(day);
  return { asked, times: await fileTimes() };
}

/** When each published file was written, and each folder of them changed. */
async function fileTimes(): Promise<Map<string, number>> {
  const paths = ['manifest.jsonl', 'catalogue.jsonl'].map((name) => join(runs.outputDir, name));
  for (const name of ['objects', 'articles']) {
    const entries = await readdir(join(runs.outputDir, name), { recursive: true });
    paths.push(...entries.map((entry) => join(runs.outputDir, name, entry)));
  }
  for (const name of ['objects', 'selections'])
    paths.push(...(await filesBelow(join(runs.cacheDir, name))));
  const times = new Map<string, number>();
  for (const path of paths) times.set(relative(runs.outputDir, path), (await stat(path)).mtimeMs);
  return times;
}
