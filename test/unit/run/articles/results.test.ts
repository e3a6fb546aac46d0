import { describe, expect, it } from 'vitest';
import { type Result, Results } from '../../../../src/run/articles/results.ts';
import { acme } from '../../../helpers/fetch-bench.ts';
import { expectLinear } from '../../../helpers/growth.ts';

const result = (number: string): Result => ({
  status: 'failed',
  request: acme(number),
  key: acme('D1'),
  error: { code: 'BLOCK_MISSING', message: 'block LEG: status 404' },
});
const empty = () => new Results({ keyOfRequest: () => undefined });

describe('Results', () => {
  it('returns the results of a configuration in the order of the selection', () => {
    const results = empty();
    for (const place of [2, 0, 1]) results.add(result(`R${place}`), { place, ms: 1 });
    const [key] = [...results.keys()];
    const numbers = results.of(key!).map(({ result: { request } }) => request.basearticlenumber);
    expect(numbers).toEqual(['R0', 'R1', 'R2']);
    expect([...results.all()]).toEqual(results.of(key!));
    expect([...results.keys()]).toHaveLength(1);
  });

  it('returns what is fresh in the order of the selection, too', () => {
    const results = empty();
    const fresh = (place: number): Result => ({
      ...{ status: 'fresh', request: acme(`R${place}`), key: acme('D1') },
    });
    results.add(fresh(1), { place: 1, ms: 2 });
    results.add(result('R0'), { place: 0, ms: 1 });
    results.add(fresh(2), { place: 2, ms: 2 });
    const [key, ...others] = [...results.keys()];
    expect(others).toEqual([]);
    expect(results.of(key!)).toMatchObject([
      { result: result('R0'), place: 0, ms: 1 },
      ...[1, 2].map((place) => ({ result: fresh(place), place, ms: 2 })),
    ]);
  });

  it('fails requests one by one where those of one configuration do not fit into a line', () => {
    const results = empty();
    const REQUESTS = 300;
    const reinitstring = 'x'.repeat(60_000);
    for (let place = 0; place < REQUESTS; place++) {
      const request = acme(`R${place}`, { reinitstring });
      results.add({ ...result('R'), request, key: acme('D1') } as Result, { place, ms: 1 });
    }
    const [shared, ...others] = [...results.keys()];
    const bytes = JSON.stringify(results.of(shared!)).length;
    expect(bytes).toBeGreaterThan(16 * 1024 * 1024);
    expect(bytes).toBeLessThan(17 * 1024 * 1024);
    expect(results.of(shared!).length + others.length).toBe(REQUESTS);
    expect(results.of(others[0]!)).toMatchObject([
      { result: { status: 'failed', error: { code: 'CONFIGURATION_SHARED' } } },
    ]);
  });

  it('takes linear time if the service resolves all requests to one configuration', async () => {
    const numbers = (size: number) => Array.from({ length: size }, (_, place) => `R${place}`);
    await expectLinear(500, numbers, (given) => {
      const results = empty();
      for (const [place, number] of given.entries()) results.add(result(number), { place, ms: 1 });
      expect([...results.all()]).toHaveLength(given.length);
    });
  });
});
