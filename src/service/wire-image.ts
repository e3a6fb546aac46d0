/**
 * Images: whether a body is one, and whether all of it arrived.
 *
 * In: a raw body. Out: its kind, told by its bytes. Nothing is decoded and nothing is changed.
 */
import { ConverterError } from '../support/errors.ts';

/** Kinds of image that are told apart. */
export type ImageKind = 'jpeg' | 'png' | 'gif' | 'bmp' | 'webp';

interface KindRule {
  kind: ImageKind;
  /** Bytes at the start, as Latin-1. */
  signature: string;
  isComplete(bytes: Uint8Array): boolean;
}

const KINDS: readonly KindRule[] = [
  { kind: 'jpeg', signature: '\xff\xd8\xff', isComplete: jpegHasEnd },
  { kind: 'png', signature: '\x89PNG\r\n\x1a\n', isComplete: pngHasEnd },
  { kind: 'gif', signature: 'GIF8', isComplete: (bytes) => bytes.includes(0x3b, 13) },
  { kind: 'bmp', signature: 'BM', isComplete: (bytes) => lengthAt(bytes, 2) <= bytes.length },
  {
    kind: 'webp',
    signature: 'RIFF',
    isComplete: (bytes) => lengthAt(bytes, 4) + 8 <= bytes.length,
  },
];

/**
 * Checks that a body is an image from its first to its last byte.
 *
 * @param body - Raw body of GET materials.
 * @returns What it is; most are JPEGs, whatever the name says.
 * @throws {@link ConverterError} `RESPONSE_INVALID` if it is no image, or only the beginning of one.
 *
 * @example
 * ```ts
 * checkImage(jpegBytes); // → 'jpeg'
 * checkImage(jpegBytes.subarray(0, 1000)); // throws RESPONSE_INVALID
 * ```
 *
 * @see Spec 4.4 (materials); D-550 (the type is told by the bytes).
 */
export function checkImage(body: Uint8Array): ImageKind {
  const rule = KINDS.find(({ signature }) => startsWith(body, signature));
  if (rule === undefined) {
    throw new ConverterError('RESPONSE_INVALID', 'expected an image, received something else');
  }
  if (!rule.isComplete(body)) {
    throw new ConverterError(
      'RESPONSE_INVALID',
      `expected a complete ${rule.kind.toUpperCase()} image, received only a part of it`,
    );
  }
  return rule.kind;
}

/**
 * Walks the markers of a JPEG up to its end marker. A search for the last two bytes alone would
 * take the end of an embedded thumbnail for the end of the picture, and miss padded files.
 */
function jpegHasEnd(bytes: Uint8Array): boolean {
  let at = 2;
  while (at + 1 < bytes.length) {
    // In compressed data FF 00 is a value and FF D0 to FF D7 are restarts: neither ends anything.
    at = bytes.indexOf(0xff, at);
    if (at < 0 || at + 1 >= bytes.length) return false;
    const marker = bytes[at + 1]!;
    if (marker === 0xd9) return true;
    const isStandalone = marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (marker === 0xff) at += 1;
    else if (isStandalone) at += 2;
    else at += 2 + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0);
  }
  return false;
}

/** Walks the chunks of a PNG up to IEND. */
function pngHasEnd(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 8;
  while (at + 12 <= bytes.length) {
    if (startsWith(bytes.subarray(at + 4), 'IEND')) return true;
    at += 12 + view.getUint32(at);
  }
  return false;
}

function startsWith(bytes: Uint8Array, latin1: string): boolean {
  if (bytes.length < latin1.length) return false;
  for (let index = 0; index < latin1.length; index++) {
    if (bytes[index] !== latin1.charCodeAt(index)) return false;
  }
  return true;
}

/** Little-endian 32-bit length; endless where the bytes do not reach so far. */
function lengthAt(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + 4) return Number.POSITIVE_INFINITY;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
