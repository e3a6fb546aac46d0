/**
 * A run over 10,000 configurations, as the process that a timer would start: it must take less
 * than 5 seconds and 250 MiB on two cores. Needs `npm run build` before it.
 */
import { bench, describe } from 'vitest';
import { type MeasuredRuns, measurementLine, openMeasuredRuns } from '../helpers/measured-runs.ts';

const CONFIGURATIONS = 10_000;

describe(`${CONFIGURATIONS} configurations`, () => {
  let runs: MeasuredRuns | undefined;

  bench(
    'an unchanged run',
    async () => {
      const measured = await runs!.run();
      if (measured.exit !== 0) throw new Error(measured.stderr);
      console.log(measurementLine('an unchanged run', measured));
    },
    {
      iterations: 3,
      time: 0,
      warmupIterations: 0,
      warmupTime: 0,
      // The runner calls no hooks around benchmarks, and these before and after a warm-up too.
      setup: async () => {
        if (runs !== undefined) return;
        runs = await openMeasuredRuns(CONFIGURATIONS);
        console.log(measurementLine('the first run', await runs.run()));
      },
      teardown: async (_task, mode) => {
        if (mode === 'run') await runs?.close();
      },
    },
  );
});
