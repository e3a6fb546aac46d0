/** Checks the values of numeric properties as decimal text, without rounding. */
/** One interval of a numeric property; a missing bound is open. */
export interface NumberRange {
  from?: number;
  /** @defaultValue `GE` */
  opfrom?: 'GT' | 'GE';
  to?: number;
  /** @defaultValue `LE` */
  opto?: 'LT' | 'LE';
  /** Step width, counted from the lower bound, or from 0 without one. */
  raster?: number;
}

/** The decimal form of a numeric property. */
export interface NumberForm {
  /** Maximum number of digits, before and after the point. */
  digits: number;
  /** Maximum number of digits after the point. */
  decdigits: number;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * The canonical form of a decimal number: no leading zeros, no trailing zeros, no `-0`.
 *
 * @returns Undefined if the text is no number with at most so many digits, such as `1e3`, `1,5`, blanks.
 *
 * @example
 * ```ts
 * canonicalNumber('072.50', { digits: 4, decdigits: 1 }); // → '72.5'
 * canonicalNumber('72.55', { digits: 4, decdigits: 1 });  // → undefined
 * ```
 */
export function canonicalNumber(text: string, form: NumberForm): string | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const whole = match[2]!.replace(/^0+(?=\d)/, '');
  const fraction = (match[3] ?? '').replace(/0+$/, '');
  if (fraction.length > form.decdigits || whole.length + fraction.length > form.digits) {
    return undefined;
  }
  const number = fraction === '' ? whole : `${whole}.${fraction}`;
  return match[1] === '-' && number !== '0' ? `-${number}` : number;
}

/**
 * Whether a number is in a range and on its raster.
 *
 * The function counts in whole units of the last decimal place, so that 0.3 is three steps of 0.1.
 *
 * @param number - Number in canonical form.
 */
export function isInRange(number: string, range: NumberRange, decdigits: number): boolean {
  const units = (value: number): number => Math.round(value * powerOf10(decdigits));
  const value = units(Number(number));
  const { from, to, raster } = range;
  if (from !== undefined && !(range.opfrom === 'GT' ? value > units(from) : value >= units(from))) {
    return false;
  }
  if (to !== undefined && !(range.opto === 'LT' ? value < units(to) : value <= units(to))) {
    return false;
  }
  return raster === undefined || (value - units(from ?? 0)) % units(raster) === 0;
}

/**
 * The nearest allowed number; of two equally near numbers, the smaller one.
 *
 * @param ranges - Ranges, each of which has a raster or allows every unit of the last decimal place.
 * @returns The number in canonical form; undefined if the ranges allow no number.
 *
 * @example
 * ```ts
 * nearestNumber('1730', [{ from: 800, to: 1600, raster: 50 }], { digits: 4, decdigits: 0 });
 * // → '1600'
 * ```
 */
export function nearestNumber(
  number: string,
  ranges: readonly NumberRange[],
  form: NumberForm,
): string | undefined {
  const candidates = ranges.flatMap((range) => around(Number(number), range, form.decdigits));
  const allowed = candidates
    .map((value) => canonicalNumber(value.toFixed(form.decdigits), form))
    .filter((text) => text !== undefined)
    .filter((text) => ranges.some((range) => isInRange(text, range, form.decdigits)));
  const distance = (text: string): number => Math.abs(Number(text) - Number(number));
  return allowed.sort((a, b) => distance(a) - distance(b) || Number(a) - Number(b))[0];
}

/** Numbers on the raster next to a number, or next to a bound if the number is outside. */
function around(number: number, range: NumberRange, decdigits: number): number[] {
  const step = range.raster ?? powerOf10(-decdigits);
  const base = range.from ?? 0;
  const inside = Math.min(
    Math.max(number, range.from ?? Number.NEGATIVE_INFINITY),
    range.to ?? Number.POSITIVE_INFINITY,
  );
  const steps = Math.floor((inside - base) / step);
  return [-1, 0, 1, 2].map((more) => base + (steps + more) * step);
}

/**
 * Ranges as text.
 *
 * @example
 * ```ts
 * rangesText([{ from: 64, opfrom: 'GT', to: 86, opto: 'LT', raster: 0.5 }]);
 * // → 'GT 64 LT 86 raster 0.5'
 * ```
 */
export function rangesText(ranges: readonly NumberRange[]): string {
  return ranges
    .map(({ from, opfrom = 'GE', to, opto = 'LE', raster }) =>
      [
        ...(from === undefined ? [] : [`${opfrom} ${from}`]),
        ...(to === undefined ? [] : [`${opto} ${to}`]),
        ...(raster === undefined ? [] : [`raster ${raster}`]),
      ].join(' '),
    )
    .join(', or ');
}

/** The double nearest to a power of ten. */
function powerOf10(exponent: number): number {
  return Number(`1e${exponent}`);
}
