import { describe, expect, test } from 'vitest';
import { sharePercent, shareSchema } from '../../../../src/run/file/percentage.ts';

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

  test('is never rounded to none or all', () => {
    expect([0, 0.0001, 0.005, 0.5, 0.9999, 1].map(sharePercent)).toEqual([
      ...['0 %', 'less than 0.1 %', '0.5 %', '50 %', 'more than 99 %', '100 %'],
    ]);
  });
});
