/**
 * The textures of the last models: models of a range share their materials. Decoding an image and sending it to the graphics
 * takes as long as the rest of a small picture, so each is done once, in no more pixels than the picture shows.
 */
import { Texture } from 'three';
import type { GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { imageSizeOf } from '../image-size.ts';

/** Memory of the textures that are kept, bytes: some thirty of 512². */
const MOST_BYTES = 48 * 1024 * 1024;
/** Bytes of a texel with its smaller forms. */
const TEXEL_BYTES = (4 * 4) / 3;
const SMALLEST_SIDE = 256;

interface Kept {
  texture: Texture;
  bytes: number;
  /** A texture for each way in which the graphics have the image; they keep it there. */
  uploaded: Map<string, Texture>;
}

/** Images by their digest and side; the last one was used last. */
const images = new Map<string, Kept>();
/** The same by the source of their textures. */
const bySource = new WeakMap<object, Kept>();

/**
 * Lets a loader use the images that are known, and decodes the others.
 *
 * @param pixels - The longest side of the pictures.
 */
export async function provideImages(parser: GLTFParser, pixels: number): Promise<void> {
  const { json, sourceCache } = parser as GLTFParser & {
    sourceCache: Record<number, Promise<Texture>>;
  };
  const side = Math.max(SMALLEST_SIDE, 2 ** Math.ceil(Math.log2(pixels)));
  for (const [i, { bufferView, mimeType }] of (json.images ?? []).entries()) {
    if (bufferView === undefined) continue;
    const file = new Uint8Array(await parser.getDependency('bufferView', bufferView));
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', file)).join();
    const key = `${digest} ${side}`;
    const image = images.get(key) ?? (await decoded(file, mimeType, side));
    // The loader has a sentence for an image that cannot be decoded.
    if (image === undefined) continue;
    images.delete(key);
    images.set(key, image);
    sourceCache[i] = Promise.resolve(image.texture);
  }
}

async function decoded(file: Uint8Array<ArrayBuffer>, type: string, side: number) {
  const { width, height } = imageSizeOf(file) ?? { width: 1, height: 1 };
  const scale = side / Math.max(width, height);
  const pixels = (length: number) => Math.max(1, Math.round(length * scale));
  const bitmap = await createImageBitmap(new Blob([file], { type }), {
    premultiplyAlpha: 'none',
    colorSpaceConversion: 'none',
    ...(scale < 1 && {
      ...{ resizeWidth: pixels(width), resizeHeight: pixels(height) },
      resizeQuality: 'high' as const,
    }),
  }).catch(() => undefined);
  if (bitmap === undefined) return undefined;
  const texture = new Texture(bitmap);
  texture.needsUpdate = true;
  const bytes = bitmap.width * bitmap.height * TEXEL_BYTES;
  const image: Kept = { texture, bytes, uploaded: new Map() };
  bySource.set(texture.source, image);
  return image;
}

/** Marks textures as unchanged: a copy of a texture would be sent to the graphics again. */
export function reuseImages(textures: Iterable<Texture>): void {
  for (const { source } of textures) if (bySource.has(source)) source.version = 1;
}

/** Frees textures that are drawn no longer, except images that the next models may have. */
export function releaseTextures(textures: Iterable<Texture>): void {
  for (const texture of textures) {
    const uploaded = bySource.get(texture.source)?.uploaded;
    const { wrapS, wrapT, magFilter, minFilter, colorSpace } = texture;
    const form = [wrapS, wrapT, magFilter, minFilter, colorSpace].join();
    if (uploaded === undefined || (uploaded.get(form) ?? texture) !== texture) texture.dispose();
    else uploaded.set(form, texture);
  }
  let bytes = 0;
  for (const image of images.values()) bytes += image.bytes * Math.max(1, image.uploaded.size);
  for (const [key, image] of images) {
    if (bytes <= MOST_BYTES) return;
    images.delete(key);
    bytes -= image.bytes * Math.max(1, image.uploaded.size);
    for (const texture of image.uploaded.values()) texture.dispose();
    image.texture.dispose();
    (image.texture.image as ImageBitmap).close();
  }
}
