/** Encodes textures with sharp, which is loaded for the first one. */
import { LRUCache } from 'lru-cache';
import type { Sharp } from 'sharp';
import { ConverterError } from '../support/errors.ts';
import { sha256Hex } from '../support/files.ts';

/** What a texture means: directions, or what bears a loss of chroma. */
export type TextureMeaning = 'normal' | 'other';

/** A texture and what it is to become. */
export interface TextureRequest {
  bytes: Uint8Array;
  mimeType: string;
  meaning: TextureMeaning;
  /** How a texture is stored that is no normal map. */
  format: 'jpeg' | 'webp';
  /** Whether the material uses its transparency. */
  isTransparent: boolean;
  /** Longest side, pixels; a smaller texture is not enlarged. */
  largest: number;
}

/** Encodes a texture; undefined where it stays as it is. */
export type EncodeTexture = (
  request: TextureRequest,
) => Promise<{ bytes: Uint8Array; mimeType: string } | undefined>;

/** A texture is encoded again, with the loss that it costs, only if that saves this part of its bytes. */
const WORTH_IT = 0.1;

/** Images of the service are textures: no colour profile, no orientation. */
const ENCODINGS = {
  jpeg: (image) => image.removeAlpha().jpeg({ quality: 88, chromaSubsampling: '4:4:4' }),
  webp: (image) => image.webp({ quality: 80, alphaQuality: 100, smartSubsample: true, effort: 4 }),
  png: (image) => image.png({ compressionLevel: 9 }),
} as const satisfies Record<string, (image: Sharp) => Sharp>;

/**
 * Encodes with sharp. Normal maps are never stored with fewer pixels of chroma, as WebP has.
 *
 * @throws {@link ConverterError} `IMAGE_UNREADABLE`
 */
export const encodeTexture: EncodeTexture = async (request) => {
  const { bytes, mimeType, largest } = request;
  try {
    const { default: sharp } = await import('sharp');
    // As in image-codec.ts: its cache keeps decoders of large images.
    sharp.cache(false);
    const image = sharp(bytes, { failOn: 'error' });
    const { width, height, hasAlpha } = await image.metadata();
    const format = formatOf(request, hasAlpha);
    const scale = largest / Math.max(width, height);
    const isSmaller = scale < 1;
    // Loss upon loss: a JPEG that may stay one stays as it is.
    if (!isSmaller && mimeType === `image/${format}`) return undefined;
    const side = (pixels: number) => Math.max(1, Math.round(pixels * scale));
    const sized = isSmaller ? image.resize(side(width), side(height), { fit: 'fill' }) : image;
    const encoded = new Uint8Array(await ENCODINGS[format](sized.toColourspace('srgb')).toBuffer());
    const mayStay = !isSmaller && mimeType !== 'image/webp';
    if (mayStay && encoded.length > bytes.length * (1 - WORTH_IT)) return undefined;
    return { bytes: encoded, mimeType: `image/${format}` };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0]! : String(cause);
    throw new ConverterError('IMAGE_UNREADABLE', `texture: ${reason}`, { cause });
  }
};

function formatOf(
  { meaning, format, isTransparent }: TextureRequest,
  hasAlpha: boolean,
): keyof typeof ENCODINGS {
  if (meaning === 'normal') return 'jpeg';
  return format === 'jpeg' && isTransparent && hasAlpha ? 'png' : format;
}

/** Most bytes of encoded textures that are kept: those of a series, which its articles share. */
const REMEMBERED_BYTES = 64e6;

/** The encoder, which encodes a texture that several masters share once. */
export function remembering(encode: EncodeTexture): EncodeTexture {
  type Encoded = Awaited<ReturnType<EncodeTexture>>;
  const kept = new LRUCache<string, { encoded: Encoded }>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ encoded }) => 1 + (encoded?.bytes.length ?? 0),
  });
  return async (request) => {
    const { bytes, ...wanted } = request;
    const key = `${sha256Hex(bytes)} ${JSON.stringify(wanted)}`;
    const known = kept.get(key);
    if (known !== undefined) return known.encoded;
    const encoded = await encode(request);
    kept.set(key, { encoded });
    return encoded;
  };
}
