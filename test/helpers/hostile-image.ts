/**
 * Hostile images: JPEGs that promise more than they hold, and a picture that is slow to pack.
 */
import sharp from 'sharp';

/** Frame headers: baseline and progressive. */
const FRAMES = [0xc0, 0xc2];

/** The JPEG with another width and height in its header; its data stay as they are. */
export function withFrameSize(jpeg: Uint8Array, side: number): Uint8Array {
  const copy = Uint8Array.from(jpeg);
  for (let at = 2; at + 8 < copy.length; ) {
    if (FRAMES.includes(copy[at + 1]!)) {
      copy.set([side >> 8, side & 255, side >> 8, side & 255], at + 5);
      return copy;
    }
    at += 2 + (copy[at + 2]! << 8) + copy[at + 3]!;
  }
  throw new Error('no frame header');
}

/** A small lossless WebP of two colours without an order, which takes seconds to become a PNG. */
export async function slowToPack(side = 2048): Promise<Uint8Array> {
  const data = Buffer.alloc(3 * side * side);
  let random = 1;
  for (let i = 0; i < data.length; i += 3) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    data.fill(((random >>> 20) & 1) * 255, i, i + 3);
  }
  const raw = { width: side, height: side, channels: 3 } as const;
  return sharp(data, { raw }).webp({ lossless: true, effort: 0 }).toBuffer();
}
