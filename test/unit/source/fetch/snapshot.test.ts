import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configurationKey } from '../../../../src/model/configuration-id.ts';
import type { ArticleSnapshot, Fetched } from '../../../../src/model/snapshot.ts';
import { snapshotDigests } from '../../../../src/source/fetch/snapshot.ts';
import { acme, type FetchBench, openFetchBench } from '../../../helpers/fetch-bench.ts';
import { samples } from '../../../helpers/samples.ts';
import { smallRange } from '../../../helpers/small-range.ts';

let bench: FetchBench;

const LEG = 'ACME::DESK::LEG';
const FOREIGN = 'LIB::X::CASTOR';

async function firstRun(day = '2024-05-20') {
  const range = smallRange([{ number: 'D1', blocks: [LEG, FOREIGN], pics: ['OAK', '../x'] }]);
  range.images.add('ACME/OAK');
  bench = await openFetchBench(range);
  const snapshot = await bench.fetcher(day).fetch(acme('D1'));
  bench.requests();
  return { range, snapshot };
}

describe('a fresh snapshot', () => {
  it('takes no request but for the top of the catalogue, and no body', async () => {
    const { snapshot } = await firstRun();
    for await (const digest of bench.store.list()) await bench.store.remove(digest);
    const fetcher = bench.fetcher('2024-05-21');
    const kept = { key: snapshot.key, inputs: snapshotDigests(snapshot).inputs };
    expect(await fetcher.freshSnapshot(acme('D1'))).toMatchObject(kept);
    expect(await fetcher.freshSnapshot(acme('D1', { program: 'desk' }))).toMatchObject(kept);
    expect(bench.requests()).toEqual({ getnodes: 1 });
    const stored = bench.database.snapshots.summary('bench', configurationKey(acme('D1')));
    expect(stored).toMatchObject(kept);
  });

  it('is none that was never fetched', async () => {
    await firstRun();
    expect(await bench.fetcher('2024-05-21').freshSnapshot(acme('D2'))).toBeUndefined();
  });

  it.each([
    ['was converted since', '2024-05-21', '2024-05-22'],
    ['was converted on the day of the fetch', '2024-05-20', '2024-05-21'],
  ])('is none where the data %s', async (_, convertdate, day) => {
    const { range } = await firstRun();
    range.convertdate = convertdate;
    const fetcher = bench.fetcher(day);
    expect(await fetcher.freshSnapshot(acme('D1'))).toBeUndefined();
    await fetcher.fetch(acme('D1'));
    expect(await fetcher.freshSnapshot(acme('D1'))).toBeDefined();
  });

  it('is none if the catalogue has a new owner of a part of it', async () => {
    const { range } = await firstRun();
    const nodes = range.nodes;
    const LIB = { manufacturer: 'LIB', nodeid: 'LIB;:X@1', convertdate: '2024-01-01' };
    range.nodes = (parent) => {
      const own = nodes(parent);
      return parent === '' ? [...own!, { ...own![0], ...LIB }] : own;
    };
    expect(await bench.fetcher('2024-05-21').freshSnapshot(acme('D1'))).toBeUndefined();
  });

  it('is none where something failed that may pass, and one where it is known not to be there', async () => {
    const { range } = await firstRun();
    range.missing.add(FOREIGN);
    await bench.fetcher('2024-05-21', { force: true }).fetch(acme('D1'));
    expect(await bench.fetcher('2024-05-22').freshSnapshot(acme('D1'))).toBeDefined();
    range.bodies.set(LEG, '{"N":1');
    await bench.fetcher('2024-05-23', { force: true }).fetch(acme('D1'));
    expect(await bench.fetcher('2024-05-24').freshSnapshot(acme('D1'))).toBeUndefined();
  });

  it('is none with other options: forced, another image location, other children', async () => {
    await firstRun();
    const day = '2024-05-21';
    const imageLocation = '{program}/{name}';
    const child = { ...acme('D2'), parent: -1 };
    expect(await bench.fetcher(day, { force: true }).freshSnapshot(acme('D1'))).toBeUndefined();
    expect(await bench.fetcher(day, { imageLocation }).freshSnapshot(acme('D1'))).toBeUndefined();
    expect(await bench.fetcher(day).freshSnapshot(acme('D1'), [child])).toBeUndefined();
    expect(await bench.fetcher(day).freshSnapshot(acme('D1'), [])).toBeUndefined();
    expect(await bench.fetcher(day).freshSnapshot(acme('D1'))).toBeDefined();
  });

  it('is none with children that have no place', async () => {
    const child = { id: 'C', rootid: 'D1', manufacturer: 'ACME', program: 'DESK' };
    const children = [{ ...child, basearticlenumber: 'C1', children: [], propclasses: [] }];
    const range = smallRange([
      { number: 'D1', blocks: [LEG], article: { children } },
      { number: 'C1', blocks: ['ACME::DESK::OTHER'] },
    ]);
    bench = await openFetchBench(range);
    expect((await bench.fetcher('2024-05-20').fetch(acme('D1'))).unplaced).toHaveLength(1);
    expect(await bench.fetcher('2024-05-21').freshSnapshot(acme('D1'))).toBeUndefined();
  });
});

describe('a configuration', () => {
  it('is identified by a fresh snapshot, without a body, and requested if there is none', async () => {
    const { snapshot } = await firstRun();
    for await (const digest of bench.store.list()) await bench.store.remove(digest);
    const fetcher = bench.fetcher('2024-05-21');
    expect(await fetcher.identify(acme('D1'))).toMatchObject({ key: snapshot.key });
    expect(bench.requests()).toEqual({ getnodes: 1 });
    const red = await fetcher.identify(acme('D1', { reinitstring: 'D1;F=RED::' }));
    expect(red.key.finalarticlenumber).toBe('D1-RED');
    expect(bench.requests()).toEqual({ getarticles: 1 });
  });
});

describe('what was requested', () => {
  it('is in each snapshot', async () => {
    const { range, snapshot } = await firstRun();
    expect(snapshot.requested).toEqual({ article: true, partsList: true, bodies: 3 });
    const next = bench.fetcher('2024-05-21');
    const none = { article: false, partsList: false, bodies: 0 };
    expect((await next.fetch(acme('D1'))).requested).toEqual(none);
    range.convertdate = '2024-05-21';
    const changed = bench.fetcher('2024-05-22');
    expect((await changed.fetch(acme('D1'))).requested).toEqual(snapshot.requested);
    // The second article of the run shares the responses of the first.
    const other = acme('D1', { reinitstring: 'D1;F=STD::' });
    expect((await changed.fetch(other)).requested).toEqual(snapshot.requested);
  });
});

type Inputs = Pick<ArticleSnapshot, 'partsList' | 'blocks' | 'images' | 'warnings'>;

const INPUTS: Inputs = {
  partsList: 'aa',
  blocks: new Map<string, Fetched>([
    ['A::B::LEG', { digest: 'bb', bytes: 1 }],
    ['A::B::TOP', { missing: { code: 'BLOCK_MISSING', message: 'm' } }],
  ]),
  images: new Map<string, Fetched>([['OAK', { digest: 'cc', bytes: 2 }]]),
  warnings: [{ code: 'BLOCK_UNLISTED', message: 'm' }],
};

const of = (change: Partial<Inputs> = {}) =>
  snapshotDigests({ articleDigest: '', ...INPUTS, ...change }).inputs;

describe('the digest of inputs', () => {
  it('depends on no order of names, and only on the data of the article', () => {
    expect(of({ blocks: new Map([...INPUTS.blocks].reverse()) })).toBe(of());
    const reported = { code: 'ARTICLE_REPORTED', message: 'dump' } as const;
    expect(of({ warnings: [reported, ...INPUTS.warnings] })).toBe(of());
  });

  it.each<[string, Partial<Inputs>]>([
    ['parts list', { partsList: 'ab' }],
    ['block', { blocks: new Map([['A::B::LEG', { digest: 'bc', bytes: 1 }]]) }],
    ['image', { images: new Map() }],
    ['warning', { warnings: [] }],
  ])('shows another %s', (_, change) => {
    expect(of(change)).not.toBe(of());
  });

  it('counts what is missing by its code: its arrival shows, another sentence does not', () => {
    const top = (fetched: Fetched) =>
      of({ blocks: new Map([...INPUTS.blocks, ['A::B::TOP', fetched]]) });
    expect(top({ missing: { code: 'BLOCK_MISSING', message: 'other' } })).toBe(of());
    expect(top({ missing: { code: 'HTTP_TIMEOUT', message: 'm' } })).not.toBe(of());
    expect(top({ digest: 'dd', bytes: 1 })).not.toBe(of());
  });

  it('differs for any two sets of bodies, and is equal for equal ones', () => {
    const bodies = fc.dictionary(fc.string(), fc.string());
    const blocksOf = (names: Record<string, string>) =>
      new Map(Object.entries(names).map(([name, digest]) => [name, { digest, bytes: 1 }]));
    fc.assert(
      fc.property(bodies, bodies, (a, b) => {
        const equal =
          JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
        expect(of({ blocks: blocksOf(a) }) === of({ blocks: blocksOf(b) })).toBe(equal);
        expect(of({ images: blocksOf(a), blocks: new Map() })).toBe(
          of({ images: new Map([...blocksOf(a)].reverse()), blocks: new Map() }),
        );
      }),
      { seed: 6, numRuns: samples(200) },
    );
  });
});
