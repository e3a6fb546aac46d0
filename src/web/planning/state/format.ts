/** Numbers in the notation of a language and its region. */

import type { Vec3 } from '../../../convert/model/graphics.ts';
import type { CommercialData } from '../../../model/article.ts';
import type { Texts } from './texts.ts';

/**
 * A price with its currency.
 *
 * @example `priceText(textsOf('de'), 721, 'EUR'); // → '721,00 €', and in de-CH 'EUR 721.00'`
 */
export function priceText(
  { locale }: Texts,
  price: number,
  currency: CommercialData['currency'],
): string {
  try {
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(price);
  } catch {
    // The service may send a currency code that is not in ISO 4217.
    const amount = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    return `${new Intl.NumberFormat(locale, amount).format(price)} ${currency}`.trim();
  }
}

/** A length, such as `1.600 mm`. @param length - Millimetres. */
export function millimetresText({ locale }: Texts, length: number): string {
  const digits = { maximumFractionDigits: length < 10 ? 1 : 0 };
  return `${new Intl.NumberFormat(locale, digits).format(length)} mm`;
}

/**
 * A size as width, depth and height; glTF has height on its second axis.
 *
 * @example `sizeText(textsOf('en'), [1.6, 0.74, 0.8]); // → '1,600 × 800 × 740 mm'`
 */
export function sizeText(texts: Texts, [width, height, depth]: Vec3): string {
  const shown = [width, depth, height].map((metres) =>
    new Intl.NumberFormat(texts.locale, { maximumFractionDigits: 0 }).format(metres * 1000),
  );
  return `${shown.join(' × ')} mm`;
}
