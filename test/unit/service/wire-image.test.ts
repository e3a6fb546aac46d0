import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { checkImage } from '../../../src/service/wire-image.ts';

const picture = sharp(
  Buffer.alloc(64 * 64 * 3, 1).map((_, at) => (at * at) % 251),
  {
    raw: { width: 64, height: 64, channels: 3 },
  },
);
const bytesOf = async (image: { toBuffer(): Promise<Buffer> }) =>
  new Uint8Array(await image.toBuffer());
const jpeg = await bytesOf(picture.clone().jpeg({ quality: 95 }));
const progressive = await bytesOf(picture.clone().jpeg({ progressive: true }));
const thumbnail = await bytesOf(picture.clone().resize(16).jpeg());
const png = await bytesOf(picture.clone().png());
const webp = await bytesOf(picture.clone().webp());
const gif = await bytesOf(picture.clone().gif());

/** A JPEG with another one in an APP1 segment, as cameras write it. */
function withThumbnail(): Uint8Array {
  const length = thumbnail.length + 2;
  const segment = [0xff, 0xe1, length >> 8, length & 0xff, ...thumbnail];
  return Uint8Array.of(...jpeg.subarray(0, 2), ...segment, ...jpeg.subarray(2));
}

describe('checkImage', () => {
  it.each([
    ['jpeg', jpeg],
    ['jpeg', progressive],
    ['jpeg', withThumbnail()],
    ['jpeg', Uint8Array.of(...jpeg, 0, 0, 0x0d, 0x0a)],
    ['png', png],
    ['webp', webp],
    ['gif', gif],
  ])('tells a complete %s by its bytes', (kind, bytes) => {
    expect(checkImage(bytes)).toBe(kind);
  });

  it('refuses a JPEG that is cut anywhere', () => {
    for (let length = 3; length < jpeg.length; length++) {
      expect(() => checkImage(jpeg.subarray(0, length))).toThrow(/only a part/);
    }
  });

  it('is not fooled by the end of a thumbnail', () => {
    const bytes = withThumbnail();
    expect(() => checkImage(bytes.subarray(0, thumbnail.length + 100))).toThrow(/only a part/);
    expect(() => checkImage(bytes.subarray(0, bytes.length - 2))).toThrow(/only a part/);
  });

  it('refuses a cut PNG', () => {
    expect(() => checkImage(png.subarray(0, png.length - 9))).toThrow(/only a part/);
  });

  it.each(['', '{"error":"x"}', '<html>', 'text'])('refuses %j, which is no image', (body) => {
    expect(() => checkImage(new TextEncoder().encode(body))).toThrow(
      expect.objectContaining({ code: 'RESPONSE_INVALID' }),
    );
  });
});
