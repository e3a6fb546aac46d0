/** How much two pictures of an article differ: in tone, and in edges. */
import pixelmatch from 'pixelmatch';
import type { PictureDifference } from '../../run/file/gate-table.ts';

/** Side of both pictures for the comparison: a joint is still visible, and the noise of JPEG is not. */
const SIDE = 512;

/** Half a tenth of the range: a smaller difference from the backdrop is noise of JPEG. */
const BACKDROP_NOISE = 12;

/** An article takes at least this share of its picture, so that noise on an empty one is no difference. */
const LEAST_AREA = 0.01;

/** Distance of two colours from which a pixel differs visibly: the default of pixelmatch. */
const VISIBLE = 0.1;

/**
 * Compares two pictures that were taken with the same camera and backdrop.
 *
 * @param before - JPEG, PNG or WebP; transparency counts as white.
 * @example
 * ```ts
 * await pictureDifference(oakDesk, walnutDesk);   // → { tone: 0.21, edges: 0.74 }
 * ```
 */
export async function pictureDifference(
  before: Uint8Array,
  now: Uint8Array,
): Promise<PictureDifference> {
  const [a, b] = await Promise.all([pixelsOf(before), pixelsOf(now)]);
  let [area, squares] = [0, 0];
  for (let at = 0; at < a.length; at += 4) {
    if (isArticle(a, at) || isArticle(b, at)) area++;
    for (let channel = at; channel < at + 3; channel++) squares += (a[channel]! - b[channel]!) ** 2;
  }
  const pixels = Math.max(area, LEAST_AREA * SIDE ** 2);
  const visible = pixelmatch(a, b, undefined, SIDE, SIDE, { threshold: VISIBLE });
  return {
    tone: Math.min(1, Math.sqrt(squares / (3 * pixels)) / 255),
    edges: Math.min(1, visible / pixels),
  };
}

/** RGBA, 8 bits, each picture scaled to the same square: a picture that follows the size of its model has another size. */
async function pixelsOf(picture: Uint8Array): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  const pixels = await sharp(picture)
    .flatten({ background: '#ffffff' })
    .resize(SIDE, SIDE, { fit: 'fill' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer();
  // A separate buffer, which pixelmatch reads by words.
  return new Uint8Array(pixels);
}

/** Whether a pixel is not the backdrop, which the corner always shows because of the margin. */
function isArticle(pixels: Uint8Array, at: number): boolean {
  return [0, 1, 2].some((channel) => {
    return Math.abs(pixels[at + channel]! - pixels[channel]!) > BACKDROP_NOISE;
  });
}
