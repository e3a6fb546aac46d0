/** Figures of the gallery as texts. */
import type { GalleryItem } from '../gallery-data.ts';

/** `1,240.00 EUR`; empty without a price. */
export function priceText({ price, currency }: GalleryItem): string {
  if (price === null) return '';
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `${price.toLocaleString('en', digits)} ${currency}`.trim();
}

/** `1,600 × 800 × 740 mm`, width, depth and height; empty without a size. */
export function sizeText({ sizeMillimetres: size }: GalleryItem): string {
  if (size === null) return '';
  const sides = [size.width, size.depth, size.height];
  return `${sides.map((side) => Math.round(side).toLocaleString('en')).join(' × ')} mm`;
}

/** `12.3 MB`, decimal units. */
export function bytesText(bytes: number): string {
  const [unit, name] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
  return `${(bytes / Number(unit)).toFixed(1)} ${name}`;
}
