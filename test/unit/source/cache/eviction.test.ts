import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ContentStore, openFileStore } from '../../../../src/source/cache/content-store.ts';
import type { CacheDatabase } from '../../../../src/source/cache/database.ts';
import { evictUnused } from '../../../../src/source/cache/eviction.ts';
import { allOf } from '../../../helpers/all-of.ts';
import { cachePerTest } from '../../../helpers/cache-per-test.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { samples } from '../../../helpers/samples.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2024-06-01T02:00:00Z');

const { at, open } = cachePerTest();
let database: CacheDatabase;
let store: ContentStore;

beforeEach(async () => {
  database = await open();
  store = openFileStore({ dir: at('objects'), tmpDir: at('.tmp') });
});

/** Stores an answer of a size that was asked for some days ago, and returns its digest. */
async function answer(name: string, bytes: number, daysAgo: number): Promise<string> {
  const { digest } = await store.put(Buffer.alloc(bytes, name));
  const requestedAt = NOW - daysAgo * DAY;
  const dated = { datedBy: 'ACME', convertdate: '', fetchedOn: '', requestedAt };
  const about = { ...responseKey(name), etag: '', lastModified: '', ...dated };
  database.bodies.put({ digest, bytes, usedAt: requestedAt });
  database.responses.put({ ...about, answer: { digest, bytes } });
  return digest;
}

const responseKey = (name: string) => ({ service: 's', operation: 'getBlock', request: name });

const evict = (maxBytes: number, now = NOW, run?: number) =>
  evictUnused({ store, database, now, maxBytes, ...(run === undefined ? {} : { run }) });

const stored = () => allOf(store.list());

const snapshotOf = (digest: string) => ({
  ...{ key: acme('D1'), article: digest, partsList: digest },
  ...{ blocks: [], images: [], warnings: [] },
});

describe('a cache beyond its limit', () => {
  it('loses what was not used for longest, down to a little below the limit', async () => {
    const [oldest, older, newer] = [
      await answer('a', 30, 30),
      await answer('b', 30, 20),
      await answer('c', 30, 10),
    ];
    expect(await evict(90)).toEqual({ bodies: 0, bytes: 0 });
    expect(await evict(89)).toEqual({ bodies: 1, bytes: 30 });
    expect(await stored()).toEqual([older, newer].sort());
    expect(database.responses.get(responseKey('a'))).toBeUndefined();
    expect(database.responses.get(responseKey('b'))).toBeDefined();
    expect(database.bodies.has(oldest)).toBe(false);
    expect(await evict(0)).toEqual({ bodies: 2, bytes: 60 });
    expect(await stored()).toEqual([]);
  });

  it('keeps what a snapshot refers to that was used since, though its bodies were not read', async () => {
    const [quiet, other] = [await answer('a', 30, 30), await answer('b', 30, 20)];
    const about = { inputs: 'i', answers: 'a', optionsDigest: 't', stamps: [] };
    database.snapshots.put('s', 'r', snapshotOf(quiet), { key: acme('D1'), ...about });
    await evict(1000, NOW - 25 * DAY);
    database.snapshots.summary('s', 'r');
    await evict(1000);
    expect(await evict(40)).toEqual({ bodies: 1, bytes: 30 });
    expect(await stored()).toEqual([quiet]);
    expect(await store.has(other)).toBe(false);
  });

  it('keeps what another run may need, however large that is, and takes it once that run is over', async () => {
    const [old, needed] = [await answer('a', 30, 30), await answer('b', 30, 9)];
    const run = { service: 's', output: '/o', pid: process.pid };
    const own = database.runs.begin({ ...run, startedAt: NOW });
    const other = database.runs.begin({ ...run, output: '/p', startedAt: NOW - 3 * DAY });
    // A week and three days: uses are recorded weekly.
    expect(await evict(1, NOW, own.id)).toEqual({ bodies: 1, bytes: 30 });
    expect([await store.has(old), await store.has(needed)]).toEqual([false, true]);
    database.runs.finish(other.id);
    expect(await evict(1, NOW, own.id)).toEqual({ bodies: 1, bytes: 30 });
  });

  it('loses what a killed run stored and could not record', async () => {
    await answer('a', 30, 30);
    await store.put(Buffer.from('unknown'));
    await evict(29);
    expect(await stored()).toEqual([]);
  });

  it('is within its limit afterwards, and evicted nothing that was used later than the rest', async () => {
    const bodies = fc.array(
      fc.record({ bytes: fc.integer({ min: 1, max: 200 }), days: fc.integer({ min: 0, max: 50 }) }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(bodies, fc.integer({ min: 0, max: 1500 }), async (all, maxBytes) => {
        const digests: string[] = [];
        for (const [index, { bytes, days }] of all.entries()) {
          digests.push(await answer(`${index} ${bytes}`, bytes + 8, days));
        }
        const known = new Map(database.bodies.all().map((body) => [body.digest, body]));
        const { bytes } = await evict(maxBytes);
        const left = await stored();
        const weight = left.reduce((sum, digest) => sum + known.get(digest)!.bytes, 0);
        expect(weight).toBe(database.bodies.totalBytes());
        expect(weight).toBeLessThanOrEqual(maxBytes);
        const lost = digests.filter((digest) => !left.includes(digest));
        const latestLost = Math.max(...lost.map((digest) => known.get(digest)!.usedAt));
        const firstLeft = Math.min(...left.map((digest) => known.get(digest)!.usedAt));
        expect(latestLost).toBeLessThanOrEqual(firstLeft);
        expect(bytes).toBe([...new Set(lost)].reduce((sum, d) => sum + known.get(d)!.bytes, 0));
        await evict(0);
      }),
      { seed: 6, numRuns: samples(25) },
    );
  });
});

describe('what was not used for long', () => {
  const BUILT = { sha256: 'x' } as never;

  it('is evicted: builds and snapshots', async () => {
    database.builds.put('used', BUILT);
    database.builds.put('unused', BUILT);
    const record = snapshotOf('');
    database.snapshots.put('s', 'used', record);
    database.snapshots.put('s', 'unused', record);
    for (let day = 0; day <= 101; day += 1) {
      database.builds.get('used');
      database.snapshots.summary('s', 'used');
      await evict(1000, NOW + day * DAY);
    }
    expect(database.builds.get('used')).toEqual(BUILT);
    expect(database.builds.get('unused')).toBeUndefined();
    expect(database.snapshots.get('s', 'used')).toEqual(record);
    expect(database.snapshots.get('s', 'unused')).toBeUndefined();
  });

  it('is evicted: that something was missing', async () => {
    const about = { etag: '', lastModified: '', datedBy: 'ACME', convertdate: '' };
    const answer = { missing: { code: 'BLOCK_MISSING', message: 'm' } };
    const at = { fetchedOn: '', requestedAt: NOW };
    database.responses.put({ ...responseKey('a'), ...about, ...at, answer });
    await evict(1000, NOW + 100 * DAY);
    expect(database.responses.get(responseKey('a'))).toBeDefined();
    await evict(1000, NOW + 101 * DAY);
    expect(database.responses.get(responseKey('a'))).toBeUndefined();
  });
});
