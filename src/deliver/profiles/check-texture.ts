/** Compares encoded textures with their sources: their files are decoded again. */
import type { Material, Texture } from '@gltf-transform/core';
import { ConverterError } from '../../support/errors.ts';
import { sha256Hex } from '../../support/files.ts';
import { openTextureImage } from '../../support/image-codec.ts';
import type { Once } from '../making/once.ts';

/**
 * Sides to which both images are reduced, pixels. In one of them what an image shows must be left: the noise of WebP is
 * as strong as fine cloth in the larger, and a grid of holes as coarse as the pixels of the smaller.
 */
const SIDES = [64, 32] as const;
/**
 * Noise of WebP, of 255: a weaker change is not seen (small images of one colour change by up to 2.1), and a weaker
 * contrast shows nothing.
 */
const NOISE = 3;

/**
 * The largest differences of a channel: of its mean, of 255, and of what it shows, as a share of its contrast. The
 * textures of the sample range and of real furniture differ by at most 2.7 and 0.53; images that were turned or
 * exchanged mostly by 0.63 to 1.5.
 */
export const LARGEST_DIFFERENCES = { mean: 8, structure: 0.6 } as const;

/**
 * Compares textures with what they were; KTX2 cannot be decoded here.
 *
 * @param sources - The former file of each texture.
 * @param once - Compares each pair of files once.
 * @throws {@link ConverterError} `COMPRESSION_FAILED` with the difference.
 */
export async function compareTextures(
  sources: ReadonlyMap<Texture, Uint8Array>,
  once: Once,
): Promise<void> {
  for (const [texture, source] of sources) {
    const encoded = texture.getImage()!;
    if (encoded === source || texture.getMimeType() === 'image/ktx2') continue;
    const withAlpha = isTransparent(texture);
    const key = `compared ${sha256Hex(source)} ${sha256Hex(encoded)} ${withAlpha}`;
    await once(key, () => compareTexture(source, encoded, withAlpha));
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
  let structure = Number.POSITIVE_INFINITY;
  for (const side of SIDES) {
    const [before, after] = await Promise.all([source, encoded].map((one) => pixelsOf(one, side)));
    let worst = 0;
    for (let channel = 0; channel < (withAlpha ? 4 : 3); channel++) {
      const was = momentsOf(side, (at) => before![at + channel]!);
      const change = momentsOf(side, (at) => after![at + channel]! - before![at + channel]!);
      expectAtMost('mean', Math.abs(change.mean));
      if (change.deviation > NOISE)
        worst = Math.max(worst, change.deviation / (was.deviation + NOISE));
    }
    structure = Math.min(structure, worst);
  }
  expectAtMost('structure', structure);
}

function momentsOf(
  side: number,
  valueAt: (at: number) => number,
): { mean: number; deviation: number } {
  const count = side * side;
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
async function pixelsOf(bytes: Uint8Array, side: number): Promise<Uint8Array> {
  const { image } = await openTextureImage(bytes);
  const reduced = image.resize(side, side, { fit: 'fill' }).toColourspace('srgb').ensureAlpha();
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
