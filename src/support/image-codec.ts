/** Decodes and encodes images with sharp. */
import type { Sharp } from 'sharp';
import type { ImageCodec, Pixels } from '../model/image-codec.ts';
import { createBudget } from './budget.ts';
import { ConverterError } from './errors.ts';

/** Most pixels of an image. Larger images are refused; sharp checks this too, because a header may be wrong. */
const MAX_PIXELS = 8_192 ** 2;

/** Quality of re-encoded JPEGs: visually equal, about twice the size of the usual 80. */
const JPEG_QUALITY = 92;

/** Number of pixels that are decoded or encoded at the same time: a larger image is processed alone. */
const PIXELS_AT_ONCE = 32 * 1024 * 1024;

/**
 * The codec of the command line and of tests.
 *
 * @param pixelsAtOnce - Most pixels that are decoded or encoded at the same time.
 * @param maxPixels - Most pixels of one image; a larger image is `SCENE_TOO_LARGE`.
 * @example
 * ```ts
 * const { width, height } = await sharpImageCodec().decode(jpegBytes);
 * ```
 */
export function sharpImageCodec(
  pixelsAtOnce: number = PIXELS_AT_ONCE,
  maxPixels: number = MAX_PIXELS,
): ImageCodec {
  const pixels = createBudget(pixelsAtOnce);
  const inTurn = async <T>(count: number, work: () => Promise<T>): Promise<T> => {
    const release = await pixels.take(count);
    try {
      return await work();
    } finally {
      release();
    }
  };
  const encode = (image: Pixels, as: (sharp: Sharp) => Sharp): Promise<Uint8Array> =>
    guard(() =>
      inTurn(image.width * image.height, async () => as(await openPixels(image)).toBuffer()),
    );
  return {
    decode: (bytes, size, inSrgb) =>
      guard(async () => {
        const { image, facts } = await openTextureImage(bytes, MAX_PIXELS, inSrgb);
        const { channels, width, height } = facts;
        if (width * height > maxPixels) {
          const message = `image: expected at most ${maxPixels} pixels, received ${width} × ${height}`;
          throw new ConverterError('SCENE_TOO_LARGE', message);
        }
        return inTurn(width * height, () => decodePixels(image, channels, size));
      }),
    encodePng: (image) => encode(image, (sharp) => sharp.png({ compressionLevel: 9 })),
    encodeJpeg: (image) =>
      encode(image, (sharp) =>
        sharp.jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4', mozjpeg: false }),
      ),
  };
}

async function decodePixels(
  given: Sharp,
  channels: number | undefined,
  size: Parameters<ImageCodec['decode']>[1],
): Promise<Pixels> {
  let image = given
    .toColourspace(channels !== undefined && channels <= 2 ? 'b-w' : 'srgb')
    .removeAlpha();
  if (size) image = image.resize(size.width, size.height, { fit: 'fill' });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return {
    width: info.width,
    height: info.height,
    channels: info.channels === 1 ? 1 : 3,
    data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  };
}

async function openPixels({ data, width, height, channels }: Pixels) {
  const sharp = await loadSharp();
  const image = sharp(data, { raw: { width, height, channels } });
  return channels === 1 ? image.toColourspace('b-w') : image;
}

async function guard<T extends Uint8Array | Pixels>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ConverterError) throw cause;
    const message = cause instanceof Error ? cause.message.split('\n', 1)[0]! : String(cause);
    throw new ConverterError('IMAGE_UNREADABLE', `image: ${message}`, { cause });
  }
}

async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // The cache of sharp keeps decoders of large images: 4 GiB after six progressive JPEGs, 1.2 GiB without it.
  sharp.cache(false);
  return sharp;
}

/**
 * Opens an image of a texture. Its samples are not converted, as glTF requires of viewers, so that every form of it has
 * the colours of the unchanged file. Colour profiles and orientations are ignored; CMYK has no colours without its
 * profile.
 *
 * @param inSrgb - Whether to apply a profile instead of ignoring it.
 * @throws Errors of sharp.
 * @see D-552
 */
export async function openTextureImage(
  bytes: Uint8Array,
  limitInputPixels?: number,
  inSrgb = false,
) {
  const sharp = await loadSharp();
  const options = { failOn: 'error', ...(limitInputPixels && { limitInputPixels }) } as const;
  const facts = await sharp(bytes, options).metadata();
  return {
    image: sharp(bytes, { ...options, ignoreIcc: !inSrgb && facts.space !== 'cmyk' }),
    facts,
  };
}
