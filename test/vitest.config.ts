import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { compiledSource } from './helpers/compiled-source.ts';
import { IS_LONG } from './helpers/samples.ts';
import { GIVE_UP_MS } from './helpers/until.ts';

/** A long test repeats what it tests for up to an hour. */
const LIMIT_MS = IS_LONG ? 2 * GIVE_UP_MS : GIVE_UP_MS;

/**
 * Most code of a test runs a few times, so V8 compiles it later: a tenth less of the processors (68.7 and 79.4 s to 59.8
 * and 73.3 s, side by side). Node.js 24 and 26 refuse the option.
 */
const V8_OPTIONS = process.versions.node.startsWith('20.') ? ['--interrupt-budget=2000000'] : [];

/**
 * All files take turns in a few processes, each of which loads the libraries once: the source has no state that one file
 * could leave to the next.
 */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../.cache/vite', import.meta.url)),
  // `npm run test:watch` loads a file again when it changes, which Node.js cannot.
  plugins: process.argv.includes('run') ? [compiledSource()] : [],
  test: {
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: GIVE_UP_MS } },
    reporters: [fileURLToPath(new URL('helpers/reporter.ts', import.meta.url))],
    globalSetup: [fileURLToPath(new URL('helpers/picture-browser.ts', import.meta.url))],
    setupFiles: [fileURLToPath(new URL('helpers/seed.ts', import.meta.url))],
    pool: 'forks',
    // Tests wait for processes, servers and browsers; `npm test` checks the source meanwhile. On two busy cores, it took
    // 4 min 52 s and 470 s of the processors with 4 processes, 5 min 20 s and 521 s with 5.
    maxWorkers: availableParallelism() + 2,
    execArgv: V8_OPTIONS,
    include: ['test/**/*.test.ts'],
    isolate: false,
  },
});
