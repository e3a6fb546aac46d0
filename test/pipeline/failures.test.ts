/**
 * What keeps failing over several runs is quarantined, listed and tried less often until it succeeds.
 */
import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { LIVE } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';

let range: CountedRange;
let runs: DailyRuns;
/** The article that fails. */
let bad: string;

/** A service with two articles. */
async function open(): Promise<void> {
  range = countedRange({ articles: 2, blocks: 2, images: 1, blocksPerArticle: 1 });
  runs = await openDailyRuns(range);
  bad = range.articleAt(1).number;
}
const close = () => runs.close();
/** The same, after a first run that has published both. */
async function openPublished(): Promise<void> {
  await open();
  expect(await runs.run('2026-01-01')).toMatchObject({ exit: 0 });
}

/** The service has new data, and answers an error where it is asked for the parts of one article. */
function breakBad(convertedOn = '2026-01-31'): void {
  range.convertedOn(convertedOn);
  runs.proxy.break(new RegExp(`/btg\\?.*${bad}`), (response) => response.writeHead(500).end());
}

/** Articles whose parts list was requested in a run. */
async function asked(day: string, ...options: string[]): Promise<{ exit: number; of: string[] }> {
  runs.proxy.seen.length = 0;
  const { exit } = await runs.run(day, ...options);
  const of = runs.proxy.seen
    .filter((url) => url.includes('/btg?'))
    .map((url) => new URL(url, 'http://localhost').searchParams.get('basearticlenumber')!);
  return { exit, of: of.sort() };
}

/** Operations that were requested for the article that fails. */
const ofBad = () =>
  runs.proxy.seen.flatMap((url) =>
    url.includes(bad) ? (/(articles|btg)\?/.exec(url)?.[1] ?? url) : [],
  );

const attempts = async () => (await runs.failures())[0]?.attempts ?? 0;

const day = (n: number) => `2026-02-${String(n).padStart(2, '0')}`;

/** With quarantine at once, and with requests that are tried again. */
const RETRYING = {
  ...{ failures: { quarantineAfterNights: 1 }, service: { ...LIVE, backoffMs: 1 } },
};

test('a run that is ended by too many requests (429) logs out, without a pause', async () => {
  await open();
  onTestFinished(close);
  await runs.configure({ service: { ...LIVE, maxPauseMs: 1, maxTotalPauseMs: 1 } });
  const limited = (response: ServerResponse) =>
    void response.writeHead(429, { 'retry-after': '3600' }).end();
  runs.proxy.break(/\/(btg|getarticles|articles)\?/, limited);
  const { exit, stderr } = await runs.run(day(2));
  expect([exit, stderr]).toEqual([3, expect.stringContaining('service.maxTotalPauseMs')]);
  const paths = runs.proxy.seen.map((url) => url.replace(/\/[^/]*$/, ''));
  expect(paths.filter((path) => path.endsWith('/logout'))).toHaveLength(2);
});

describe('in quarantine', () => {
  // Each test goes on where the one before has ended.
  beforeAll(async () => {
    await openPublished();
    await runs.configure({ failures: { quarantineAfterNights: 1 } });
    breakBad();
    expect((await runs.run(day(1))).exit).toBe(1);
  });
  afterAll(close);

  test('it is listed with what is known of it, and its last good file stays linked', async () => {
    expect((await runs.run(day(2))).exit).toBe(1);
    expect(await runs.failures()).toMatchObject([
      {
        ...{ basearticlenumber: bad, code: 'HTTP_STATUS', attempts: 1, nights: 1 },
        ...{ quarantined: true, retryOn: day(8) },
        firstSeen: expect.stringContaining(`${day(1)}T02:`),
        lastSeen: expect.stringContaining(`${day(1)}T02:`),
      },
    ]);
    expect((await runs.report()).configurations).toMatchObject({ failed: 1, quarantined: 1 });
    const line = (await readManifest(runs.outputDir)).find(
      ({ basearticlenumber }) => basearticlenumber === bad,
    );
    expect(line).toMatchObject({ status: 'failed', lastGood: { sha256: expect.any(String) } });
  });

  test('it is looked at each night: article and parts list are requested once', async () => {
    await runs.configure(RETRYING);
    runs.proxy.seen.length = 0;
    expect((await runs.run(day(3))).exit).toBe(1);
    expect(ofBad()).toEqual(['articles', 'btg']);
    expect(await runs.failures()).toMatchObject([{ attempts: 1, retryOn: day(8) }]);
  });

  test('is tried with --failed, --only and --force', async () => {
    await runs.configure({ failures: { quarantineAfterNights: 1 } });
    expect((await asked(day(4), '--failed')).of).toEqual([bad]);
    expect((await asked(day(4), '--only', `*/${bad}`)).of).toEqual([bad]);
    expect((await asked(day(4), '--force')).of).toContain(bad);
    expect(await runs.failures()).toMatchObject([{ attempts: 4, nights: 2 }]);
  });

  test('a changed option of the conversion gives it another try', async () => {
    await runs.run(day(5), '--allow-missing-parts');
    expect(await attempts()).toBe(5);
  });

  test('is tried as often as the pipeline file says', async () => {
    await runs.configure({ failures: { quarantineAfterNights: 5, retryEveryNights: 2 } });
    const tried: number[] = [];
    for (const n of [6, 7, 8, 9]) {
      await runs.run(day(n));
      tried.push(await attempts());
    }
    // The seventh is the fifth day on which it has failed.
    expect(tried).toEqual([6, 7, 7, 8]);
  });

  test('is tried by build, which sends no requests', async () => {
    runs.proxy.mend();
    expect((await runs.command('fetch', day(10))).exit).toBe(0);
    expect((await runs.command('build', day(10))).exit).toBe(0);
    expect(await runs.failures()).toEqual([]);
  });

  test('it ends once article and parts list are answered', async () => {
    await runs.configure(RETRYING);
    breakBad(day(10));
    expect((await runs.run(day(11))).exit).toBe(1);
    expect(await runs.failures()).toMatchObject([{ quarantined: true }]);
    runs.proxy.mend();
    expect((await runs.run(day(12))).exit).toBe(0);
    expect(await runs.failures()).toEqual([]);
  });
});

describe('in quarantine because it cannot be converted', () => {
  // Each test goes on where the one before has ended.
  let block: string;
  beforeAll(async () => {
    await openPublished();
    await runs.configure({ failures: { quarantineAfterNights: 1 } });
    [block] = range.articleAt(1).blocks as [string];
    await failOn(1);
  });
  afterAll(close);

  /** New data of the service lack a block. */
  async function failOn(n: number): Promise<void> {
    range.missing.add(block);
    range.convertedOn(day(n));
    expect((await runs.run(day(n))).exit).toBe(1);
    expect(await runs.failures()).toMatchObject([{ code: 'BLOCK_MISSING', attempts: 1 }]);
  }

  test('it is not converted while article and parts list are the same', async () => {
    runs.proxy.seen.length = 0;
    expect((await runs.run(day(2))).exit).toBe(1);
    expect(ofBad()).toEqual(['articles', 'btg']);
    expect(await runs.failures()).toMatchObject([{ attempts: 1, retryOn: day(8) }]);
    expect((await runs.report()).configurations).toMatchObject({ failed: 1, quarantined: 1 });
  });

  test('it is tried on the day of a new conversion date', async () => {
    range.missing.delete(block);
    expect((await runs.run(day(3))).exit).toBe(1);
    range.convertedOn(day(4));
    expect((await runs.run(day(4))).exit).toBe(0);
    expect(await runs.failures()).toEqual([]);
  });

  test('it is converted on the day on which its parts list has changed, without a new date', async () => {
    await failOn(5);
    const { partsList } = range;
    const other = range.articleAt(0);
    range.partsList = (query) =>
      query.basearticlenumber === bad
        ? partsList({ ...query, program: other.program, basearticlenumber: other.number })
        : partsList(query);
    expect((await runs.run(day(6))).exit).toBe(0);
    expect(await runs.failures()).toEqual([]);
  });
});

describe('run --failed', () => {
  beforeAll(openPublished);
  afterAll(close);

  test('with nothing failed there is nothing to do, and that is well', async () => {
    const before = await readManifest(runs.outputDir);
    expect(await asked('2026-01-02', '--failed')).toEqual({ exit: 0, of: [] });
    expect(await readManifest(runs.outputDir)).toEqual(before);
  });

  test('processes only what failed, and changes no other line', async () => {
    breakBad();
    await runs.run(day(1));
    const before = await readManifest(runs.outputDir);
    runs.proxy.mend();
    range.asked.clear();
    expect(await asked(day(2), '--failed')).toEqual({ exit: 0, of: [bad] });
    expect(range.count('getarticles')).toBeLessThanOrEqual(1);
    const now = await readManifest(runs.outputDir);
    const others = ({ basearticlenumber }: { basearticlenumber: string }) =>
      basearticlenumber !== bad;
    expect(now.filter(others)).toEqual(before.filter(others));
    expect(now.find((line) => !others(line))).toMatchObject({ status: 'converted' });
    expect(await runs.failures()).toEqual([]);
  });

  test('finds in the manifest what failed, if the cache is lost', async () => {
    breakBad(day(3));
    await runs.run(day(3));
    runs.proxy.mend();
    await rm(runs.cacheDir, { recursive: true });
    expect(await asked(day(4), '--failed')).toEqual({ exit: 0, of: [bad] });
  });
});

test('what was never published is not reported as removed, whether it succeeds or is gone', async () => {
  await open();
  onTestFinished(close);
  const [first, second] = [range.articleAt(0).number, range.articleAt(1).number];
  // One fails before it is known which configuration it is, and has another identity afterwards.
  runs.proxy.break(new RegExp(`/articles\\?.*${first}`), (answer) => answer.writeHead(500).end());
  runs.proxy.break(new RegExp(`/btg\\?.*${second}`), (answer) => answer.writeHead(500).end());
  expect((await runs.run('2026-01-01')).exit).toBe(1);
  runs.proxy.mend();
  range.gone.add(second);
  expect((await runs.run('2026-01-02', '--force')).exit).toBe(0);
  expect((await runs.report()).changes).toMatchObject({
    new: { count: 1, rows: [{ basearticlenumber: first }] },
    removed: { count: 0 },
  });
});

test('a part of the selection that fails is counted over several runs, and always tried', async () => {
  await open();
  onTestFinished(close);
  await runs.configure({
    failures: { quarantineAfterNights: 2 },
    articles: [{ catalogue: {} }, { permanentids: ['P-17'] }],
  });
  for (const n of [1, 2, 3]) expect((await runs.run(day(n))).exit).toBe(1);
  expect(await runs.failures()).toMatchObject([
    { code: 'PERMANENT_ID_NOT_RESOLVABLE', attempts: 3, nights: 3, quarantined: false },
  ]);
  const [row] = await runs.failures();
  expect(row).toMatchObject({ firstSeen: expect.stringContaining(day(1)) });
  expect(row).toMatchObject({ lastSeen: expect.stringContaining(day(3)) });
  expect((await runs.report()).configurations).toMatchObject({
    ...{ unchanged: 2, kept: 2, failed: 1, quarantined: 0 },
  });
});
