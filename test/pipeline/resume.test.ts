/**
 * Going on: what of an interrupted run the next whole one takes up, whatever was tried in between.
 */
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readManifest } from '../../src/run/output/manifest.ts';
import { ConverterError } from '../../src/support/errors.ts';
import { watchFileOperations } from '../../src/support/file-operations.ts';
import { command } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { type DailyRuns, openDailyRuns } from '../helpers/daily-runs.ts';
import { type Answer, raw } from '../helpers/fault-server.ts';
import { filesBelow } from '../helpers/output-folder.ts';
import { IS_LONG } from '../helpers/samples.ts';
import { until } from '../helpers/until.ts';

const ARTICLES = 6;
let range: CountedRange;
let runs: DailyRuns;

async function open(articles: number): Promise<void> {
  range = countedRange({ articles, blocks: articles, images: 2, blocksPerArticle: 1 });
  runs = await openDailyRuns(range, { freshness: 'always' });
}
beforeEach(() => open(ARTICLES));
afterEach(() => runs.close());

/** A run that is interrupted once some parts lists were asked for. */
async function interruptedRun(): Promise<void> {
  const controller = new AbortController();
  const { partsList } = range;
  let asked = 0;
  range.partsList = (query) => {
    if (++asked === 4) controller.abort(new Error('stop'));
    return partsList(query);
  };
  const words = ['run', runs.pipelineFile, '--concurrency', '1'];
  const at = '2026-02-01T02:00:00Z';
  await command(words, { env: runs.proxy.env, at, signal: controller.signal });
  range.partsList = partsList;
}

describe('an interrupted run is resumed', () => {
  test.each<[string, string[][]]>([
    [
      'a preview, a run over a part and one over what failed',
      [['--dry-run'], ['--only', 'N01/S01/A00001'], ['--failed']],
    ],
    ...(IS_LONG ? ([['nothing', []]] as [string, string[][]][]) : []),
  ])('after %s in between', async (_, between) => {
    await interruptedRun();
    for (const options of between) expect((await runs.run('2026-02-01', ...options)).exit).toBe(0);
    expect((await runs.run('2026-02-01')).exit).toBe(0);
    expect(range.count('btg')).toBeLessThanOrEqual(ARTICLES + 1);
  });
});

describe('a clock that was set back', () => {
  test.each(IS_LONG ? [[[]], [['--force']]] : [[['--force']]])(
    'does not resume what was fetched later (%j)',
    async (options) => {
      await runs.close();
      await open(2);
      await runs.run('2026-02-01');
      const asked = range.count('btg');
      await runs.run('2026-01-31', ...options);
      expect(range.count('btg')).toBe(2 * asked);
      const earlier = () => Date.parse('2026-01-31T01:00:00Z');
      await runs.run(earlier, ...options);
      expect(range.count('btg')).toBe(3 * asked);
    },
  );
});

test('--failed with --limit tries as many of those that failed', async () => {
  for (const index of [3, 4, 5]) range.missing.add(range.articleAt(index).blocks[0]!);
  expect((await runs.run('2026-02-01')).exit).toBe(1);
  range.missing.clear();
  expect((await runs.run('2026-02-02', '--failed', '--limit', '2')).exit).toBe(0);
  expect((await runs.report()).configurations).toMatchObject({ selected: 2, converted: 2 });
});

describe('--failed', () => {
  beforeEach(async () => {
    await runs.configure({});
    for (const index of [4, 5]) range.missing.add(range.articleAt(index).blocks[0]!);
    expect((await runs.run('2026-02-01')).exit).toBe(1);
    range.missing.clear();
    range.asked.clear();
  });

  test('shows with --dry-run what it would try, and requests again what was missing, although the data was not converted since', async () => {
    const { stdout } = await runs.run('2026-02-02', '--failed', '--dry-run');
    const numbers = [4, 5].map((index) => range.articleAt(index).number);
    expect([...stdout.matchAll(/^N\d\d\tS\d\d\t(\w+)/gm)].map(([, number]) => number)).toEqual(
      numbers,
    );
    expect((await runs.run('2026-02-02')).exit).toBe(1);
    expect(range.count('block')).toBe(0);
    expect((await runs.run('2026-02-03', '--failed')).exit).toBe(0);
    expect(range.count('block')).toBe(2);
    expect((await runs.run('2026-02-04')).exit).toBe(0);
    expect(range.count('block')).toBe(2);
  });
});

describe.runIf(IS_LONG)('a service that answers "too many requests"', () => {
  test('does not use up the time limit of an article', async () => {
    await runs.configure({ limits: { articleTimeoutMs: 30_000 } });
    let isAsked = false;
    runs.proxy.disturb((url) => {
      if (isAsked || !url.includes('btg')) return undefined;
      isAsked = true;
      return { answer: (response) => void response.writeHead(429, { 'retry-after': '45' }).end() };
    });
    expect((await runs.run('2026-02-01')).exit).toBe(0);
    expect(isAsked).toBe(true);
  });
});

describe('the deadline of a run', () => {
  test('ends a pause of the service, and publishes what is done', async () => {
    const deadline = new Date(2026, 1, 1, 3, 0).getTime();
    let asked = 0;
    // A pause of an hour, which no test waits for.
    let isPaused = false;
    const clock = () => (isPaused ? deadline : deadline - 100);
    runs.proxy.disturb((url) => {
      if (!url.includes('btg') || asked++ < 4) return undefined;
      const answer: Answer = async (response, request) => {
        await until(async () => (await filesBelow(join(runs.cacheDir, 'objects'))).length >= 3);
        isPaused = true;
        raw('', { 'retry-after': '3600' }, 429)(response, request);
      };
      return { answer };
    });
    const { exit, stderr } = await runs.run(clock, '--until', '03:00', '--concurrency', '1');
    expect(exit).toBe(130);
    expect(stderr).toContain('the deadline passed: ');
    expect(await runs.report()).toMatchObject({ ended: 'until', published: true });
    expect((await readManifest(runs.outputDir)).length).toBeGreaterThan(0);
  });

  test('may end before the articles are selected', async () => {
    const begin = new Date(2026, 2, 1, 2, 0).getTime();
    let isBegun = false;
    const clock = () => {
      const now = isBegun ? begin + 3_600_000 + 9900 : begin;
      isBegun = true;
      return now;
    };
    runs.proxy.break(/getnodes/, () => undefined);
    const { exit, stderr } = await runs.run(clock, '--until', '03:00');
    expect(exit).toBe(130);
    expect(stderr).toMatch(/the deadline passed during the selection.*\n.*run the same/);
    expect(await runs.report()).toMatchObject({ ended: 'until', published: false });
  });
});

test('an interruption while links are made ends the run with the previous manifest, and the next run publishes what is built', async () => {
  await runs.close();
  // More than links are made at once.
  const articles = 12;
  await open(articles);
  const controller = new AbortController();
  watchFileOperations((operation, path) => {
    if (operation === 'link' && path.includes('/articles/')) {
      controller.abort(new ConverterError('INTERRUPTED', 'stop'));
    }
  });
  const { env } = runs.proxy;
  const at = '2026-02-01T02:00:00Z';
  const words = ['run', runs.pipelineFile];
  const { exit, stderr } = await command(words, { env, at, signal: controller.signal });
  watchFileOperations(undefined);
  expect(exit).toBe(130);
  expect(stderr).toContain('run the same command again to continue');
  expect(await runs.report()).toMatchObject({ ended: 'interrupted', published: false });
  expect(await readManifest(runs.outputDir)).toEqual([]);
  const asked = range.count('btg');
  expect((await runs.run('2026-02-01')).exit).toBe(0);
  expect(await readManifest(runs.outputDir)).toHaveLength(articles);
  expect(range.count('btg')).toBe(asked);
});

test('a service that cannot even be opened leaves a report', async () => {
  const { BTG2GLTF_PASSWORD: _, ...env } = runs.proxy.env;
  expect(await command(['run', runs.pipelineFile], { env })).toMatchObject({ exit: 2 });
  const stop = { code: 'PIPELINE_VARIABLE_UNSET' };
  expect(await runs.report()).toMatchObject({ ended: 'stopped', published: false, stop });
});

test('verify ends when it is interrupted; a database that cannot be written after publishing does not make the report say that nothing is published', async () => {
  await runs.run('2026-02-01');
  const words = ['verify', runs.outputDir];
  const verified = await command(words, { signal: AbortSignal.abort(new Error('stop')) });
  expect(verified.exit).not.toBe(0);
  const state = new Libsql(join(runs.cacheDir, 'state.db'));
  state.exec(
    "CREATE TRIGGER full BEFORE INSERT ON cached_decisions BEGIN SELECT RAISE(ABORT, 'full'); END",
  );
  state.close();
  range.gone.add(range.articleAt(3).number);
  const { exit } = await runs.run('2026-02-02');
  expect(exit).not.toBe(0);
  expect(await readManifest(runs.outputDir)).toHaveLength(ARTICLES - 1);
  expect(await runs.report()).toMatchObject({ published: true, stop: { code: 'INTERNAL' } });
});
