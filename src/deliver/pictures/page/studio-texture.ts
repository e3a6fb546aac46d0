/** The studio's light as a texture of three.js. */
import {
  CompressedCubeTexture,
  HalfFloatType,
  LinearFilter,
  LinearMipmapNearestFilter,
  RGBAFormat,
  type Texture,
} from 'three';
import { STUDIO_MAP } from '../studio.ts';

/** Makes the environment of scenes from the texels of `drawStudioMap`. */
export function studioTexture(texels: Uint16Array<ArrayBuffer>): Texture {
  const { largest } = STUDIO_MAP;
  const faces = Array.from({ length: 6 }, () => {
    return {
      width: largest,
      height: largest,
      mipmaps: [] as { data: Uint16Array; width: number; height: number }[],
    };
  });
  let at = 0;
  for (let size: number = largest; size >= STUDIO_MAP.smallest; size /= 2) {
    for (const { mipmaps } of faces) {
      const data = new Uint16Array(4 * size * size);
      for (let i = 0; i < size * size; i++, at++) data.fill(texels[at]!, 4 * i, 4 * i + 4);
      mipmaps.push({ data, width: size, height: size });
    }
  }
  // Only for this kind of cube texture, three.js uses all levels unchanged.
  const texture = new CompressedCubeTexture(faces as never, RGBAFormat as never, HalfFloatType);
  Object.assign(texture, {
    minFilter: LinearMipmapNearestFilter,
    magFilter: LinearFilter,
    isPMREMTexture: true,
    // The faces are as OpenGL defines them; three.js expects mirrored faces for images.
    isRenderTargetTexture: true,
    needsUpdate: true,
  });
  return texture;
}
