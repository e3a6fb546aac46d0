/** An encoded texture, compared with its source. */
import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { compareTexture } from '../../../../src/deliver/profiles/check-texture.ts';
import { openTextureEncoder } from '../../../../src/deliver/profiles/texture-encoder.ts';
import { IS_LONG, samples, someOf } from '../../../helpers/samples.ts';

const textureFile = (name: string) =>
  new URL(`../../../../src/emulator/sample/images/textures/${name}.jpg`, import.meta.url);
const bytesOf = async (image: Sharp) => new Uint8Array(await image.toBuffer());
/** A texture, in the short form with a sixteenth of its pixels. */
async function read(name: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(await readFile(textureFile(name)));
  return IS_LONG ? bytes : bytesOf(sharp(bytes).resize(256).jpeg({ quality: 95 }));
}
const { encode } = openTextureEncoder();

const DIFFERENT = { code: 'COMPRESSION_FAILED', message: expect.stringMatching(/^texture: /) };

describe('an encoded texture', () => {
  it.each([
    ...someOf(['walnut', 'fabricGrey', 'room', 'perforated', 'terrazzo']).map(
      (name) => [name, 'colour'] as const,
    ),
    ['leatherNormal', 'normal'],
    ['leatherRoughness', 'data'],
  ] as const)(
    '%s passes as what its source shows, also where it is smaller',
    async (name, meaning) => {
      const bytes = await read(name);
      for (const largest of [4096, 128]) {
        const wanted = { meaning, largest, isTransparent: false } as const;
        const encoded = await encode({ bytes, mimeType: 'image/jpeg', format: 'webp', ...wanted });
        if (encoded !== undefined) await compareTexture(bytes, encoded.bytes, false);
      }
    },
  );

  it('of one colour passes, although WebP changes some of its pixels', async () => {
    for (let i = 0; i < samples(48); i++) {
      const background = { r: (i * 37) % 256, g: (i * 91) % 256, b: (i * 13) % 256 };
      const flat = sharp({ create: { width: 16, height: 16, channels: 3, background } });
      const bytes = await bytesOf(flat.jpeg());
      const wanted = { meaning: 'colour', largest: 2048, isTransparent: false } as const;
      const encoded = await encode({ bytes, mimeType: 'image/jpeg', format: 'webp', ...wanted });
      await compareTexture(bytes, encoded!.bytes, false);
    }
  });

  it('of noise passes, in which there is nothing to see', async () => {
    let random = 1;
    const pixels = Uint8Array.from({ length: 3 * 700 * 700 }, () => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return 90 + (random >>> 25);
    });
    const raw = { raw: { width: 700, height: 700, channels: 3 } } as const;
    const bytes = await bytesOf(sharp(pixels, raw).blur(1.5).jpeg({ quality: 95 }));
    const wanted = { meaning: 'colour', largest: 256, isTransparent: false } as const;
    const encoded = await encode({ bytes, mimeType: 'image/jpeg', format: 'webp', ...wanted });
    await compareTexture(bytes, encoded!.bytes, false);
  });

  it.each<[string, string, (image: Sharp) => Sharp | Promise<Sharp>]>([
    ['swapped for another', 'walnut', async () => sharp(await read('oak'))],
    ['flipped', 'walnut', (image) => image.flip()],
    ['washed out', 'leatherCognac', (image) => image.linear(0.8, 51)],
    ['turned grey', 'fabricRust', (image) => image.grayscale()],
    ['a normal map with the curve of sRGB', 'leatherNormal', (image) => image.gamma(2.2, 1)],
    ['cropped', 'terrazzo', (image) => image.extract({ left: 0, top: 0, width: 100, height: 100 })],
  ])('that was %s is refused', async (_, name, change) => {
    const source = await read(name);
    const wrong = await bytesOf((await change(sharp(source))).webp({ quality: 80 }));
    await expect(compareTexture(source, wrong, false)).rejects.toMatchObject(DIFFERENT);
  });

  it('that lost its transparency is refused only where that is used', async () => {
    const bytes = await read('mesh');
    const source = await bytesOf(sharp(bytes).resize(64, 64).ensureAlpha(0.5).png());
    const opaque = await bytesOf(sharp(bytes).resize(64, 64).png());
    await compareTexture(source, opaque, false);
    await expect(compareTexture(source, opaque, true)).rejects.toMatchObject(DIFFERENT);
  });
});
