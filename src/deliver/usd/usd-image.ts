/** Images without their colour profiles: glTF ignores profiles, and readers of USD may apply them. */

interface Piece {
  from: number;
  to: number;
  isProfile: boolean;
}

/** The pieces of a file in their order, up to its end; undefined if the file has another format. */
type Cutter = (bytes: Uint8Array, view: DataView) => Piece[] | undefined;

const CUTTERS: Readonly<Record<string, Cutter>> = { 'image/jpeg': cutJpeg, 'image/png': cutPng };

/**
 * The image without colour profile, gamma and primaries: its pixels are unchanged.
 *
 * @returns The same bytes if the file has none of these, or cannot be read.
 */
export function withoutProfile(bytes: Uint8Array, mimeType: string): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pieces = CUTTERS[mimeType]?.(bytes, view);
  if (!pieces?.some(({ isProfile }) => isProfile)) return bytes;
  const kept = pieces.filter(({ isProfile }) => !isProfile);
  const result = new Uint8Array(kept.reduce((sum, { from, to }) => sum + to - from, 0));
  let at = 0;
  for (const { from, to } of kept) {
    result.set(bytes.subarray(from, to), at);
    at += to - from;
  }
  return result;
}

/** Divides a JPEG (ITU T.81, annex B): segments with a marker and a length, up to the start of the scan. */
function cutJpeg(bytes: Uint8Array, view: DataView): Piece[] | undefined {
  const [start, scan, application2] = [0xffd8, 0xffda, 0xffe2];
  if (bytes.length < 4 || view.getUint16(0) !== start) return undefined;
  const pieces: Piece[] = [{ from: 0, to: 2, isProfile: false }];
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = view.getUint16(at);
    if (marker === scan) return [...pieces, { from: at, to: bytes.length, isProfile: false }];
    const to = at + 2 + view.getUint16(at + 2);
    if (marker < 0xff01 || to > bytes.length) return undefined;
    const isProfile = marker === application2 && hasText(bytes, at + 4, 'ICC_PROFILE\0');
    pieces.push({ from: at, to, isProfile });
    at = to;
  }
  return undefined;
}

/** Chunks of PNG that determine how its values become colours. */
const PROFILE_CHUNKS = ['iCCP', 'gAMA', 'cHRM'] as const;

/** Divides a PNG (third edition, chapter 5): after eight bytes, chunks with a length, a type and their own checksum. */
function cutPng(bytes: Uint8Array, view: DataView): Piece[] | undefined {
  if (!hasText(bytes, 1, 'PNG')) return undefined;
  const pieces: Piece[] = [{ from: 0, to: 8, isProfile: false }];
  for (let at = 8; at < bytes.length; ) {
    const to = at + 12 <= bytes.length ? at + 12 + view.getUint32(at) : Infinity;
    if (to > bytes.length) return undefined;
    const isProfile = PROFILE_CHUNKS.some((type) => hasText(bytes, at + 4, type));
    pieces.push({ from: at, to, isProfile });
    at = to;
  }
  return pieces;
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  return Array.from(text).every((character, i) => bytes[at + i] === character.charCodeAt(0));
}
