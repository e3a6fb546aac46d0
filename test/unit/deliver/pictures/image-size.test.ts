import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { imageSizeOf } from '../../../../src/deliver/pictures/image-size.ts';
import { IS_LONG, samples } from '../../../helpers/samples.ts';

const FORMATS = {
  png: (image: Sharp) => image.png(),
  'interlaced png': (image: Sharp) => image.png({ progressive: true }),
  jpeg: (image: Sharp) => image.jpeg(),
  'progressive jpeg': (image: Sharp) => image.jpeg({ progressive: true }),
  'jpeg with a profile': (image: Sharp) => image.withIccProfile('p3').jpeg(),
  webp: (image: Sharp) => image.webp(),
  'lossless webp': (image: Sharp) => image.webp({ lossless: true }),
  'webp with alpha': (image: Sharp) => image.ensureAlpha(0.5).webp(),
} as const;

async function plain(format: (image: Sharp) => Sharp, width: number, height: number) {
  const create = { width, height, channels: 3, background: '#345678' } as const;
  return new Uint8Array(await format(sharp({ create })).toBuffer());
}

describe('the size of an image', () => {
  it.each(Object.entries(FORMATS))('is that of its %s file', async (_, format) => {
    const side = fc.integer({ min: 1, max: IS_LONG ? 700 : 300 });
    await fc.assert(
      fc.asyncProperty(side, side, async (width, height) => {
        const bytes = await plain(format, width, height);
        expect(imageSizeOf(bytes)).toEqual({ width, height });
      }),
      { numRuns: samples(24) },
    );
  });

  it('is unknown of other bytes, and of files that end too early', async () => {
    for (const format of Object.values(FORMATS)) {
      const bytes = await plain(format, 3, 2);
      for (const length of [0, 3, 4, 11, 15]) {
        expect(imageSizeOf(bytes.subarray(0, length))).toBeUndefined();
      }
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(imageSizeOf(bytes)).toBeUndefined();
      }),
    );
  });
});
