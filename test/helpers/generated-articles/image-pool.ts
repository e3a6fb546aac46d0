/**
 * Image pool: the pictures that generated materials refer to, as small JPEGs.
 */
import sharp from 'sharp';
import { type ImageFacts, imageFacts } from '../evaluator/image-facts.ts';

type Pixel = (x: number, y: number) => readonly [number, number, number];

interface Picture {
  width: number;
  height: number;
  pixel: Pixel;
  /** Stored with one channel. */
  oneChannel?: boolean;
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
  BUMPS: {
    width: 16,
    height: 16,
    pixel: (x, y) => [128 + 40 * (x - 0.5), 128 + 40 * (y - 0.5), 250],
  },
  HEIGHTS: { width: 16, height: 8, pixel: grey(40, 220) },
  ROUGH: { width: 16, height: 16, pixel: grey(60, 200), oneChannel: true },
  ROUGH_RGB: { width: 16, height: 16, pixel: grey(90, 140) },
  ROUGH_LARGE: { width: 48, height: 24, pixel: grey(150, 150) },
  METAL: { width: 16, height: 16, pixel: grey(220, 40) },
  METAL_FLAT: { width: 8, height: 32, pixel: grey(200, 200), oneChannel: true },
};

export type PoolImage = keyof typeof PICTURES | 'ABSENT';

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

async function encode({ width, height, pixel, oneChannel }: Picture): Promise<Uint8Array> {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set(pixel(x / (width - 1), y / (height - 1)).map(Math.round), (y * width + x) * 3);
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  const channels = oneChannel ? image.toColourspace('b-w') : image;
  return new Uint8Array(
    await channels.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(),
  );
}
