import fc from 'fast-check';
import type { Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { linearFromSrgb } from '../../../../src/convert/math/color.ts';
import {
  colorDifference,
  meanLinear,
  normalsFromHeights,
  packChannels,
  readImageHeader,
  turnGreen,
} from '../../../../src/convert/transform/images.ts';
import type { Pixels } from '../../../../src/model/image-codec.ts';
import { encoded, flatPicture } from '../../../helpers/flat-picture.ts';
import { utf8 } from '../../../helpers/graphics.ts';
import { withFrame } from '../../../helpers/hostile-image.ts';
import { elementAt } from '../../../helpers/numbers.ts';
import { samples } from '../../../helpers/samples.ts';

const picture = flatPicture([200, 100, 50], 40, 20);
const jpeg = await encoded(picture.clone().jpeg());
const png = await encoded(picture.clone().png());

/** Whether few viewers read a JPEG with these values in its frame header. */
const isPlain = (values: Parameters<typeof withFrame>[1]) =>
  readImageHeader(withFrame(jpeg, values))!.isPlain;

describe('readImageHeader', () => {
  it.each<[string, string, boolean, Sharp]>([
    ['jpeg', 'baseline', true, picture.clone().jpeg()],
    ['jpeg', 'progressive', true, picture.clone().jpeg({ progressive: true })],
    ['jpeg', 'grey', true, picture.clone().toColourspace('b-w').jpeg()],
    ['jpeg', 'CMYK', false, picture.clone().toColourspace('cmyk').jpeg()],
    ['png', 'colour', true, picture.clone().png()],
    ['png', '16 bits', true, picture.clone().toColourspace('rgb16').png()],
    ['png', 'grey', true, picture.clone().toColourspace('b-w').png()],
    ['gif', 'colour', false, picture.clone().gif()],
    ['webp', 'lossy', false, picture.clone().webp()],
    ['webp', 'lossless', false, picture.clone().webp({ lossless: true })],
    ['webp', 'extended', false, picture.clone().ensureAlpha(0.5).webp()],
  ])(
    'finds in the bytes of a %s, %s, what it is, and whether viewers read it: %s',
    async (kind, _form, isPlain, image) => {
      const header = readImageHeader(await encoded(image));
      expect(header).toEqual({ kind, width: 40, height: 20, isPlain });
    },
  );

  it('distinguishes baseline and progressive from what few viewers read', () => {
    expect(isPlain({ marker: 0xc1 })).toBe(true);
    expect(isPlain({ marker: 0xc1, bits: 12 })).toBe(false);
    for (const marker of [0xc3, 0xc5, 0xc9, 0xca, 0xcf]) expect(isPlain({ marker })).toBe(false);
  });

  it('believes the size that the header claims, to be judged by the caller', () => {
    const size = { width: 65_535, height: 20_000 };
    expect(readImageHeader(withFrame(jpeg, size))).toMatchObject(size);
  });

  it('skips metadata and fill bytes before the frame, a thumbnail in them too', () => {
    const length = jpeg.length + 2;
    const app1 = [
      0xff,
      0xe1,
      length >> 8,
      length & 255,
      ...withFrame(jpeg, { width: 1, height: 1 }),
    ];
    const bytesWith = Uint8Array.of(0xff, 0xd8, 0xff, ...app1, ...jpeg.subarray(2));
    expect(readImageHeader(bytesWith)).toMatchObject({ width: 40, height: 20 });
  });

  it('reads through a view into a larger buffer', () => {
    const larger = new Uint8Array(png.length + 7);
    larger.set(png, 7);
    expect(readImageHeader(larger.subarray(7))).toEqual(readImageHeader(png));
  });

  it('has nothing to say of anything else', async () => {
    expect(readImageHeader(await encoded(picture.clone().tiff()))).toBeUndefined();
    const wave = 'RIFF\0\0\0\0WAVEfmt              ';
    for (const text of ['', 'x', '{"error":"x"}', '<html>', wave])
      expect(readImageHeader(utf8(text))).toBeUndefined();
  });

  it('survives any bytes behind a JPEG or PNG beginning', () => {
    const starts = fc.constantFrom([0xff, 0xd8], [...png.subarray(0, 8)], [0xff, 0xd8, 0xff]);
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        const header = readImageHeader(Uint8Array.of(...start, ...rest));
        if (header) expect(header.width).toBeGreaterThanOrEqual(0);
      }),
      { seed: 300, numRuns: samples(500) },
    );
  });
});

const grey = (width: number, values: number[]): Pixels => ({
  width,
  height: values.length / width,
  channels: 1,
  data: Uint8Array.from(values),
});
const colors = (...pixels: [number, number, number][]): Pixels => ({
  width: pixels.length,
  height: 1,
  channels: 3,
  data: Uint8Array.from(pixels.flat()),
});

describe('colorDifference', () => {
  it('is 0 of one channel, and the mean of what three differ by', () => {
    expect(colorDifference(grey(1, [7]))).toBe(0);
    expect(colorDifference(colors([10, 10, 10], [200, 201, 200]))).toBe(1);
    expect(colorDifference(colors([128, 128, 255]))).toBe(127);
    expect(colorDifference(colors([90, 100, 90], [90, 90, 90]))).toBe(10);
  });

  it('does not let opposite colours cancel out', () => {
    expect(colorDifference(colors([200, 100, 200], [100, 200, 100]))).toBe(200);
  });
});

describe('meanLinear', () => {
  it('averages in linear light, not in sRGB', () => {
    const [r, g, b] = meanLinear(colors([255, 0, 128], [0, 0, 128]));
    expect([r, g]).toEqual([0.5, 0]);
    expect(b).toBeCloseTo(linearFromSrgb(128 / 255), 12);
    expect(meanLinear(grey(2, [255, 0]))).toEqual([0.5, 0.5, 0.5]);
  });
});

describe('packChannels', () => {
  const roughness = grey(2, [10, 20]);
  const metallic = colors([1, 30, 2], [3, 40, 4]);

  it('puts roughness into green and metallic into blue; all else is 255', () => {
    expect([...packChannels(roughness, metallic).data]).toEqual([255, 10, 30, 255, 20, 40]);
    expect([...packChannels(roughness, undefined).data]).toEqual([255, 10, 255, 255, 20, 255]);
    expect([...packChannels(undefined, metallic).data]).toEqual([255, 255, 30, 255, 255, 40]);
    expect(packChannels(roughness, metallic)).toMatchObject({ width: 2, height: 1, channels: 3 });
  });
});

describe('turnGreen', () => {
  it('turns green round, leaves the rest, and does not touch what it was given', () => {
    const map = colors([128, 128, 255], [10, 0, 30]);
    expect([...turnGreen(map).data]).toEqual([128, 127, 255, 10, 255, 30]);
    expect([...map.data.subarray(0, 3)]).toEqual([128, 128, 255]);
    expect(turnGreen(turnGreen(map))).toEqual(map);
  });
});

describe('normalsFromHeights', () => {
  /** The normal of a pixel, each component −1..1. */
  const normalAt = ({ data }: Pixels, i: number) =>
    elementAt(data, i).map((value) => value / 127.5 - 1);

  it('points straight out where the heights are level', () => {
    for (let i = 0; i < 4; i++) {
      const [x, y, z] = normalAt(normalsFromHeights(grey(2, [90, 90, 90, 90])), i);
      expect(Math.abs(x!) + Math.abs(y!)).toBeLessThan(0.02);
      expect(z).toBe(1);
    }
  });

  it('leans away from what rises: to the left of a ridge left, above it up', () => {
    const ridge = normalsFromHeights(grey(4, [0, 50, 100, 50]));
    expect(normalAt(ridge, 1)[0]).toBeLessThan(-0.3);
    expect(normalAt(ridge, 3)[0]).toBeGreaterThan(0.3);
    // Rows run from the top: the ridge is the third of four rows, green points up.
    const across = normalsFromHeights(grey(1, [0, 50, 100, 50]));
    expect(normalAt(across, 1)[1]).toBeGreaterThan(0.3);
    expect(normalAt(across, 3)[1]).toBeLessThan(-0.3);
  });

  it('repeats both ways, so that tiles have no seam', () => {
    const values = [0, 50, 100, 50, 20, 70, 120, 30];
    const shifted = [...values.slice(3), ...values.slice(0, 3)];
    const plain = normalsFromHeights(grey(8, values)).data;
    const moved = normalsFromHeights(grey(8, shifted)).data;
    expect([...moved]).toEqual([...plain.subarray(9), ...plain.subarray(0, 9)]);
  });

  it('are unit vectors', () => {
    const map = normalsFromHeights(grey(3, [0, 255, 30, 200, 10, 90, 255, 0, 60]));
    for (let i = 0; i < 9; i++) expect(Math.hypot(...normalAt(map, i))).toBeCloseTo(1, 1);
  });
});
