import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  CONVERT_DEFAULTS,
  type ConvertOptions,
} from '../../../../src/convert/transform/convert-options.ts';
import { readImageHeader } from '../../../../src/convert/transform/images.ts';
import { createMeshCache } from '../../../../src/convert/transform/mesh-cache.ts';
import { TexturePacker } from '../../../../src/convert/transform/texture-pack.ts';
import { sharpImageCodec } from '../../../../src/support/image-codec.ts';
import { encoded, flatPicture } from '../../../helpers/flat-picture.ts';
import { utf8 } from '../../../helpers/graphics.ts';
import { withFrame, withFrameSize } from '../../../helpers/hostile-image.ts';
import { elementAt } from '../../../helpers/numbers.ts';

const codec = sharpImageCodec();
const ORANGE = [200, 100, 50];
const plain = (color: number[]) => flatPicture(color, 32, 16);

const color = await encoded(plain(ORANGE).jpeg());
const progressive = await encoded(plain(ORANGE).jpeg({ progressive: true }));

const BODIES: Record<string, Uint8Array> = {
  color,
  progressive,
  cmyk: await encoded(plain(ORANGE).toColourspace('cmyk').jpeg()),
  grey: await encoded(flatPicture([90, 90, 90], 8, 64).toColourspace('b-w').jpeg()),
  png: await encoded(plain([128, 128, 255]).png()),
  normal: await encoded(plain([128, 128, 255]).jpeg()),
  webp: await encoded(plain([1, 2, 3]).webp()),
  truncated: color.subarray(0, color.length - 40),
  huge: withFrameSize(color, 20_000),
  empty: withFrameSize(color, 0),
  // Decoding it would take hundreds of MB.
  bomb: withFrameSize(progressive, 8_000),
  vast: withFrameSize(color, 8_200),
  twelveBits: withFrame(color, { marker: 0xc1, bits: 12 }),
  sixteenBits: withFrame(color, { marker: 0xc3, bits: 16 }),
  arithmetic: withFrame(color, { marker: 0xc9 }),
  text: utf8('<html>'),
};
const readBody = async (digest: string) => BODIES[digest]!;

const packer = (
  options: Partial<ConvertOptions> = {},
  { read = readBody, images = codec, cache = createMeshCache() } = {},
) => new TexturePacker(read, images, { ...CONVERT_DEFAULTS, ...options }, cache);
const image = (digest: string) => ({ name: digest.toUpperCase(), digest });

describe('passThrough', () => {
  it.each(['color', 'progressive', 'grey', 'png'])(
    'hands a %s on byte for byte',
    async (digest) => {
      const made = await packer().passThrough(image(digest));
      expect(made.bytes).toBe(BODIES[digest]);
      expect(made.mimeType).toBe(digest === 'png' ? 'image/png' : 'image/jpeg');
      expect(made.name).toBe(digest.toUpperCase());
    },
  );

  it('makes red, green and blue of CMYK', async () => {
    const made = await packer().passThrough(image('cmyk'));
    expect(await sharp(made.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      channels: 3,
      width: 32,
    });
  });

  it('writes anew what few viewers read', async () => {
    const made = await packer().passThrough(image('arithmetic'));
    expect(readImageHeader(made.bytes)).toMatchObject({ isPlain: true, width: 32, height: 16 });
    expect(readImageHeader(BODIES.arithmetic!)!.isPlain).toBe(false);
  });

  it('scales down what is larger than the limit, in proportion', async () => {
    const made = await packer({ maxTextureSize: 8 }).passThrough(image('color'));
    expect(await sharp(made.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: 8,
      height: 4,
    });
    const kept = await packer({ maxTextureSize: 32 }).passThrough(image('color'));
    expect(kept.bytes).toBe(color);
  });
});

it('decodes a picture once for all that is made of it', async () => {
  let decoded = 0;
  const decode: typeof codec.decode = (...parameters) => {
    decoded += 1;
    return codec.decode(...parameters);
  };
  const counting = packer({ maxTextureSize: 16 }, { images: { ...codec, decode } });
  const grey = await counting.isGrey(image('color'));
  await counting.meanLinear(image('color'));
  await counting.passThrough(image('color'));
  await counting.normalMap({ ...image('color'), grey });
  expect(decoded).toBe(1);
  await counting.meanLinear(image('png'));
  expect(decoded).toBe(2);
});

describe('check', () => {
  it.each(['webp', 'progressive', 'cmyk', 'png'])('takes a %s, decoded', async (digest) => {
    await expect(packer().check(image(digest))).resolves.toBe(true);
  });

  it('reads a picture once for all articles that use it', async () => {
    const read: string[] = [];
    const readCounted = (digest: string) => {
      read.push(digest);
      return readBody(digest);
    };
    const cache = createMeshCache();
    for (let article = 0; article < 3; article++) {
      const articles = packer({}, { read: readCounted, cache });
      await Promise.all([articles.check(image('color')), articles.isGrey(image('color'))]);
      await articles.passThrough(image('color'));
    }
    expect(read).toEqual(['color']);
  });

  it('takes a plain JPEG without the codec, and knows whether it is grey', async () => {
    const images = { ...codec, decode: () => Promise.reject(new Error('decoded')) };
    const plain = packer({}, { images });
    expect(await plain.isGrey(image('grey'))).toBe(true);
    expect(await plain.isGrey(image('normal'))).toBe(false);
    await expect(plain.isGrey(image('truncated'))).rejects.toThrow('decoded');
    await expect(plain.check(image('truncated'))).rejects.toThrow('decoded');
    const scaled = packer({ maxTextureSize: 8 }, { images });
    await expect(scaled.check(image('normal'))).resolves.toBe(true);
    await expect(scaled.isGrey(image('normal'))).rejects.toThrow('decoded');
  });

  it.each(['truncated', 'huge', 'vast', 'bomb', 'empty', 'twelveBits', 'sixteenBits', 'text'])(
    'refuses a body that is %s',
    async (digest) => {
      const refusal = expect.objectContaining({ code: 'IMAGE_UNREADABLE' });
      await expect(packer().check(image(digest))).rejects.toEqual(refusal);
    },
  );

  it('names the image and both sizes', async () => {
    await expect(packer().check(image('huge'))).rejects.toThrow(/HUGE.*16384.*20000/);
    await expect(packer().check(image('bomb'))).rejects.toThrow(/BOMB.*8000 × 8000.* bytes/);
  });
});

describe('isGrey and meanLinear', () => {
  it('distinguishes grey from colour, and has the mean', async () => {
    expect(await packer().isGrey(image('grey'))).toBe(true);
    expect(await packer().isGrey(image('png'))).toBe(false);
    const mean = await packer().meanLinear(image('png'));
    expect(mean[0]).toBeCloseTo(0.2159, 3);
    expect(mean[2]).toBe(1);
  });
});

const firstPixel = async ({ bytes }: { bytes: Uint8Array }) =>
  elementAt((await codec.decode(bytes)).data, 0);

describe('normalMap', () => {
  it('passes through, turns green for directx, and is made of a height map', async () => {
    expect((await packer().normalMap(image('png'))).bytes).toBe(BODIES.png);
    const turned = await packer({ normalMap: 'directx' }).normalMap(image('png'));
    expect(await firstPixel(turned)).toEqual([128, 127, 255]);
    const made = await packer().normalMap({ ...image('grey'), grey: true });
    expect(await firstPixel(made)).toEqual([128, 128, 255]);
  });
});

describe('metallicRoughness', () => {
  it('packs green and blue; per axis the larger size wins', async () => {
    const made = await packer().metallicRoughness(image('grey'), image('png'));
    const { width, height } = await codec.decode(made.bytes);
    expect([made.mimeType, width, height]).toEqual(['image/png', 32, 64]);
    expect(await firstPixel(made)).toEqual([255, 90, 128]);
    expect(made.name).toBe('GREY + PNG');
  });

  it('a missing one is 255', async () => {
    const grey = image('grey');
    const [roughness, metallic] = [
      await packer().metallicRoughness(grey, undefined),
      await packer().metallicRoughness(undefined, grey),
    ];
    expect(await firstPixel(roughness)).toEqual([255, 90, 255]);
    expect(await firstPixel(metallic)).toEqual([255, 255, 90]);
  });

  it('is a JPEG of full colour resolution by option, and no larger than the limit', async () => {
    const options = { packedTextureFormat: 'jpeg', maxTextureSize: 16 } as const;
    const made = await packer(options).metallicRoughness(image('grey'), image('color'));
    expect(made.mimeType).toBe('image/jpeg');
    expect(await sharp(made.bytes).metadata()).toMatchObject({
      width: 16,
      height: 16,
      chromaSubsampling: '4:4:4',
    });
  });
});
