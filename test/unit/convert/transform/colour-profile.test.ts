/** Names of colour profiles, as makers of images write them. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { colourProfileOf } from '../../../../src/convert/transform/colour-profile.ts';

const create = { width: 4, height: 4, channels: 3, background: '#b08050' } as const;
const withProfile = (icc: 'p3' | 'srgb') => sharp({ create }).withIccProfile(icc);

/** A JPEG with a profile of version 2, whose description is ASCII. */
function withDescription(text: string, length = text.length + 1): Uint8Array {
  const description = Buffer.alloc(40 + text.length);
  description.write('desc');
  description.writeUInt32BE(length, 8);
  description.write(text, 12, 'latin1');
  const head = Buffer.alloc(144);
  head.writeUInt32BE(1, 128);
  head.write('desc', 132);
  head.writeUInt32BE(144, 136);
  head.writeUInt32BE(description.length, 140);
  const data = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), head, description]);
  const segment = Buffer.from([0xff, 0xd8, 0xff, 0xe2, 0, 0]);
  segment.writeUInt16BE(data.length + 2, 4);
  return new Uint8Array(Buffer.concat([segment, data]));
}

describe('the colour profile of an image', () => {
  it('is named by its description', async () => {
    expect(colourProfileOf(await withProfile('p3').jpeg().toBuffer())).toMatch(/P3/);
    expect(colourProfileOf(withDescription('Adobe RGB (1998)'))).toBe('Adobe RGB (1998)');
  });

  it('is none where it is that of sRGB, or where there is none', async () => {
    expect(colourProfileOf(await withProfile('srgb').jpeg().toBuffer())).toBe(undefined);
    expect(colourProfileOf(await sharp({ create }).jpeg().toBuffer())).toBe(undefined);
    expect(colourProfileOf(await sharp({ create }).png().toBuffer())).toBe(undefined);
    expect(colourProfileOf(withDescription('sRGB IEC61966-2.1'))).toBe(undefined);
  });

  it('is never more than its bytes, nor more than a line', async () => {
    expect(colourProfileOf(withDescription('A\u001b[2J\nB', 1e6))).toBe('A[2JB');
    expect(colourProfileOf(withDescription('', 0))).toBe('one without a name');
    for (const whole of [
      withDescription('Adobe RGB (1998)'),
      await withProfile('p3').jpeg().toBuffer(),
    ])
      for (let length = 0; length < Math.min(whole.length, 800); length += 3)
        expect(() => colourProfileOf(whole.subarray(0, length))).not.toThrow();
  });
});
