import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { GIVE_UP_MS } from './helpers/until.ts';

/** Each of these files has a process of its own: they measure memory, kill runs and watch file operations. */
const ROBUSTNESS = 'test/robustness/*.test.ts';

/**
 * The files of `shared` take turns in one process per core, which loads the libraries once: the source has
 * no state that one file could leave to the next. `robustness` comes first, so that it shares no process.
 */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../.cache/vite', import.meta.url)),
  test: {
    testTimeout: GIVE_UP_MS,
    hookTimeout: GIVE_UP_MS,
    expect: { poll: { timeout: GIVE_UP_MS } },
    reporters: [fileURLToPath(new URL('helpers/reporter.ts', import.meta.url))],
    globalSetup: [fileURLToPath(new URL('helpers/picture-browser.ts', import.meta.url))],
    pool: 'forks',
    // On two cores, tests wait for processes, servers and clocks for two fifths of their time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    projects: [
      {
        extends: true,
        test: {
          name: 'robustness',
          include: [ROBUSTNESS],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [ROBUSTNESS],
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
