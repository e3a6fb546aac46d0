/** Groups of colours, by which a person looks for furniture. This file imports nothing from Node. */

/** The groups, in the order in which the page lists them. */
export const COLOURS = [
  ...(['white', 'grey', 'black', 'beige', 'brown', 'yellow'] as const),
  ...(['orange', 'red', 'pink', 'purple', 'blue', 'green'] as const),
] as const;

export type Colour = (typeof COLOURS)[number];

/** Lower chroma is no colour, OKLCh. */
const LEAST_CHROMA = 0.028;
/** The last hue of each group, degrees in OKLCh. */
const HUES: readonly (readonly [upTo: number, colour: Colour])[] = [
  [8, 'pink'],
  [40, 'red'],
  [74, 'orange'],
  [116, 'yellow'],
  [180, 'green'],
  [290, 'blue'],
  [340, 'purple'],
  [360, 'pink'],
];

/**
 * The group of a colour.
 *
 * @param rgb - sRGB, 0 to 255.
 * @example
 * ```ts
 * colourGroup([189, 157, 119]);   // → 'beige', an oak
 * ```
 * @see Björn Ottosson, "A perceptual color space for image processing" (OKLab, 2020).
 */
export function colourGroup(rgb: readonly [r: number, g: number, b: number]): Colour {
  const { lightness, chroma, hueDegrees } = oklchOf(rgb);
  if (chroma < LEAST_CHROMA)
    return lightness < 0.38 ? 'black' : lightness > 0.83 ? 'white' : 'grey';
  const isWood = hueDegrees > 30 && hueDegrees < 112;
  if (isWood && chroma < 0.1) return lightness > 0.66 ? 'beige' : 'brown';
  if (hueDegrees < 74 && hueDegrees > 36 && lightness < 0.55) return 'brown';
  const [, group] = HUES.find(([upTo]) => hueDegrees <= upTo)!;
  return group === 'red' && lightness > 0.72 ? 'pink' : group;
}

function oklchOf(rgb: readonly number[]) {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const greenRed = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const blueYellow = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const hue = (Math.atan2(blueYellow, greenRed) * 180) / Math.PI;
  return {
    lightness,
    chroma: Math.hypot(greenRed, blueYellow),
    hueDegrees: hue < 0 ? hue + 360 : hue,
  };
}

/** A smaller part of a picture is not what a person calls its colour. */
const LEAST_SHARE = 0.27;
/**
 * The shadow on the floor is white and grey too. With these weights an oak table is beige, and a white one white; found
 * on the sample range.
 */
const WEIGHTS: Partial<Record<Colour, number>> = { white: 0.25, grey: 0.3 };
/** Steps of sRGB within which a pixel is background. */
const BACKGROUND_STEPS = 8;

/**
 * The colours of what a picture shows before its background, which is what its corners show; the largest first.
 *
 * @param rgba - Four bytes a pixel. @param width - Pixels.
 */
export function coloursOfPixels(rgba: Uint8Array, width: number): Colour[] {
  const count = rgba.length / 4;
  const pixel = (at: number) => rgba.subarray(4 * at, 4 * at + 4);
  const corners = [0, width - 1, count - width, count - 1].map(pixel);
  const isBackground = (own: Uint8Array) =>
    own[3]! < 128 ||
    corners.some((corner) =>
      [0, 1, 2].every((k) => Math.abs(own[k]! - corner[k]!) <= BACKGROUND_STEPS),
    );
  const counts = new Map<Colour, number>();
  let shown = 0;
  for (let at = 0; at < count; at++) {
    const own = pixel(at);
    if (isBackground(own)) continue;
    const group = colourGroup([own[0]!, own[1]!, own[2]!]);
    const weight = WEIGHTS[group] ?? 1;
    counts.set(group, (counts.get(group) ?? 0) + weight);
    shown += weight;
  }
  const sorted = [...counts].sort(
    ([a, many], [b, more]) => more - many || COLOURS.indexOf(a) - COLOURS.indexOf(b),
  );
  const large = sorted.filter(([, own]) => own >= LEAST_SHARE * shown);
  return (large.length > 0 ? large : sorted.slice(0, 1)).map(([group]) => group);
}
