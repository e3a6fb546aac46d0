/**
 * Distributed runs in which something fails that is no worker of its own: the queue, the store, two workers at one
 * chunk, a worker that does not belong there. Nothing is lost, and what is published is what a run in one process does.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunReport } from '../../src/report/run-report.ts';
import {
  type DistributedStage,
  LIMIT_MS,
  openDistributedStage,
  until,
} from '../helpers/distributed.ts';
import { damagesOf } from '../helpers/output-folder.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const ARTICLES = IS_LONG ? 2000 : 160;
const SIZE = {
  articles: ARTICLES,
  blocks: 40,
  images: 10,
  manufacturers: 2,
  articlesPerSeries: 60,
};
const MINUTE_MS = 60_000;

let queue: QueueServerUnderTest;
beforeAll(async () => {
  queue = await startPostgres();
});
afterAll(() => queue.close());

/** Starts a run with two workers, which wait in the middle of their chunks. */
async function inTheMiddle(stage: DistributedStage) {
  const blocks = stage.holdBlocks(SIZE.blocks / 2);
  const workers = [stage.worker('w0'), stage.worker('w1')];
  const run = stage.run();
  await until(() => expect(blocks.count()).toBeGreaterThan(SIZE.blocks / 2));
  return { ...blocks, workers, run };
}

/** Each configuration is counted once, and published as by a run in one process. */
async function nothingIsLost(stage: DistributedStage): Promise<RunReport> {
  const report = await stage.reportOf();
  expect(report.workers!.reduce((sum, one) => sum + one.configurations, 0)).toBe(ARTICLES);
  expect(report.configurations).toMatchObject({ selected: ARTICLES, converted: ARTICLES });
  expect(await stage.published()).toEqual(await stage.publishedHere());
  return report;
}

const options = { timeout: LIMIT_MS };

test.concurrent(
  'the server of the queue is killed in the middle, and started again',
  options,
  async (context) => {
    const own = await startPostgres();
    context.onTestFinished(own.close);
    const stage = await openDistributedStage(context, { queue: own.url, size: SIZE });
    const { release, run } = await inTheMiddle(stage);
    await own.kill();
    release();
    if (IS_LONG) await sleep(MINUTE_MS);
    await own.start();
    await stage.succeeds(run);
    await nothingIsLost(stage);
    expect(await damagesOf(join(stage.folder, 'out'))).toEqual([]);
  },
);

test.concurrent('the store refuses for a while, and is slow', options, async (context) => {
  const stage = await openDistributedStage(context, { queue: queue.url, size: SIZE, place: 'S3' });
  const { release, run } = await inTheMiddle(stage);
  const { switches, seen } = stage.s3!;
  let isReleased = false;
  for (const [name, fault] of Object.entries({
    503: { status: 503, code: 'SlowDown' },
    403: { status: 403, code: 'AccessDenied' },
    slow: undefined,
  })) {
    switches.always = fault && { fault };
    switches.delayMs = fault === undefined ? (IS_LONG ? 5_000 : 200) : 0;
    const before = seen.length;
    if (!isReleased) release();
    isReleased = true;
    if (IS_LONG) await sleep(MINUTE_MS);
    await until(() => expect(seen.length, name).toBeGreaterThan(before + 10));
  }
  switches.delayMs = 0;
  await stage.succeeds(run);
  await nothingIsLost(stage);
});

test.concurrent(
  'two workers finish the same chunk, of which one was stopped for a while: the first result counts',
  options,
  async (context) => {
    const stage = await openDistributedStage(context, {
      queue: queue.url,
      size: SIZE,
      place: 'S3',
    });
    const { switches, seen, stored } = stage.s3!;
    const isResult = (url: string) => url.includes('/results/');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let late: string | undefined;
    switches.hold = ({ method, url }) => {
      if (method !== 'PUT' || !isResult(url) || late !== undefined) return undefined;
      late = url;
      return held;
    };
    const frozen = stage.worker('frozen');
    const run = stage.run();
    await until(() => expect(late).toBeDefined());
    frozen.kill('SIGSTOP');
    const other = stage.worker('other');
    const isStored = () => stored.some((key) => late!.endsWith(key));
    await until(() => expect(isStored()).toBe(true));
    release();
    frozen.kill('SIGCONT');
    await stage.succeeds(run);
    const report = await nothingIsLost(stage);
    expect(stored.filter(isResult)).toEqual([...new Set(stored.filter(isResult))]);
    expect(seen.filter(({ method, url }) => method === 'PUT' && url === late)).toHaveLength(2);
    console.log(report.workers, stored.filter(isResult));
    for (const worker of [frozen, other]) {
      worker.kill('SIGTERM');
      await stage.succeeds(worker);
    }
  },
);

test.concurrent(
  'a worker with other options is refused, and the others go on',
  options,
  async (context) => {
    const stage = await openDistributedStage(context, { queue: queue.url, size: SIZE });
    const { release, run } = await inTheMiddle(stage);
    const file = await stage.otherFile('other', {
      convert: { creaseAngleDegrees: 40 },
      output: { dir: '../out' },
      cache: { dir: '../cache' },
    });
    const refused = await stage.worker('other', {}, file).ended;
    expect(refused, refused.stderr).toMatchObject({ exit: 2 });
    console.log(refused.stderr);
    release();
    await stage.succeeds(run);
    const { workers } = await nothingIsLost(stage);
    expect(workers!.map(({ state }) => state).sort()).toEqual(['idle', 'idle', 'refused']);
  },
);
