/** Colours in CIE Lab, and how different two of them look: CIEDE2000. */
import sharp from 'sharp';

/** L, a, b for daylight D65. */
type Lab = readonly [lightness: number, a: number, b: number];

/** Returns the colour of sRGB bytes. @see IEC 61966-2-1; CIE 15:2004 */
export function labOf(bytes: readonly number[]): Lab {
  const [r, g, b] = bytes.map((byte) => linear(byte / 255)) as [number, number, number];
  const x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047;
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883;
  const [fx, fy, fz] = [x, y, z].map((t) =>
    t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 / 116) * t + 16 / 116,
  ) as [number, number, number];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

/** The mean of sRGB colours in linear light, as sRGB bytes. */
export function meanColour(colours: readonly (readonly number[])[]): number[] {
  return [0, 1, 2].map((channel) => {
    const sum = colours.reduce((total, colour) => total + linear(colour[channel]! / 255), 0);
    return 255 * encoded(sum / colours.length);
  });
}

/** The mean colour of an image without transparent pixels: each level is made linear once, not each pixel. */
export async function meanColourOfImage(image: Uint8Array): Promise<number[]> {
  const data = await sharp(image).toColourspace('srgb').removeAlpha().raw().toBuffer();
  const counts = [0, 1, 2].map(() => new Uint32Array(256));
  for (let at = 0; at < data.length; at++) counts[at % 3]![data[at]!]!++;
  return counts.map((levels) => {
    const sum = levels.reduce((total, count, level) => total + count * linear(level / 255), 0);
    return 255 * encoded((3 * sum) / data.length);
  });
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function encoded(value: number): number {
  return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
}

export function chromaOf([, a, b]: Lab): number {
  return Math.hypot(a, b);
}

/** Difference of two hues, degrees, from 0 to 180. */
export function hueDifference(one: Lab, other: Lab): number {
  const difference = Math.abs(hueOf(one[1], one[2]) - hueOf(other[1], other[2]));
  return Math.min(difference, 360 - difference);
}

function hueOf(a: number, b: number): number {
  return (Math.atan2(b, a) * (180 / Math.PI) + 360) % 360;
}

/** The difference of two colours. @see ISO/CIE 11664-6:2014 */
export function ciede2000(one: Lab, other: Lab): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const c7 = ((chromaOf(one) + chromaOf(other)) / 2) ** 7;
  const stretch = 1.5 - 0.5 * Math.sqrt(c7 / (c7 + 25 ** 7));
  const [a1, a2] = [one[1] * stretch, other[1] * stretch];
  const [c1, c2] = [Math.hypot(a1, one[2]), Math.hypot(a2, other[2])];
  const [h1, h2] = [hueOf(a1, one[2]), hueOf(a2, other[2])];
  const isGrey = c1 * c2 === 0;
  let turn = isGrey ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  let hue = h1 + h2;
  if (!isGrey) hue = (Math.abs(h1 - h2) <= 180 ? hue : hue < 360 ? hue + 360 : hue - 360) / 2;
  const lightness = (one[0] + other[0]) / 2;
  const chroma = (c1 + c2) / 2;
  const byHue =
    1 -
    0.17 * Math.cos(radians(hue - 30)) +
    0.24 * Math.cos(radians(2 * hue)) +
    0.32 * Math.cos(radians(3 * hue + 6)) -
    0.2 * Math.cos(radians(4 * hue - 63));
  const fromMiddle = (lightness - 50) ** 2;
  const l = (other[0] - one[0]) / (1 + (0.015 * fromMiddle) / Math.sqrt(20 + fromMiddle));
  const c = (c2 - c1) / (1 + 0.045 * chroma);
  const h = (2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2))) / (1 + 0.015 * chroma * byHue);
  const rotation =
    -2 *
    Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)) *
    Math.sin(radians(60 * Math.exp(-(((hue - 275) / 25) ** 2))));
  return Math.sqrt(l * l + c * c + h * h + rotation * c * h);
}
