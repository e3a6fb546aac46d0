/** Decodes and encodes images with the browser. */

import { segmentsOf } from '../../../convert/transform/images.ts';
import type { ImageCodec, Pixels } from '../../../model/image-codec.ts';
import { ConverterError } from '../../../support/errors.ts';

/** At any lower quality, a browser halves the resolution of colours. */
const JPEG_QUALITY = 1;

const CANVAS_CHANNELS = 4;

/** Markers of JPEG (ITU T.81, annex B); Exif is in the first kind of application data. */
const APP1 = 0xe1;
const EXIF = [0x45, 0x78, 0x69, 0x66] as const;

/**
 * The codec of a page or of its workers. Colour profiles are ignored, and so are orientations of JPEGs, because the
 * images of the service are textures.
 *
 * Bytes may differ from those of the command line wherever a pixel is encoded: each library packs an image its own
 * way, and scales with its own filter. Pixels of opaque grey and RGB images are the same in Chromium, and may
 * differ by a few of 255 where another decoder reads a JPEG. CMYK images and transparent pixels differ: a canvas
 * keeps no colour below an alpha of 0. It has no grey images: `channels` is always 3, and a PNG has an alpha of 1.
 * All methods reject with `IMAGE_UNREADABLE` on bad bytes.
 *
 * @example
 * ```ts
 * const { width, height } = await browserImageCodec().decode(jpegBytes);
 * ```
 */
export function browserImageCodec(): ImageCodec {
  return {
    decode: (bytes, size, inSrgb) => guard(() => decode(bytes, size, inSrgb)),
    encodePng: (pixels) => guard(() => encode(pixels, 'image/png')),
    encodeJpeg: (pixels) => guard(() => encode(pixels, 'image/jpeg')),
  };
}

async function decode(
  bytes: Uint8Array,
  size: { width: number; height: number } | undefined,
  inSrgb = false,
): Promise<Pixels> {
  const bitmap = await createImageBitmap(new Blob([withoutOrientation(bytes)]), {
    colorSpaceConversion: inSrgb ? 'default' : 'none',
    premultiplyAlpha: 'none',
    ...(size && { resizeWidth: size.width, resizeHeight: size.height, resizeQuality: 'high' }),
  });
  const { width, height } = bitmap;
  const { context } = openCanvas(width, height);
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data: rgba } = context.getImageData(0, 0, width, height);
  const data = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < rgba.length; from += CANVAS_CHANNELS) {
    data[to++] = rgba[from]!;
    data[to++] = rgba[from + 1]!;
    data[to++] = rgba[from + 2]!;
  }
  return { width, height, channels: 3, data };
}

async function encode(
  { width, height, channels, data }: Pixels,
  type: 'image/png' | 'image/jpeg',
): Promise<Uint8Array> {
  const { canvas, context } = openCanvas(width, height);
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const [from, to] = [i * channels, i * CANVAS_CHANNELS];
    for (let k = 0; k < 3; k++) image.data[to + k] = data[channels === 3 ? from + k : from]!;
    image.data[to + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  const blob = await canvas.convertToBlob({ type, quality: JPEG_QUALITY });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return type === 'image/png' ? withoutAncillaryChunks(bytes) : bytes;
}

/** PNG, third edition, 5.2 and 5.4: bytes before the first chunk, bytes of a chunk besides its data, and the type bit. */
const PNG = { signature: 8, overhead: 12, ancillary: 0x20 } as const;

/** Removes ancillary chunks: Firefox adds its own chunk, which changes no pixel. */
function withoutAncillaryChunks(png: Uint8Array): Uint8Array {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const kept = new Uint8Array(png.length);
  let length: number = PNG.signature;
  kept.set(png.subarray(0, length));
  for (let at = length; at < png.length; ) {
    const end = at + PNG.overhead + view.getUint32(at);
    const isAncillary = (png[at + 4]! & PNG.ancillary) !== 0;
    if (!isAncillary) kept.set(png.subarray(at, end), length);
    length += isAncillary ? 0 : end - at;
    at = end;
  }
  return kept.slice(0, length);
}

/** Side of the image that is written and read back, pixels. */
const TRIED_SIDE = 16;

let isCanvasTrue: boolean | undefined;

/** Rejects Firefox with `privacy.resistFingerprinting`, which reads noise: textures made of it would be noise, too. */
function expectTrueCanvas(): void {
  isCanvasTrue ??= readsWhatItWrites();
  if (isCanvasTrue) return;
  const setting = 'in Firefox, privacy.resistFingerprinting does that';
  throw new Error(`expected pixels as they are, but this browser falsifies them: ${setting}`);
}

function readsWhatItWrites(): boolean {
  const { context } = openCanvas(TRIED_SIDE, TRIED_SIDE);
  const written = new ImageData(TRIED_SIDE, TRIED_SIDE);
  for (let i = 0; i < written.data.length; i++) {
    const isAlpha = i % CANVAS_CHANNELS === CANVAS_CHANNELS - 1;
    written.data[i] = isAlpha ? 255 : (i * 37) % 256;
  }
  context.putImageData(written, 0, 0);
  const { data } = context.getImageData(0, 0, TRIED_SIDE, TRIED_SIDE);
  return data.every((value, i) => value === written.data[i]);
}

function openCanvas(width: number, height: number) {
  const canvas = new OffscreenCanvas(width, height);
  // The canvas is in memory, not on a graphics card: pixels are read, and a card may be lost.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error(`no canvas of ${width} × ${height} pixels`);
  return { canvas, context };
}

/** Renames the Exif data: browsers turn an image by it, whatever the options are. */
function withoutOrientation(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return copy;
  for (const { marker, from } of segmentsOf(bytes))
    if (marker === APP1 && EXIF.every((byte, i) => bytes[from + i] === byte)) copy[from] = 0;
  return copy;
}

async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    expectTrueCanvas();
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ConverterError('IMAGE_UNREADABLE', `image: ${message}`, { cause });
  }
}
