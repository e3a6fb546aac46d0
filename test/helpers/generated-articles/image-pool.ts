/** Image pool: the pictures that generated materials refer to, as small JPEGs. */
import sharp from 'sharp';
import { type ImageFacts, imageFacts } from '../evaluator/image-facts.ts';

type Pixel = (x: number, y: number) => readonly [number, number, number];

interface Picture {
  width: number;
  height: number;
  pixel: Pixel;
  /** Stored with one channel. */
  oneChannel?: boolean;
  format?: 'gif' | 'webp';
}

const grey =
  (from: number, to: number): Pixel =>
  (x) => {
    const value = Math.round(from + (to - from) * x);
    return [value, value, value];
  };

/** Coordinates are 0..1. */
const PICTURES: Record<string, Picture> = {
  WOOD: { width: 32, height: 16, pixel: (x, y) => [160 + 60 * x, 110 + 30 * y, 60] },
  FABRIC: { width: 16, height: 16, pixel: (x) => [30, 60 + 90 * x, 150] },
  WEAVE: { width: 16, height: 8, pixel: (x, y) => [200 * x, 40, 180 * y], format: 'gif' },
  STONE: { width: 8, height: 16, pixel: (x, y) => [90, 60 * y, 99 * x], format: 'webp' },
  BUMPS: { width: 16, height: 16, pixel: (x, y) => [108 + 40 * x, 108 + 40 * y, 250] },
  HEIGHTS: { width: 16, height: 8, pixel: grey(40, 220) },
  ROUGH: { width: 16, height: 16, pixel: grey(60, 200), oneChannel: true },
  ROUGH_RGB: { width: 16, height: 16, pixel: grey(90, 140) },
  ROUGH_LARGE: { width: 48, height: 24, pixel: grey(150, 150) },
  METAL: { width: 16, height: 16, pixel: grey(220, 40) },
  METAL_FLAT: { width: 8, height: 32, pixel: grey(200, 200), oneChannel: true },
};

let made: Promise<Map<string, ImageFacts>> | undefined;

/** The pictures by their plain names; made once. */
export function imagePool(): Promise<Map<string, ImageFacts>> {
  made ??= make();
  return made;
}

async function make(): Promise<Map<string, ImageFacts>> {
  const pool = new Map<string, ImageFacts>();
  for (const [name, picture] of Object.entries(PICTURES))
    pool.set(name, await imageFacts(await encode(picture)));
  return pool;
}

/** A white pixel, as a BMP. */
export const BMP = Uint8Array.from([
  ...[0x42, 0x4d, 58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0],
  ...[40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0, 0, 0, 0, 0, 4, 0, 0, 0],
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 0],
]);

async function encode({ width, height, pixel, oneChannel, format }: Picture): Promise<Uint8Array> {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set(pixel(x / (width - 1), y / (height - 1)).map(Math.round), (y * width + x) * 3);
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  if (format) return new Uint8Array(await image.toFormat(format, { lossless: true }).toBuffer());
  const channels = oneChannel ? image.toColourspace('b-w') : image;
  return new Uint8Array(
    await channels.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(),
  );
}
