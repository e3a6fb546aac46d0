/**
 * Numbers: the values of numeric properties, checked as decimal text without rounding.
 *
 * In: a text and the ranges of a property. Out: the one spelling of the value, or what is wrong.
 */

/** One interval of a numeric property; a bound that is missing is open. */
export interface NumberRange {
  from?: number;
  /** @defaultValue `GE` */
  opfrom?: 'GT' | 'GE';
  to?: number;
  /** @defaultValue `LE` */
  opto?: 'LT' | 'LE';
  /** Step width, counted from the lower bound, or from 0 where that is open. */
  raster?: number;
}

/** How a numeric property is written. */
export interface NumberForm {
  /** Most digits in all, before and behind the point. */
  digits: number;
  /** Most digits behind the point. */
  decdigits: number;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * The one spelling of a decimal number: no leading zeros, no zeros at the end, no `-0`.
 *
 * @returns Undefined for what is no number with so many digits, such as `1e3`, `1,5` or blanks.
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
 * Whether a number lies in a range and on its raster.
 *
 * All is counted in whole units of the last decimal place, so that 0.3 is three steps of 0.1.
 *
 * @param number - In its one spelling.
 */
export function isInRange(number: string, range: NumberRange, decdigits: number): boolean {
  const units = (value: number): number => Math.round(value * 10 ** decdigits);
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
 * The allowed number that is nearest to another one; of two the smaller.
 *
 * @param ranges - Each has a raster or allows every unit of the last decimal place.
 * @returns In its one spelling; undefined where the ranges allow nothing.
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

/** Numbers on a raster about a number, and about the bounds where it lies outside. */
function around(number: number, range: NumberRange, decdigits: number): number[] {
  const step = range.raster ?? 10 ** -decdigits;
  const base = range.from ?? 0;
  const inside = Math.min(
    Math.max(number, range.from ?? Number.NEGATIVE_INFINITY),
    range.to ?? Number.POSITIVE_INFINITY,
  );
  const steps = Math.floor((inside - base) / step);
  return [-1, 0, 1, 2].map((more) => base + (steps + more) * step);
}

/**
 * Ranges as a person reads them.
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
