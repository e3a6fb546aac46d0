import { describe, expect, it } from 'vitest';
import { acme, openFetchBench } from '../../../helpers/fetch-bench.ts';
import { smallRange } from '../../../helpers/small-range.ts';

describe('an estimate of requests', () => {
  it('is a guess before the first fetch, exact afterwards, and requests no article', async () => {
    const range = smallRange([
      { number: 'D1', blocks: ['ACME::DESK::TOP', 'ACME::DESK::LEG'], pics: ['WOOD'] },
      { number: 'D2', blocks: ['ACME::DESK::TOP', 'ACME::DESK::FOOT'], pics: ['WOOD'] },
      { number: 'D3', blocks: ['ACME::DESK::TOP'] },
    ]);
    range.images.add('ACME/WOOD');
    const bench = await openFetchBench(range);
    const two = [acme('D1'), acme('D2')];
    const guess = { articles: 2, partsLists: 2, bodies: 24, unknown: 2 };
    expect(await bench.fetcher('2024-05-14').estimate(two)).toEqual(guess);
    const many = Array.from({ length: 9 }, (_, index) => acme(`X${index}`));
    expect(await bench.fetcher('2024-05-14').estimate(many)).toMatchObject({ bodies: 55 });

    const sameDay = bench.fetcher('2024-05-14');
    for (const request of two) await sameDay.fetch(request);
    bench.requests();
    const nothing = { articles: 0, partsLists: 0, bodies: 0, unknown: 0 };
    expect(await sameDay.estimate(two)).toEqual(nothing);

    // On the day of the conversion no response is fresh: each body is requested once.
    const known = { articles: 2, partsLists: 2, bodies: 4, unknown: 0 };
    expect(await bench.fetcher('2024-05-15').estimate(two)).toEqual(known);
    const nextDay = bench.fetcher('2024-05-15');
    for (const request of two) await nextDay.fetch(request);
    const later = bench.fetcher('2024-05-16');
    expect(await later.estimate(two)).toEqual(nothing);
    // One that is new takes as many bodies as the others have on average.
    const mixed = { articles: 1, partsLists: 1, bodies: 2, unknown: 1 };
    expect(await later.estimate([...two, acme('D3')])).toEqual(mixed);
    expect(await bench.fetcher('2024-05-16', { force: true }).estimate(two)).toEqual(known);

    bench.requests();
    await bench.fetcher('2024-05-17').estimate(two);
    expect(bench.requests()).toEqual({ getnodes: 1 });
  });
});
