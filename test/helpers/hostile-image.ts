/**
 * Hostile images: JPEGs that promise more than they hold, and a picture that is slow to pack.
 */
import sharp from 'sharp';

/** Frame headers: baseline and progressive. */
const FRAMES = [0xc0, 0xc2];

/** The JPEG with other values in its frame header; its data stay as they are. */
export function withFrame(
  jpeg: Uint8Array,
  values: { marker?: number; bits?: number; width?: number; height?: number },
): Uint8Array {
  const copy = Uint8Array.from(jpeg);
  const view = new DataView(copy.buffer);
  let at = 2;
  while (!FRAMES.includes(view.getUint8(at + 1))) at += 2 + view.getUint16(at + 2);
  const { marker = copy[at + 1]!, bits = copy[at + 4]! } = values;
  copy[at + 1] = marker;
  copy[at + 4] = bits;
  view.setUint16(at + 5, values.height ?? view.getUint16(at + 5));
  view.setUint16(at + 7, values.width ?? view.getUint16(at + 7));
  return copy;
}

/** The JPEG with a square of another size in its header. */
export function withFrameSize(jpeg: Uint8Array, side: number): Uint8Array {
  return withFrame(jpeg, { width: side, height: side });
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
