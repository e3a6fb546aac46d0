/**
 * A worker as those who operate it see it: its status server, and how it ends.
 */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { type Child, environmentOf, startChild } from '../helpers/child.ts';
import { writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { freePort, type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { temporaryFolder } from '../helpers/temporary.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const LIMIT_MS = 120_000;
/** Kubernetes kills a process this long after SIGTERM. */
const GRACE_MS = 30_000;
const ARTICLES = 120;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

let queue: QueueServerUnderTest;
let range: CountedRange;
let emulator: Emulator;
let folder: string;
let file: string;
let env: Record<string, string>;
let port: number;
const children: Child[] = [];

beforeEach(async () => {
  [queue, folder, port] = await Promise.all([startPostgres(), temporaryFolder(), freePort()]);
  range = countedRange({ articles: ARTICLES, blocks: 20, images: 5, articlesPerSeries: 60 });
  emulator = await startEmulator({ range });
  env = { ...environmentOf(emulator), BTG2GLTF_QUEUE_URL: queue.url };
  file = await writePipeline(folder, { name: 'nightly', service: SERVICE });
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.splice(0).map(({ ended }) => ended));
  await Promise.all([emulator.close(), queue.close()]);
  await rm(folder, { recursive: true, force: true });
});

function start(...words: string[]): Child {
  const child = startChild(words, env);
  children.push(child);
  return child;
}

/** Status of an answer; undefined if nothing listens. */
async function statusOf(path: string): Promise<number | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status;
}

const until = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: LIMIT_MS, interval: 50 });

async function startWorker(): Promise<Child> {
  const worker = start('worker', file, '--port', String(port));
  await until(async () => expect(await statusOf('/ready')).toBe(200));
  return worker;
}

test('a worker answers probes and counts its work, without a secret, and SIGTERM ends it within 30 s', {
  timeout: LIMIT_MS,
}, async () => {
  const worker = await startWorker();
  expect(await statusOf('/health')).toBe(200);
  const run = await start('run', file, '--executor', 'bullmq').ended;
  expect(run, run.stderr).toMatchObject({ exit: 0 });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sumOf = (name: string) =>
    [...metrics.matchAll(new RegExp(`^btg2gltf_worker_${name}.* (\\S+)$`, 'gm'))]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0);
  expect(sumOf('chunks_total')).toBeGreaterThanOrEqual(2);
  expect(sumOf('configurations_total')).toBe(ARTICLES);
  expect(sumOf('requests_total')).toBeGreaterThan(ARTICLES);
  expect(sumOf('share')).toBe(1);
  const { username, password, appKey } = emulator;
  for (const secret of [username, password, appKey, queue.url, encodeURIComponent('pass word/1')])
    expect(metrics).not.toContain(secret);
  const stoppedAt = Date.now();
  worker.kill('SIGTERM');
  const { exit, stderr } = await worker.ended;
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  expect(Date.now() - stoppedAt).toBeLessThan(GRACE_MS);
  expect(await statusOf('/health')).toBeUndefined();
});

test.runIf(IS_LONG)(
  'a worker whose queue is away lives, but is not ready',
  { timeout: LIMIT_MS },
  async () => {
    await startWorker();
    await queue.kill();
    await until(async () => expect(await statusOf('/ready')).toBe(503));
    expect(await statusOf('/health')).toBe(200);
    await queue.start();
    await until(async () => expect(await statusOf('/ready')).toBe(200));
  },
);

test.runIf(IS_LONG).each([
  ['the service answers nothing any more', false],
  ['neither service nor queue answer any more', true],
])(
  'SIGTERM ends a worker within 30 s although %s, and it is not ready meanwhile',
  { timeout: LIMIT_MS },
  async (_, isQueueGone) => {
    const worker = await startWorker();
    range.block = () => new Promise(() => {});
    start('run', file, '--executor', 'bullmq');
    await until(async () => expect(range.count('btg')).toBeGreaterThan(0));
    if (isQueueGone) await queue.kill();
    const stoppedAt = Date.now();
    worker.kill('SIGTERM');
    await until(async () => expect(await statusOf('/ready')).toBe(503));
    expect(await statusOf('/health')).toBe(200);
    await worker.ended;
    expect(Date.now() - stoppedAt).toBeLessThan(GRACE_MS);
    if (isQueueGone) await queue.start();
  },
);
