/** The service's own picture of an article: what of it is the article, and how it looks in the frame of a drawing. */

import type { ImageCodec, Pixels } from '../../model/image-codec.ts';
import { DRAWN_PIXELS } from '../readings/raster.ts';

/** Colours that differ less from the background than most of the edge does, and so much more, belong to it: 0 to 255. */
const NOISE = 6;
/** So much of the edge is background. */
const MOST_OF_EDGE = 0.8;
/** A smaller article shows nothing, pixels. */
const LEAST_SIDE = 16;
/** So many places of each pixel are looked at, along each side. */
const SAMPLES = 3;
/** Stands for what is not in the picture. */
const OUTSIDE = -1;

/** Where something is shown: from the first to behind the last pixel. */
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A picture in the frame of a drawing. */
export interface Framed {
  /** The share of each pixel in which the article is. */
  covered: Float32Array;
  /** Computes sRGB of 8 bits, RGB for each pixel; most frames are only compared by their outline. */
  colors(): Float32Array;
}

/** A picture of an article before a background of one colour. */
export class Photograph {
  readonly #pixels: Pixels;
  readonly #covered: Uint8Array;
  readonly #box: Box;
  readonly background: readonly number[];

  private constructor(
    pixels: Pixels,
    covered: Uint8Array,
    box: Box,
    background: readonly number[],
  ) {
    this.#pixels = pixels;
    this.#covered = covered;
    this.#box = box;
    this.background = background;
  }

  /** Reads a picture; undefined if nothing stands out from its background. */
  static async read(bytes: Uint8Array, codec: ImageCodec): Promise<Photograph | undefined> {
    const pixels = await codec.decode(bytes).catch(() => undefined);
    if (pixels === undefined) return undefined;
    const { background, spread } = backgroundOf(pixels);
    const covered = new Uint8Array(pixels.width * pixels.height);
    for (let at = 0; at < covered.length; at++)
      covered[at] = Number(differenceOf(pixels, at, background) > spread + NOISE);
    const box = boxOf(covered, pixels.width);
    return box && new Photograph(pixels, covered, box, background);
  }

  /** The picture, moved and scaled so that it shows the article where a drawing of this outline shows it. */
  framed(outline: Uint8Array): Framed | undefined {
    const target = boxOf(outline, DRAWN_PIXELS);
    if (target === undefined) return undefined;
    const own = this.#box;
    const sides = ({ left, top, right, bottom }: Box) => right - left + bottom - top;
    const scale = sides(own) / sides(target);
    const x0 = (own.left + own.right - scale * (target.left + target.right)) / 2;
    const y0 = (own.top + own.bottom - scale * (target.top + target.bottom)) / 2;
    return this.#moved(scale, x0, y0);
  }

  #moved(scale: number, x0: number, y0: number): Framed {
    const { width, height } = this.#pixels;
    const columns = placesAlong(x0, scale, width);
    const rows = placesAlong(y0, scale, height);
    const means = (channels: number, value: (pixel: number, channel: number) => number) => {
      const sums = new Float32Array(channels * DRAWN_PIXELS ** 2);
      for (let at = 0; at < DRAWN_PIXELS ** 2; at++) {
        const column = SAMPLES * (at % DRAWN_PIXELS);
        const row = SAMPLES * Math.floor(at / DRAWN_PIXELS);
        for (let sample = 0; sample < SAMPLES ** 2; sample++) {
          const x = columns[column + (sample % SAMPLES)]!;
          const y = rows[row + Math.floor(sample / SAMPLES)]!;
          const pixel = x < 0 || y < 0 ? OUTSIDE : y * width + x;
          for (let c = 0; c < channels; c++)
            sums[channels * at + c]! += value(pixel, c) / SAMPLES ** 2;
        }
      }
      return sums;
    };
    return {
      covered: means(1, (pixel) => (pixel === OUTSIDE ? 0 : this.#covered[pixel]!)),
      colors: () =>
        means(3, (pixel, c) =>
          pixel === OUTSIDE ? this.background[c]! : channelOf(this.#pixels, pixel, c),
        ),
    };
  }
}

/** The row or column of a picture at each sample along a side of a drawing. @param size - Of the picture. */
function placesAlong(first: number, scale: number, size: number): Int32Array {
  return new Int32Array(SAMPLES * DRAWN_PIXELS).map((_, at) => {
    const place = Math.floor(at / SAMPLES) + ((at % SAMPLES) + 0.5) / SAMPLES;
    const pixel = Math.floor(first + scale * place);
    return pixel >= 0 && pixel < size ? pixel : OUTSIDE;
  });
}

function channelOf({ channels, data }: Pixels, at: number, channel: number): number {
  return data[at * channels + Math.min(channel, channels - 1)]!;
}

function differenceOf(pixels: Pixels, at: number, color: readonly number[]): number {
  return Math.max(...color.map((value, c) => Math.abs(channelOf(pixels, at, c) - value)));
}

/** The colour of most of the edge, and how much the edge differs from it. */
function backgroundOf(pixels: Pixels) {
  const { width, height } = pixels;
  const edge: number[] = [];
  for (let x = 0; x < width; x++) edge.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) edge.push(y * width, y * width + width - 1);
  const at = (values: number[], share: number) =>
    values.sort((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;
  const background = [0, 1, 2].map((c) =>
    at(
      edge.map((pixel) => channelOf(pixels, pixel, c)),
      0.5,
    ),
  );
  const differences = edge.map((pixel) => differenceOf(pixels, pixel, background));
  return { background, spread: at(differences, MOST_OF_EDGE) };
}

function boxOf(covered: Uint8Array, width: number): Box | undefined {
  let [left, right, top, bottom] = [width, 0, Infinity, 0];
  for (let at = 0; at < covered.length; at++) {
    if (covered[at] === 0) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
  }
  const isSmall = Math.max(right - left, bottom - top) < LEAST_SIDE;
  return isSmall ? undefined : { left, top, right, bottom };
}
