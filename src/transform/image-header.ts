/**
 * Image headers: what an image is, told by its bytes and never by its name.
 *
 * Enough to pass an image through: kind, size, channels and depth. Whether the rest is whole shows
 * when it is decoded once.
 */

/** What the header says. */
export interface ImageHeader {
  kind: 'jpeg' | 'png';
  width: number;
  height: number;
  /** Colour channels as stored: 1 grey, 3 colour, 4 CMYK. PNG: 1 grey, 3 otherwise. */
  channels: number;
  bitsPerChannel: number;
  /** Baseline or progressive Huffman, which every viewer reads. */
  common: boolean;
}

/**
 * Reads the header of a JPEG or PNG.
 *
 * @returns Undefined for anything else, or where the header itself is broken.
 *
 * @example
 * ```ts
 * readImageHeader(bytes); // → { kind: 'jpeg', width: 1024, height: 1024, channels: 3, … }
 * ```
 *
 * @see D-550.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return readJpeg(bytes);
  return PNG_SIGNATURE.every((byte, i) => bytes[i] === byte) ? readPng(bytes) : undefined;
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Frame markers: SOF0 to SOF15 without DHT (C4), JPG (C8) and DAC (CC). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readJpeg(bytes: Uint8Array): ImageHeader | undefined {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (isFrame(marker)) {
      return {
        kind: 'jpeg',
        bitsPerChannel: bytes[at + 4]!,
        height: (bytes[at + 5]! << 8) | bytes[at + 6]!,
        width: (bytes[at + 7]! << 8) | bytes[at + 8]!,
        channels: bytes[at + 9]!,
        common: marker <= 0xc2 && bytes[at + 4] === 8,
      };
    }
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}

function readPng(bytes: Uint8Array): ImageHeader | undefined {
  if (bytes.length < 33) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const colorType = bytes[25]!;
  return {
    kind: 'png',
    width: view.getUint32(16),
    height: view.getUint32(20),
    channels: colorType === 0 || colorType === 4 ? 1 : 3,
    bitsPerChannel: bytes[24]!,
    common: true,
  };
}
