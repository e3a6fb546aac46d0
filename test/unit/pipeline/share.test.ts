import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  exceededFailures,
  parseMaxFailures,
} from '../../../src/pipeline/failures/failure-limit.ts';
import { percentOf, sharePercent, shareSchema } from '../../../src/pipeline/gates/share.ts';

const SEED = { seed: 20_260_106, numRuns: 300 };

describe('a share', () => {
  test('is a percentage, or a number from 0 to 1', () => {
    expect(shareSchema.parse('5%')).toBe(0.05);
    expect(shareSchema.parse('2.5 %')).toBe(0.025);
    expect(shareSchema.parse(0.05)).toBe(0.05);
  });

  test.each([30, '30', '130%', '-1%', 'a few', '', '5%%', '%'])('is not %j', (value) => {
    const problem = shareSchema.safeParse(value).error!.issues[0]!.message;
    expect(problem).toBe('expected a share: 5% or 0.05');
  });

  test('is never told as none or all where it is neither', () => {
    expect([0, 0.0001, 0.005, 0.5, 0.9999, 1].map(sharePercent)).toEqual([
      ...['0 %', 'less than 0.1 %', '0.5 %', '50 %', 'more than 99 %', '100 %'],
    ]);
  });
});

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

  test('allows exactly the limit, and says what is beyond it', () => {
    expect(exceededFailures({ share: 0.02 }, { failed: 2, of: 100 })).toBeUndefined();
    expect(exceededFailures({ share: 0.02 }, { failed: 3, of: 100 })).toBe(
      '3 of 100 configurations failed (3 %); --max-failures allows 2 %',
    );
    expect(exceededFailures({ count: 0 }, { failed: 1, of: 50_000 })).toBe(
      '1 of 50,000 configurations failed (less than 0.1 %); --max-failures allows 0',
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

  test('who fails more is never judged more kindly', () => {
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
