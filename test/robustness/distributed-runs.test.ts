/**
 * Distributed runs: a run whose work is done by processes that take chunks of it from a queue publishes what a run in
 * one process does, also if a worker is killed.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobId } from '../../src/execute/chunk-jobs.ts';
import type { ChunkJob } from '../../src/execute/chunk-queue.ts';
import { parseQueueUrl, queueClasses, queueName } from '../../src/execute/queue-server.ts';
import { openChunkObjects } from '../../src/pipeline/chunks.ts';
import { loadPipeline } from '../../src/pipeline/pipeline-file.ts';
import { queueOf } from '../../src/pipeline/work-queue.ts';
import { digestOfKey } from '../../src/store/object-key.ts';
import type { ObjectStore } from '../../src/store/object-store.ts';
import {
  type DistributedStage,
  LIMIT_MS,
  openDistributedStage,
  type SharedPlace,
  until,
} from '../helpers/distributed.ts';
import { HAS_GIVEN_S3 } from '../helpers/given-s3.ts';
import { damagesOf, filesBelow } from '../helpers/output-folder.ts';
import { type QueueServerUnderTest, startPostgres } from '../helpers/postgres.ts';

const IS_LONG = process.env.BTG2GLTF_TEST_LONG === '1';
const REDIS_URL = process.env.BTG2GLTF_TEST_REDIS_URL;
const WORKERS = IS_LONG ? 3 : 2;
const ARTICLES = IS_LONG ? 2000 : 100;
const SIZE = {
  articles: ARTICLES,
  blocks: 40,
  images: 10,
  manufacturers: 2,
  articlesPerSeries: 50,
};
/** A test measures times only where it has the machine for itself. */
const together = IS_LONG ? test : test.concurrent;
const REDONE_WITHIN_MS = 10_000;
/** Some articles have all blocks then, and no chunk has: each is of one manufacturer. */
const HELD_AFTER = 12;

const QUEUES: [string, () => Promise<Pick<QueueServerUnderTest, 'url' | 'close'>>][] = [
  ['PostgreSQL', startPostgres],
  ...(REDIS_URL === undefined
    ? []
    : [['Redis', async () => ({ url: REDIS_URL, close: async () => {} })] as never]),
];
const PLACES: SharedPlace[] = IS_LONG ? ['folders', 'folder store', 'S3'] : ['S3'];
if (HAS_GIVEN_S3) PLACES.push('given S3');

/** What took how long differs from run to run. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inside) => (name === 'ms' ? undefined : inside)));

/** The jobs that a worker has begun: of those, articles were requested. */
async function begunJobs({ range }: DistributedStage, store: ObjectStore): Promise<ChunkJob[]> {
  const jobs: ChunkJob[] = [];
  for await (const { key } of store.list('work/')) {
    const [, run, chunk] = /^work\/([^/]+)\/chunks\/(\d+)\.json$/.exec(key) ?? [];
    if (run === undefined) continue;
    const list = await openChunkObjects(store, run).list(Number(chunk));
    const isBegun = list.some(({ article }) =>
      range.asked.has(`btg ${article.request.basearticlenumber}`),
    );
    if (isBegun) jobs.push({ run, chunk: Number(chunk), from: 0, to: list.length });
  }
  return jobs;
}

/** Milliseconds from a kill until another worker has begun a job, and until its result is stored. */
async function redoTimes(
  stage: DistributedStage,
  store: ObjectStore,
  job: ChunkJob,
  since: number,
) {
  const loaded = await loadPipeline(stage.file, stage.env);
  const { url, pipeline, digest } = await queueOf(loaded, stage.env, store);
  const classes = await queueClasses(parseQueueUrl(url), () => {});
  const queue = classes.openQueue(queueName(pipeline, digest));
  let begunAt: number | undefined;
  for (;;) {
    const found = await queue.getJob(jobId(job));
    if (found?.processedOn !== undefined && found.processedOn > since) begunAt = found.processedOn;
    // One that has ended is removed at once.
    if (found === undefined || found.finishedOn !== undefined) break;
    await sleep(10);
  }
  const doneAt = Date.now();
  await classes.close();
  return { begunMs: (begunAt ?? doneAt) - since, doneMs: doneAt - since };
}

/** When each object was written, by its key. */
async function objectTimes(store: ObjectStore): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for await (const { key, modifiedAt } of store.list('objects/')) times.set(key, modifiedAt);
  return times;
}

describe.each(QUEUES)('with a queue on %s', (_name, startQueue) => {
  let queue: Awaited<ReturnType<typeof startQueue>>;
  beforeAll(async () => {
    queue = await startQueue();
  });
  afterAll(() => queue.close());

  together.for(PLACES)(
    'what a worker had begun that was killed, others do again, with %s',
    {
      timeout: LIMIT_MS,
    },
    async (place, context) => {
      const stage = await openDistributedStage(context, { queue: queue.url, size: SIZE, place });
      const { s3, folder, succeeds } = stage;
      const store = await stage.openStore();
      const blocks = stage.holdBlocks(HELD_AFTER);
      const victim = stage.worker('victim');
      const run = stage.run();
      // It has stored the first GLBs of its chunks, and waits for the rest.
      const stored = async () =>
        place === 'folders'
          ? filesBelow(join(folder, 'out/objects'))
          : [...(await objectTimes(store))];
      await until(async () => expect(await stored()).not.toEqual([]));
      await until(() => expect(blocks.count()).toBeGreaterThan(HELD_AFTER));
      const begun = await begunJobs(stage, store);
      expect(begun).not.toEqual([]);
      const others = Array.from({ length: WORKERS - 1 }, (_, index) => stage.worker(`w${index}`));
      for (const { printed } of others)
        await until(() => expect(printed.stderr).toContain('worker is ready'));
      const before = await objectTimes(store);
      victim.kill('SIGKILL');
      const killedAt = Date.now();
      await victim.ended;
      blocks.release();
      if (IS_LONG) {
        const times = await Promise.all(begun.map((job) => redoTimes(stage, store, job, killedAt)));
        console.log(place, ...times);
        for (const { begunMs } of times) {
          expect(begunMs).toBeGreaterThan(0);
          expect(begunMs).toBeLessThan(REDONE_WITHIN_MS);
        }
      }
      const [here] = await Promise.all([stage.publishedHere(), succeeds(run)]);
      expect(await stage.published()).toEqual(here);
      if (place === 'folders') expect(await damagesOf(join(folder, 'out'))).toEqual([]);

      // What it had stored stays: the others may send a content again, but the store refuses it (412).
      const after = await objectTimes(store);
      for (const [key, time] of before) expect(after.get(key)).toBe(time);
      const contents = (s3?.stored ?? []).filter((key) => digestOfKey(key) !== undefined);
      expect(contents).toEqual([...new Set(contents)]);

      const { workers, ...report } = await stage.reportOf();
      const states = workers!.map(({ state, configurations }) => ({ state, configurations }));
      expect(states).toContainEqual({ state: 'lost', configurations: 0 });
      expect(workers!.reduce((sum, worker) => sum + worker.configurations, 0)).toBe(ARTICLES);
      const local = await stage.reportOf('here');
      for (const name of ['configurations', 'objects', 'triangles', 'changes', 'losses'] as const)
        expect(withoutTimes(report[name])).toEqual(withoutTimes(local[name]));
      expect(Object.keys(report)).toEqual(Object.keys(local));
    },
  );

  together(
    'with an S3 store, all is in the bucket, and the next night another machine coordinates',
    {
      timeout: LIMIT_MS,
    },
    async (context) => {
      const stage = await openDistributedStage(context, {
        ...{ queue: queue.url, size: SIZE, place: 'S3' },
        pipeline: { deliver: { gallery: true, profiles: ['planner'] } },
      });
      const { range, succeeds } = stage;
      const { objects, count } = stage.s3!;
      for (let index = 0; index < WORKERS; index++) stage.worker(`w${index}`);
      await succeeds(stage.run());
      expect(range.count('block')).toBeLessThanOrEqual(SIZE.blocks * WORKERS);
      const stored = (key: string) => objects.get(`nightly/${key}`)!.content.toString();
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
      for (const { path } of delivered) expect(objects.has(`nightly/${path}`)).toBe(true);
      expect(objects.has('nightly/gallery/index.html')).toBe(true);
      const report = [...objects.keys()].find((key) => key.endsWith('/report.json'))!;
      expect(JSON.parse(objects.get(report)!.content.toString()).workers).toHaveLength(WORKERS);
      expect([...objects.keys()].filter((key) => key.startsWith('nightly/work/'))).toEqual([]);

      // Nothing has changed the next night.
      range.asked.clear();
      const stores = count('PUT');
      await succeeds(stage.run('another'));
      expect(range.count('btg') + range.count('block')).toBe(0);
      const unchanged = await stage.reportOf('another');
      expect(unchanged.configurations).toMatchObject({ unchanged: ARTICLES, kept: ARTICLES });
      // Lists, results, a lock, the report; no GLB, no row of the cache.
      expect(count('PUT') - stores).toBeLessThan(ARTICLES / 4);
    },
  );
});
