import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Freshness, readFreshness } from '../../../src/cache/freshness.ts';
import {
  FRESHNESS_POLICIES,
  type FreshnessPolicy,
  holds,
} from '../../../src/cache/freshness-policy.ts';
import { acme, contentOf, type FetchBench, openFetchBench } from '../../helpers/fetch-bench.ts';
import { smallRange } from '../../helpers/small-range.ts';

const LEG = 'ACME::DESK::LEG';
const POLICIES = Object.keys(FRESHNESS_POLICIES) as FreshnessPolicy[];
const EVERYTHING = { block: 1, btg: 1, getarticles: 1, getnodes: 1, materials: 1 };

let bench: FetchBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

async function twoNights(
  freshness: FreshnessPolicy,
  validators: 'etag' | 'last-modified' | 'none',
  between: (range: ReturnType<typeof smallRange>) => void = () => undefined,
) {
  const range = smallRange([{ number: 'D1', blocks: [LEG], pics: ['OAK'] }]);
  range.images.add('ACME/OAK');
  // A date that is not older than the answer is no validator: what it stands for may still change.
  let now = () => Date.now() - 3_600_000;
  bench = await openFetchBench(range, { validators, now: () => now() });
  now = Date.now;
  const first = await bench.fetcher('2024-05-20', { freshness }).fetch(acme('D1'));
  expect(bench.requests()).toEqual(EVERYTHING);
  between(range);
  const fetcher = bench.fetcher('2024-05-21', { freshness });
  const second = await fetcher.fetch(acme('D1'));
  const notModified = [...fetcher.counts.values()].reduce((sum, c) => sum + c.notModified, 0);
  const bytes = [...fetcher.counts.values()].reduce((sum, c) => sum + c.bytes, 0);
  return { first, second, requests: bench.requests(), notModified, bytes };
}

describe('the second night', () => {
  it.each([
    ['convertdate', 'none', { getnodes: 1 }, 0],
    ['convertdate', 'etag', { getnodes: 1 }, 1],
    ['revalidate', 'none', EVERYTHING, 0],
    ['revalidate', 'etag', EVERYTHING, 5],
    ['revalidate', 'last-modified', EVERYTHING, 5],
    ['always', 'etag', EVERYTHING, 0],
    ['never', 'etag', {}, 0],
  ] as const)('with %s and %s', async (policy, validators, requests, notModified) => {
    const night = await twoNights(policy, validators);
    expect(night.requests).toEqual(requests);
    expect(night.notModified).toBe(notModified);
    expect(contentOf(night.second)).toEqual(contentOf(night.first));
  });

  it.each(['convertdate', 'revalidate'] as const)('sees with %s what changed', async (policy) => {
    const { first, second, notModified } = await twoNights(policy, 'etag', (range) => {
      range.convertdate = '2024-05-20';
      range.bodies.set(
        LEG,
        JSON.stringify({ V: [0, 0, 0, 2, 0, 0, 0, 1, 0], A: [{ F: [0, 1, 2] }] }),
      );
    });
    // Top of the catalogue and block are other ones; article, parts list and image are not.
    expect(notModified).toBe(3);
    expect(second.blocks).not.toEqual(first.blocks);
    expect(second.images).toEqual(first.images);
  });

  it('asks for the whole of what the cache has lost, whatever the service vouches for', async () => {
    const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
    bench = await openFetchBench(range, { validators: 'etag' });
    const first = await bench.fetcher('2024-05-20').fetch(acme('D1'));
    await bench.store.remove(first.partsList);
    const fetcher = bench.fetcher('2024-05-21', { freshness: 'revalidate' });
    expect(contentOf(await fetcher.fetch(acme('D1')))).toEqual(contentOf(first));
    expect(fetcher.counts.get('getPartsList')).toMatchObject({ asked: 1, notModified: 0 });
    expect(await bench.store.has(first.partsList)).toBe(true);
  });

  it('vouches anew for what was not modified', async () => {
    const { second } = await twoNights('revalidate', 'etag', (range) => {
      range.convertdate = '2024-05-19';
    });
    const third = bench!.fetcher('2024-05-22', { freshness: 'convertdate' });
    expect(await third.kept(acme('D1'))).toMatchObject({ key: second.key });
  });
});

describe('a run that continues an interrupted one', () => {
  const NIGHT = Date.parse('2024-05-20T02:00:00Z');

  it.each(POLICIES)('asks nothing twice with %s', async (freshness) => {
    const range = smallRange([
      { number: 'D1', blocks: [LEG] },
      { number: 'D2', blocks: [LEG, 'ACME::DESK::TOP'] },
    ]);
    // Converted on the very day: the dates vouch for nothing.
    range.convertdate = '2024-05-20';
    bench = await openFetchBench(range, { validators: 'etag' });
    await bench.fetcher('', { now: NIGHT, freshness }).fetch(acme('D1'));
    bench.requests();
    const options = { now: NIGHT + 3_600_000, heldSince: NIGHT, freshness };
    const continued = bench.fetcher('', options);
    expect(await continued.kept(acme('D1'))).toBeDefined();
    await continued.fetch(acme('D1'));
    await continued.fetch(acme('D2'));
    const { getnodes = 0, ...requests } = bench.requests();
    expect(getnodes).toBe(freshness === 'never' ? 0 : 1);
    expect(requests).toEqual({ getarticles: 1, btg: 1, block: 1 });
  });

  it.each([true, false])(
    'finds what it was answered itself and remembers no more (force %s)',
    async (force) => {
      const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
      bench = await openFetchBench(range);
      const options = { now: NIGHT, force, freshness: 'always' } as const;
      const first = await bench.fetcher('', options).fetch(acme('D1'));
      bench.requests();
      const forgetful = bench.fetcher('', options);
      expect(await forgetful.fetch(acme('D1'))).toEqual(first);
      expect(bench.requests()).toEqual({});
      expect(forgetful.counts.get('getBlock')).toMatchObject({
        asked: 0,
        remembered: 0,
        shared: 1,
      });
    },
  );

  it('asks again for what was converted in between', async () => {
    const range = smallRange([{ number: 'D1', blocks: [LEG] }]);
    bench = await openFetchBench(range);
    await bench.fetcher('', { now: NIGHT }).fetch(acme('D1'));
    range.convertdate = '2024-05-20';
    bench.requests();
    const continued = bench.fetcher('', { now: NIGHT + 3_600_000, heldSince: NIGHT });
    expect(await continued.kept(acme('D1'))).toBeUndefined();
    await continued.fetch(acme('D1'));
    expect(bench.requests()).toEqual({ getnodes: 1, getarticles: 1, btg: 1, block: 1 });
  });
});

describe('holds', () => {
  const DAY = 86_400_000;
  const NOW = Date.parse('2024-06-15T02:00:00Z');
  const day = (ago: number) => new Date(NOW - ago * DAY).toISOString().slice(0, 10);
  const today = (convertdate: string): Freshness =>
    readFreshness([
      {
        ...{ nodeid: 'A', nodetype: 'F', manufacturer: 'ACME', program: '', convertdate },
        ...{
          text: '',
          manufacturername: '',
          basearticlenumber: '',
          variantcode: '',
          resources: [],
        },
      },
    ]);

  it('takes what no conversion came after, as the policy says, for any days', async () => {
    const days = fc.integer({ min: 0, max: 12 });
    const case_ = fc.record({
      policy: fc.constantFrom(...POLICIES),
      askedAgo: days,
      convertedAgo: days,
      knownAgo: days,
      heldHours: fc.integer({ min: 0, max: 19 }),
    });
    await fc.assert(
      fc.asyncProperty(case_, async ({ policy, askedAgo, convertedAgo, knownAgo, heldHours }) => {
        // What vouched then cannot be later than what was asked.
        fc.pre(knownAgo >= askedAgo && convertedAgo <= knownAgo);
        const voucher = {
          ...{ owner: 'ACME', manufacturer: 'ACME', convertdate: day(knownAgo) },
          ...{ fetchedOn: day(askedAgo), askedAt: NOW - askedAgo * DAY },
        };
        const run = { policy, now: NOW, heldSince: NOW - heldHours * 3_600_000, heldUntil: NOW };
        const result = await holds(voucher, run, async () => today(day(convertedAgo)));
        const same = convertedAgo === knownAgo;
        const expected =
          policy === 'never' ||
          askedAgo === 0 ||
          (policy === 'convertdate' && same && askedAgo < knownAgo);
        expect(result).toBe(expected);
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  it('never takes what was asked before the interrupted run, nor 20 hours after it, nor by a clock that was set back', async () => {
    const hour = fc.integer({ min: -40, max: 40 });
    await fc.assert(
      fc.asyncProperty(hour, fc.integer({ min: 1, max: 20 }), async (askedHours, heldHours) => {
        const heldSince = NOW - heldHours * 3_600_000;
        const askedAt = NOW - askedHours * 3_600_000;
        const voucher = { owner: 'A', manufacturer: 'A', convertdate: '', fetchedOn: '', askedAt };
        const run = { policy: 'always' as const, now: NOW, heldSince, heldUntil: NOW };
        const result = await holds(voucher, run, async () => readFreshness([]));
        expect(result).toBe(
          askedAt === NOW ||
            (askedAt >= heldSince && askedAt < NOW && askedAt < heldSince + 20 * 3_600_000),
        );
      }),
      { seed: 6, numRuns: 300 },
    );
  });
});
