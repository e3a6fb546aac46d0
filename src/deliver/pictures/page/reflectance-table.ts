/** Three.js's table of how much light a surface reflects, as bytes. */
import { DataTexture, DataUtils, LinearFilter, type Texture } from 'three';
import { getDFGLUT } from 'three/src/renderers/shaders/DFGLUTData.js';

/** GLSL: the factors of two channels of {@link reflectanceTexture}, whose sum is a share. */
export const SHARE_OF_BYTES = `vec2(${[256, 1].map((factor) => factor / 257)})`;

/**
 * Makes the table with each share as two bytes, the high one first: software rendering samples bytes in less time than
 * floats. Across: by roughness; up: by the cosine of the angle of view; RG: the factor of the colour of the reflection; BA:
 * what is added to it.
 */
export function reflectanceTexture(): Texture {
  const { data: shares, width, height } = getDFGLUT().image;
  const data = new Uint8Array(2 * shares.length);
  for (const [i, share] of shares.entries()) {
    const value = Math.round(DataUtils.fromHalfFloat(share) * 0xffff);
    data.set([value >> 8, value & 0xff], 2 * i);
  }
  const texture = new DataTexture(data, width, height);
  Object.assign(texture, { minFilter: LinearFilter, magFilter: LinearFilter, needsUpdate: true });
  return texture;
}
