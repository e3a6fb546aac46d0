/** Makes GLBs of articles one after the other, with what they share: the cache of meshes. */
import type { ImageCodec } from '../model/image-codec.ts';
import type { ContentReader, ConversionInput } from './model/input.ts';
import type { Scene } from './model/scene.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from './transform/convert-options.ts';
import { createMeshCache } from './transform/mesh-cache.ts';
import { transformArticle } from './transform/transform-article.ts';
import { writeGlb } from './write/glb.ts';

interface GlbInput {
  snapshot: ConversionInput;
  read: ContentReader;
  /** @defaultValue {@link CONVERT_DEFAULTS} */
  options: Partial<ConvertOptions>;
  /** Called between the steps; if it throws, the conversion ends. */
  betweenSteps(): Promise<void>;
}

/**
 * Creates the function that converts an article.
 *
 * @param cacheBytes - Size beyond which the least recently used meshes are evicted.
 * @returns A function that returns the GLB, and the scene in it; its errors are those of {@link transformArticle}.
 */
export function createGlbConverter(images: ImageCodec, cacheBytes: number) {
  const cache = createMeshCache(cacheBytes);
  return async (input: GlbInput): Promise<{ scene: Scene; glb: Uint8Array }> => {
    const options = { ...CONVERT_DEFAULTS, ...input.options };
    const scene = await transformArticle({ ...input, options, images, cache });
    await input.betweenSteps();
    return { scene, glb: writeGlb(scene) };
  };
}
