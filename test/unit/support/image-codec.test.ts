import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Pixels } from '../../../src/model/image-codec.ts';
import { sharpImageCodec } from '../../../src/support/image-codec.ts';
import { withColourProfile } from '../../helpers/colour-profile.ts';

const codec = sharpImageCodec();
const unreadable = expect.objectContaining({ code: 'IMAGE_UNREADABLE' });

/** A picture of one colour. */
const plain = (background: { r: number; g: number; b: number }, width = 16, height = 8) =>
  sharp({ create: { width, height, channels: 3, background } });

const BROWN = { r: 200, g: 100, b: 50 };

/** The mean of each channel. */
function means({ data, channels }: Pixels): number[] {
  const sums = new Array<number>(channels).fill(0);
  data.forEach((value, i) => {
    sums[i % channels]! += value;
  });
  return sums.map((sum) => Math.round(sum / (data.length / channels)));
}

function expectAbout(actual: number[], wanted: number[], tolerance: number): void {
  expect(actual).toHaveLength(wanted.length);
  actual.forEach((value, i) => {
    expect(Math.abs(value - wanted[i]!)).toBeLessThanOrEqual(tolerance);
  });
}

describe('decode', () => {
  it.each([
    ['baseline', plain(BROWN).jpeg()],
    ['progressive', plain(BROWN).jpeg({ progressive: true })],
    ['PNG with alpha', plain(BROWN).ensureAlpha(0.5).png()],
    ['PNG of 16 bits', plain(BROWN).toColourspace('rgb16').png()],
    ['palette PNG', plain(BROWN).png({ palette: true })],
  ])('gives 8-bit red, green, blue: %s', async (_name, image) => {
    const pixels = await codec.decode(await image.toBuffer());
    expect(pixels).toMatchObject({ width: 16, height: 8, channels: 3 });
    expect(pixels.data).toHaveLength(16 * 8 * 3);
    expectAbout(means(pixels), [200, 100, 50], 3);
  });

  it('gives the samples of a picture with a colour profile as they are', async () => {
    const marked = await withColourProfile(await plain(BROWN).jpeg().toBuffer());
    expectAbout(means(await codec.decode(marked)), [200, 100, 50], 3);
  });

  it('gives one channel for a grey picture, with or without alpha', async () => {
    const grey = plain({ r: 90, g: 90, b: 90 }).toColourspace('b-w');
    expect(await codec.decode(await grey.clone().jpeg().toBuffer())).toMatchObject({ channels: 1 });
    const alpha = await codec.decode(await grey.ensureAlpha(0.5).png().toBuffer());
    expect(alpha.channels).toBe(1);
    expect(means(alpha)).toEqual([90]);
  });

  it('gives red, green, blue for CMYK', async () => {
    const cmyk = await plain({ r: 220, g: 60, b: 60 }).toColourspace('cmyk').jpeg().toBuffer();
    expectAbout(means(await codec.decode(cmyk)), [220, 60, 60], 60);
  });

  it('resizes to exactly the size asked for, whatever the proportions', async () => {
    const bytes = await plain({ r: 10, g: 20, b: 30 }).png().toBuffer();
    const pixels = await codec.decode(bytes, { width: 5, height: 9 });
    expect(pixels).toMatchObject({ width: 5, height: 9 });
    expect(means(pixels)).toEqual([10, 20, 30]);
  });

  const noise = Buffer.alloc(128 * 128 * 3).map((_, i) => (i * i * 31) % 251);
  const image = sharp(noise, { raw: { width: 128, height: 128, channels: 3 } });
  const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
  it.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
    ['nothing', () => new Uint8Array(0)],
    ['text', () => new TextEncoder().encode('<html>no image</html>')],
    ['a JPEG start and rubbish', () => Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4, 5, 6)],
    ['half a JPEG', async () => half(await image.clone().jpeg().toBuffer())],
    ['half a PNG', async () => half(await image.clone().png().toBuffer())],
  ])('refuses %s', async (_name, bytes) => {
    await expect(codec.decode(await bytes())).rejects.toEqual(unreadable);
  });

  it('refuses a header that claims 20,000 pixels a side', async () => {
    const jpeg = await plain({ r: 1, g: 2, b: 3 }).jpeg().toBuffer();
    const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
    jpeg.writeUInt16BE(20_000, frame + 5);
    jpeg.writeUInt16BE(20_000, frame + 7);
    await expect(codec.decode(jpeg)).rejects.toEqual(unreadable);
  });
});

describe('encode', () => {
  const pixels: Pixels = {
    width: 3,
    height: 2,
    channels: 3,
    data: Uint8Array.from({ length: 18 }, (_, i) => i * 13),
  };

  it('keeps every pixel as PNG', async () => {
    expect(await codec.decode(await codec.encodePng(pixels))).toEqual(pixels);
    const grey: Pixels = { width: 2, height: 2, channels: 1, data: Uint8Array.of(0, 85, 170, 255) };
    const { data, channels } = await codec.decode(await codec.encodePng(grey));
    expect([...data].filter((_, i) => i % channels === 0)).toEqual([...grey.data]);
  });

  it('keeps the full colour resolution as JPEG', async () => {
    const bytes = await codec.encodeJpeg(pixels);
    const expected = { format: 'jpeg', width: 3, height: 2, chromaSubsampling: '4:4:4' };
    expect(await sharp(bytes).metadata()).toMatchObject(expected);
  });

  it('gives equal bytes for equal pixels', async () => {
    expect(await codec.encodePng(pixels)).toEqual(await codec.encodePng({ ...pixels }));
  });

  it('refuses pixels that do not fit their size', async () => {
    await expect(codec.encodePng({ ...pixels, width: 30 })).rejects.toEqual(unreadable);
  });
});
