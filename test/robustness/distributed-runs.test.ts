/**
 * Distributed runs: a run whose work is done by processes that take chunks of it from a queue publishes what a run in
 * one process does, whatever happens to a worker.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import { type Child, environmentOf, runChild, startChild } from '../helpers/child.ts';
import { temporaryFolder, writePipeline } from '../helpers/command.ts';
import { type CountedRange, countedRange } from '../helpers/counted-range.ts';
import { damagesOf, publishedFiles } from '../helpers/output-folder.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const WORKERS = IS_LONG ? 3 : 2;
const ARTICLES = IS_LONG ? 2000 : 160;
const SIZE = {
  articles: ARTICLES,
  blocks: 40,
  images: 10,
  manufacturers: 2,
  articlesPerSeries: 60,
};
const LIMIT_MS = 300_000;
const SERVICE = { authUrl: '${BTG2GLTF_AUTH_URL}', baseUrl: '${BTG2GLTF_BASE_URL}' };

let queue: QueueServerUnderTest;
let range: CountedRange;
let emulator: Emulator;
let folder: string;
let file: string;
let env: Record<string, string>;
const children: Child[] = [];

beforeAll(async () => {
  queue = await startPostgres();
});
afterAll(() => queue.close());
beforeEach(async () => {
  folder = await temporaryFolder();
  range = countedRange(SIZE);
  emulator = await startEmulator({ range });
  env = { ...environmentOf(emulator), BTG2GLTF_QUEUE_URL: queue.url };
  file = await writePipeline(folder, { name: folder, service: SERVICE });
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.splice(0).map(({ ended }) => ended));
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

function start(words: string[], variables = env): Child {
  const child = startChild(words, variables);
  children.push(child);
  return child;
}

const startWorkers = (count: number, ...options: string[]): Child[] =>
  Array.from({ length: count }, () => start(['worker', file, ...options]));

const reportOf = async (output: string): Promise<RunReport> =>
  JSON.parse(await readFile(join(folder, output, 'runs/latest/report.json'), 'utf8'));

/** What took how long differs from run to run. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inside) => (name === 'ms' ? undefined : inside)));

/** Runs the same in one process, into folders of its own. */
const runHere = () =>
  runChild(['run', file, '--output', join(folder, 'here'), '--cache', join(folder, 'own')], env);

describe('with workers on one machine', () => {
  test('publishes what a run in one process does, although a worker is killed in the middle', {
    timeout: LIMIT_MS,
  }, async () => {
    const [victim] = startWorkers(WORKERS);
    const run = start(['run', file, '--executor', 'bullmq']);
    await vi.waitFor(() => expect(range.count('btg')).toBeGreaterThan(ARTICLES / 4), LIMIT_MS);
    victim!.kill('SIGKILL');
    const { exit, stderr } = await run.ended;
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    expect(await runHere()).toMatchObject({ exit: 0 });
    const [published, here] = await Promise.all(
      ['out', 'here'].map((output) => publishedFiles(join(folder, output))),
    );
    expect(published).toEqual(here);
    expect(await damagesOf(join(folder, 'out'))).toEqual([]);
    const { workers, ...report } = await reportOf('out');
    expect(workers!.map(({ state }) => state)).toContain('lost');
    expect(workers!.reduce((sum, worker) => sum + worker.configurations, 0)).toBe(ARTICLES);
    const local = await reportOf('here');
    for (const name of ['configurations', 'objects', 'triangles', 'changes', 'losses'] as const)
      expect(withoutTimes(report[name])).toEqual(withoutTimes(local[name]));
    expect(Object.keys(report)).toEqual(Object.keys(local));
  });
});

describe('with an S3 store and a cache of each machine', () => {
  let s3: S3Server;
  beforeEach(async () => {
    s3 = await startS3Server();
    env = { ...env, ...s3.env };
  });
  afterEach(() => s3.close());

  test('publishes what a run in one process does, and keeps it in the bucket', {
    timeout: LIMIT_MS,
  }, async () => {
    file = await writePipeline(folder, {
      name: folder,
      service: SERVICE,
      store: { url: `s3://${s3.bucket}/nightly` },
      deliver: { gallery: true, profiles: ['planner'] },
    });
    const machine = (name: string) => [
      ...['--output', join(folder, name, 'out')],
      ...['--cache', join(folder, name, 'cache')],
    ];
    for (let index = 0; index < WORKERS; index++) start(['worker', file, ...machine(`w${index}`)]);
    const run = await start(['run', file, '--executor', 'bullmq', ...machine('coordinator')]).ended;
    expect(run, run.stderr).toMatchObject({ exit: 0 });
    expect(range.count('block')).toBeLessThanOrEqual(SIZE.blocks * WORKERS);
    const stored = (key: string) => s3.objects.get(`nightly/${key}`)!.content.toString();
    const lines = stored('manifest.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(ARTICLES);
    for (const { glb, sha256 } of lines)
      expect(glb).toBe(`objects/${sha256.slice(0, 2)}/${sha256}.glb`);
    const delivered = stored('deliveries.jsonl')
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line).files);
    for (const { path } of delivered) expect(s3.objects.has(`nightly/${path}`)).toBe(true);
    expect(s3.objects.has('nightly/gallery/index.html')).toBe(true);
    const report = [...s3.objects.keys()].find((key) => key.endsWith('/report.json'))!;
    expect(JSON.parse(s3.objects.get(report)!.content.toString()).workers).toHaveLength(WORKERS);
    expect([...s3.objects.keys()].filter((key) => key.startsWith('nightly/work/'))).toEqual([]);

    // The next night another machine coordinates, and nothing has changed.
    range.asked.clear();
    const stores = s3.count('PUT');
    const next = await start(['run', file, '--executor', 'bullmq', ...machine('another')]).ended;
    expect(next, next.stderr).toMatchObject({ exit: 0 });
    expect(range.count('btg') + range.count('block')).toBe(0);
    const unchanged = await reportOf(join('another', 'out'));
    expect(unchanged.configurations).toMatchObject({ unchanged: ARTICLES, kept: ARTICLES });
    // Lists, results, a lock, the report; no GLB, no row of the cache.
    expect(s3.count('PUT') - stores).toBeLessThan(ARTICLES / 4);
    const keys = [...s3.objects.keys()].filter((key) => key.startsWith('nightly/objects/'));
    file = await writePipeline(folder, { name: folder, service: SERVICE });
    expect(await runHere()).toMatchObject({ exit: 0 });
    const here = [...(await publishedFiles(join(folder, 'here'))).keys()];
    const objects = here.filter((path) => path.startsWith('objects/'));
    expect(keys.map((key) => key.slice('nightly/'.length)).sort()).toEqual(objects.sort());
  });
});
