/** Numeric properties: the numbers in their ranges, and the next number in a direction. */

import { readNumber } from '../../../convert/wire/value.ts';
import type { ArticleProperty, PropertyRange } from '../../../model/article.ts';
import type { Texts } from './texts.ts';

/** Tolerance: far above the error of decimals as binary numbers, and far below any raster. */
const EPSILON = 1e-6;

/** Whether a range contains a number, on its raster. @see Spec 2.2 (ranges) */
function contains(range: PropertyRange, value: number): boolean {
  const { valuefrom, opfrom, valueto, opto, raster = 0 } = range;
  if (valuefrom !== undefined) {
    if (opfrom === 'GT' ? value <= valuefrom + EPSILON : value < valuefrom - EPSILON) return false;
  }
  if (valueto !== undefined) {
    if (opto === 'LT' ? value >= valueto - EPSILON : value > valueto + EPSILON) return false;
  }
  if (raster <= 0) return true;
  const steps = (value - (valuefrom ?? 0)) / raster;
  return Math.abs(steps - Math.round(steps)) < EPSILON * Math.max(1, Math.abs(steps));
}

/**
 * The next number above or below another number that is in the ranges; undefined at an end.
 *
 * @param direction - 1 is above, -1 below.
 * @param decimals - Decimals for a range without raster.
 * @example
 * ```ts
 * nextInRanges([{ valuefrom: 800, opfrom: 'GE', valueto: 1400, opto: 'LE', raster: 50 }], 1400, -1, 0); // → 1350
 * ```
 */
export function nextInRanges(
  ranges: readonly PropertyRange[],
  value: number,
  direction: 1 | -1,
  decimals: number,
): number | undefined {
  let nearest: number | undefined;
  for (const range of ranges.length === 0 ? [{}] : ranges) {
    const { valuefrom: origin = 0, raster = 0 } = range;
    const step = raster > 0 ? raster : 10 ** -Math.min(decimals, 6);
    const at = (value - origin) / step;
    const first = direction > 0 ? Math.floor(at + EPSILON) + 1 : Math.ceil(at - EPSILON) - 1;
    // From outside of a range, its nearer end is the next number.
    const bound = direction > 0 ? range.valuefrom : range.valueto;
    const beyond = bound !== undefined && (bound - value) * direction > EPSILON;
    const end = (((bound ?? 0) - origin) / step) * direction;
    const start = beyond ? Math.ceil(end - EPSILON) * direction : first;
    for (const steps of [start, start + direction]) {
      const candidate = Number((origin + steps * step).toFixed(6));
      if (!contains(range, candidate) || (candidate - value) * direction <= EPSILON) continue;
      if (nearest === undefined || (candidate - nearest) * direction < 0) nearest = candidate;
      break;
    }
  }
  return nearest;
}

/**
 * The ranges of a property in words.
 *
 * @example `rangesText(textsOf('en'), property.ranges); // → '800 to 1400 in steps of 50, or 1500 to 2000 …'`
 */
export function rangesText(texts: Texts, ranges: readonly PropertyRange[]): string {
  return ranges
    .map((range) => rangeText(texts, closed(range)))
    .filter((part) => part !== '')
    .join(texts.range.or);
}

function rangeText(texts: Texts, range: PropertyRange): string {
  const { valuefrom, valueto, raster = 0 } = range;
  if (valuefrom !== undefined && valuefrom === valueto) return numberText(texts, valuefrom);
  const steps = raster > 0 ? texts.range.steps(numberText(texts, raster)) : '';
  return [boundsText(texts, range), steps].filter((part) => part !== '').join(' ');
}

function boundsText(texts: Texts, { valuefrom, opfrom, valueto, opto }: PropertyRange): string {
  const { above, below, between, from, to } = texts.range;
  const lower = valuefrom === undefined ? '' : numberText(texts, valuefrom);
  const upper = valueto === undefined ? '' : numberText(texts, valueto);
  const [isAbove, isBelow] = [opfrom === 'GT', opto === 'LT'];
  if (lower && upper)
    return between(isAbove ? above(lower) : lower, isBelow ? below(upper) : upper);
  if (lower) return isAbove ? above(lower) : from(lower);
  if (upper) return isBelow ? below(upper) : to(upper);
  return '';
}

/** A range on a raster with its first and last number, which are clearer than a bound that it does not contain. */
function closed(range: PropertyRange): PropertyRange {
  const { valuefrom, opfrom, valueto, opto, raster = 0 } = range;
  if (valuefrom === undefined || raster <= 0) return range;
  const first = opfrom === 'GT' ? nextInRanges([range], valuefrom, 1, 0) : valuefrom;
  const last =
    opto === 'LT' && valueto !== undefined ? nextInRanges([range], valueto, -1, 0) : valueto;
  if (first === undefined) return range;
  return {
    ...range,
    valuefrom: first,
    opfrom: 'GE',
    ...(last !== undefined && { valueto: last, opto: 'LE' }),
  };
}

/** Why a number is not possible: the limits of the ranges, or the nearest numbers on both sides. */
function beyondText(texts: Texts, property: ArticleProperty, value: number): string {
  const { ranges, decdigits } = property;
  const [below, above] = ([-1, 1] as const).map((direction) => {
    const next = nextInRanges(ranges, value, direction, decdigits);
    return next === undefined ? '' : numberText(texts, next);
  });
  if (below && above) return texts.notPossibleBetween(below, above);
  if (below) return texts.notPossibleAbove(below);
  return above ? texts.notPossibleBelow(above) : texts.notPossible;
}

/** Whether a property takes numbers. @see Spec 2.2 (proptype) */
export function isNumeric({ proptype }: ArticleProperty): boolean {
  return proptype === 'N' || proptype === 'L';
}

/**
 * A number in the notation of a language, without thousands separators.
 *
 * @example `numberText(textsOf('de'), 1600.5); // → '1600,5'`
 */
export function numberText({ locale }: Texts, value: number): string {
  return value.toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 10 });
}

/**
 * Reads a number in the notation of a language. The separator of another language is read as that of decimals if it
 * cannot be that of thousands.
 *
 * @example `readLocalNumber(textsOf('de'), '1.600'); // → 1600, and of '800.5' 800.5`
 */
export function readLocalNumber(texts: Texts, typed: string): number | undefined {
  const isComma = numberText(texts, 0.5).includes(',');
  const text = typed.trim().replace(/[\s'’](?=\d{3}(?!\d))/g, '');
  // The first group of thousands does not begin with 0: 0.125 has decimals.
  const thousands = isComma
    ? /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?$/
    : /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/;
  return readNumber(thousands.test(text) ? text.replaceAll(isComma ? '.' : ',', '') : text);
}

/**
 * Reads the text that a person has typed for a property, in the language of the page.
 *
 * @returns The value to be sent, or a sentence.
 */
export function readTyped(
  texts: Texts,
  property: ArticleProperty,
  typed: string,
): { value: string } | { problem: string } {
  const text = typed.trim();
  if (!isNumeric(property)) return { value: text };
  const value = readLocalNumber(texts, text);
  if (value === undefined) return { problem: texts.notANumber };
  const { ranges, addvalues } = property;
  const isInRanges = ranges.length === 0 || ranges.some((range) => contains(range, value));
  if (!addvalues && !isInRanges) return { problem: beyondText(texts, property, value) };
  const decimals = Math.max(0, Math.min(property.decdigits, 20)) || decimalsOf(property);
  const rounded = Number(value.toFixed(decimals));
  if (Math.abs(rounded - value) > EPSILON) return { problem: texts.tooExact(decimals) };
  return { value: String(rounded) };
}

/** The decimals of a property: if the service leaves out `decdigits`, the numbers that it sends show them. */
function decimalsOf({ ranges, currentvalue }: ArticleProperty): number {
  const known = ranges.flatMap(({ raster, valuefrom, valueto }) => [raster, valuefrom, valueto]);
  const decimals = [...known, readNumber(currentvalue)].map(
    (number = 0) => String(number).split('.')[1]?.length ?? 0,
  );
  return Math.max(0, ...decimals);
}
