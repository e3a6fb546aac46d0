import { expect, test } from 'vitest';
import { browserCount } from '../../../../src/deliver/pictures/run-renderer.ts';

test.each([
  [1, 100_000, 1],
  [2, 100_000, 1],
  [8, 100_000, 4],
  [8, 2_000, 3],
  [8, 100, 1],
])('%i processors and %i MiB have %i browsers', (processors, memoryMb, count) => {
  expect(browserCount(processors, memoryMb)).toBe(count);
});
