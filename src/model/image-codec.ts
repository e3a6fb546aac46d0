/**
 * Image work that transform needs but does not do itself: handed in, so that it stays pure.
 */

/** What an image's own bytes say about it. */
export interface ImageInfo {
  mimeType: 'image/jpeg' | 'image/png' | 'other';
  width: number;
  height: number;
  /** Channels as stored: 1 grey, 3 colour, 4 CMYK or with alpha. */
  channels: number;
  bitsPerChannel: number;
}

/** Interleaved 8-bit pixels, row by row from the top. */
export interface Pixels {
  width: number;
  height: number;
  channels: 1 | 3;
  data: Uint8Array;
}

/** Decodes and encodes pictures. Every method rejects with `IMAGE_UNREADABLE` on bad bytes. */
export interface ImageCodec {
  /** Reads size and kind; decodes nothing. */
  probe(bytes: Uint8Array): Promise<ImageInfo>;
  /** Decodes to 8-bit pixels, resized to exactly the given size where one is given. */
  decode(bytes: Uint8Array, size?: { width: number; height: number }): Promise<Pixels>;
  /** Encodes lossless. */
  encodePng(pixels: Pixels): Promise<Uint8Array>;
  /** Encodes as JPEG 4:4:4. */
  encodeJpeg(pixels: Pixels): Promise<Uint8Array>;
}
