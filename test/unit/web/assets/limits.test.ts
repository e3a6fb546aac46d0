/** What one sender may have made in a minute. */
import { expect, it } from 'vitest';
import { perSender } from '../../../../src/web/assets/limits.ts';

it('is a budget for each sender, which fills again evenly', () => {
  let now = 0;
  const count = perSender(2, () => now);
  count('a');
  count('a');
  expect(() => count('a')).toThrow(
    expect.objectContaining({
      status: 429,
      details: expect.objectContaining({ headers: { 'retry-after': '30' } }),
    }),
  );
  count('b');
  now += 30_000;
  count('a');
  expect(() => count('a')).toThrow(/at most 2 new files a minute/);
  now += 600_000;
  count('a');
  count('a');
  expect(() => count('a')).toThrow();
});
