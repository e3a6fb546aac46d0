import { truncate, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  FRESHNESS_POLICIES,
  type FreshnessPolicy,
} from '../../../../src/source/cache/freshness.ts';
import { ConverterError } from '../../../../src/support/errors.ts';
import {
  acme,
  contentOf,
  type FetchBench,
  failingClient,
  openFetchBench,
} from '../../../helpers/fetch-bench.ts';
import { IS_LONG } from '../../../helpers/samples.ts';
import { smallRange } from '../../../helpers/small-range.ts';

const LEG = 'ACME::DESK::LEG';
const OTHER_LEG = JSON.stringify({ V: [0, 0, 0, 2, 0, 0, 0, 1, 0], A: [{ F: [0, 1, 2] }] });
const POLICIES = Object.keys(FRESHNESS_POLICIES) as FreshnessPolicy[];
const EVERYTHING = { block: 1, btg: 1, getarticles: 1, getnodes: 1, materials: 1 };

let bench: FetchBench;
afterEach(() => bench.close());

async function twoRuns(
  freshness: FreshnessPolicy,
  validators: 'etag' | 'last-modified' | 'none',
  between: (range: ReturnType<typeof smallRange>) => void = () => undefined,
) {
  const range = smallRange([{ number: 'D1', blocks: [LEG], pics: ['OAK'] }]);
  range.images.add('ACME/OAK');
  // A date that is not older than the answer is no validator: the answer may still change.
  let now = () => Date.now() - 3_600_000;
  bench = await openFetchBench(range, { validators, now: () => now() });
  now = Date.now;
  const first = await bench.fetcher('2024-05-20', { freshness }).fetch(acme('D1'));
  expect(bench.requests()).toEqual(EVERYTHING);
  between(range);
  const fetcher = bench.fetcher('2024-05-21', { freshness });
  const second = await fetcher.fetch(acme('D1'));
  const notModified = [...fetcher.counts.values()].reduce((sum, c) => sum + c.notModified, 0);
  return { first, second, requests: bench.requests(), notModified };
}

describe('the second run', () => {
  it.each([
    ['convertdate', 'none', { getnodes: 1 }, 0],
    ['convertdate', 'etag', { getnodes: 1 }, 1],
    ['revalidate', 'none', EVERYTHING, 0],
    ['revalidate', 'etag', EVERYTHING, 5],
    ['revalidate', 'last-modified', EVERYTHING, 5],
    ['always', 'etag', EVERYTHING, 0],
    ['never', 'etag', {}, 0],
  ] as const)('with %s and %s', async (policy, validators, requests, notModified) => {
    const runs = await twoRuns(policy, validators);
    expect(runs.requests).toEqual(requests);
    expect(runs.notModified).toBe(notModified);
    expect(contentOf(runs.second)).toEqual(contentOf(runs.first));
  });

  it.each(['convertdate', 'revalidate'] as const)('sees with %s what changed', async (policy) => {
    const { first, second, notModified } = await twoRuns(policy, 'etag', (range) => {
      range.convertdate = '2024-05-20';
      range.bodies.set(LEG, OTHER_LEG);
    });
    // Top of the catalogue and block are other ones; article, parts list and image are not.
    expect(notModified).toBe(3);
    expect(second.blocks).not.toEqual(first.blocks);
    expect(second.images).toEqual(first.images);
  });

  it('requests a lost body without validators', async () => {
    const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
    bench = await openFetchBench(range, { validators: 'etag' });
    const first = await bench.fetcher('2024-05-20').fetch(acme('D1'));
    await bench.store.remove(first.partsList);
    const fetcher = bench.fetcher('2024-05-21', { freshness: 'revalidate' });
    expect(contentOf(await fetcher.fetch(acme('D1')))).toEqual(contentOf(first));
    expect(fetcher.counts.get('getPartsList')).toMatchObject({ sent: 1, notModified: 0 });
    expect(await bench.store.has(first.partsList)).toBe(true);
  });

  it('stamps anew what was not modified', async () => {
    const { second } = await twoRuns('revalidate', 'etag', (range) => {
      range.convertdate = '2024-05-19';
    });
    const third = bench.fetcher('2024-05-22', { freshness: 'convertdate' });
    expect(await third.freshSnapshot(acme('D1'))).toMatchObject({ key: second.key });
  });
});

describe('a run that continues an interrupted one', () => {
  const START = Date.parse('2024-05-20T02:00:00Z');

  it.each(POLICIES)('requests nothing twice with %s', async (freshness) => {
    const range = smallRange([
      { number: 'D1', blocks: [LEG] },
      { number: 'D2', blocks: [LEG, 'ACME::DESK::TOP'] },
    ]);
    // Converted on the same day: the dates prove nothing.
    range.convertdate = '2024-05-20';
    bench = await openFetchBench(range, { validators: 'etag' });
    await bench.fetcher('', { now: START, freshness }).fetch(acme('D1'));
    bench.requests();
    const options = { now: START + 3_600_000, interruptedSince: START, freshness };
    const continued = bench.fetcher('', options);
    expect(await continued.freshSnapshot(acme('D1'))).toBeDefined();
    await continued.fetch(acme('D1'));
    await continued.fetch(acme('D2'));
    const { getnodes = 0, ...requests } = bench.requests();
    expect(getnodes).toBe(freshness === 'never' ? 0 : 1);
    expect(requests).toEqual({ getarticles: 1, btg: 1, block: 1 });
  });

  it.each([true, false])('finds its own responses in the database (force %s)', async (force) => {
    const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
    bench = await openFetchBench(range);
    const options = { now: START, force, freshness: 'always' } as const;
    const first = await bench.fetcher('', options).fetch(acme('D1'));
    bench.requests();
    const restarted = bench.fetcher('', options);
    expect(await restarted.fetch(acme('D1'))).toEqual(first);
    expect(bench.requests()).toEqual({});
    const counts = { sent: 0, cached: 0, deduplicated: 1 };
    expect(restarted.counts.get('getBlock')).toMatchObject(counts);
  });

  it('requests again what was converted in between', async () => {
    const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
    bench = await openFetchBench(range);
    await bench.fetcher('', { now: START }).fetch(acme('D1'));
    range.convertdate = '2024-05-20';
    bench.requests();
    const continued = bench.fetcher('', { now: START + 3_600_000, interruptedSince: START });
    expect(await continued.freshSnapshot(acme('D1'))).toBeUndefined();
    await continued.fetch(acme('D1'));
    expect(bench.requests()).toEqual({ getnodes: 1, getarticles: 1, btg: 1, block: 1 });
  });
});

describe('a later run', () => {
  const articles = [
    { number: 'D1', blocks: [LEG, 'LIB::X::CASTOR'], pics: ['OAK', 'LIB::X::STEEL', 'NONE'] },
    { number: 'D2', blocks: [LEG] },
  ];
  const ALL = { getnodes: 2, getarticles: 2, btg: 2, block: 2, materials: 3 };

  async function firstRun(day: string) {
    const range = smallRange(articles);
    range.images.add('ACME/OAK').add('LIB/STEEL');
    bench = await openFetchBench(range);
    const snapshots = await fetchAll(day);
    expect(bench.requests()).toEqual(ALL);
    return { range, snapshots };
  }

  async function fetchAll(day: string, force = false) {
    const fetcher = bench.fetcher(day, { force });
    await fetcher.nodes('ACME;:DESK@1', 'ACME');
    const snapshots = articles.map(({ number }) => fetcher.fetch(acme(number)));
    return (await Promise.all(snapshots)).map(contentOf);
  }

  it('requests the top of the catalogue alone if nothing was converted', async () => {
    const { snapshots } = await firstRun('2024-05-15');
    expect(await fetchAll('2024-05-16')).toEqual(snapshots);
    expect(bench.requests()).toEqual({ getnodes: 1 });
  });

  it('requests everything after a conversion, and on the day of one', async () => {
    const { range, snapshots } = await firstRun('2024-05-14');
    expect(await fetchAll('2024-05-15')).toEqual(snapshots);
    expect(bench.requests()).toMatchObject({ block: 2, materials: 3 });
    range.convertdate = '2024-05-15';
    range.bodies.set(LEG, OTHER_LEG);
    const [changed] = await fetchAll('2024-05-16');
    expect(changed!.blocks.get(LEG)).not.toEqual(snapshots[0]!.blocks.get(LEG));
    expect(changed!.blocks.get('LIB::X::CASTOR')).toEqual(
      snapshots[0]!.blocks.get('LIB::X::CASTOR'),
    );
    await fetchAll('2024-05-17');
    expect(bench.requests()).toMatchObject({ getnodes: 3, btg: 2 });
  });

  it('requests everything if forced', async () => {
    await firstRun('2024-05-15');
    await fetchAll('2024-05-16', true);
    expect(bench.requests()).toEqual(ALL);
  });

  it('requests a truncated body again', async () => {
    const { snapshots } = await firstRun('2024-05-15');
    const leg = snapshots[0]!.blocks.get(LEG) as { digest: string };
    await truncate(bench.store.pathOf(leg.digest), 3);
    await bench.store.remove(snapshots[0]!.partsList);
    expect(await fetchAll('2024-05-16')).toEqual(snapshots);
    expect(bench.requests()).toEqual({ getnodes: 1, block: 1, btg: 1 });
    expect(await bench.store.get(leg.digest)).toHaveProperty('length');
  });

  it('requests damaged bodies again, and no others', async () => {
    const { snapshots } = await firstRun('2024-05-15');
    const listing = bench.database.responses.get({
      ...{ service: 'bench', operation: 'getNodes', request: '["ACME;:DESK@1"]' },
    })!.answer as { digest: string; bytes: number };
    for (const digest of [listing.digest, snapshots[0]!.partsList]) {
      const { length } = await bench.store.get(digest);
      await writeFile(bench.store.pathOf(digest), '?'.repeat(length));
    }
    expect(await fetchAll('2024-05-16')).toEqual(snapshots);
    expect(bench.requests()).toEqual({ getnodes: 2, btg: 1 });
    expect(await bench.store.get(listing.digest)).toHaveLength(listing.bytes);
  });

  it('requests everything if the catalogue cannot be read', async () => {
    const { snapshots } = await firstRun('2024-05-15');
    const missing = new ConverterError('NODE_NOT_FOUND', 'no such folder');
    const broken = failingClient(bench.client(), 'getNodes', () => missing);
    const fetcher = bench.fetcher('2024-05-16', { client: broken });
    expect(contentOf(await fetcher.fetch(acme('D2')))).toEqual(snapshots[1]);
    expect(bench.requests()).toMatchObject({ getarticles: 1, btg: 1, block: 1 });
  });
});

describe('decoded bodies', () => {
  it('are kept by digest, from the response of the service and from the content store', async () => {
    const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
    bench = await openFetchBench(range);
    const fetcher = bench.fetcher('2024-05-20');
    const { partsList, blocks } = await fetcher.fetch(acme('D1'));
    const leg = blocks.get(LEG) as { digest: string };
    expect(fetcher.decoded.partsList(partsList)?.blockNames).toEqual([LEG]);
    expect(fetcher.decoded.block(leg.digest)?.surfaces).toHaveLength(1);
    expect(fetcher.decoded.block(partsList)).toBeUndefined();
    const later = bench.fetcher('2024-05-21');
    await later.fetch(acme('D1'));
    expect(later.decoded.partsList(partsList)?.blockNames).toEqual([LEG]);
    // A fetch does not read a cached block: transform decodes it.
    expect(later.decoded.block(leg.digest)).toBeUndefined();
  });

  /** Of which there must be three times as many. */
  const NODES = ['nodes', { btg: Array.from({ length: 170_000 }, () => ({})) }] as const;
  it.each([
    ...(IS_LONG ? [NODES] : []),
    [
      'materials',
      { btg: [], mats: Array.from({ length: 50_000 }, (_, i) => ({ mname: `M${i}` })) },
    ],
  ] as const)(
    'are not kept if there are so many %s that they take much more memory than their text',
    async (_what, list) => {
      const range = { ...smallRange([{ number: 'D1' }]), partsList: () => list };
      bench = await openFetchBench(range);
      const fetcher = bench.fetcher('2024-05-20');
      const { partsList } = await fetcher.fetch(acme('D1'));
      expect(fetcher.decoded.partsList(partsList)).toBeUndefined();
    },
  );
});

describe('a request that is sent once', () => {
  const OLD = '2024-05-20';
  const NEW = '2024-05-21';
  const { signal } = new AbortController();

  it('is sent although what is cached is fresh, and shows whether the answer changed', async () => {
    const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
    bench = await openFetchBench(range);
    expect(await bench.fetcher(OLD).hasChanged(acme('D1'), signal)).toBe(true);
    await bench.fetcher(OLD).fetch(acme('D1'));
    bench.requests();
    const fetcher = bench.fetcher(NEW);
    expect(await fetcher.hasChanged(acme('D1'), signal)).toBe(false);
    expect(bench.requests()).toEqual({ btg: 1, getarticles: 1, getnodes: 1 });
    range.partsList = () => ({ btg: [], blocks: [], mats: [] });
    expect(await fetcher.hasChanged(acme('D1'), signal)).toBe(false);
    expect(await bench.fetcher(NEW, { freshness: 'never' }).hasChanged(acme('D1'), signal)).toBe(
      false,
    );
    expect(bench.requests()).toEqual({});
    const next = bench.fetcher('2024-05-22');
    expect(await next.hasChanged(acme('D1'), signal)).toBe(true);
    // What it has received is what the rest of the run has.
    bench.requests();
    expect((await next.fetch(acme('D1'))).blocks.size).toBe(0);
    expect(bench.requests()).toEqual({});
  });

  it('has no retries, and its failure is that of no other', async () => {
    bench = await openFetchBench(smallRange([{ number: 'D1' }]));
    const retries: (number | undefined)[] = [];
    let failures = 1;
    const client = bench.client();
    const call: typeof client.call = (name, values, options) => {
      if (name !== 'getPartsList') return client.call(name, values, options);
      retries.push(options?.demand?.retries);
      if (failures-- <= 0) return client.call(name, values, options);
      return Promise.reject(new ConverterError('HTTP_STATUS', 'broken', { status: 500 }));
    };
    const fetcher = bench.fetcher(NEW, { client: { ...client, call } });
    await expect(fetcher.hasChanged(acme('D1'), signal)).rejects.toMatchObject({
      code: 'HTTP_STATUS',
    });
    expect((await fetcher.fetch(acme('D1'))).key).toMatchObject({ basearticlenumber: 'D1' });
    expect(retries).toEqual([0, undefined]);
  });
});
