/** The used part of qoijs, a codec of QOI files, which has no types of its own. */
declare module 'qoijs' {
  interface Description {
    width: number;
    height: number;
    channels: 3 | 4;
    /** Colour space; 0: sRGB with linear alpha. */
    colorspace: 0 | 1;
  }
  const codec: {
    encode(pixels: Uint8Array, description: Description): ArrayBuffer;
    decode(
      file: ArrayBufferLike,
      byteOffset: number,
      byteLength: number,
    ): Description & { data: Uint8Array };
  };
  export default codec;
}
