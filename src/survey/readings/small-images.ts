/** Images of scenes, as large as a survey needs them. */

import { createHash } from 'node:crypto';
import type { Scene } from '../../convert/model/scene.ts';
import type { ImageCodec } from '../../model/image-codec.ts';

/** Sides of an image; a power of two. */
const IMAGE_PIXELS = 128;

/** An image in linear light, and its halves down to one pixel: RGB, row by row from the top. */
export interface SmallImage {
  levels: readonly { side: number; data: Float32Array }[];
}

/** Decodes the images of scenes, each once. */
export class SmallImages {
  readonly #codec: ImageCodec;
  readonly #known = new Map<string, Promise<SmallImage | undefined>>();

  constructor(codec: ImageCodec) {
    this.#codec = codec;
  }

  /** The images of a scene, in its order; undefined for one that cannot be read. */
  of(scene: Scene): Promise<(SmallImage | undefined)[]> {
    return Promise.all(
      scene.images.map(({ bytes }) => {
        const key = createHash('sha256').update(bytes).digest('hex');
        const known = this.#known.get(key) ?? this.#read(bytes);
        this.#known.set(key, known);
        return known;
      }),
    );
  }

  async #read(bytes: Uint8Array): Promise<SmallImage | undefined> {
    const size = { width: IMAGE_PIXELS, height: IMAGE_PIXELS };
    const pixels = await this.#codec.decode(bytes, size).catch(() => undefined);
    return pixels && smallImage(IMAGE_PIXELS, pixels.data, pixels.channels);
  }
}

/** Makes the halves of a square image of 8 bits, whose side is a power of two. */
function smallImage(side: number, data: Uint8Array, channels: 1 | 3): SmallImage {
  const first = new Float32Array(3 * side * side);
  for (let i = 0; i < first.length; i++) {
    const at = channels === 3 ? i : Math.floor(i / 3);
    first[i] = (data[at]! / 255) ** 2.2;
  }
  const levels = [{ side, data: first }];
  for (let last = levels[0]!; last.side > 1; last = levels.at(-1)!) {
    const half = last.side / 2;
    const out = new Float32Array(3 * half * half);
    for (let y = 0; y < half; y++)
      for (let x = 0; x < half; x++)
        for (let c = 0; c < 3; c++) {
          const at = (row: number, column: number) =>
            last.data[3 * ((2 * y + row) * last.side + 2 * x + column) + c]!;
          out[3 * (y * half + x) + c] = (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1)) / 4;
        }
    levels.push({ side: half, data: out });
  }
  return { levels };
}
