/**
 * Views: languages, currencies and profiles of the sample range.
 *
 * In: parameters of a request. Out: what they mean here.
 */

import type { Text } from './definition.ts';
import { type Query, RangeRefusal } from './range.ts';

/** Reads texts in the language of a request. */
export type Teller = (text: Text) => string;

const LANGUAGES: readonly (keyof Text)[] = ['de', 'en'];

/**
 * The language of a request: `lang` where there are texts in it, else `langalt`, else German.
 *
 * Only the first two letters count: `en-GB` is English.
 */
export function languageOf({ lang = '', langalt = '' }: Query): keyof Text {
  const known = (name: string) =>
    LANGUAGES.find((language) => /^[a-z]{2}(?![a-z])/i.exec(name)?.[0].toLowerCase() === language);
  return known(lang) ?? known(langalt) ?? 'de';
}

/** Reads texts in the language of a request. */
export function tellerOf(view: Query): Teller {
  const language = languageOf(view);
  return (text) => text[language];
}

/** Units of each currency for one euro; made up, like all prices here. */
export const CURRENCY_RATES: Readonly<Record<string, number>> = {
  EUR: 1,
  CHF: 1.05,
  GBP: 0.86,
  USD: 1.12,
};

/**
 * The currency of a request, euro where none is asked for.
 *
 * @throws {@link RangeRefusal} for one that this range has no prices in.
 */
export function currencyOf(name: string | undefined): { currency: string; rate: number } {
  const currency = (name || 'EUR').toUpperCase();
  if (!Object.hasOwn(CURRENCY_RATES, currency)) {
    const known = Object.keys(CURRENCY_RATES).join(', ');
    throw new RangeRefusal(`currency: expected one of ${known}, received ${currency}`);
  }
  return { currency, rate: CURRENCY_RATES[currency]! };
}

/** Manufacturers that a server profile does not show; any other profile shows them all. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  CONTRACT: ['AULI'],
  HOME: ['FJEL', 'BRNK'],
};

/**
 * Whether a profile shows a manufacturer.
 *
 * @example
 * ```ts
 * isShown('AULI', 'contract'); // → false
 * isShown('AULI', 'public');   // → true
 * ```
 */
export function isShown(manufacturer: string, profile = ''): boolean {
  const name = profile.toUpperCase();
  return !(Object.hasOwn(HIDDEN, name) && HIDDEN[name]!.includes(manufacturer));
}
