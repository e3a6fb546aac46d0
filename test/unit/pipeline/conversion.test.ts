import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { isLargeConversion } from '../../../src/pipeline/conversion.ts';
import { CONVERT_DEFAULTS } from '../../../src/transform/convert-options.ts';
import { withFrameSize } from '../../helpers/hostile-image.ts';
import { BOX_BODY, type MadeArticle, makeSnapshot } from '../../helpers/snapshot.ts';

const BOX = 'ACME::DESK::BOX';
const BTG = [{ type: 'imp', btgname: BOX }];
const background = { r: 90, g: 120, b: 30 };
const JPEG = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
  .jpeg()
  .toBuffer();
const TEXT_OF_9_MIB = 'x'.repeat(9 * 2 ** 20);

const isLarge = (more: Partial<MadeArticle>, limits = CONVERT_DEFAULTS) => {
  const { snapshot, read } = makeSnapshot({ btg: BTG, blocks: { [BOX]: BOX_BODY }, ...more });
  const sizeOf = async (digest: string) => (await read(digest)).length;
  return isLargeConversion(snapshot, { get: read, sizeOf }, limits);
};

describe('a conversion', () => {
  it('is small with a box, a picture, and a picture that is missing or broken', async () => {
    const images = { WOOD: JPEG, NONE: undefined, BROKEN: new Uint8Array(3) };
    expect(await isLarge({ images })).toBe(false);
  });

  it.each<[string, Partial<MadeArticle>]>([
    [
      'a parts list of many bytes',
      { btg: [{ type: 'top', mat: TEXT_OF_9_MIB.slice(0, 2 ** 20) }] },
    ],
    ['blocks of many bytes', { blocks: { [BOX]: TEXT_OF_9_MIB } }],
    ['a picture of many pixels', { images: { WOOD: withFrameSize(JPEG, 8000) } }],
  ])('is large with %s', async (_what, more) => {
    expect(await isLarge(more)).toBe(true);
  });

  it('shares the pixels in flight with another one', async () => {
    const images = { WOOD: JPEG };
    const withPixels = (maxPixelsInFlight: number) =>
      isLarge({ images }, { ...CONVERT_DEFAULTS, maxPixelsInFlight });
    expect(await withPixels(2 * 64 * 64)).toBe(false);
    expect(await withPixels(2 * 64 * 64 - 1)).toBe(true);
  });
});
