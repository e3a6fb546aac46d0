/** Where two pictures differ. */
import { describe, expect, test } from 'vitest';
import {
  anyDifferent,
  differentPixels,
  markedPlace,
  shareWithin,
  WIDEST,
} from '../../../../src/survey/pictures/marked-place.ts';

const [width, height] = [640, 480];

interface Square {
  x: number;
  y: number;
  side: number;
}

/** A white picture with grey squares. */
function picture(squares: readonly Square[], grey = 100) {
  const pixels = new Uint8Array(4 * width * height).fill(255);
  for (const { x, y, side } of squares)
    for (let row = y; row < y + side; row++)
      for (let column = x; column < x + side; column++)
        pixels.fill(grey, 4 * (row * width + column), 4 * (row * width + column) + 3);
  return { width, height, pixels };
}

const white = picture([]);

describe('the marked place', () => {
  test('is about the largest difference, with the proportions of the picture', () => {
    const squares = [
      { x: 64, y: 64, side: 32 },
      { x: 400, y: 300, side: 96 },
    ];
    const different = differentPixels(white, picture(squares));
    expect(different.share).toBeCloseTo((32 ** 2 + 96 ** 2) / (width * height), 6);
    const mark = markedPlace(different, WIDEST.drawn)!;
    expect(mark.width).toBe(mark.height);
    expect(mark.x * width).toBeLessThan(400);
    expect(mark.y * height).toBeLessThan(300);
    expect((mark.x + mark.width) * width).toBeGreaterThan(496);
    expect((mark.y + mark.height) * height).toBeGreaterThan(396);
    expect(shareWithin(different, mark)).toBeGreaterThan(0.3);
  });

  test('is a part of a difference that is larger, inside of the picture', () => {
    const different = differentPixels(white, picture([{ x: 180, y: 10, side: 460 }]));
    const mark = markedPlace(different, WIDEST.drawn)!;
    expect(mark.width).toBe(WIDEST.drawn);
    expect(shareWithin(different, mark)).toBeGreaterThan(0.95);
    expect(mark.x + mark.width).toBeLessThanOrEqual(1);
    expect(markedPlace(different, WIDEST.moved)!.width).toBe(WIDEST.moved);
  });

  test('there is none where nothing is seen: an edge of a pixel, or a colour that is nearly the same', () => {
    const line = differentPixels(white, picture([{ x: 100, y: 100, side: 2 }]));
    expect(markedPlace(line, WIDEST.drawn)).toBeUndefined();
    const paler = picture([{ x: 100, y: 100, side: 200 }], 250);
    expect(differentPixels(white, paler).share).toBe(0);
  });

  test('is one for several pictures', () => {
    const all = [
      { x: 100, y: 100, side: 64 },
      { x: 400, y: 300, side: 32 },
    ].map((square) => differentPixels(white, picture([square])));
    const mark = markedPlace(anyDifferent(all), WIDEST.drawn)!;
    expect(shareWithin(all[0]!, mark)).toBeGreaterThan(0.2);
  });
});
