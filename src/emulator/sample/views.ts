/** Languages, currencies and profiles of the sample range. */
import type { Text } from './definition.ts';
import { type Query, RangeRefusal } from './range.ts';

/** Selects the text in the language of a request. */
export type Translate = (text: Text) => string;

const LANGUAGES: readonly (keyof Text)[] = ['de', 'en'];

/**
 * The language of a request: `lang` if it is supported, else `langalt`, else German.
 *
 * Only the first two letters count: `en-GB` is English.
 */
export function languageOf({ lang = '', langalt = '' }: Query): keyof Text {
  const known = (name: string) =>
    LANGUAGES.find((language) => /^[a-z]{2}(?![a-z])/i.exec(name)?.[0].toLowerCase() === language);
  return known(lang) ?? known(langalt) ?? 'de';
}

/** Creates the translation of a request. */
export function translationFor(view: Query): Translate {
  const language = languageOf(view);
  return (text) => text[language];
}

/** Units of each currency for one euro; invented, like all prices here. */
const CURRENCY_RATES: Readonly<Record<string, number>> = {
  EUR: 1,
  CHF: 1.05,
  GBP: 0.86,
  USD: 1.12,
};

/**
 * The currency of a request; euro by default.
 *
 * @throws {@link RangeRefusal} for a currency without prices.
 */
export function currencyOf(name: string | undefined): { currency: string; rate: number } {
  const currency = (name || 'EUR').toUpperCase();
  if (!Object.hasOwn(CURRENCY_RATES, currency)) {
    const known = Object.keys(CURRENCY_RATES).join(', ');
    throw new RangeRefusal(`currency: expected one of ${known}, received ${currency}`);
  }
  return { currency, rate: CURRENCY_RATES[currency]! };
}

/** Manufacturers that a server profile hides; any other profile shows all of them. */
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
