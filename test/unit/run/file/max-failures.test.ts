import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exceededFailures, parseMaxFailures } from '../../../../src/run/file/max-failures.ts';
import { percentOf } from '../../../../src/run/file/percentage.ts';
import { samples } from '../../../helpers/samples.ts';

const SEED = { seed: 20_260_106, numRuns: samples(300) };

describe('--max-failures', () => {
  test('takes a number of configurations, or a percentage of them', () => {
    expect(parseMaxFailures('5')).toEqual({ count: 5 });
    expect(parseMaxFailures('0')).toEqual({ count: 0 });
    expect(parseMaxFailures('2%')).toEqual({ share: 0.02 });
  });

  test.each(['', '-1', '1.5', '2 percent', '101%', 'x'])('refuses %j with a sentence', (text) => {
    expect(() => parseMaxFailures(text)).toThrow(
      `--max-failures: expected a number of configurations or a percentage, such as 5 or 2%, received "${text}"`,
    );
  });

  test('allows exactly the limit', () => {
    expect(exceededFailures({ share: 0.02 }, { failed: 2, of: 100 })).toBeUndefined();
    expect(exceededFailures({ share: 0.02 }, { failed: 3, of: 100 })).toBe(
      '--max-failures: expected at most 2 % failures, received 3 of 100 configurations (3 %)',
    );
    expect(exceededFailures({ count: 0 }, { failed: 1, of: 50_000 })).toBe(
      '--max-failures: expected at most 0 failures, received 1 of 50,000 configurations (less than 0.1 %)',
    );
    expect(exceededFailures({ count: 0 }, { failed: 0, of: 0 })).toBeUndefined();
  });

  test('a percentage allows what it is of any range, however it is rounded', () => {
    const percent = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(percent, fc.integer({ min: 1, max: 500 }), (whole, hundreds) => {
        const share = percentOf(`${whole}%`)!;
        const most = whole * hundreds;
        const of = hundreds * 100;
        expect(exceededFailures({ share }, { failed: most, of })).toBeUndefined();
        if (most < of) expect(exceededFailures({ share }, { failed: most + 1, of })).toBeDefined();
      }),
      SEED,
    );
  });

  test('more failures never pass a limit that fewer exceed', () => {
    const limit = fc.oneof(
      fc.record({ count: fc.nat(100) }),
      fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    );
    fc.assert(
      fc.property(limit, fc.nat(200), fc.nat(200), fc.nat(200), (of, a, more, rest) => {
        const all = a + more + rest;
        const few = exceededFailures(of, { failed: a, of: all });
        const many = exceededFailures(of, { failed: a + more, of: all });
        if (few !== undefined) expect(many).toBeDefined();
      }),
      SEED,
    );
  });
});
