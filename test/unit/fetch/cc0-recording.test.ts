import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openRecording } from '../../../src/emulator/recording.ts';
import { selectArticles } from '../../../src/fetch/select-articles.ts';
import { contentOf, openFetchBench } from '../../helpers/fetch-bench.ts';

const RECORDING = fileURLToPath(new URL('../../../../shared/data/cc0-furniture', import.meta.url));

describe.skipIf(!existsSync(RECORDING))('real furniture', () => {
  it('is fetched whole: every block, every image, nothing reported', async () => {
    const bench = await openFetchBench(await openRecording(RECORDING));
    const fetcher = bench.fetcher('2024-07-01');
    const { articles: selected } = await selectArticles(
      [{ kind: 'catalogue', parentnode: '' }],
      fetcher,
    );
    const snapshots = await Promise.all(selected.map(({ request }) => fetcher.fetch(request)));
    expect(snapshots.map(({ key }) => key.basearticlenumber).sort()).toEqual([
      'BC092',
      'BT198',
      'CH044',
      'DT160/80',
      'LA053',
      'SE077',
      'SO2074',
      'VN090',
    ]);
    for (const { key, blocks, images, warnings } of snapshots) {
      const bodies = [...blocks, ...images].map(([name, fetched]) => [name, 'missing' in fetched]);
      expect(bodies.filter(([, missing]) => missing)).toEqual([]);
      expect([key.basearticlenumber, warnings]).toEqual([key.basearticlenumber, []]);
    }
    const { getnodes, ...requests } = bench.requests();
    expect(getnodes).toBe(5);
    expect(requests).toEqual({ getarticles: 8, btg: 8, block: 91, materials: 6 });

    const again = bench.fetcher('2024-07-02');
    const { articles: second } = await selectArticles(
      [{ kind: 'catalogue', parentnode: '' }],
      again,
    );
    const later = await Promise.all(second.map(({ request }) => again.fetch(request)));
    expect(later.map(contentOf)).toEqual(snapshots.map(contentOf));
    expect(bench.requests()).toEqual({ getnodes: 1 });
    await bench.close();
  });
});
