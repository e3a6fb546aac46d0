import { defineConfig } from 'vitest/config';

/** The tests that judge the conversion, stopped at the first failure. */
export default defineConfig({
  test: {
    include: [
      'test/exact/*.test.ts',
      'test/unit/convert/{math,transform}/*.test.ts',
      'test/unit/support/elementary.test.ts',
      'test/unit/convert/write/glb.test.ts',
      'test/unit/deliver/profiles/check-*.test.ts',
    ],
    // It compares engines, with files that the copy lacks, and would fail for any fault.
    exclude: ['test/exact/engines.test.ts'],
    setupFiles: ['test/mutations/no-shrinking.ts'],
    testTimeout: 120_000,
    pool: 'forks',
    isolate: false,
    bail: 1,
  },
});
