/** Image facts: what the material rules ask about a picture, read with sharp. */
import sharp from 'sharp';
import { linearOf } from './colors.ts';
import type { Vec3 } from './vectors.ts';

export interface ImageFacts {
  bytes: Uint8Array;
  width: number;
  height: number;
  /** Red, green and blue are everywhere about equal. */
  grey: boolean;
  /** Averaged in linear light. */
  meanLinear: Vec3;
  /** A JPEG whose samples are colours of another space than sRGB. */
  otherSpace: boolean;
}

/** What glTF takes byte for byte; other pictures are written as PNG, and a BMP is not shown. */
export function isWebPicture(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff || bytes[0] === 0x89;
}

/** A picture that counts as missing. */
export function isBmp(bytes: Uint8Array): boolean {
  return bytes[0] === 0x42 && bytes[1] === 0x4d;
}

/** More than what JPEG makes of a grey picture, less than any colour. */
const GREY_SPREAD = 10;

const LINEAR = Float64Array.from({ length: 256 }, (_, value) => linearOf(value / 255));
const known = new WeakMap<Uint8Array, Promise<ImageFacts>>();

/** Reads a picture; the same bytes are read once. */
export function imageFacts(bytes: Uint8Array): Promise<ImageFacts> {
  const facts = known.get(bytes) ?? read(bytes);
  known.set(bytes, facts);
  return facts;
}

async function read(bytes: Uint8Array): Promise<ImageFacts> {
  const { data, width, height } = await rgbPixels(bytes);
  let [spread, red, green, blue] = [0, 0, 0, 0];
  for (let i = 0; i < data.length; i += 3) {
    const [r, g, b] = [data[i]!, data[i + 1]!, data[i + 2]!];
    spread = Math.max(spread, r - g, g - r, g - b, b - g, r - b, b - r);
    red += LINEAR[r]!;
    green += LINEAR[g]!;
    blue += LINEAR[b]!;
  }
  const pixels = width * height;
  const meanLinear: Vec3 = [red / pixels, green / pixels, blue / pixels];
  const { icc, format } = await sharp(bytes).metadata();
  // The name of a profile has one or two bytes for a character.
  const isSrgb = icc?.toString('latin1').replaceAll('\0', '').includes('sRGB');
  const otherSpace = format === 'jpeg' && icc !== undefined && !isSrgb;
  return { bytes, width, height, grey: spread <= GREY_SPREAD, meanLinear, otherSpace };
}

/** Three bytes a pixel, from the top, at its own size. */
export async function rgbPixels(
  bytes: Uint8Array,
): Promise<{ data: Uint8Array; width: number; height: number }> {
  const { data, info } = await sharp(bytes)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return { data, width: info.width, height: info.height };
  const rgb = new Uint8Array(info.width * info.height * 3);
  for (let i = 0; i < rgb.length; i++) rgb[i] = data[Math.floor(i / 3) * info.channels]!;
  return { data: rgb, width: info.width, height: info.height };
}
