/** The size of a picture to scale. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_PIXELS_A_SIDE, sizeToScale } from '../../../../src/deliver/pictures/shot.ts';

test('a floor plan has the scale that was asked for, and a model that is too large a smaller one', () => {
  const long = { halfWidth: 11.5, halfHeight: 0.4 };
  expect(sizeToScale(long, 100)).toEqual({ width: 2300, height: 80, pixelsPerMetre: 100 });
  const { pixelsPerMetre, ...size } = sizeToScale(long, 200);
  expect(size).toEqual({ width: MOST_PIXELS_A_SIDE, height: 142 });
  expect(pixelsPerMetre).toBeCloseTo(178.087, 3);
});

test('it has at least one pixel, and at most what the graphics draw, whatever the model', () => {
  const metres = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(
      metres,
      metres,
      fc.integer({ min: 1, max: 5000 }),
      (halfWidth, halfHeight, wanted) => {
        const { width, height, pixelsPerMetre } = sizeToScale({ halfWidth, halfHeight }, wanted);
        for (const side of [width, height]) {
          expect(side).toBeGreaterThanOrEqual(1);
          expect(side).toBeLessThanOrEqual(MOST_PIXELS_A_SIDE);
        }
        expect(pixelsPerMetre).toBeLessThanOrEqual(wanted);
      },
    ),
  );
});
