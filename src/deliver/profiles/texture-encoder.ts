/** Encodes textures with sharp, and as KTX2 in a thread; both are loaded for the first texture. */
import type { Sharp } from 'sharp';
import { ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import { openTextureImage } from '../../support/image-codec.ts';
import { createOnce } from '../making/once.ts';
import { type EncodeKtx2, openKtx2Encoder, type TextureMeaning } from './ktx2-encoder.ts';
import type { TextureFormat } from './profiles.ts';

export interface TextureRequest {
  bytes: Uint8Array;
  mimeType: string;
  meaning: TextureMeaning;
  format: Exclude<TextureFormat, 'kept'>;
  /** Whether the material uses its transparency. */
  isTransparent: boolean;
  /** Longest side, pixels; a smaller texture is not enlarged. */
  largest: number;
}

/** Encodes a texture; undefined if it is kept unchanged. */
export type EncodeTexture = (
  request: TextureRequest,
) => Promise<{ bytes: Uint8Array; mimeType: string } | undefined>;

/** A texture is encoded again, which loses quality, only if that saves this share of its bytes. */
const WORTH_IT = 0.1;

const ENCODINGS = {
  jpeg: (image) => image.removeAlpha().jpeg({ quality: 88, chromaSubsampling: '4:4:4' }),
  webp: (image) => image.webp({ quality: 80, alphaQuality: 100, smartSubsample: true, effort: 4 }),
  png: (image) => image.png({ compressionLevel: 9 }),
} as const satisfies Record<string, (image: Sharp) => Sharp>;

/** With WebP, normal maps become JPEG, which keeps all pixels of chroma. */
const encodeTexture =
  (encodeKtx2: EncodeKtx2): EncodeTexture =>
  async (request) => {
    const { bytes, mimeType, meaning, largest } = request;
    try {
      const { image, facts } = await openTextureImage(bytes);
      const { width, height, hasAlpha } = facts;
      const scale = Math.min(1, largest / Math.max(width, height));
      if (request.format === 'ktx2') {
        const [w, h] = [wholeBlocks(width * scale), wholeBlocks(height * scale)];
        const sized = image.resize(w, h, { fit: 'fill' }).toColourspace('srgb').ensureAlpha();
        const rgba = await sized.raw({ depth: 'uchar' }).toBuffer();
        const picture = { rgba: new Uint8Array(rgba), width: w, height: h };
        return { bytes: await encodeKtx2(picture, meaning), mimeType: 'image/ktx2' };
      }
      const format = formatOf(request, hasAlpha);
      const isSmaller = scale < 1;
      // A second loss is avoided: a JPEG that may stay a JPEG is not changed.
      if (!isSmaller && mimeType === `image/${format}`) return undefined;
      const side = (pixels: number) => Math.max(1, Math.round(pixels * scale));
      const sized = isSmaller ? image.resize(side(width), side(height), { fit: 'fill' }) : image;
      const encoded = new Uint8Array(
        await ENCODINGS[format](sized.toColourspace('srgb')).toBuffer(),
      );
      const mayStay = !isSmaller && mimeType !== 'image/webp';
      if (mayStay && encoded.length > bytes.length * (1 - WORTH_IT)) return undefined;
      return { bytes: encoded, mimeType: `image/${format}` };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.split('\n', 1)[0]! : String(cause);
      throw new ConverterError('IMAGE_UNREADABLE', `texture: ${reason}`, { cause });
    }
  };

/** The sides in whole blocks, which KHR_texture_basisu requires. */
function wholeBlocks(pixels: number): number {
  return Math.max(KTX2_BLOCK, KTX2_BLOCK * Math.round(pixels / KTX2_BLOCK));
}

const KTX2_BLOCK = 4;

function formatOf(
  { meaning, format, isTransparent }: TextureRequest,
  hasAlpha: boolean,
): keyof typeof ENCODINGS {
  if (meaning === 'normal' || format === 'ktx2') return 'jpeg';
  return format === 'jpeg' && isTransparent && hasAlpha ? 'png' : format;
}

/** An encoder, which starts a thread for the first KTX2. */
export interface TextureEncoder {
  encode: EncodeTexture;
  close(): Promise<void>;
}

/**
 * Opens an encoder, which encodes a texture that several masters share once. `encode` throws `IMAGE_UNREADABLE`.
 *
 * @param once - Encodes it once for several encoders.
 * @example
 * ```ts
 * const { encode } = openTextureEncoder();
 * const jpeg = { format: 'jpeg', meaning: 'colour', isTransparent: false, largest: 1024 } as const;
 * (await encode({ ...jpeg, bytes: png, mimeType: 'image/png' }))?.mimeType;   // → 'image/jpeg'
 * ```
 */
export function openTextureEncoder(once = createOnce()): TextureEncoder {
  const ktx2 = openKtx2Encoder();
  const encode = encodeTexture(ktx2.encode);
  return {
    encode(request) {
      const { bytes, ...wanted } = request;
      return once(`texture ${sha256Hex(bytes)} ${JSON.stringify(wanted)}`, () => encode(request));
    },
    close: ktx2.close,
  };
}
