/** Reads JSON lists of numbers. */
import { get, set } from './arena';

const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const PLUS: u32 = 0x2b;
const DOT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const LOWER_E: u32 = 0x65;
const UPPER_E: u32 = 0x45;

/** 10^0 … 10^22: all exact in double precision. */
const POWERS_OF_TEN: usize = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]);

/** Largest relative error of a mantissa in two halves, divided once; see {@link longNumber}. */
const TWO_HALVES_ERROR: f64 = 2e-15;

/** What `Number()` returns for the text of a number. */
declare function numberOf(text: usize, length: i32): f64;

function byteAt(at: usize): u32 {
  return load<u8>(at);
}

function isDigit(byte: u32): bool {
  return byte - ZERO <= 9;
}

function skipBlanks(from: usize): usize {
  let at = from;
  while (true) {
    const byte = byteAt(at);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** What is not a digit among eight bytes, whose digits are 0 to 9: some bits of each such byte up to the first. */
function notDigits(bytes: u64): u64 {
  return ((bytes + 0x0606060606060606) | bytes) & 0xf0f0f0f0f0f0f0f0;
}

/** The number of eight digits, the first in the lowest byte: pairs, then fours, then all are joined. */
function eightDigits(digits: u64): u32 {
  const pairs = digits * 10 + (digits >> 8);
  const first = (pairs & 0x000000ff000000ff) * 0x000f424000000064;
  const second = ((pairs >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  return <u32>((first + second) >> 32);
}

/** Eight bytes, in which digits are 0 to 9. */
function bytesAt(at: usize): u64 {
  return load<u64>(at) ^ 0x3030303030303030;
}

/** The number of digits that eight such bytes begin with. */
function digitCount(bytes: u64): i32 {
  const rest = notDigits(bytes);
  return rest === 0 ? 8 : <i32>(ctz(rest) >> 3);
}

/** The number that the first digits of eight such bytes make, at least one. */
function numberIn(bytes: u64, digits: i32): u32 {
  return eightDigits(bytes << (64 - 8 * digits));
}

/**
 * Reads numbers separated by commas, eight digits at once. One of up to eight decimals and nine digits is an integer
 * that is divided once by a power of ten, which rounds as `Number()` does.
 *
 * @param text - Followed by one more comma and seven bytes.
 * @param out - f32 or f64 each.
 * @returns How many; -1 at anything else.
 */
export function scanNumbers(text: usize, length: i32, out: usize, isSingle: bool): i32 {
  const end = text + length;
  let at = text;
  let count = 0;
  while (true) {
    let byte = byteAt(at);
    if (byte <= 0x20) {
      at = skipBlanks(at);
      byte = byteAt(at);
    }
    const from = at;
    if (byte === MINUS) byte = byteAt(++at);
    const firstDigit = at;
    let mantissa: i64 = 0;
    for (; isDigit(byte); byte = byteAt(++at)) mantissa = mantissa * 10 + <i32>(byte - ZERO);
    let digits = <i32>(at - firstDigit);
    if (digits === 0 || (digits > 1 && byteAt(firstDigit) === ZERO)) return -1;
    let decimals: i32 = 0;
    if (byte === DOT) {
      const bytes = bytesAt(++at);
      decimals = digitCount(bytes);
      if (decimals === 0) return -1;
      mantissa = mantissa * <i64>get<f64>(POWERS_OF_TEN, decimals) + numberIn(bytes, decimals);
      at += decimals;
      byte = byteAt(at);
      for (; isDigit(byte); byte = byteAt(++at)) decimals++;
      digits += decimals;
    }
    let value: f64;
    if (byte === LOWER_E || byte === UPPER_E) {
      at = skipExponent(at);
      if (at === 0) return -1;
      value = numberOf(from, <i32>(at - from));
    } else if (digits <= 9 && decimals <= 8) {
      value = <f64>mantissa;
      if (decimals !== 0) value /= get<f64>(POWERS_OF_TEN, decimals);
      if (from !== firstDigit) value = -value;
    } else {
      value = longNumber(from, at, decimals);
    }
    if (isSingle) set<f32>(out, count, <f32>value);
    else set<f64>(out, count, value);
    count++;
    if (byteAt(at) !== COMMA) at = skipBlanks(at);
    if (at === end) return count;
    if (byteAt(at++) !== COMMA) return -1;
  }
}

/** Behind the exponent that starts at `at`, or 0. */
function skipExponent(at: usize): usize {
  let next = at + 1;
  if (byteAt(next) === MINUS || byteAt(next) === PLUS) next++;
  const first = next;
  while (isDigit(byteAt(next))) next++;
  return next === first ? 0 : next;
}

/**
 * A number of ten digits and more: two halves of up to nine digits each, put together and divided once. Up to 15
 * digits that is exact. Beyond, it is off by less than {@link TWO_HALVES_ERROR}; where that could change the float32
 * that becomes of it, `Number()` decides.
 */
function longNumber(from: usize, to: usize, decimals: i32): f64 {
  let high: i32 = 0;
  let low: i32 = 0;
  let digits: i32 = 0;
  let significant: i32 = 0;
  let lowDigits: i32 = 0;
  for (let at = from; at < to; at++) {
    const digit = byteAt(at) - ZERO;
    if (digit > 9) continue;
    digits++;
    if (significant === 0 && digit === 0) continue;
    significant++;
    if (significant <= 9) high = high * 10 + <i32>digit;
    else if (significant <= 18) {
      low = low * 10 + <i32>digit;
      lowDigits++;
    }
  }
  const dropped = max(0, significant - 18);
  const scale = decimals - dropped;
  if (digits > 40 || scale < 0 || scale > 22) return numberOf(from, <i32>(to - from));
  const mantissa = <f64>high * get<f64>(POWERS_OF_TEN, lowDigits) + <f64>low;
  const value = (byteAt(from) === MINUS ? -mantissa : mantissa) / get<f64>(POWERS_OF_TEN, scale);
  if (significant <= 15) return value;
  const isSure =
    <f32>(value * (1.0 - TWO_HALVES_ERROR)) === <f32>(value * (1.0 + TWO_HALVES_ERROR));
  return isSure ? value : numberOf(from, <i32>(to - from));
}

/** Reads whole numbers from 0 to 10^8 - 1, as {@link scanNumbers} does; `out` takes an i32 each. */
export function scanIndices(text: usize, length: i32, out: usize): i32 {
  const end = text + length;
  let at = text;
  let count = 0;
  while (true) {
    if (byteAt(at) <= 0x20) at = skipBlanks(at);
    const bytes = bytesAt(at);
    const digits = digitCount(bytes);
    if (digits === 0 || (digits > 1 && (bytes & 0xff) === 0)) return -1;
    set<i32>(out, count, numberIn(bytes, digits));
    at += digits;
    count++;
    if (byteAt(at) !== COMMA) at = skipBlanks(at);
    if (at === end) return count;
    if (byteAt(at++) !== COMMA) return -1;
  }
}
