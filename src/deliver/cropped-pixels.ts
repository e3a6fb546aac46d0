/** Pixels without the plain border of a picture: what the page sends takes a while. */
import type { PictureSize } from './shot.ts';

/** A picture as a part of it; around it, all pixels are as the first one. */
export interface Cropped<Pixels> extends PictureSize {
  /** Of the whole picture. */
  whole: PictureSize;
  left: number;
  /** Rows below the part. */
  bottom: number;
  /** RGBA, 8 bits. */
  border: readonly number[];
  /** RGBA, 8 bits, from the lowest row of the part to its topmost. */
  pixels: Pixels;
}

/**
 * Cuts the border off.
 *
 * @param pixels - RGBA, 8 bits, from the lowest row to the topmost.
 * @example
 * ```ts
 * const { width, height } = cropped(pixels, { width: 1024, height: 1024 });   // → 700 and 820, say
 * ```
 */
export function cropped(
  pixels: Uint8Array<ArrayBuffer>,
  whole: PictureSize,
): Cropped<Uint8Array<ArrayBuffer>> {
  const { width, height } = whole;
  const colors = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
  const [plain] = colors;
  const low = { x: width, y: height };
  const high = { x: -1, y: -1 };
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      if (colors[at] === plain) continue;
      if (x < low.x) low.x = x;
      if (x > high.x) high.x = x;
      if (y < low.y) low.y = y;
      high.y = y;
    }
  }
  const part = { width: Math.max(0, high.x - low.x + 1), height: Math.max(0, high.y - low.y + 1) };
  const kept = new Uint8Array(4 * part.width * part.height);
  for (let y = 0; y < part.height; y++) {
    const from = 4 * ((low.y + y) * width + low.x);
    kept.set(pixels.subarray(from, from + 4 * part.width), 4 * y * part.width);
  }
  const border = Array.from(pixels.subarray(0, 4));
  return { ...part, whole, left: low.x, bottom: low.y, border, pixels: kept };
}

/**
 * Puts the border back.
 *
 * @returns RGBA, 8 bits, from the topmost row to the lowest.
 * @example
 * ```ts
 * uncropped(cropped(pixels, size));   // → the same picture, upright
 * ```
 */
export function uncropped(part: Cropped<Uint8Array>): Uint8Array {
  const { whole, width, height, left, bottom, border, pixels } = part;
  const result = new Uint8Array(4 * whole.width * whole.height);
  const color = Uint8Array.from(border);
  new Uint32Array(result.buffer).fill(new Uint32Array(color.buffer)[0]!);
  for (let y = 0; y < height; y++) {
    const row = whole.height - 1 - (bottom + y);
    const from = 4 * y * width;
    result.set(pixels.subarray(from, from + 4 * width), 4 * (row * whole.width + left));
  }
  return result;
}
