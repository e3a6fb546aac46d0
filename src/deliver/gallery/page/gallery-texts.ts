/** Figures of the gallery as texts. */
import { visible } from '../../../support/visible.ts';
import { lengthText, sizeText as textOfSize } from '../../making/size-text.ts';
import type { GalleryArticle, ListedConfiguration, Size } from '../gallery-data.ts';
import { rangeOf } from '../gallery-search.ts';

/** Returns a text of the service on one line. */
export function shown(text: string): string {
  return visible(text, true);
}

/** `1,240.00 EUR`; empty without a price. */
export function priceText({ price, currency }: { price: number | null; currency: string }): string {
  return price === null ? '' : `${moneyText(price)} ${shown(currency)}`.trim();
}

function moneyText(price: number): string {
  return price.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

type Listed = readonly ListedConfiguration[];

/** `620.00 – 840.00 EUR`; empty without a price. Prices in several currencies have no range. */
export function pricesText(configurations: Listed): string {
  const range = rangeOf(configurations, 'price');
  const currencies = new Set(configurations.flatMap(({ currency }) => currency ?? []));
  if (range === undefined || currencies.size > 1) return '';
  return `${rangeText(range.map(moneyText))} ${shown([...currencies].join(''))}`.trim();
}

/** `1,600 × 800 × 740 mm`, width, depth and height; empty without a size. */
export function sizeText(size: Size | null): string {
  return size === null ? '' : textOfSize(size);
}

/** `1,200 – 1,800 × 800 × 740 mm`; empty without a size. */
export function sizesText(configurations: Listed): string {
  const ranges = (['width', 'depth', 'height'] as const).map((side) =>
    rangeOf(configurations, side),
  );
  if (ranges.some((range) => range === undefined)) return '';
  return `${ranges.map((range) => rangeText(range!.map(lengthText))).join(' × ')} mm`;
}

function rangeText(ends: readonly string[]): string {
  return [...new Set(ends)].join(' – ');
}

/** `12 configurations` */
export function amountText(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `FJEL Möbel · LINEA · LN-D160/80` */
export function originText(article: GalleryArticle): string {
  const { manufacturerName, programName, number } = article;
  return shown([manufacturerName, programName, number].join(' · '));
}

/** `12.3 MB`, decimal units. */
export function bytesText(bytes: number): string {
  const [unit, name] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
  return `${(bytes / Number(unit)).toFixed(1)} ${name}`;
}
