/**
 * Distributed runs in which something fails: the queue, the store, a worker that was stopped for a while, one that does
 * not belong there, the service. Nothing is lost, and what is published is what a run in one process does.
 */
import { readFile } from 'node:fs/promises';
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
import { raw } from '../helpers/fault-server.ts';
import { damagesOf, filesBelow } from '../helpers/output-folder.ts';
import { type QueueServerUnderTest, rowsOf, startPostgres } from '../helpers/postgres.ts';
import type { S3Fault } from '../helpers/s3-server.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const OPTIONS = { timeout: LIMIT_MS };
const ARTICLES = IS_LONG ? 2000 : 100;
const SIZE = {
  articles: ARTICLES,
  blocks: 40,
  images: 10,
  manufacturers: 2,
  articlesPerSeries: 50,
};
/** Some articles have all blocks then, and no chunk has: each is of one manufacturer. */
const HELD_AFTER = 12;
const MINUTE_MS = 60_000;

let queue: QueueServerUnderTest;
beforeAll(async () => {
  queue = await startPostgres();
});
afterAll(() => queue.close());

/** Starts a run with two workers, which wait in the middle of their chunks. */
async function inTheMiddle(stage: DistributedStage) {
  const blocks = stage.holdBlocks(HELD_AFTER);
  for (const name of ['w0', 'w1']) stage.worker(name);
  const run = stage.run();
  await until(() => expect(blocks.count()).toBeGreaterThan(HELD_AFTER));
  return { release: blocks.release, run };
}

/** Each configuration is counted once, and published as by a run in one process. */
async function nothingIsLost(stage: DistributedStage): Promise<RunReport> {
  const report = await stage.reportOf();
  expect(report.workers!.reduce((sum, one) => sum + one.configurations, 0)).toBe(ARTICLES);
  expect(report.configurations).toMatchObject({ selected: ARTICLES, converted: ARTICLES });
  expect(await stage.published()).toEqual(await stage.publishedHere());
  return report;
}

test.concurrent(
  'a worker with other options is refused; then the queue is killed, and started again',
  OPTIONS,
  async (context) => {
    const own = await startPostgres();
    context.onTestFinished(own.close);
    const stage = await openDistributedStage(context, { queue: own.url, size: SIZE });
    const { release, run } = await inTheMiddle(stage);
    const { ended } = stage.worker(
      'other',
      {},
      await stage.otherFile('other', { convert: { creaseAngleDegrees: 40 } }),
    );
    const refused = await ended;
    // The folders that it would share are beside its file.
    expect(refused, refused.stderr).toMatchObject({ exit: 2 });
    expect(refused.stderr).toContain('WORKER_REFUSED');
    expect(refused.stderr).toContain(
      'the options of the coordinator, received others: convert, store\n',
    );

    await own.kill();
    release();
    if (IS_LONG) await sleep(MINUTE_MS);
    await own.start();
    await stage.succeeds(run);
    const { workers } = await nothingIsLost(stage);
    // Its last message may have been lost with the queue.
    const others = workers!.filter(({ state }) => state === 'refused' || state === 'lost');
    expect(others).toMatchObject([{ configurations: 0 }]);
    expect(await damagesOf(join(stage.folder, 'out'))).toEqual([]);
  },
);

test.concurrent(
  'the store refuses for a while, and is slow; no secret is left anywhere',
  OPTIONS,
  async (context) => {
    const stage = await openDistributedStage(context, {
      ...{ queue: queue.url, size: SIZE, place: 'S3', hasProxy: true },
    });
    const { release, run } = await inTheMiddle(stage);
    const { switches, seen } = stage.s3!;
    const faults: S3Fault[] = [
      { status: 503, code: 'SlowDown' },
      { status: 403, code: 'AccessDenied' },
      'none',
    ];
    for (const fault of faults) {
      switches.always = { fault };
      if (fault === 'none') switches.delayMs = IS_LONG ? 5_000 : 100;
      const before = seen.length;
      release();
      if (IS_LONG) await sleep(MINUTE_MS);
      await until(() => expect(seen.length).toBeGreaterThan(before + 5));
    }
    switches.delayMs = 0;
    // What the queue has in the middle of a run, and at its end.
    const dumps = [await rowsOf(queue.url)];
    await stage.succeeds(run);
    dumps.push(await rowsOf(queue.url));
    await nothingIsLost(stage);
    expect(await leaksOf(stage, dumps.join('\n'))).toEqual([]);
  },
);

test.concurrent(
  'two workers finish one chunk, since the first was stopped meanwhile: its result is refused',
  OPTIONS,
  async (context) => {
    const stage = await openDistributedStage(context, {
      queue: queue.url,
      size: SIZE,
      place: 'S3',
    });
    const { switches, seen, stored } = stage.s3!;
    const isResult = (text: string) => text.includes('/results/');
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
    const stopped = stage.worker('stopped');
    const run = stage.run();
    await until(() => expect(late).toBeDefined());
    stopped.kill('SIGSTOP');
    const other = stage.worker('other');
    await until(() => expect(stored.some((key) => late!.endsWith(key))).toBe(true));
    release();
    stopped.kill('SIGCONT');
    await stage.succeeds(run);
    const { workers } = await nothingIsLost(stage);
    const results = stored.filter(isResult);
    expect(results).toEqual([...new Set(results)]);
    expect(workers!.reduce((sum, { chunks }) => sum + chunks, 0)).toBe(results.length);
    expect(seen.filter(({ method, url }) => method === 'PUT' && url === late)).toHaveLength(2);
    // Neither has been harmed.
    for (const worker of [stopped, other]) {
      worker.kill('SIGTERM');
      await stage.succeeds(worker);
    }
  },
);

test.concurrent(
  'the limits of the service hold for all workers together, and a 429 that one meets pauses all',
  OPTIONS,
  async (context) => {
    const [perSecond, concurrency, pauseSeconds] = [80, 2, 3];
    const stage = await openDistributedStage(context, {
      ...{ queue: queue.url, size: { ...SIZE, articles: 200 } },
      ...{ hasProxy: true, service: { rateLimit: { perSecond, concurrency } } },
    });
    const { range, proxy } = stage;
    const { block, material } = range;
    // Long enough for others to be sent meanwhile.
    Object.assign(range, {
      block: (name: string) => sleep(300).then(() => block(name)),
      material: (...names: Parameters<typeof material>) =>
        sleep(300).then(() => material(...names)),
    });
    const arrivals: number[] = [];
    const refused = 100;
    proxy!.disturb((url) => {
      if (!/btg|block|materials/.test(url) || arrivals.push(Date.now()) !== refused)
        return undefined;
      return { answer: raw('', { 'retry-after': String(pauseSeconds) }, 429) };
    });
    // One has no part of the limits.
    const workers = Array.from({ length: concurrency + 1 }, () => stage.worker());
    for (const { printed } of workers)
      await until(() => expect(printed.stderr).toContain('worker is ready'));
    await stage.succeeds(stage.run());
    const shown = (await stage.reportOf()).workers!;
    expect(shown.filter(({ requests }) => requests > 0)).toHaveLength(concurrency);
    expect(proxy!.mostAtOnce()).toBeLessThanOrEqual(concurrency);
    const seconds = (arrivals[refused - 1]! - arrivals[0]!) / 1000;
    expect((refused - 1) / seconds).toBeLessThan(1.1 * perSecond);
    // Then all are silent, but for what was on its way.
    const after = arrivals.slice(refused - 1);
    const silences = after.slice(1).map((time, index) => (time - after[index]!) / 1000);
    expect(Math.max(...silences)).toBeGreaterThan(pauseSeconds - 1.5);
  },
);

test.runIf(IS_LONG)(
  'the store refuses for good: the run ends with a sentence, and the next one continues',
  OPTIONS,
  async (context) => {
    const stage = await openDistributedStage(context, {
      queue: queue.url,
      size: SIZE,
      place: 'S3',
    });
    const { release, run } = await inTheMiddle(stage);
    const { switches } = stage.s3!;
    switches.always = { fault: { status: 403, code: 'AccessDenied' } };
    release();
    const { exit, stderr } = await run.ended;
    expect({ exit, stderr }).toMatchObject({ exit: 3 });
    expect(stderr).toContain('the store denies access (403 AccessDenied)');
    switches.always = undefined;
    stage.worker('w2');
    await stage.succeeds(stage.run());
    expect(await stage.published()).toEqual(await stage.publishedHere());
  },
);

/** Where a secret is left: in what processes have printed, in files, in the bucket, or in the queue. */
async function leaksOf(stage: DistributedStage, queued: string): Promise<string[]> {
  const { emulator, env, s3, proxy, folder, children } = stage;
  const tokens = proxy!.seen.flatMap((url) => /[?&]token=([^&]+)/.exec(url)?.[1] ?? []);
  expect(tokens).not.toEqual([]);
  expect(queued).toMatch(/bullmq\.job .*chunk/);
  const secrets = [
    ...[emulator.password, emulator.appKey, ...new Set(tokens)],
    ...[env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN],
    new URL(env.BTG2GLTF_QUEUE_URL!).password,
  ];
  const spellings = new Set(
    secrets.flatMap((secret = '') => {
      const plain = decodeURIComponent(secret);
      return [secret, plain, encodeURIComponent(plain), JSON.stringify(plain).slice(1, -1)];
    }),
  );
  const texts: [string, Buffer][] = [['queue', Buffer.from(queued)]];
  for (const { pid, printed } of children)
    texts.push([`process ${pid}`, Buffer.from(printed.stdout + printed.stderr)]);
  for (const [key, { content, headers }] of s3!.objects)
    texts.push([key, Buffer.concat([content, Buffer.from(JSON.stringify([key, headers]))])]);
  for (const path of await filesBelow(folder)) texts.push([path, await readFile(path)]);
  return texts.flatMap(([name, bytes]) =>
    [...spellings].filter((one) => bytes.includes(one)).map((one) => `${name}: ${one}`),
  );
}
