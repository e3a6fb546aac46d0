/** Decoding and encoding of images, a parameter of transform, which stays pure. */

/** Interleaved 8-bit pixels, row by row from the top. */
export interface Pixels {
  width: number;
  height: number;
  /** Number of channels: 1 grey, 3 colour in sRGB or data, depending on the image. */
  channels: 1 | 3;
  data: Uint8Array;
}

/** Decodes and encodes pictures. Every method rejects with `IMAGE_UNREADABLE` on bad bytes. */
export interface ImageCodec {
  /**
   * Decodes to 8-bit pixels.
   *
   * @param size - Exact size of the result, if given.
   * @param inSrgb - Whether to apply a colour profile of the image. @defaultValue false
   */
  decode(
    bytes: Uint8Array,
    size?: { width: number; height: number } | undefined,
    inSrgb?: boolean,
  ): Promise<Pixels>;
  /** Encodes as PNG, lossless. */
  encodePng(pixels: Pixels): Promise<Uint8Array>;
  /** Encodes as JPEG without chroma subsampling. */
  encodeJpeg(pixels: Pixels): Promise<Uint8Array>;
}
