/** Fields of numbers as 8-bit images. */
import { type Field, TEXTURE_SIZE } from './noise.ts';

/** An image before it is encoded: 8 bits a channel, row by row from the top. */
export interface Image {
  channels: 1 | 3;
  data: Uint8ClampedArray;
}

/** sRGB, 0..255 a channel. */
export type Rgb = readonly [number, number, number];

/** An image whose colour is a function of the pixel's index. */
export function colourImage(at: (index: number, out: Float32Array) => void): Image {
  const count = TEXTURE_SIZE * TEXTURE_SIZE;
  const data = new Uint8ClampedArray(count * 3);
  const rgb = new Float32Array(3);
  for (let i = 0; i < count; i++) {
    at(i, rgb);
    data[i * 3] = rgb[0]!;
    data[i * 3 + 1] = rgb[1]!;
    data[i * 3 + 2] = rgb[2]!;
  }
  return { channels: 3, data };
}

/** A grey image of a field, 0..1. */
export function greyImage(at: (index: number) => number): Image {
  const count = TEXTURE_SIZE * TEXTURE_SIZE;
  const data = new Uint8ClampedArray(count);
  for (let i = 0; i < count; i++) data[i] = at(i) * 255;
  return { channels: 1, data };
}

/** A tangent-space normal map (+Y green) of a height field; `strength` is pixels of height at 1. */
export function normalImage(height: Field, strength: number): Image {
  const size = TEXTURE_SIZE;
  const mask = size - 1;
  const data = new Uint8ClampedArray(size * size * 3);
  for (let y = 0; y < size; y++) {
    const [up, down] = [((y - 1) & mask) * size, ((y + 1) & mask) * size];
    for (let x = 0; x < size; x++) {
      const i = y * size + x;
      const row = y * size;
      const nx = (height[row + ((x - 1) & mask)]! - height[row + ((x + 1) & mask)]!) * strength;
      // Rows run downwards, green points up: the height below minus the height above.
      const ny = (height[down + x]! - height[up + x]!) * strength;
      const k = 127.5 / Math.sqrt(nx * nx + ny * ny + 1);
      data[i * 3] = 127.5 + nx * k;
      data[i * 3 + 1] = 127.5 + ny * k;
      data[i * 3 + 2] = 127.5 + k;
    }
  }
  return { channels: 3, data };
}
