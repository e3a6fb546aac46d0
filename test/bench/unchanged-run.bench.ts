/**
 * A quiet night of 10,000 configurations, as the process that a timer would start: it must take less
 * than 5 seconds and 250 MiB on two cores. Needs `npm run build` before it.
 */
import { bench, describe } from 'vitest';
import { type MeasuredRuns, measurementLine, openMeasuredRuns } from '../helpers/measured-runs.ts';

const CONFIGURATIONS = 10_000;

describe(`${CONFIGURATIONS} configurations`, () => {
  let nights: MeasuredRuns | undefined;

  bench(
    'a quiet night',
    async () => {
      const night = await nights!.run();
      if (night.exit !== 0) throw new Error(night.stderr);
      console.log(measurementLine('a quiet night', night));
    },
    {
      iterations: 3,
      time: 0,
      warmupIterations: 0,
      warmupTime: 0,
      // The runner calls no hooks around benchmarks, and these before and after a warm-up too.
      setup: async () => {
        if (nights !== undefined) return;
        nights = await openMeasuredRuns(CONFIGURATIONS);
        console.log(measurementLine('the first night', await nights.run()));
      },
      teardown: async (_task, mode) => {
        if (mode === 'run') await nights?.close();
      },
    },
  );
});
