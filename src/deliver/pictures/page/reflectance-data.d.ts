/** A table of three.js that has no types. */
declare module 'three/src/renderers/shaders/DFGLUTData.js' {
  /** 16 × 16 texels at half precision: across by roughness, up by the cosine of the angle of view. */
  export function getDFGLUT(): { image: { data: Uint16Array; width: number; height: number } };
}
