/**
 * Memory: it does not grow with the number of articles. Each run has a heap that holds what a run needs
 * at all, and little more.
 *
 * `npm test` takes 200 articles within 44 MiB, with `BTG2GLTF_TEST_LONG=1` it is 50,000 within 400, and an unchanged run.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MeasuredRuns, measurementLine, openMeasuredRuns } from '../helpers/measured-runs.ts';
import { IS_LONG } from '../helpers/samples.ts';

const ARTICLES = IS_LONG ? 50_000 : 200;
const LOOKS = IS_LONG ? 300 : 10;
const HEAP_MIB = IS_LONG ? 400 : 44;

let runs: MeasuredRuns;
beforeAll(async () => {
  runs = await openMeasuredRuns(ARTICLES, LOOKS);
});
afterAll(() => runs.close());

test(`${ARTICLES} articles are selected, fetched, built and published within ${HEAP_MIB} MiB of heap`, async () => {
  for (const name of ['the first run', ...(IS_LONG ? ['an unchanged run'] : [])]) {
    const measured = await runs.run([`--max-old-space-size=${HEAP_MIB}`]);
    console.log(measurementLine(`${ARTICLES} articles, ${name}`, measured));
    expect(measured.exit, measured.stderr.slice(-2000)).toBe(0);
  }
});
