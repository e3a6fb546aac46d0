import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ChunkJob } from '../../../src/execute/chunk-queue.ts';
import {
  type ChunkResult,
  chunkNumber,
  chunksOf,
  findLastRun,
  findUnfinishedRun,
  isUnfinished,
  openChunkObjects,
  removeChunkObjects,
  seriesOf,
} from '../../../src/pipeline/chunks.ts';
import { joinResults, openShardWork } from '../../../src/pipeline/shard-work.ts';
import type { ObjectStore } from '../../../src/store/object-store.ts';
import { ConverterError } from '../../../src/support/errors.ts';
import { SILENT } from '../../../src/support/log.ts';
import { acme } from '../../helpers/fetch-bench.ts';
import { folderPerTest } from '../../helpers/folder-per-test.ts';
import { openStore } from '../../helpers/object-stores.ts';
import { samples } from '../../helpers/samples.ts';
import { closedGate } from '../../helpers/until.ts';

function selection(lengths: readonly number[]) {
  const requests = lengths.flatMap((length, series) =>
    Array.from({ length }, (_, number) => acme(`A${number}`, { program: `S${series}` })),
  );
  return requests.map((request, place) => ({ place, article: { request, why: [] } }));
}

/** Articles of some series, those of a series in a row as a catalogue lists them. */
const selections = fc
  .array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 })
  .map(selection);
const shuffled = <T>(list: readonly T[]) =>
  fc.shuffledSubarray([...list], { minLength: list.length });

describe('chunks of a run', () => {
  test('have every article once, at most 200, and at least 50 but for the last or before a longer part', () => {
    fc.assert(
      fc.property(selections, (placed) => {
        const chunks = chunksOf(placed);
        const places = chunks.flat().map(({ place }) => place);
        expect(places.toSorted((a, b) => a - b)).toEqual(placed.map(({ place }) => place));
        for (const [index, { length }] of chunks.entries()) {
          expect(length).toBeLessThanOrEqual(200);
          const next = chunks[index + 1];
          // The next part does not fit into it.
          if (length < 50 && next !== undefined) expect(length + next.length).toBeGreaterThan(200);
        }
      }),
      { numRuns: samples(30) },
    );
  });

  test.each([
    { name: 'few', series: [200, 200], lengths: Array(8).fill(50) },
    { name: 'more', series: [9600], lengths: Array(96).fill(100) },
    { name: 'many', series: [20_000], lengths: Array(100).fill(200) },
    { name: 'no multiples of 50', series: [101, 149], lengths: [51, 50, 75, 74] },
    { name: 'short series', series: [10, 20, 30, 40], lengths: [60, 40] },
  ])('are the shorter, the fewer articles the run has: $name', ({ series, lengths }) => {
    expect(chunksOf(selection(series)).map(({ length }) => length)).toEqual(lengths);
  });

  test('share a series, unless each of several is too small for a chunk', () => {
    fc.assert(
      fc.property(selections, (placed) => {
        for (const chunk of chunksOf(placed)) {
          const names = [...new Set(chunk.map(seriesOf))];
          // Without its last series it was too small.
          const others = chunk.filter((one) => seriesOf(one) !== names.at(-1));
          expect(others.length).toBeLessThan(50);
        }
      }),
      { numRuns: samples(30) },
    );
  });

  test('are the same in whatever order the articles come', () => {
    fc.assert(
      fc.property(
        selections.chain((placed) => fc.tuple(fc.constant(placed), shuffled(placed))),
        ([placed, mixed]) => {
          const numbers = chunksOf(placed).map(chunkNumber);
          expect(chunksOf(mixed).map(chunkNumber)).toEqual(numbers);
          expect(new Set(numbers).size).toBe(numbers.length);
        },
      ),
      { numRuns: samples(20) },
    );
  });
});

describe('in the store', () => {
  const at = folderPerTest();
  let store: ObjectStore;
  beforeEach(async () => {
    store = await openStore(at());
  });

  const DESCRIPTION = { startedAt: 0, digest: 'd', missing: [] };

  test('the last run is found, and whether it can be continued', async () => {
    expect(await findLastRun(store)).toBeUndefined();
    await openChunkObjects(store, 'r1').describe(DESCRIPTION);
    expect((await findUnfinishedRun(store))?.id).toBe('r1');
    // A coordinator that has failed before it described its run.
    const second = openChunkObjects(store, 'r2');
    await second.end({ code: 'LOGIN_REFUSED', message: 'login: expected …' });
    const { id, state, objects } = (await findLastRun(store))!;
    expect([id, isUnfinished(state)]).toEqual(['r2', false]);
    expect(state.ending).toMatchObject({ etag: expect.any(String) });
    expect((await objects.ending()).code).toBe('LOGIN_REFUSED');
    await second.describe(DESCRIPTION);
    expect((await findUnfinishedRun(store))?.id).toBe('r2');
    await second.cancel();
    expect(await findUnfinishedRun(store)).toBeUndefined();
    await removeChunkObjects(store, 'r2');
    expect(await findLastRun(store)).toBeUndefined();
  });

  test('of two workers that did a job the first counts', async () => {
    const objects = openChunkObjects(store, 'r1');
    const job = { run: 'r1', chunk: 7, from: 0, to: 2 };
    expect(await objects.putResult(job, resultOf('first', [0, 1]))).toBe('stored');
    expect(await objects.putResult(job, resultOf('second', [0, 1]))).toBe('present');
    expect((await objects.result(job)).worker).toBe('first');
  });

  describe('a job that kills its shard', () => {
    const LIST = selection([8]).map((one) => ({ ...one, part: 0 }));
    const JOB: ChunkJob = { run: 'r1', chunk: 7, from: 0, to: 8 };
    /** What the article of a place does to the process. */
    const DEATH = 5;

    /** A process of the shard: it ends with a job that has the deadly article, and says which jobs it has begun. */
    async function live(jobs: ChunkJob[] = [JOB]): Promise<{ begun: string[]; isDead: boolean }> {
      const objects = openChunkObjects(store, 'r1');
      const begun: string[] = [];
      const death = closedGate();
      const work = async (job: ChunkJob) => {
        begun.push(`${job.from}-${job.to}`);
        if (job.from <= DEATH && DEATH < job.to) {
          death.open();
          await new Promise(() => {});
        }
        const places = Array.from({ length: job.to - job.from }, (_, n) => job.from + n);
        await objects.putResult(job, resultOf('shard 1/2', places));
      };
      const own = await openShardWork({ objects, work, name: 'shard 1/2', log: SILENT });
      const { signal } = new AbortController();
      const all = async () => {
        for (const job of own.inOrder(jobs)) await own.do(job, signal);
      };
      const isDead = death.opened.then(() => true);
      return { begun, isDead: await Promise.race([isDead, all().then(() => false)]) };
    }

    test('is done twice as a whole, then article by article, until one fails alone', async () => {
      const objects = openChunkObjects(store, 'r1');
      await objects.putList(7, LIST);
      expect(await live()).toEqual({ begun: ['0-8'], isDead: true });
      expect(await live()).toEqual({ begun: ['0-8'], isDead: true });
      const ones = LIST.map((_, place) => `${place}-${place + 1}`);
      expect(await live()).toEqual({ begun: ones.slice(0, DEATH + 1), isDead: true });
      expect(await live()).toEqual({ begun: [`${DEATH}-${DEATH + 1}`], isDead: true });
      expect(await live()).toEqual({ begun: ones.slice(DEATH + 1), isDead: false });
      const { results, worker, measured } = await objects.result(JOB);
      expect(results.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(results.filter(({ result }) => result.status === 'failed')).toMatchObject([
        {
          place: DEATH,
          result: { request: LIST[DEATH]!.article.request, error: { code: 'KILLED_THE_RUN' } },
        },
      ]);
      expect([worker, measured.requests.sent]).toEqual(['shard 1/2', 7]);
      expect(await live()).toEqual({ begun: [], isDead: false });
    });

    test('comes after the others', async () => {
      await openChunkObjects(store, 'r1').putList(7, LIST);
      const other = { ...JOB, chunk: 8, from: 10, to: 12 };
      expect(await live()).toMatchObject({ isDead: true });
      expect(await live([JOB, other])).toEqual({ begun: ['10-12', '0-8'], isDead: true });
    });

    test('is another than one whose error the process survives: that counts for nothing', async () => {
      const objects = openChunkObjects(store, 'r1');
      await objects.putList(7, LIST);
      for (let times = 0; times < 4; times++) {
        const error = new ConverterError('SERVICE_UNREACHABLE', 'expected …');
        const work = () => Promise.reject(error);
        const own = await openShardWork({ objects, work, name: 'shard 1/2', log: SILENT });
        await expect(own.do(JOB, new AbortController().signal)).rejects.toBe(error);
        expect((await objects.attempts())(JOB)).toBe(0);
      }
    });
  });
});

/** What a worker did that has sent a request for each place. */
function resultOf(worker: string, places: readonly number[]): ChunkResult {
  const results = places.map((place) => ({
    ...{ place, ms: 1 },
    result: { status: 'fresh', ...selection([place + 1])[place]!.article } as never,
  }));
  const sent = places.length;
  const byOperation = { getBlock: sent };
  return {
    ...{ worker, results, peakBytes: 1_000 + Math.max(...places) },
    measured: {
      ...{ stageMs: { fetch: sent }, timed: { attempts: sent, ms: 5 * sent }, drift: [] },
      requests: { sent, bytesReceived: 10 * sent, byOperation, byStatus: { 200: sent } },
      fromCache: 1,
    },
  };
}

test('parts of a job are joined in the order of their places, and what was measured is added', () => {
  const joined = joinResults('shard 2/2', [resultOf('a', [0, 1]), resultOf('b', [2])]);
  expect(joined.results.map(({ place }) => place)).toEqual([0, 1, 2]);
  expect(joined).toMatchObject({
    worker: 'shard 2/2',
    peakBytes: 1_002,
    measured: {
      ...{ fromCache: 2, stageMs: { fetch: 3 }, timed: { attempts: 3, ms: 15 }, drift: [] },
      requests: { sent: 3, bytesReceived: 30, byOperation: { getBlock: 3 }, byStatus: { 200: 3 } },
    },
  });
});
