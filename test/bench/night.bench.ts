/**
 * A quiet night of 10,000 configurations, as the process that a timer would start: it must take less
 * than 5 seconds and 250 MiB on two cores. Needs `npm run build` before it.
 */
import { afterAll, beforeAll, bench, describe } from 'vitest';
import { type MeasuredNights, openMeasuredNights, told } from '../helpers/measured-nights.ts';

const CONFIGURATIONS = 10_000;
const FIRST_NIGHT_MS = 600_000;

describe(`${CONFIGURATIONS} configurations`, () => {
  let nights: MeasuredNights;
  beforeAll(async () => {
    nights = await openMeasuredNights(CONFIGURATIONS);
    console.log(told('the first night', await nights.run()));
  }, FIRST_NIGHT_MS);
  afterAll(() => nights.close());

  bench(
    'a quiet night',
    async () => {
      const night = await nights.run();
      if (night.exit !== 0) throw new Error(night.stderr);
      console.log(told('a quiet night', night));
    },
    { iterations: 3, time: 0, warmupIterations: 0, warmupTime: 0 },
  );
});
