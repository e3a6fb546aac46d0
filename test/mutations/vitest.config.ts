import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: { include: ['test/mutations/*.mutation.ts'], pool: 'forks', reporters: ['verbose'] },
});
