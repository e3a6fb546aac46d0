import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearColor, linearFromSrgb, luminance } from '../../../../src/convert/math/color.ts';

/** The other way, from the standard. */
const srgbFromLinear = (value: number) =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;

describe('linearFromSrgb', () => {
  it('is the standard curve: straight near black, a power above', () => {
    expect(linearFromSrgb(0)).toBe(0);
    expect(linearFromSrgb(1)).toBe(1);
    expect(linearFromSrgb(0.04)).toBe(0.04 / 12.92);
    expect(linearFromSrgb(128 / 255)).toBeCloseTo(0.21586050011389926, 12);
  });

  it('is undone by the inverse curve, and rises', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        expect(srgbFromLinear(linearFromSrgb(a))).toBeCloseTo(a, 6);
        if (a < b) expect(linearFromSrgb(a)).toBeLessThanOrEqual(linearFromSrgb(b));
      }),
      { seed: 130 },
    );
  });
});

describe('colours', () => {
  it('convert component by component', () => {
    expect(linearColor([1, 0.5, 0])).toEqual([1, linearFromSrgb(0.5), 0]);
  });

  it('weigh green most', () => {
    expect(luminance([1, 1, 1])).toBeCloseTo(1, 12);
    expect([luminance([1, 0, 0]), luminance([0, 1, 0]), luminance([0, 0, 1])]).toEqual([
      0.2126, 0.7152, 0.0722,
    ]);
  });
});
