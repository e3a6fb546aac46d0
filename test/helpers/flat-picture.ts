/** Pictures of one colour. */
import sharp, { type Sharp } from 'sharp';

/** One of these bytes of red, green and blue, yet to be encoded. */
export function flatPicture([r, g, b]: number[], width = 8, height = 8): Sharp {
  return sharp({ create: { width, height, channels: 3, background: { r, g, b } } });
}

/** What it is encoded to. */
export async function encoded(image: Sharp): Promise<Uint8Array> {
  return new Uint8Array(await image.toBuffer());
}

/** It as a JPEG. */
export function flatJpeg(...color: [number, number, number]): Promise<Uint8Array> {
  return encoded(flatPicture(color).jpeg());
}
