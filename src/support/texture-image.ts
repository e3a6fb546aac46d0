/** Opens images of textures with sharp, which is loaded for the first of them. */
import type { Metadata, Sharp } from 'sharp';

/** An image whose pixels are read as samples. */
export interface TextureImage {
  image: Sharp;
  facts: Metadata;
}

/** Loads sharp. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // Its cache keeps decoders of large images: 4 GiB after six progressive JPEGs, 1.2 GiB without it.
  sharp.cache(false);
  return sharp;
}

/**
 * Opens an image of a texture: its samples are what they are, as glTF asks of viewers, so that every form of it has the
 * colours of the file that passes through. Colour profiles and orientations are ignored; CMYK has no colours without its
 * profile.
 *
 * @param inSrgb - Whether a profile is not ignored, but applied.
 * @throws Errors of sharp.
 * @see D-552
 */
export async function openTextureImage(
  bytes: Uint8Array,
  limitInputPixels?: number,
  inSrgb = false,
): Promise<TextureImage> {
  const sharp = await loadSharp();
  const options = { failOn: 'error', ...(limitInputPixels && { limitInputPixels }) } as const;
  const facts = await sharp(bytes, options).metadata();
  return {
    image: sharp(bytes, { ...options, ignoreIcc: !inSrgb && facts.space !== 'cmyk' }),
    facts,
  };
}
