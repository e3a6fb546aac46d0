import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalNumber,
  isInRange,
  type NumberRange,
  nearestNumber,
  rangesText,
} from '../../../../src/emulator/sample/numbers.ts';
import { samples } from '../../../helpers/samples.ts';

const SEED = { seed: 5 };
const FORM = { digits: 5, decdigits: 1 };

describe('the one spelling of a number', () => {
  test.each([
    ['0', '0'],
    ['-0.0', '0'],
    ['0740', '740'],
    ['072.50', '72.5'],
    ['-3.5', '-3.5'],
    ['12345', '12345'],
    ['1234.5', '1234.5'],
  ])('%j is %j', (text, expected) => {
    expect(canonicalNumber(text, FORM)).toBe(expected);
  });

  const others = ['12345.5', '1.55', '', '.5', '5.', '1,5', '1e3', ' 1', '+1', '0x10', '١'];
  test.each(others)('is not there for %j', (text) => {
    expect(canonicalNumber(text, FORM)).toBeUndefined();
  });

  test('is its own spelling, and the same number', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9999, max: 9999 }), (tenths) => {
        const text = (tenths / 10).toFixed(1);
        const spelled = canonicalNumber(text, FORM)!;
        expect(Number(spelled)).toBe(tenths / 10 + 0);
        expect(canonicalNumber(spelled, FORM)).toBe(spelled);
      }),
      SEED,
    );
  });
});

describe('a range', () => {
  test.each<[NumberRange, string, boolean]>([
    [{ from: 10 }, '10', true],
    [{ from: 10, opfrom: 'GT' }, '10', false],
    [{ from: 10, opfrom: 'GT' }, '10.1', true],
    [{ to: 20 }, '20', true],
    [{ to: 20, opto: 'LT' }, '20', false],
    [{ to: 20, opto: 'LT' }, '-999', true],
    [{}, '12345', true],
    [{ from: 0.1, raster: 0.1 }, '0.3', true],
    [{ from: 0.1, raster: 0.2 }, '0.4', false],
    [{ to: 20, raster: 5 }, '-15', true],
    [{ to: 20, raster: 5 }, '-14', false],
  ])('%j allows %s: %s', (range, number, allowed) => {
    expect(isInRange(number, range, 1)).toBe(allowed);
  });

  test('allows what is so many steps from its lower bound, and nothing between', () => {
    const arbitrary = fc.record({
      from: fc.integer({ min: -500, max: 500 }),
      raster: fc.integer({ min: 2, max: 70 }),
      steps: fc.integer({ min: 0, max: 30 }),
      beside: fc.integer({ min: 1, max: 69 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ from, raster, steps, beside }) => {
        const range = { from: from / 10, to: (from + 30 * raster) / 10, raster: raster / 10 };
        const at = (units: number): boolean => isInRange((units / 10).toFixed(1), range, 1);
        expect(at(from + steps * raster)).toBe(true);
        expect(at(from + steps * raster + beside)).toBe(
          beside % raster === 0 && steps * raster + beside <= 30 * raster,
        );
      }),
      SEED,
    );
  });
});

describe('the nearest number', () => {
  const ranges: NumberRange[] = [
    { from: 800, to: 1400, raster: 50 },
    { from: 1400, opfrom: 'GT', to: 2000, raster: 100 },
  ];
  const whole = { digits: 4, decdigits: 0 };

  test.each([
    ['1000', '1000'],
    ['0', '800'],
    ['9999', '2000'],
    ['1430', '1400'],
    ['1450', '1400'],
    ['1451', '1500'],
    ['1675', '1700'],
  ])('to %s is %s', (number, expected) => {
    expect(nearestNumber(number, ranges, whole)).toBe(expected);
  });

  test('is not there where nothing is allowed', () => {
    expect(nearestNumber('1', [], whole)).toBeUndefined();
    expect(nearestNumber('1', [{ from: 5, opfrom: 'GT', to: 5 }], whole)).toBeUndefined();
  });

  test('is allowed, and no other is nearer', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100, max: 3000 }), (number) => {
        const nearest = Number(nearestNumber(String(number), ranges, whole));
        const allowed = Array.from({ length: 3000 }, (_, i) => i).filter((i) =>
          ranges.some((range) => isInRange(String(i), range, 0)),
        );
        const least = Math.min(...allowed.map((i) => Math.abs(i - number)));
        expect([allowed.includes(nearest), Math.abs(nearest - number)]).toEqual([true, least]);
      }),
      { ...SEED, numRuns: samples(50) },
    );
  });
});

test('ranges are written with their operators', () => {
  expect(
    rangesText([
      { from: 1, raster: 1 },
      { to: 5, opto: 'LT' },
    ]),
  ).toBe('GE 1 raster 1, or LT 5');
});
