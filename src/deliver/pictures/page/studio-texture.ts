/** The studio's light as a texture of three.js. */
import {
  CompressedCubeTexture,
  DataUtils,
  HalfFloatType,
  LinearFilter,
  LinearMipmapNearestFilter,
  RGBAFormat,
  type Texture,
  type TextureDataType,
  UnsignedByteType,
} from 'three';
import { STUDIO_MAP } from '../studio.ts';

/** Makes the environment of scenes from the texels of `drawStudioMap`. */
export function studioTexture(texels: Uint16Array<ArrayBuffer>): Texture {
  const data = new Uint16Array(4 * texels.length);
  for (const [i, texel] of texels.entries()) data.fill(texel, 4 * i, 4 * i + 4);
  return cubeTexture(data, HalfFloatType);
}

/** The largest radiance that two bytes stand for. */
const MOST_RADIANCE = 2.5;

/** GLSL: the factors of the first two channels of {@link studioByteTexture}, whose sum is the radiance. */
export const RADIANCE_OF_BYTES = `vec2(${[256, 1].map((factor) => (MOST_RADIANCE * factor) / 257)})`;

/**
 * Makes the same environment with each radiance as two bytes, the high one first, for shaders that know
 * {@link RADIANCE_OF_BYTES}: software rendering samples bytes in less time than floats, and the pixels are the same.
 *
 * @throws Error if a radiance exceeds {@link MOST_RADIANCE}.
 */
export function studioByteTexture(texels: Uint16Array<ArrayBuffer>): Texture {
  const data = new Uint8Array(4 * texels.length);
  for (const [i, texel] of texels.entries()) {
    const value = Math.round((DataUtils.fromHalfFloat(texel) / MOST_RADIANCE) * 0xffff);
    if (value > 0xffff) throw new Error(`expected a radiance up to ${MOST_RADIANCE}`);
    data.set([value >> 8, value & 0xff], 4 * i);
  }
  return cubeTexture(data, UnsignedByteType);
}

/** @param data - RGBA: level by level, face by face, row by row. */
function cubeTexture(data: Uint16Array | Uint8Array, type: TextureDataType): Texture {
  const { largest } = STUDIO_MAP;
  const faces = Array.from({ length: 6 }, () => {
    return {
      width: largest,
      height: largest,
      mipmaps: [] as { data: typeof data; width: number; height: number }[],
    };
  });
  let at = 0;
  for (let size: number = largest; size >= STUDIO_MAP.smallest; size /= 2) {
    for (const { mipmaps } of faces) {
      const end = at + 4 * size * size;
      mipmaps.push({ data: data.subarray(at, end), width: size, height: size });
      at = end;
    }
  }
  // Only for this kind of cube texture, three.js uses all levels unchanged.
  const texture = new CompressedCubeTexture(faces as never, RGBAFormat as never, type);
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
