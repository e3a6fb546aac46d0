import fc from 'fast-check';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { contactSheet } from '../../../../src/deliver/gallery/contact-sheet.ts';
import { IS_LONG, samples } from '../../../helpers/samples.ts';

const plain = (background: string, width = 40, height = 30) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

it('a contact sheet has a cell for each picture, in rows of at most twelve', async () => {
  const picture = await plain('#803010');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: IS_LONG ? 26 : 14 }), async (count) => {
      const sheet = await contactSheet(Array.from({ length: count }, () => picture));
      const { width, height, format } = await sharp(sheet).metadata();
      const columns = Math.min(12, count);
      const size = { width: 128 * columns, height: 128 * Math.ceil(count / columns) };
      expect({ width, height, format }).toEqual({ ...size, format: 'jpeg' });
    }),
    { numRuns: samples(24) },
  );
});

it('the pictures are in their order, whole and in the middle of their cells', async () => {
  const sheet = await contactSheet([await plain('#ff0000', 60, 20), await plain('#0000ff')]);
  const { data, info } = await sharp(sheet).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) =>
    Array.from(data.subarray(3 * (y * info.width + x)).subarray(0, 3));
  const [red, blue, corner] = [at(64, 64), at(192, 64), at(64, 4)];
  expect(red[0]! - red[2]!).toBeGreaterThan(180);
  expect(blue[2]! - blue[0]!).toBeGreaterThan(180);
  expect(Math.min(...corner)).toBeGreaterThan(245);
  // Three times as wide as high: white above.
  expect(Math.min(...at(64, 30))).toBeGreaterThan(245);
});

it('leaves the cell of a damaged picture empty', async () => {
  const sheet = await contactSheet([new Uint8Array(9), await plain('#0000ff')]);
  const { data, info } = await sharp(sheet).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 256, height: 128 });
  expect(Math.min(...data.subarray(3 * (64 * 256 + 64), 3 * (64 * 256 + 65)))).toBeGreaterThan(245);
});
