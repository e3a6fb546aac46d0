import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { withoutProfile } from '../../../../src/deliver/usd/usd-image.ts';

const noise = Uint8Array.from({ length: 3 * 16 * 16 }, (_, i) => (i * 7919) % 251);
const drawn = () => sharp(noise, { raw: { width: 16, height: 16, channels: 3 } });
const pixelsOf = (file: Uint8Array) => sharp(file, { ignoreIcc: true }).raw().toBuffer();

describe.each(['jpeg', 'png'] as const)('an image in %s', (format) => {
  it('loses its colour profile, and keeps its pixels', async () => {
    const file = await drawn().withIccProfile('p3').toFormat(format).toBuffer();
    expect((await sharp(file).metadata()).icc).toBeDefined();
    const plain = withoutProfile(file, `image/${format}`);
    expect((await sharp(plain).metadata()).icc).toBeUndefined();
    expect(await pixelsOf(plain)).toEqual(await pixelsOf(file));
  });

  it('stays as it is where it has none, or is cut off', async () => {
    const plain = await drawn().toFormat(format).toBuffer();
    expect(withoutProfile(plain, `image/${format}`)).toBe(plain);
    const profiled = await drawn().withIccProfile('p3').toFormat(format).toBuffer();
    for (const length of [0, 1, 3, 40, 200]) {
      const cut = profiled.subarray(0, length);
      expect(withoutProfile(cut, `image/${format}`)).toBe(cut);
    }
  });
});

it('of PNG loses its gamma too', async () => {
  const plain = await drawn().png().toBuffer();
  // Length, type, 1 / 2.2 by 100,000, and a checksum.
  const gamma = [0, 0, 0, 4, 0x67, 0x41, 0x4d, 0x41, 0, 0, 0xb1, 0x8f, 0x0b, 0xfc, 0x61, 0x05];
  const [head, rest] = [plain.subarray(0, 8 + 25), plain.subarray(8 + 25)];
  const file = Uint8Array.from([...head, ...gamma, ...rest]);
  expect(withoutProfile(file, 'image/png')).toEqual(Uint8Array.from(plain));
});
