import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/texture-folder.ts'],
    setupFiles: ['test/setup/shared-textures.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // By default one core is left idle, which on two is half of them.
    maxWorkers: '100%',
  },
});
