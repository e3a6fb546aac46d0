/** Images: their headers, read from bytes rather than names, and arithmetic on decoded pixels. */

import type { Pixels } from '../../model/image-codec.ts';
import { hypot } from '../../support/elementary.ts';
import { linearFromSrgb } from '../math/color.ts';
import type { LinearRgb } from '../model/scene.ts';

/** The fields of a header; decoding shows whether the rest of the image is complete. */
export interface ImageHeader {
  kind: 'jpeg' | 'png' | 'gif' | 'webp' | 'bmp';
  width: number;
  height: number;
  /** Whether every viewer can read the image directly: a PNG, or a Huffman-coded JPEG of 8 bits in grey or colour. */
  isPlain: boolean;
}

type HeaderReader = (bytes: Uint8Array, view: DataView) => ImageHeader | undefined;

/** The bytes at the start of each kind, as Latin-1, and the size of its header. */
const READERS: readonly { signature: string; least: number; read: HeaderReader }[] = [
  { signature: '\xff\xd8', least: 2, read: readJpeg },
  {
    signature: '\x89PNG\r\n\x1a\n',
    least: 33,
    read: (_, view) => sized('png', view.getUint32(16), view.getUint32(20)),
  },
  {
    signature: 'GIF8',
    least: 13,
    read: (_, view) => sized('gif', view.getUint16(6, true), view.getUint16(8, true)),
  },
  { signature: 'RIFF', least: 30, read: readWebp },
  {
    signature: 'BM',
    least: 26,
    read: (_, view) => sized('bmp', view.getInt32(18, true), Math.abs(view.getInt32(22, true))),
  },
];

/**
 * Reads the header of an image (D-552).
 *
 * @returns Undefined for an unknown kind, or if the header itself is broken.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = READERS.find(
    ({ signature, least }) => bytes.length >= least && startsWith(bytes, signature),
  );
  return reader?.read(bytes, view);
}

function startsWith(bytes: Uint8Array, latin1: string, at = 0): boolean {
  return Array.from(latin1).every((character, i) => bytes[at + i] === character.charCodeAt(0));
}

function sized(kind: ImageHeader['kind'], width: number, height: number): ImageHeader {
  return { kind, width, height, isPlain: kind === 'png' };
}

/** The three forms of a WebP: extended, lossless and lossy. */
function readWebp(bytes: Uint8Array, view: DataView): ImageHeader | undefined {
  const form = startsWith(bytes, 'WEBP', 8) ? String.fromCharCode(...bytes.subarray(12, 16)) : '';
  const at24 = view.getUint32(23, true) >>> 8;
  const at27 = view.getUint32(26, true) >>> 8;
  const packed = view.getUint32(21, true);
  if (form === 'VP8X') return sized('webp', 1 + at24, 1 + at27);
  if (form === 'VP8L') return sized('webp', 1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff));
  if (form !== 'VP8 ') return undefined;
  return sized('webp', view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
}

interface Segment {
  marker: number;
  from: number;
  to: number;
}

/** The segments of a JPEG, as long as each begins with a marker. */
export function* segmentsOf(bytes: Uint8Array): Generator<Segment> {
  let at = 2;
  while (at + 3 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    yield { marker, from: at + 4, to: at + 2 + length };
    if (length < 2) return;
    at += 2 + length;
  }
}

/** Frame markers: SOF0 to SOF15 without DHT (C4), JPG (C8) and DAC (CC). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readJpeg(bytes: Uint8Array, view: DataView): ImageHeader | undefined {
  for (const { marker, from } of segmentsOf(bytes)) {
    if (!isFrame(marker)) continue;
    if (from + 5 >= bytes.length) return undefined;
    const isUsual = bytes[from] === 8 && (bytes[from + 5] === 1 || bytes[from + 5] === 3);
    return {
      kind: 'jpeg',
      height: view.getUint16(from + 1),
      width: view.getUint16(from + 3),
      isPlain: marker <= 0xc2 && isUsual,
    };
  }
  return undefined;
}

/** The mean of |R − G| + |G − B|, each from 0 to 255: 0 for a grey image. */
export function colorDifference({ channels, data }: Pixels): number {
  if (channels === 1) return 0;
  let difference = 0;
  for (let i = 0; i < data.length; i += 3) {
    difference += Math.abs(data[i]! - data[i + 1]!) + Math.abs(data[i + 1]! - data[i + 2]!);
  }
  return difference / (data.length / 3);
}

/** The mean colour, averaged in linear light. */
export function meanLinear({ channels, data }: Pixels): LinearRgb {
  const table = Float64Array.from({ length: 256 }, (_, i) => linearFromSrgb(i / 255));
  const sum = [0, 0, 0];
  for (let i = 0; i < data.length; i += channels) {
    for (let k = 0; k < 3; k++) sum[k]! += table[data[channels === 3 ? i + k : i]!]!;
  }
  const count = data.length / channels;
  return [sum[0]! / count, sum[1]! / count, sum[2]! / count];
}

/** Packs two images of one size, roughness into green and metallic into blue; the other channels are 255 (D-507). */
export function packChannels(roughness: Pixels | undefined, metallic: Pixels | undefined): Pixels {
  const { width, height } = (roughness ?? metallic)!;
  const data = new Uint8Array(width * height * 3).fill(255);
  for (let i = 0; i < width * height; i++) {
    if (roughness) data[3 * i + 1] = dataChannel(roughness, i);
    if (metallic) data[3 * i + 2] = dataChannel(metallic, i);
  }
  return { width, height, channels: 3, data };
}

/** The value of a picture used as data: its green channel, the middle of a grey with noise. */
function dataChannel({ channels, data }: Pixels, pixel: number): number {
  return channels === 1 ? data[pixel]! : data[3 * pixel + 1]!;
}

/** Inverts the green channel of a normal map whose green points the other way. */
export function turnGreen({ width, height, channels, data }: Pixels): Pixels {
  const turned = Uint8Array.from(data);
  if (channels === 3) for (let i = 1; i < turned.length; i += 3) turned[i] = 255 - turned[i]!;
  return { width, height, channels, data: turned };
}

/** Factor on height differences between neighbours: a full step over one pixel is 45° × 4. */
const HEIGHT_STRENGTH = 4;

/** A tangent-space normal map (+Y green) of a height map that repeats both ways (D-504). */
export function normalsFromHeights(heights: Pixels): Pixels {
  const { width, height } = heights;
  const at = (x: number, y: number) =>
    dataChannel(heights, ((y + height) % height) * width + ((x + width) % width)) / 255;
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const dx = (at(x - 1, y) - at(x + 1, y)) * HEIGHT_STRENGTH;
      const dy = (at(x, y + 1) - at(x, y - 1)) * HEIGHT_STRENGTH;
      const length = hypot(dx, dy, 1);
      const i = 3 * (y * width + x);
      data[i] = Math.round((dx / length) * 127.5 + 127.5);
      data[i + 1] = Math.round((dy / length) * 127.5 + 127.5);
      data[i + 2] = Math.round((1 / length) * 127.5 + 127.5);
    }
  }
  return { width, height, channels: 3, data };
}
