/**
 * Scans the usual body of GET block straight into typed arrays, without a string, object or closure per
 * number: 6 to 10 times as fast as `JSON.parse` and a copy (test/bench/README.md).
 */
import type { Block, BlockSurface, Vec3 } from '../model/graphics.ts';
import { LARGEST_NUMBER } from './wire-value.ts';

/** Stands for an index that was no integer. */
export const NOT_AN_INDEX = -(2 ** 31);

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** 10^0 … 10^22: all exact in double precision. */
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

/** Largest relative error of a mantissa in two halves, divided once; see {@link longNumber}. */
const TWO_HALVES_ERROR = 2e-15;

/** A block in the making: a field that could not be scanned is undefined. */
type Draft = { [K in keyof Block]?: Block[K] | undefined };

/** Where the scanner stands; positions come back through it, numbers never do. */
interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/**
 * Scans a block body.
 *
 * @returns The block, or undefined where the body is not of the usual shape.
 *
 * @see D-301.
 */
export function scanBlock(bytes: Uint8Array): Block | undefined {
  const cursor: Cursor = { bytes, at: 0 };
  const block: Draft = { uvs: new Float64Array(0) };
  const done = scanObject(cursor, (key) => scanField(cursor, key, block));
  if (!done || skipBlanks(bytes, cursor.at) !== bytes.length) return undefined;
  if (!block.positions || !block.surfaces) return undefined;
  return {
    name: block.name ?? '',
    positionMetres: block.positionMetres ?? [0, 0, 0],
    rotationDegrees: block.rotationDegrees ?? [0, 0, 0],
    positions: block.positions,
    uvs: block.uvs!,
    uvStride: 0,
    surfaces: block.surfaces,
  };
}

function scanField(cursor: Cursor, key: number, block: Draft): boolean {
  switch (key) {
    case keyCode('N'):
      block.name = scanString(cursor);
      return block.name !== undefined;
    case keyCode('P'):
      block.positionMetres = scanVector(cursor);
      return block.positionMetres !== undefined;
    case keyCode('R'):
      block.rotationDegrees = scanVector(cursor);
      return block.rotationDegrees !== undefined;
    case keyCode('V'): {
      const numbers = scanNumbers(cursor);
      if (numbers) block.positions = new Float32Array(numbers);
      return numbers !== undefined;
    }
    case keyCode('T'):
      block.uvs = scanNumbers(cursor);
      return block.uvs !== undefined;
    case keyCode('A'):
      block.surfaces = scanSurfaces(cursor);
      return block.surfaces !== undefined;
    default:
      return false;
  }
}

function scanSurfaces(cursor: Cursor): BlockSurface[] | undefined {
  const surfaces: BlockSurface[] = [];
  if (!expect(cursor, OPEN_BRACKET)) return undefined;
  if (peek(cursor) === CLOSE_BRACKET) {
    cursor.at++;
    return surfaces;
  }
  for (;;) {
    const surface = scanSurface(cursor);
    if (!surface) return undefined;
    surfaces.push(surface);
    const next = peek(cursor);
    cursor.at++;
    if (next === CLOSE_BRACKET) return surfaces;
    if (next !== COMMA) return undefined;
  }
}

function scanSurface(cursor: Cursor): BlockSurface | undefined {
  let triangles: Int32Array | undefined;
  let uvIndices: Int32Array | undefined = new Int32Array(0);
  let closed: boolean | undefined;
  const done = scanObject(cursor, (key) => {
    if (key === keyCode('F')) triangles = scanIndices(cursor);
    else if (key === keyCode('TI')) uvIndices = scanIndices(cursor);
    else if (key === keyCode('C')) closed = scanBoolean(cursor);
    else return false;
    return key === keyCode('F')
      ? triangles !== undefined
      : key === keyCode('TI')
        ? uvIndices !== undefined
        : closed !== undefined;
  });
  return done && triangles && uvIndices ? { triangles, uvIndices, closed } : undefined;
}

/** `{"key":value,…}`: the key's one or two bytes as a number, the value by the callback. */
function scanObject(cursor: Cursor, scanValue: (key: number) => boolean): boolean {
  if (!expect(cursor, OPEN_BRACE)) return false;
  if (peek(cursor) === CLOSE_BRACE) {
    cursor.at++;
    return true;
  }
  for (;;) {
    const key = scanKey(cursor);
    if (key === 0 || !expect(cursor, COLON)) return false;
    cursor.at = skipBlanks(cursor.bytes, cursor.at);
    if (!scanValue(key)) return false;
    const next = peek(cursor);
    cursor.at++;
    if (next === CLOSE_BRACE) return true;
    if (next !== COMMA) return false;
  }
}

function keyCode(key: string): number {
  return key.length === 1 ? key.charCodeAt(0) : key.charCodeAt(0) | (key.charCodeAt(1) << 8);
}

function scanKey(cursor: Cursor): number {
  if (!expect(cursor, QUOTE)) return 0;
  const { bytes, at } = cursor;
  if (bytes[at + 1] === QUOTE) {
    cursor.at = at + 2;
    return bytes[at]!;
  }
  if (bytes[at + 2] !== QUOTE) return 0;
  cursor.at = at + 3;
  return bytes[at]! | (bytes[at + 1]! << 8);
}

function scanString(cursor: Cursor): string | undefined {
  if (!expect(cursor, QUOTE)) return undefined;
  const end = cursor.bytes.indexOf(QUOTE, cursor.at);
  if (end < 0) return undefined;
  const text = new TextDecoder().decode(cursor.bytes.subarray(cursor.at, end));
  cursor.at = end + 1;
  return text.includes('\\') ? undefined : text;
}

function scanBoolean(cursor: Cursor): boolean | undefined {
  for (const [word, value] of [
    ['true', true],
    ['false', false],
  ] as const) {
    const end = cursor.at + word.length;
    if (String.fromCharCode(...cursor.bytes.subarray(cursor.at, end)) !== word) continue;
    cursor.at = end;
    return value;
  }
  return undefined;
}

function scanVector(cursor: Cursor): Vec3 | undefined {
  const numbers = scanNumbers(cursor);
  // Nonsense is for the slow way to word.
  return numbers?.length === 3 && numbers.every((value) => Math.abs(value) <= LARGEST_NUMBER)
    ? [numbers[0]!, numbers[1]!, numbers[2]!]
    : undefined;
}

/** Finds `[` … `]` and how many numbers may stand between; leaves the cursor behind the `[`. */
function openArray(cursor: Cursor): { end: number; count: number } | undefined {
  if (!expect(cursor, OPEN_BRACKET)) return undefined;
  const { bytes } = cursor;
  cursor.at = skipBlanks(bytes, cursor.at);
  const end = bytes.indexOf(CLOSE_BRACKET, cursor.at);
  if (end < 0) return undefined;
  return { end, count: end === cursor.at ? 0 : countCommas(bytes, cursor.at, end) + 1 };
}

function countCommas(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (bytes[i] === COMMA) count++;
  return count;
}

function scanNumbers(cursor: Cursor): Float64Array | undefined {
  const array = openArray(cursor);
  if (!array) return undefined;
  const out = new Float64Array(array.count);
  const end = fillNumbers(cursor.bytes, cursor.at, array.end, out);
  if (end !== array.end) return undefined;
  cursor.at = end + 1;
  return out;
}

/**
 * Reads numbers up to `end`; returns `end`, or -1 at anything that is no plain list of numbers.
 *
 * Up to nine digits are gathered in an int32 and divided once by a power of ten, which rounds as
 * `Number()` does. Longer ones are read again by {@link longNumber}.
 */
function fillNumbers(bytes: Uint8Array, start: number, end: number, out: Float64Array): number {
  let at = start;
  for (let i = 0; i < out.length; i++) {
    at = skipBlanks(bytes, at);
    const from = at;
    let byte = bytes[at]!;
    const negative = byte === MINUS;
    if (negative) byte = bytes[++at]!;
    let mantissa = 0;
    let digits = 0;
    let decimals = 0;
    const firstDigit = at;
    while (byte >= ZERO && byte <= 0x39) {
      if (digits < 9) mantissa = (mantissa * 10 + (byte - ZERO)) | 0;
      digits++;
      byte = bytes[++at]!;
    }
    if (digits === 0 || (digits > 1 && bytes[firstDigit] === ZERO)) return -1;
    if (byte === DOT) {
      byte = bytes[++at]!;
      const before = digits;
      while (byte >= ZERO && byte <= 0x39) {
        if (digits < 9) mantissa = (mantissa * 10 + (byte - ZERO)) | 0;
        digits++;
        byte = bytes[++at]!;
      }
      decimals = digits - before;
      if (decimals === 0) return -1;
    }
    if (byte === 0x65 || byte === 0x45) {
      at = skipExponent(bytes, at);
      if (at < 0) return -1;
      out[i] = numberOf(bytes, from, at);
    } else if (digits <= 9) {
      const value = decimals === 0 ? mantissa : mantissa / POWERS_OF_TEN[decimals]!;
      out[i] = negative ? -value : value;
    } else {
      out[i] = longNumber(bytes, from, at, decimals);
    }
    at = skipBlanks(bytes, at);
    if (i + 1 < out.length && bytes[at++] !== COMMA) return -1;
  }
  return at === end ? end : -1;
}

/** Behind the exponent that starts at `at`, or -1. */
function skipExponent(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  if (bytes[next] === MINUS || bytes[next] === 0x2b) next++;
  const first = next;
  while (bytes[next]! >= ZERO && bytes[next]! <= 0x39) next++;
  return next === first ? -1 : next;
}

/**
 * A number of ten digits and more: two halves of up to nine digits each, put together and divided
 * once. Up to 15 digits that is exact. Beyond, it is off by less than {@link TWO_HALVES_ERROR};
 * where that could change the float32 that becomes of it, `Number()` decides.
 */
function longNumber(bytes: Uint8Array, from: number, to: number, decimals: number): number {
  let high = 0;
  let low = 0;
  let digits = 0;
  let significant = 0;
  let lowDigits = 0;
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) continue;
    digits++;
    if (significant === 0 && digit === 0) continue;
    significant++;
    if (significant <= 9) high = (high * 10 + digit) | 0;
    else if (significant <= 18) {
      low = (low * 10 + digit) | 0;
      lowDigits++;
    }
  }
  const dropped = Math.max(0, significant - 18);
  const scale = decimals - dropped;
  if (digits > 40 || scale < 0 || scale > 22) return numberOf(bytes, from, to);
  const mantissa = high * POWERS_OF_TEN[lowDigits]! + low;
  const value = (bytes[from] === MINUS ? -mantissa : mantissa) / POWERS_OF_TEN[scale]!;
  if (significant <= 15) return value;
  const sure =
    Math.fround(value * (1 - TWO_HALVES_ERROR)) === Math.fround(value * (1 + TWO_HALVES_ERROR));
  return sure ? value : numberOf(bytes, from, to);
}

function numberOf(bytes: Uint8Array, from: number, to: number): number {
  return Number(new TextDecoder().decode(bytes.subarray(from, to)));
}

function scanIndices(cursor: Cursor): Int32Array | undefined {
  const array = openArray(cursor);
  if (!array) return undefined;
  const out = new Int32Array(array.count);
  const end = fillIndices(cursor.bytes, cursor.at, array.end, out);
  if (end !== array.end) return undefined;
  cursor.at = end + 1;
  return out;
}

/** Reads plain whole numbers below 10^9; returns `end`, or -1 at anything else. */
function fillIndices(bytes: Uint8Array, start: number, end: number, out: Int32Array): number {
  let at = start;
  for (let i = 0; i < out.length; i++) {
    let byte = bytes[at]!;
    if (byte <= 0x20) {
      at = skipBlanks(bytes, at);
      byte = bytes[at]!;
    }
    const from = at;
    let value = 0;
    while (byte >= ZERO && byte <= 0x39) {
      value = (value * 10 + (byte - ZERO)) | 0;
      byte = bytes[++at]!;
    }
    const digits = at - from;
    if (digits === 0 || digits > 9 || (digits > 1 && bytes[from] === ZERO)) return -1;
    out[i] = value;
    if (byte <= 0x20) {
      at = skipBlanks(bytes, at);
      byte = bytes[at]!;
    }
    if (i + 1 < out.length) {
      if (byte !== COMMA) return -1;
      at++;
    }
  }
  return at === end ? end : -1;
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    at++;
  }
  return at;
}

function peek(cursor: Cursor): number {
  cursor.at = skipBlanks(cursor.bytes, cursor.at);
  return cursor.bytes[cursor.at] ?? -1;
}

function expect(cursor: Cursor, byte: number): boolean {
  if (peek(cursor) !== byte) return false;
  cursor.at++;
  return true;
}
