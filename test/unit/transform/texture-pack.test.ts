import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { sharpImageCodec } from '../../../src/support/image-codec.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from '../../../src/transform/convert-options.ts';
import { readImageHeader } from '../../../src/transform/images.ts';
import { createMeshCache } from '../../../src/transform/mesh-cache.ts';
import { createTexturePacker } from '../../../src/transform/texture-pack.ts';

const codec = sharpImageCodec();
const bytesOf = async (image: Sharp) => new Uint8Array(await image.toBuffer());
const plain = (r: number, g: number, b: number, width = 32, height = 16) =>
  sharp({ create: { width, height, channels: 3, background: { r, g, b } } });

const color = await bytesOf(plain(200, 100, 50).jpeg());
const progressive = await bytesOf(plain(200, 100, 50).jpeg({ progressive: true }));
const cmyk = await bytesOf(plain(200, 100, 50).toColourspace('cmyk').jpeg());
const grey = await bytesOf(plain(90, 90, 90, 8, 64).toColourspace('b-w').jpeg());
const png = await bytesOf(plain(128, 128, 255).png());

/** The frame header of a JPEG rewritten. */
function withFrame(marker: number, bits = 8, side?: number, from = color): Uint8Array {
  const copy = Uint8Array.from(from);
  const at = copy.findIndex((byte, i) => byte === 0xff && (copy[i + 1]! & 0xfd) === 0xc0);
  copy.set([0xff, marker, copy[at + 2]!, copy[at + 3]!, bits], at);
  if (side) copy.set([side >> 8, side & 255, side >> 8, side & 255], at + 5);
  return copy;
}

const BODIES: Record<string, Uint8Array> = {
  color,
  progressive,
  cmyk,
  grey,
  png,
  normal: await bytesOf(plain(128, 128, 255).jpeg()),
  webp: await bytesOf(plain(1, 2, 3).webp()),
  truncated: color.subarray(0, color.length - 40),
  huge: withFrame(0xc0, 8, 20_000),
  empty: withFrame(0xc0, 8, 0x10000),
  // Decoding it would take hundreds of MB.
  bomb: withFrame(0xc2, 8, 8_000, progressive),
  vast: withFrame(0xc0, 8, 8_200),
  twelveBits: withFrame(0xc1, 12),
  sixteenBits: withFrame(0xc3, 16),
  arithmetic: withFrame(0xc9),
  text: new TextEncoder().encode('<html>'),
};

const packer = (options: Partial<ConvertOptions> = {}) =>
  createTexturePacker(
    async (digest) => BODIES[digest]!,
    codec,
    { ...CONVERT_DEFAULTS, ...options },
    createMeshCache(),
  );
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
  const options = { ...CONVERT_DEFAULTS, maxTextureSize: 16 };
  const read = async (digest: string) => BODIES[digest]!;
  const cache = createMeshCache();
  const counting = createTexturePacker(read, { ...codec, decode }, options, cache);
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
    const cache = createMeshCache();
    for (let article = 0; article < 3; article++) {
      const articles = createTexturePacker(
        async (digest) => {
          read.push(digest);
          return BODIES[digest]!;
        },
        codec,
        CONVERT_DEFAULTS,
        cache,
      );
      await Promise.all([articles.check(image('color')), articles.isGrey(image('color'))]);
      await articles.passThrough(image('color'));
    }
    expect(read).toEqual(['color']);
  });

  it('takes a plain JPEG without the codec, and knows whether it is grey', async () => {
    const read = async (digest: string) => BODIES[digest]!;
    const none = { ...codec, decode: () => Promise.reject(new Error('decoded')) };
    const plain = createTexturePacker(read, none, CONVERT_DEFAULTS, createMeshCache());
    expect(await plain.isGrey(image('grey'))).toBe(true);
    expect(await plain.isGrey(image('normal'))).toBe(false);
    await expect(plain.isGrey(image('truncated'))).rejects.toThrow('decoded');
    await expect(plain.check(image('truncated'))).rejects.toThrow('decoded');
    const smaller = { ...CONVERT_DEFAULTS, maxTextureSize: 8 };
    const scaled = createTexturePacker(read, none, smaller, createMeshCache());
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

describe('normalMap', () => {
  it('passes through, and turns green for directx', async () => {
    expect((await packer().normalMap(image('png'))).bytes).toBe(png);
    const turned = await packer({ normalMap: 'directx' }).normalMap(image('png'));
    const { data } = await codec.decode(turned.bytes);
    expect([...data.subarray(0, 3)]).toEqual([128, 127, 255]);
  });

  it('is made of a height map', async () => {
    const made = await packer().normalMap({ ...image('grey'), grey: true });
    const { data } = await codec.decode(made.bytes);
    expect([...data.subarray(0, 3)]).toEqual([128, 128, 255]);
  });
});

describe('metallicRoughness', () => {
  it('packs green and blue; per axis the larger size wins', async () => {
    const made = await packer().metallicRoughness(image('grey'), image('png'));
    const { width, height, data } = await codec.decode(made.bytes);
    expect([made.mimeType, width, height]).toEqual(['image/png', 32, 64]);
    expect([...data.subarray(0, 3)]).toEqual([255, 90, 128]);
    expect(made.name).toBe('GREY + PNG');
  });

  it('a missing one is 255', async () => {
    const only = async (r?: string, m?: string) => {
      const made = await packer().metallicRoughness(
        r ? image(r) : undefined,
        m ? image(m) : undefined,
      );
      return [...(await codec.decode(made.bytes)).data.subarray(0, 3)];
    };
    expect(await only('grey')).toEqual([255, 90, 255]);
    expect(await only(undefined, 'grey')).toEqual([255, 255, 90]);
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
