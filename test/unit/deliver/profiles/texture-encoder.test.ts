/** Textures in the formats of profiles. */
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { openTextureEncoder } from '../../../../src/deliver/profiles/texture-encoder.ts';
import { withColourProfile } from '../../../helpers/colour-profile.ts';

const OAK = new URL('../../../../src/emulator/sample/images/textures/oak.jpg', import.meta.url);

describe('a JPEG with a colour profile', () => {
  const { encode, close } = openTextureEncoder();
  afterAll(close);

  it('is none whose samples say its colours to all readers', async () => {
    const plain = new Uint8Array(await readFile(OAK));
    const [own, others] = await Promise.all(
      [plain, await withColourProfile(plain)].map((bytes) =>
        sharp(bytes).toColourspace('srgb').raw().toBuffer(),
      ),
    );
    expect(own!.equals(others!)).toBe(false);
  });

  // As KTX2: ktx2-encoder.test.ts, which has a thread for it.
  it.each(['jpeg', 'webp'] as const)(
    'has the colours of its samples as %s, too',
    async (format) => {
      const plain = new Uint8Array(await readFile(OAK));
      const request = { format, meaning: 'colour', isTransparent: false, largest: 16 } as const;
      const [expected, received] = await Promise.all(
        [plain, await withColourProfile(plain)].map((bytes) =>
          encode({ ...request, bytes, mimeType: 'image/jpeg' }),
        ),
      );
      expect(Buffer.from(received!.bytes).equals(expected!.bytes)).toBe(true);
    },
  );
});
