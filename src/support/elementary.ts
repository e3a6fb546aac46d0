/**
 * Elementary functions that return the same bits on every engine, because they use only the four
 * operations and the square root, which IEEE 754 defines to the last bit; ECMAScript leaves those of
 * `Math.sin` to the engine. Each function is within 1e-15 of the value, relatively, and about as fast (D-750).
 */

/** π/2 in three parts: a product of one of the first two with an integer below 2^19 is exact. */
const HALF_PI = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21] as const;
/** Largest angle that is reduced with all three parts; larger ones are first reduced by the nearest double to 2π. */
const LARGEST_REDUCED = 2 ** 19;
/** π less its nearest double. */
const PI_REST = 1.2246467991473532e-16;

/** ln 2 in two parts: a product of the first with an exponent is exact. */
const LN2 = [0.6931471803691238, 1.9082149292705877e-10] as const;
const EXP_RANGE = 746;

/** n! for n from 17 down to 2. */
const FACTORIALS = [
  355687428096000, 20922789888000, 1307674368000, 87178291200, 6227020800, 479001600, 39916800,
  3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2,
];
/** Taylor's series without their first terms; coefficients from the highest power. */
const SIN_SERIES = alternating(FACTORIALS.filter((_, i) => i % 2 === 0));
const COS_SERIES = alternating(FACTORIALS.filter((n, i) => i % 2 === 1 && n > 2));
const EXP_SERIES = Float64Array.from(FACTORIALS.slice(4), (n) => 1 / n);
const LN_SERIES = Float64Array.of(23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3).map((n) => 1 / n);

const SMALLEST_NORMAL = 2 ** -1022;
const bits = new DataView(new ArrayBuffer(8));

/** Sine of an angle in radians; NaN if the angle is infinite. */
export function sin(radians: number): number {
  return sine(radians, 0);
}

/** Cosine of an angle in radians; NaN if the angle is infinite. */
export function cos(radians: number): number {
  return sine(radians, 1);
}

/** Tangent of an angle in radians. */
export function tan(radians: number): number {
  return sine(radians, 0) / sine(radians, 1);
}

/** The angle 0..π, in radians, of a cosine −1..1; NaN for other values. */
export function acos(cosine: number): number {
  // acos x = 2 asin √((1 − x) / 2) keeps the argument of asin within ½.
  if (cosine > 0.5) return 2 * asinOfHalf(Math.sqrt((1 - cosine) / 2), 0);
  if (cosine < -0.5) return Math.PI - (2 * asinOfHalf(Math.sqrt((1 + cosine) / 2), 0) - PI_REST);
  return Math.PI / 2 - asinOfHalf(cosine, -PI_REST / 2);
}

/** e to a power. */
export function exp(power: number): number {
  return expOf(power, 0);
}

/**
 * A power of a finite base ≥ 0; NaN for other bases.
 *
 * @example `pow(0.5, 2.4); // → 0.18946457081379978`
 */
export function pow(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1;
  if (base === 0) return exponent > 0 ? 0 : 1 / base;
  if (!(base > 0 && base < Infinity)) return NaN;
  const [high, low] = logarithm(base);
  const product = exponent * high;
  return expOf(product, productError(exponent, high, product) + exponent * low);
}

/** A number times itself. */
export function square(value: number): number {
  return value * value;
}

/** The length of a vector; exact for zeros and infinities, without overflow of intermediate values. */
export function hypot(x: number, y: number, z = 0): number {
  const squares = x * x + y * y + z * z;
  if (squares > 1e-280 && squares < 1e300) return Math.sqrt(squares);
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (!(largest > 0 && largest < Infinity)) return largest;
  const [a, b, c] = [x / largest, y / largest, z / largest];
  return largest * Math.sqrt(a * a + b * b + c * c);
}

/** The sine of an angle plus some quarter turns. */
function sine(radians: number, quarters: number): number {
  const angle = Math.abs(radians) < LARGEST_REDUCED ? radians : radians % (2 * Math.PI);
  const turns = Math.round(angle * (2 / Math.PI));
  const left = angle - turns * HALF_PI[0];
  const moved = turns * HALF_PI[1];
  const high = left - moved;
  const change = high - left;
  const low = left - (high - change) - (moved + change) - turns * HALF_PI[2];
  const quadrant = (turns + quarters) & 3;
  const value = (quadrant & 1) === 0 ? sineNear0(high, low) : cosineNear0(high, low);
  return quadrant < 2 ? value : -value;
}

/** The sine for |high + low| ≤ π/4, with `low` far below `high`. */
function sineNear0(high: number, low: number): number {
  const z = high * high;
  return high + (high * z * polynomial(SIN_SERIES, z) + low * (1 - z / 2));
}

/** The cosine in the same range. */
function cosineNear0(high: number, low: number): number {
  const z = high * high;
  const begin = 1 - z / 2;
  return begin + (1 - begin - z / 2 + (z * z * polynomial(COS_SERIES, z) - high * low));
}

/**
 * asin x + rest for |x| ≤ ½: x plus x³ times a polynomial in x², in two halves that run in parallel,
 * because normals need an angle for each corner. The coefficients interpolate (asin x − x) / x³ at the
 * 12 Chebyshev points of 0 ≤ x² ≤ ¼, computed with 60 digits; the error is 6e-17.
 */
function asinOfHalf(x: number, rest: number): number {
  const z = x * x;
  const w = z * z;
  let even = -0.010749050339697808;
  even = even * w + 0.0078029494773533175;
  even = even * w + 0.013929652902326633;
  even = even * w + 0.02237204763174451;
  even = even * w + 0.044642857103423646;
  even = even * w + 0.1666666666666665;
  let odd = 0.028169218060881414;
  odd = odd * w + 0.01603551434914882;
  odd = odd * w + 0.011875494382636922;
  odd = odd * w + 0.017355259955786323;
  odd = odd * w + 0.03038194736709848;
  odd = odd * w + 0.07500000000020764;
  return x + (x * z * (even + odd * z) + rest);
}

/** e^(high + low): 2^k times Taylor's series of what is left, which is at most ½ ln 2. */
function expOf(high: number, low: number): number {
  if (!(Math.abs(high) < EXP_RANGE)) return high < 0 ? 0 : high + Infinity;
  const k = Math.round(high / (LN2[0] + LN2[1]));
  const x = high - k * LN2[0] + (low - k * LN2[1]);
  const half = k >> 1;
  return (1 + (x + x * x * polynomial(EXP_SERIES, x))) * powerOf2(half) * powerOf2(k - half);
}

/** The natural logarithm of a positive number as the sum of two doubles. */
function logarithm(value: number): [number, number] {
  const isNormal = value >= SMALLEST_NORMAL;
  bits.setFloat64(0, isNormal ? value : value * 2 ** 54);
  let exponent = (bits.getUint32(0) >>> 20) - (isNormal ? 1023 : 1077);
  bits.setUint32(0, (bits.getUint32(0) & 0xfffff) | (1023 << 20));
  let mantissa = bits.getFloat64(0);
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent++;
  }
  // ln m = 2 (s + s³/3 + s⁵/5 + …) with s = (m − 1) / (m + 1), here s + sRest.
  const above = mantissa - 1;
  const below = mantissa + 1;
  const s = above / below;
  const back = s * below;
  const belowRest = mantissa - (below - 1);
  const sRest = (above - back - productError(s, below, back) - s * belowRest) / below;
  const z = s * s;
  const first = exponent * LN2[0];
  const begin = first + 2 * s;
  const lost = begin - first;
  const beginRest = first - (begin - lost) + (2 * s - lost);
  const rest = beginRest + (2 * (sRest + s * z * polynomial(LN_SERIES, z)) + exponent * LN2[1]);
  const high = begin + rest;
  return [high, rest - (high - begin)];
}

function alternating(divisors: readonly number[]): Float64Array {
  return Float64Array.from(divisors, (n, i) => (i % 2 === 0 ? 1 : -1) / n);
}

/** A polynomial with the given coefficients, highest power first. */
function polynomial(coefficients: Float64Array, x: number): number {
  let sum = 0;
  for (let i = 0; i < coefficients.length; i++) sum = sum * x + coefficients[i]!;
  return sum;
}

/** The rounding error of a product (Dekker): a·b − product, exactly. */
function productError(a: number, b: number, product: number): number {
  const aHigh = upperHalf(a);
  const bHigh = upperHalf(b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

/** The upper 26 bits of a double (Veltkamp). */
function upperHalf(value: number): number {
  const spread = value * 134_217_729;
  return spread - (spread - value);
}

function powerOf2(exponent: number): number {
  bits.setUint32(0, (exponent + 1023) << 20);
  bits.setUint32(4, 0);
  return bits.getFloat64(0);
}
