import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { readImageHeader } from '../../../src/transform/image-header.ts';

const picture = sharp({
  create: { width: 40, height: 20, channels: 3, background: { r: 200, g: 100, b: 50 } },
});
const bytes = async (image: Sharp) => new Uint8Array(await image.toBuffer());
const jpeg = await bytes(picture.clone().jpeg());
const png = await bytes(picture.clone().png());

/** The frame header rewritten: marker, bits a channel, height, width. */
function withFrame(marker: number, bits = 8, height = 20, width = 40): Uint8Array {
  const copy = Uint8Array.from(jpeg);
  const at = copy.findIndex((byte, i) => byte === 0xff && copy[i + 1] === 0xc0);
  copy.set([0xff, marker, copy[at + 2]!, copy[at + 3]!, bits], at);
  copy.set([height >> 8, height & 255, width >> 8, width & 255], at + 5);
  return copy;
}

describe('readImageHeader', () => {
  it('tells what an image is by its bytes', async () => {
    const common = { width: 40, height: 20, bitsPerChannel: 8, common: true };
    expect(readImageHeader(jpeg)).toEqual({ kind: 'jpeg', channels: 3, ...common });
    expect(readImageHeader(png)).toEqual({ kind: 'png', channels: 3, ...common });
    const progressive = await bytes(picture.clone().jpeg({ progressive: true }));
    expect(readImageHeader(progressive)).toEqual({ kind: 'jpeg', channels: 3, ...common });
    const grey = await bytes(picture.clone().toColourspace('b-w').jpeg());
    expect(readImageHeader(grey)).toMatchObject({ kind: 'jpeg', channels: 1, common: true });
    const cmyk = await bytes(picture.clone().toColourspace('cmyk').jpeg());
    expect(readImageHeader(cmyk)).toMatchObject({ kind: 'jpeg', channels: 4 });
    const deep = await bytes(picture.clone().toColourspace('rgb16').png());
    expect(readImageHeader(deep)).toMatchObject({ kind: 'png', bitsPerChannel: 16 });
    const greyPng = await bytes(picture.clone().toColourspace('b-w').png());
    expect(readImageHeader(greyPng)).toMatchObject({ kind: 'png', channels: 1 });
  });

  it('tells baseline and progressive from what few viewers read', () => {
    expect(readImageHeader(withFrame(0xc1))!.common).toBe(true);
    expect(readImageHeader(withFrame(0xc1, 12))).toMatchObject({
      common: false,
      bitsPerChannel: 12,
    });
    for (const marker of [0xc3, 0xc5, 0xc9, 0xca, 0xcf])
      expect(readImageHeader(withFrame(marker))!.common).toBe(false);
  });

  it('believes the size that the header claims, to be judged by the caller', () => {
    expect(readImageHeader(withFrame(0xc0, 8, 20_000, 65_535))).toMatchObject({
      width: 65_535,
      height: 20_000,
    });
  });

  it('skips metadata and fill bytes before the frame, a thumbnail in them too', () => {
    const length = jpeg.length + 2;
    const app1 = [0xff, 0xe1, length >> 8, length & 255, ...withFrame(0xc0, 8, 1, 1)];
    const bytesWith = Uint8Array.of(0xff, 0xd8, 0xff, ...app1, ...jpeg.subarray(2));
    expect(readImageHeader(bytesWith)).toMatchObject({ width: 40, height: 20 });
  });

  it('reads through a view into a larger buffer', () => {
    const larger = new Uint8Array(png.length + 7);
    larger.set(png, 7);
    expect(readImageHeader(larger.subarray(7))).toEqual(readImageHeader(png));
  });

  it('has nothing to say of anything else', async () => {
    const others = [picture.clone().webp(), picture.clone().gif(), picture.clone().tiff()];
    for (const other of others) expect(readImageHeader(await bytes(other))).toBeUndefined();
    for (const text of ['', 'x', '{"error":"x"}', '<html>'])
      expect(readImageHeader(new TextEncoder().encode(text))).toBeUndefined();
  });

  it('survives any bytes behind a JPEG or PNG beginning', () => {
    const starts = fc.constantFrom([0xff, 0xd8], [...png.subarray(0, 8)], [0xff, 0xd8, 0xff]);
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        const header = readImageHeader(Uint8Array.of(...start, ...rest));
        if (header) expect(header.width).toBeGreaterThanOrEqual(0);
      }),
      { seed: 300, numRuns: 500 },
    );
  });
});
