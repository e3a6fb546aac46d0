/** What one sender may have made in a minute. */
import { expect, it } from 'vitest';
import { perSender } from '../../../../src/web/assets/limits.ts';

it.each([
  ['2001:db8::1', '2001:0db8:0:0:ffff:1:2:3', true],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['192.0.2.1', '192.0.2.2', false],
])('%s and %s have one budget: %s', (first, second, areOne) => {
  const count = perSender(1, () => 0);
  count(first);
  if (areOne) expect(() => count(second)).toThrow();
  else count(second);
});

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
