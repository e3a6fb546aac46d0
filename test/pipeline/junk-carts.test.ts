/** Carts that anyone may have posted: what fails of them is listed, and stops nothing. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';

const ARTICLES = 3;
const CARTS = 20;
let range: CountedRange;
let runs: DailyRuns;
let folder: string;

/** The range, and carts. */
const ARTICLES_AND_CARTS = [{ catalogue: { parentnode: '' } }, { carts: 'carts/*.json' }];

// Each test goes on where the one before has ended.
beforeAll(async () => {
  range = countedRange({ articles: ARTICLES, blocks: ARTICLES, images: 1, blocksPerArticle: 1 });
  runs = await openDailyRuns(range);
  folder = join(dirname(runs.pipelineFile), 'carts');
  await mkdir(folder);
  await runs.configure({
    articles: ARTICLES_AND_CARTS,
    failures: { quarantineAfterNights: 1 },
  });
  expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
});
afterAll(() => runs.close());

/** Half of the carts are none, the others name articles that the service does not have. */
async function postJunk(): Promise<void> {
  for (let index = 0; index < CARTS; index++) {
    const basearticlenumber = `JUNK${index}`;
    const ids = { id: '1', rootid: '1', manufacturer: 'EVIL', program: 'P', basearticlenumber };
    const cart = index % 2 === 0 ? {} : ids;
    await writeFile(join(folder, `${index}.json`), JSON.stringify(cart));
  }
}

const junkRequests = () => runs.proxy.seen.filter((url) => url.includes('JUNK'));

test('they exceed no limit, change no exit code, and count apart', async () => {
  await postJunk();
  const metrics = join(folder, 'metrics.prom');
  const options = ['--max-failures', '0', '--metrics-file', metrics];
  const { exit, stdout } = await runs.run('2026-01-02', ...options);
  expect(exit).toBe(0);
  expect(stdout).toContain(`0 failed · ${CARTS} of carts failed`);
  expect(stdout).toContain('CART_INVALID  10 of carts failed');
  const { configurations, published } = await runs.report();
  expect(configurations).toMatchObject({ failed: 0, failedCarts: CARTS, quarantined: 0 });
  expect(published).toBe(true);
  const rows = await runs.failures();
  expect(rows).toHaveLength(CARTS);
  expect(rows.every(({ onlyCarts }) => onlyCarts)).toBe(true);
  expect(await readFile(metrics, 'utf8')).toMatch(/btg2gltf_cart_failures\{.*\} 20\n/);
});

test('they wait in quarantine, however many they are, without a request', async () => {
  expect(junkRequests().length).toBeGreaterThan(0);
  runs.proxy.seen.length = 0;
  expect(await runs.run('2026-01-03')).toMatchObject({ exit: 0 });
  expect(junkRequests()).toEqual([]);
  expect((await runs.report()).configurations).toMatchObject({ failedCarts: CARTS });
});

test('those beyond a limit are one row, whose failure is counted apart too', async () => {
  await runs.configure({
    articles: ARTICLES_AND_CARTS,
    limits: { maxCarts: 10 },
  });
  const { exit, stdout } = await runs.run('2026-01-04', '--max-failures', '0');
  expect(exit).toBe(0);
  expect(stdout).toContain('CARTS_LIMITED');
  const rows = (await runs.failures()).filter(({ code }) => code === 'CARTS_LIMITED');
  expect(rows).toMatchObject([
    {
      what: 'carts *.json',
      onlyCarts: true,
      message: expect.stringMatching(/the 10 largest are omitted/),
    },
  ]);
  expect(await runs.failures()).toHaveLength(11);
});

test('the limit and the exit code of the range stay as they are', async () => {
  await runs.configure({ articles: ARTICLES_AND_CARTS });
  const { number } = range.articleAt(0);
  range.convertedOn('2026-01-05');
  runs.proxy.break(new RegExp(`/btg\\?.*${number}`), (response) => response.writeHead(500).end());
  const refused = await runs.run('2026-01-05', '--max-failures', '20%');
  expect(refused.exit).toBe(4);
  expect(refused.stderr).toContain(`received 1 of ${ARTICLES} configurations`);
  expect((await runs.run('2026-01-06')).exit).toBe(1);
});

test('a configuration of a cart is marked in the manifest, and may go without a gate', async () => {
  runs.proxy.mend();
  for (const name of await readdir(folder)) await rm(join(folder, name));
  await runs.configure({
    articles: [{ article: idsOf(1) }, { carts: 'carts/*.json' }],
    gates: { articlesGone: { refuse: '1%' } },
  });
  const cart = { id: '1', rootid: '1', ...idsOf(0), reinit: '', children: [] };
  await writeFile(join(folder, 'one.json'), JSON.stringify(cart));
  expect((await runs.run('2026-01-07', '--accept')).exit).toBe(0);
  const lines = await readManifest(runs.outputDir);
  expect(lines.map((line) => [line.basearticlenumber, line.onlyCarts])).toEqual([
    [range.articleAt(0).number, true],
    [range.articleAt(1).number, undefined],
  ]);
  await rm(join(folder, 'one.json'));
  expect((await runs.run('2026-01-08')).exit).toBe(0);
  expect(await readManifest(runs.outputDir)).toHaveLength(1);
});

function idsOf(index: number) {
  const { manufacturer, program, number: basearticlenumber } = range.articleAt(index);
  return { manufacturer, program, basearticlenumber };
}
