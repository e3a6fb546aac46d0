/** Lengths of an article as texts. No imports from Node: pages in a browser use this file. */

/** `1,600`, without a fraction. */
export function lengthText(millimetres: number): string {
  return Math.round(millimetres).toLocaleString('en');
}

/** `1,600 × 800 × 740 mm`, in the order width, depth and height. */
export function sizeText(millimetres: readonly number[]): string {
  return `${millimetres.map(lengthText).join(' × ')} mm`;
}
