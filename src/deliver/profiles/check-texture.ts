/** Compares encoded textures with their sources: their files are decoded again. */
import type { Material, Texture } from '@gltf-transform/core';
import { ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import { openTextureImage } from '../../support/image-codec.ts';

/** Side to which both images are reduced, pixels: a stripe is still visible, and most noise of WebP is not. */
const SIDE = 64;
/** Added to the contrast of an image, of 255: below it, noise of WebP is as strong as what the image shows. */
const NOISE = 4;

/**
 * The largest differences of a channel: of its mean, of 255, and of what it shows, as a share of its contrast. The
 * textures of the sample range differ by at most 2.7 and 0.46; an image that was turned or exchanged by 0.6 to 1.5.
 */
export const LARGEST_DIFFERENCES = { mean: 8, structure: 0.55 } as const;

/**
 * Compares textures with what they were; KTX2 cannot be decoded here.
 *
 * @param sources - The former file of each texture.
 * @param compared - Notes each pair of files, which is compared once.
 * @throws {@link ConverterError} `COMPRESSION_FAILED` with the difference.
 */
export async function compareTextures(
  sources: ReadonlyMap<Texture, Uint8Array>,
  compared: Set<string>,
): Promise<void> {
  for (const [texture, source] of sources) {
    const encoded = texture.getImage()!;
    const key = `${sha256Hex(source)} ${sha256Hex(encoded)}`;
    if (encoded === source || texture.getMimeType() === 'image/ktx2' || compared.has(key)) continue;
    await compareTexture(source, encoded, isTransparent(texture));
    compared.add(key);
  }
}

/** Whether a material uses the transparency of a texture. */
export function isTransparent(texture: Texture): boolean {
  return texture
    .listParents()
    .some((parent) => 'getAlphaMode' in parent && (parent as Material).getAlphaMode() !== 'OPAQUE');
}

/**
 * Compares an encoded texture with its source.
 *
 * @param withAlpha - Whether its transparency counts.
 * @throws {@link ConverterError} `COMPRESSION_FAILED` with the difference.
 */
export async function compareTexture(
  source: Uint8Array,
  encoded: Uint8Array,
  withAlpha: boolean,
): Promise<void> {
  const [before, after] = await Promise.all([source, encoded].map(pixelsOf));
  for (let channel = 0; channel < (withAlpha ? 4 : 3); channel++) {
    const was = momentsOf((at) => before![at + channel]!);
    const change = momentsOf((at) => after![at + channel]! - before![at + channel]!);
    expectAtMost('mean', Math.abs(change.mean));
    expectAtMost('structure', change.deviation / (was.deviation + NOISE));
  }
}

/** The mean of a value of each pixel, and the standard deviation. */
function momentsOf(valueAt: (at: number) => number): { mean: number; deviation: number } {
  const count = SIDE * SIDE;
  let [sum, squares] = [0, 0];
  for (let at = 0; at < 4 * count; at += 4) {
    const value = valueAt(at);
    sum += value;
    squares += value * value;
  }
  const mean = sum / count;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}

/** RGBA, 8 bits. */
async function pixelsOf(bytes: Uint8Array): Promise<Uint8Array> {
  const { image } = await openTextureImage(bytes);
  const reduced = image.resize(SIDE, SIDE, { fit: 'fill' }).toColourspace('srgb').ensureAlpha();
  return new Uint8Array(await reduced.raw({ depth: 'uchar' }).toBuffer());
}

const UNITS = { mean: 'of 255', structure: 'of its contrast' } as const satisfies Record<
  keyof typeof LARGEST_DIFFERENCES,
  string
>;

function expectAtMost(kind: keyof typeof LARGEST_DIFFERENCES, received: number): void {
  const most = LARGEST_DIFFERENCES[kind];
  if (received <= most) return;
  throw new ConverterError(
    'COMPRESSION_FAILED',
    `texture: ${kind}: expected a difference of at most ${most} ${UNITS[kind]}, received ${received.toFixed(2)}`,
  );
}
