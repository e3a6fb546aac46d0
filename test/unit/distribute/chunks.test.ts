import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  ChunkObjects,
  type ChunkResult,
  findUnfinishedRun,
} from '../../../src/distribute/chunk-objects.ts';
import { chunkNumber, chunkOfSizes, chunksOf, seriesOf } from '../../../src/distribute/chunks.ts';
import type { ObjectStore } from '../../../src/distribute/store/object-store.ts';
import { acme } from '../../helpers/fetch-bench.ts';
import { folderPerTest } from '../../helpers/folder-per-test.ts';
import { openStore } from '../../helpers/object-stores.ts';
import { samples } from '../../helpers/samples.ts';

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

  test('the last run is found, unless it was cancelled or has ended', async () => {
    expect(await findUnfinishedRun(store)).toBeUndefined();
    await new ChunkObjects(store, 'r1').describe(DESCRIPTION);
    expect((await findUnfinishedRun(store))?.id).toBe('r1');
    const second = new ChunkObjects(store, 'r2');
    await second.describe(DESCRIPTION);
    expect((await findUnfinishedRun(store))?.id).toBe('r2');
    await second.cancel();
    expect(await findUnfinishedRun(store)).toBeUndefined();
    await second.remove();
    expect(await findUnfinishedRun(store)).toBeUndefined();
    for await (const { key } of store.list('')) expect.unreachable(key);
  });

  test('of two workers that did a job the first counts', async () => {
    const objects = new ChunkObjects(store, 'r1');
    const job = { run: 'r1', kind: 'convert', chunk: 7, from: 0, to: 2 };
    expect(await objects.putResult(job, resultOf('first', [0, 1]))).toBe('stored');
    expect(await objects.putResult(job, resultOf('second', [0, 1]))).toBe('present');
    expect((await objects.result(job)).worker).toBe('first');
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

describe('chunks of files', () => {
  const LIMITS = { least: 4, leastBytes: 2e6, most: 128 };
  const lengthsFor = (sizes: readonly number[], slots: number) => {
    const left = sizes.toSorted((a, b) => b - a);
    const chunks: number[][] = [];
    while (left.length > 0) {
      const total = left.reduce((sum, one) => sum + one, 0);
      chunks.push(left.splice(0, chunkOfSizes(left, total, slots, LIMITS)));
    }
    return chunks;
  };
  const bytesIn = (chunk: readonly number[]) => chunk.reduce((sum, one) => sum + one, 0);

  test('have every file once, 4 to 128, and no more than a third of what each worker could do of the rest', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5e6 }), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 40 }), (all, slots) => {
        const chunks = lengthsFor(all, slots);
        expect(chunks.flat()).toEqual(all.toSorted((a, b) => b - a));
        let left = bytesIn(all);
        for (const chunk of chunks) {
          expect(chunk.length).toBeGreaterThan(0);
          expect(chunk.length).toBeLessThanOrEqual(LIMITS.most);
          const share = Math.max(LIMITS.leastBytes, left / (3 * Math.max(1, slots)));
          if (chunk.length > LIMITS.least) expect(bytesIn(chunk.slice(0, -1))).toBeLessThan(share);
          left -= bytesIn(chunk);
        }
      }),
      { numRuns: samples(200) },
    );
  });

  test('of small files have many, and those of the end take no longer than others', () => {
    const small = lengthsFor(Array(2000).fill(36_000), 3).map(({ length }) => length);
    expect(small.slice(0, 3)).toEqual([128, 128, 128]);
    expect(Math.max(...small.slice(-3))).toBeLessThanOrEqual(Math.ceil(2e6 / 36_000));
    const large = lengthsFor(Array(100).fill(1e6), 30).map(({ length }) => length);
    expect(new Set(large)).toEqual(new Set([4]));
  });
});
