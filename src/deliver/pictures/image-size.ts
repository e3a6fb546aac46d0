/** The size of an image, from the header of its file: a reader learns the memory that it takes before it is decoded. */
import type { PictureSize } from './shot.ts';

type Reader = (bytes: DataView) => PictureSize | undefined;

const READERS: readonly Reader[] = [readPng, readJpeg, readWebp];

/**
 * Reads the size of a PNG, JPEG or WebP file.
 *
 * @returns Pixels; undefined if the file has another format, or ends too early.
 * @example
 * ```ts
 * imageSizeOf(png);   // → { width: 1024, height: 512 }
 * ```
 */
export function imageSizeOf(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const read of READERS) {
    try {
      const size = read(view);
      if (size !== undefined) return size;
    } catch {
      // The file ends too early.
    }
  }
  return undefined;
}

/** PNG, third edition, 11.2.1: the first chunk begins with the size. */
function readPng(view: DataView): PictureSize | undefined {
  if (view.getUint32(0) !== 0x89504e47) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Markers of tables, and a reserved marker, among the markers of frames. */
const NO_FRAMES: readonly number[] = [0xffc4, 0xffc8, 0xffcc];

/** ITU T.81, B.2.2: a frame header has height and width; segments before it have a length. */
function readJpeg(view: DataView): PictureSize | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    // Bytes 0xff may precede a marker.
    while (view.getUint16(at) === 0xffff) at++;
    const marker = view.getUint16(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && !NO_FRAMES.includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    if (marker < 0xff01) return undefined;
  }
}

/** RFC 9649, chapter 2: the first chunk determines which of three kinds the file is. */
function readWebp(view: DataView): PictureSize | undefined {
  const [riff, webp] = [0x52494646, 0x57454250];
  if (view.getUint32(0) !== riff || view.getUint32(8) !== webp) return undefined;
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (kind === 'VP8X') {
    const threeBytes = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
    return { width: threeBytes(24) + 1, height: threeBytes(27) + 1 };
  }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8 ') return undefined;
  return {
    width: view.getUint16(26, true) & 0x3fff,
    height: view.getUint16(28, true) & 0x3fff,
  };
}
