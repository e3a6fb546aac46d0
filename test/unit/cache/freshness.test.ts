import { truncate, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { StoredResponse } from '../../../src/cache/cached-responses.ts';
import { dayOf, readFreshness } from '../../../src/cache/freshness.ts';
import type { CatalogueNode } from '../../../src/model/catalogue.ts';
import { acme, contentOf, type FetchBench, openFetchBench } from '../../helpers/fetch-bench.ts';
import { smallRange } from '../../helpers/small-range.ts';

function top(
  manufacturer: string,
  convertdate: string,
  program = 'DESK',
  nodetype: 'F' | 'I' = 'F',
): CatalogueNode {
  const ids = {
    nodeid: `${manufacturer};:${program}`,
    nodetype,
    manufacturer,
    program,
    convertdate,
  };
  return {
    ...ids,
    text: '',
    manufacturername: '',
    basearticlenumber: '',
    variantcode: '',
    resources: [],
  };
}

function stored(convertdate: string, fetchedOn: string, manufacturer = 'ACME'): StoredResponse {
  const key = { service: 's', operation: 'getBlock', request: 'r' };
  const answer = { digest: 'ab', bytes: 1 };
  const vouched = { manufacturer, convertdate, fetchedOn, askedAt: 0 };
  return { ...key, answer, etag: '', lastModified: '', ...vouched };
}

describe('readFreshness', () => {
  const today = readFreshness([
    top('ACME', '2024-05-14'),
    top('NEW', ''),
    top('ACME', '', '', 'I'),
  ]);

  it.each([
    ['fetched on a later day', stored('2024-05-14', '2024-05-15'), true],
    ['fetched on the day of the conversion', stored('2024-05-14', '2024-05-14'), false],
    ['fetched before it', stored('2024-05-14', '2024-05-13'), false],
    ['converted since', stored('2024-05-13', '2024-05-20'), false],
    ['converted back to an older state', stored('2024-05-15', '2024-05-20'), false],
    ['a manufacturer without a date', stored('', '2024-05-20', 'NEW'), false],
    ['a manufacturer that the catalogue does not know', stored('', '2024-05-20', 'LIB'), false],
  ])('%s', (_, response, fresh) => {
    expect(today.isFresh(response, response.manufacturer)).toBe(fresh);
    expect(today.isFresh(response, response.manufacturer.toLowerCase())).toBe(fresh);
  });

  it("lets the article's manufacturer vouch for one that the catalogue does not know", () => {
    expect(today.isFresh(stored('2024-05-14', '2024-05-15'), 'LIB')).toBe(true);
    const known = readFreshness([top('ACME', '2024-05-14'), top('LIB', '2024-05-01')]);
    expect(known.isFresh(stored('2024-05-14', '2024-05-15'), 'LIB')).toBe(false);
  });

  it("sees a change of any of a manufacturer's series, whatever their order", () => {
    const a = readFreshness([top('ACME', '2024-05-14', 'A'), top('ACME', '2024-06-03', 'B')]);
    const same = readFreshness([top('ACME', '2024-06-03', 'B'), top('ACME', '2024-05-14', 'A')]);
    const changed = readFreshness([top('ACME', '2024-05-28', 'A'), top('ACME', '2024-06-03', 'B')]);
    expect(a.stateOf('acme')).toMatch(/^2024-06-03 [0-9a-f]{16}$/);
    expect(same.stateOf('ACME')).toBe(a.stateOf('ACME'));
    expect(changed.isFresh(stored(a.stateOf('ACME'), '2024-06-10'), 'ACME')).toBe(false);
    expect(a.isFresh(stored(a.stateOf('ACME'), '2024-06-04'), 'ACME')).toBe(true);
    expect(a.isFresh(stored(a.stateOf('ACME'), '2024-06-03'), 'ACME')).toBe(false);
  });

  it('trusts no manufacturer of which one series has no date', () => {
    expect(
      readFreshness([top('ACME', '2024-05-14'), top('ACME', 'soon', 'B')]).stateOf('ACME'),
    ).toBe('');
  });

  it('counts days in UTC', () => {
    expect(dayOf(Date.parse('2024-05-15T01:30:00+02:00'))).toBe('2024-05-14');
  });
});

describe('a second night', () => {
  let bench: FetchBench;
  afterEach(() => bench.close());

  const LEG = 'ACME::DESK::LEG';
  const articles = [
    { number: 'D1', blocks: [LEG, 'LIB::X::CASTOR'], pics: ['OAK', 'LIB::X::STEEL', 'NONE'] },
    { number: 'D2', blocks: [LEG] },
  ];

  async function firstNight(day: string) {
    const range = smallRange(articles);
    range.images.add('ACME/OAK').add('LIB/STEEL');
    bench = await openFetchBench(range);
    const snapshots = await fetchAll(day);
    expect(bench.requests()).toEqual({
      getnodes: 2,
      getarticles: 2,
      btg: 2,
      block: 2,
      materials: 3,
    });
    return { range, snapshots };
  }

  async function fetchAll(day: string, force = false) {
    const fetcher = bench.fetcher(day, { force });
    await fetcher.nodes('ACME;:DESK@1', 'ACME');
    const snapshots = articles.map(({ number }) => fetcher.fetch(acme(number)));
    return (await Promise.all(snapshots)).map(contentOf);
  }

  it('asks for the top of the catalogue alone where nothing was converted', async () => {
    const { snapshots } = await firstNight('2024-05-15');
    expect(await fetchAll('2024-05-16')).toEqual(snapshots);
    expect(bench.requests()).toEqual({ getnodes: 1 });
  });

  it('asks for everything after a conversion, and on the day of one', async () => {
    const { range, snapshots } = await firstNight('2024-05-14');
    expect(await fetchAll('2024-05-15')).toEqual(snapshots);
    expect(bench.requests()).toMatchObject({ block: 2, materials: 3 });
    range.convertdate = '2024-05-15';
    range.bodies.set(
      LEG,
      JSON.stringify({ V: [0, 0, 0, 2, 0, 0, 0, 1, 0], A: [{ F: [0, 1, 2] }] }),
    );
    const [changed] = await fetchAll('2024-05-16');
    expect(changed!.blocks.get(LEG)).not.toEqual(snapshots[0]!.blocks.get(LEG));
    expect(changed!.blocks.get('LIB::X::CASTOR')).toEqual(
      snapshots[0]!.blocks.get('LIB::X::CASTOR'),
    );
    await fetchAll('2024-05-17');
    expect(bench.requests()).toMatchObject({ getnodes: 3, btg: 2 });
  });

  it('asks for everything where that is forced', async () => {
    await firstNight('2024-05-15');
    await fetchAll('2024-05-16', true);
    expect(bench.requests()).toEqual({
      getnodes: 2,
      getarticles: 2,
      btg: 2,
      block: 2,
      materials: 3,
    });
  });

  it('asks again for a body that the cache has lost a part of', async () => {
    const { snapshots } = await firstNight('2024-05-15');
    const leg = snapshots[0]!.blocks.get(LEG) as { digest: string };
    await truncate(bench.store.pathOf(leg.digest), 3);
    await bench.store.remove(snapshots[0]!.partsList);
    expect(await fetchAll('2024-05-16')).toEqual(snapshots);
    expect(bench.requests()).toEqual({ getnodes: 1, block: 1, btg: 1 });
    expect(await bench.store.get(leg.digest)).toHaveProperty('length');
  });

  it('asks once more for what turns out to be damaged, and for no more than that', async () => {
    const { snapshots } = await firstNight('2024-05-15');
    const listing = bench.state.responses.get({
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

  it('asks for everything where the catalogue cannot be read, and goes on', async () => {
    const { snapshots } = await firstNight('2024-05-15');
    const client = bench.client();
    const broken = { ...client, getNodes: () => client.getNodes('no such folder') };
    const fetcher = bench.fetcher('2024-05-16', { client: broken });
    expect(contentOf(await fetcher.fetch(acme('D2')))).toEqual(snapshots[1]);
    expect(bench.requests()).toMatchObject({ getarticles: 1, btg: 1, block: 1 });
  });
});
