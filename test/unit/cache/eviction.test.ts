import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ContentStore, openFileStore } from '../../../src/cache/content-store.ts';
import { type CacheDatabase, openCacheDatabase } from '../../../src/cache/database.ts';
import { tidyCache } from '../../../src/cache/eviction.ts';
import { acme } from '../../helpers/fetch-bench.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2024-06-01T02:00:00Z');

let dir = '';
let state: CacheDatabase;
let store: ContentStore;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'btg2gltf-tidy-'));
  state = await openCacheDatabase(dir);
  store = openFileStore({ dir: join(dir, 'objects'), tmpDir: join(dir, '.tmp') });
});

afterEach(async () => {
  state.close();
  await rm(dir, { recursive: true, force: true });
});

/** Stores an answer of a size that was asked for some days ago, and returns its digest. */
async function answer(name: string, bytes: number, daysAgo: number): Promise<string> {
  const { digest } = await store.put(Buffer.alloc(bytes, name));
  const askedAt = NOW - daysAgo * DAY;
  const vouched = { manufacturer: 'ACME', convertdate: '', fetchedOn: '', askedAt };
  const about = { ...responseKey(name), etag: '', lastModified: '', ...vouched };
  state.bodies.put({ digest, bytes, usedAt: askedAt });
  state.responses.put({ ...about, answer: { digest, bytes } });
  return digest;
}

const responseKey = (name: string) => ({ service: 's', operation: 'getBlock', request: name });

const tidy = (maxBytes: number, now = NOW, run?: number) =>
  tidyCache({ store, state, now, maxBytes, ...(run === undefined ? {} : { run }) });

async function stored(): Promise<string[]> {
  const digests: string[] = [];
  for await (const digest of store.list()) digests.push(digest);
  return digests;
}

describe('a cache beyond its limit', () => {
  it('loses what was not used for longest, down to a little below the limit', async () => {
    const [oldest, older, newer] = [
      await answer('a', 30, 30),
      await answer('b', 30, 20),
      await answer('c', 30, 10),
    ];
    expect(await tidy(90)).toEqual({ bodies: 0, bytes: 0 });
    expect(await tidy(89)).toEqual({ bodies: 1, bytes: 30 });
    expect(await stored()).toEqual([older, newer].sort());
    expect(state.responses.get(responseKey('a'))).toBeUndefined();
    expect(state.responses.get(responseKey('b'))).toBeDefined();
    expect(state.bodies.has(oldest)).toBe(false);
    expect(await tidy(0)).toEqual({ bodies: 2, bytes: 60 });
    expect(await stored()).toEqual([]);
  });

  it('keeps what a snapshot refers to that was used since, though nobody looked at its bodies', async () => {
    const [quiet, other] = [await answer('a', 30, 30), await answer('b', 30, 20)];
    const { parent: _, ...key } = { ...acme('D1'), parent: 0 };
    const record = { key, article: quiet, partsList: quiet, blocks: [], images: [], warnings: [] };
    state.snapshots.put('s', 'r', record, { key, inputs: 'i', terms: 't', vouchers: [] });
    await tidy(1000, NOW - 25 * DAY);
    state.snapshots.kept('s', 'r');
    await tidy(1000);
    expect(await tidy(40)).toEqual({ bodies: 1, bytes: 30 });
    expect(await stored()).toEqual([quiet]);
    expect(await store.has(other)).toBe(false);
  });

  it('keeps what another run may need, however large that is, and takes it once that run is over', async () => {
    const [old, needed] = [await answer('a', 30, 30), await answer('b', 30, 9)];
    const run = { service: 's', output: '/o', pid: process.pid };
    const own = state.runs.begin({ ...run, startedAt: NOW });
    const other = state.runs.begin({ ...run, output: '/p', startedAt: NOW - 3 * DAY });
    // A week and three days: uses are noted weekly.
    expect(await tidy(1, NOW, own.id)).toEqual({ bodies: 1, bytes: 30 });
    expect([await store.has(old), await store.has(needed)]).toEqual([false, true]);
    state.runs.finish(other.id);
    expect(await tidy(1, NOW, own.id)).toEqual({ bodies: 1, bytes: 30 });
  });

  it('loses what a killed run stored and could not note', async () => {
    await answer('a', 30, 30);
    await store.put(Buffer.from('nobody knows'));
    await tidy(29);
    expect(await stored()).toEqual([]);
  });

  it('is within its limit afterwards, and lost nothing that was used later than what it kept', async () => {
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
        const known = new Map(state.bodies.all().map((body) => [body.digest, body]));
        const { bytes } = await tidy(maxBytes);
        const left = await stored();
        const weight = left.reduce((sum, digest) => sum + known.get(digest)!.bytes, 0);
        expect(weight).toBe(state.bodies.totalBytes());
        expect(weight).toBeLessThanOrEqual(maxBytes);
        const lost = digests.filter((digest) => !left.includes(digest));
        const latestLost = Math.max(...lost.map((digest) => known.get(digest)!.usedAt));
        const firstLeft = Math.min(...left.map((digest) => known.get(digest)!.usedAt));
        expect(latestLost).toBeLessThanOrEqual(firstLeft);
        expect(bytes).toBe([...new Set(lost)].reduce((sum, d) => sum + known.get(d)!.bytes, 0));
        await tidy(0);
      }),
      { seed: 6, numRuns: 25 },
    );
  });
});

describe('what nobody used for long', () => {
  const BUILT = { sha256: 'x' } as never;

  it('is forgotten: builds and snapshots', async () => {
    state.builds.put('used', BUILT);
    state.builds.put('unused', BUILT);
    const { parent: _, ...key } = { ...acme('D1'), parent: 0 };
    const record = { key, article: '', partsList: '', blocks: [], images: [], warnings: [] };
    state.snapshots.put('s', 'used', record);
    state.snapshots.put('s', 'unused', record);
    for (let day = 0; day <= 101; day += 1) {
      state.builds.get('used');
      state.snapshots.kept('s', 'used');
      await tidy(1000, NOW + day * DAY);
    }
    expect(state.builds.get('used')).toEqual(BUILT);
    expect(state.builds.get('unused')).toBeUndefined();
    expect(state.snapshots.get('s', 'used')).toEqual(record);
    expect(state.snapshots.get('s', 'unused')).toBeUndefined();
  });

  it('is forgotten: that something was missing', async () => {
    const about = { etag: '', lastModified: '', manufacturer: 'ACME', convertdate: '' };
    const answer = { missing: { code: 'BLOCK_MISSING', message: 'm' } };
    const at = { fetchedOn: '', askedAt: NOW };
    state.responses.put({ ...responseKey('a'), ...about, ...at, answer });
    await tidy(1000, NOW + 100 * DAY);
    expect(state.responses.get(responseKey('a'))).toBeDefined();
    await tidy(1000, NOW + 101 * DAY);
    expect(state.responses.get(responseKey('a'))).toBeUndefined();
  });
});
