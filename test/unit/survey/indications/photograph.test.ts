import sharp from 'sharp';
import { expect, test } from 'vitest';
import { sharpImageCodec } from '../../../../src/support/image-codec.ts';
import { Photograph } from '../../../../src/survey/indications/photograph.ts';
import { DRAWN_PIXELS } from '../../../../src/survey/readings/raster.ts';

/** A picture of 640 × 480 pixels with a square of half of its height. */
async function picture(background: string, square: string): Promise<Photograph | undefined> {
  const flat = (width: number, height: number, color: string) =>
    sharp({ create: { width, height, channels: 3, background: color } });
  const input = await flat(240, 240, square).png().toBuffer();
  const bytes = await flat(640, 480, background)
    .composite([{ input, left: 80, top: 160 }])
    .jpeg();
  return Photograph.read(await bytes.toBuffer(), sharpImageCodec());
}

/** The outline of a square in a drawing. */
function outline(first: number, side: number): Uint8Array {
  const isIn = (at: number) => at >= first && at < first + side;
  return new Uint8Array(DRAWN_PIXELS ** 2).map((_, at) =>
    Number(isIn(at % DRAWN_PIXELS) && isIn(Math.floor(at / DRAWN_PIXELS))),
  );
}

test('a picture is moved to where a drawing shows the article, also white before a light grey', async () => {
  const drawn = outline(24, 96);
  for (const [background, square] of [
    ['#ececec', '#ffffff'],
    ['#ffffff', '#804020'],
  ] as const) {
    const { covered } = (await picture(background, square))!.framed(drawn)!;
    const differing = covered.filter((share, at) => Math.abs(share - drawn[at]!) > 0.5);
    // The edges of a JPEG are not sharp.
    expect(differing.length).toBeLessThan(0.1 * 96 ** 2);
  }
});

test('a picture of one colour shows nothing', async () => {
  expect(await picture('#ffffff', '#ffffff')).toBeUndefined();
});
