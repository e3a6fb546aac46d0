import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cropped, uncropped } from '../../../src/deliver/cropped-pixels.ts';

/** A picture of two colours, so that borders are frequent. */
const pictures = fc
  .record({ width: fc.integer({ min: 1, max: 9 }), height: fc.integer({ min: 1, max: 9 }) })
  .chain((size) =>
    fc
      .array(fc.boolean(), {
        minLength: size.width * size.height,
        maxLength: size.width * size.height,
      })
      .map((drawn) => ({
        size,
        colors: drawn.map((is) => (is ? [1, 2, 3, 4] : [255, 254, 253, 0])),
      })),
  );

describe('cropped pixels', () => {
  it('become the same picture again, the topmost row first', () => {
    fc.assert(
      fc.property(pictures, ({ size, colors }) => {
        const part = cropped(Uint8Array.from(colors.flat()), size);
        const rows = Array.from({ length: size.height }, (_, y) =>
          colors.slice(y * size.width, (y + 1) * size.width),
        );
        expect(Array.from(uncropped(part))).toEqual(rows.reverse().flat(2));
      }),
    );
  });

  it('are those of the smallest rectangle around what differs from the border', () => {
    const whole = { width: 5, height: 4 };
    const pixels = new Uint8Array(4 * 5 * 4).fill(255);
    for (const [x, y] of [
      [1, 1],
      [3, 2],
    ] as const)
      pixels[4 * (y * 5 + x)] = 7;
    expect(cropped(pixels, whole)).toMatchObject({
      whole,
      width: 3,
      height: 2,
      left: 1,
      bottom: 1,
    });
    const plain = cropped(new Uint8Array(80).fill(9), whole);
    expect(plain).toMatchObject({ width: 0, height: 0, border: [9, 9, 9, 9] });
  });
});
