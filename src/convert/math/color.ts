/** Colours: from sRGB, which the service uses, to linear light, which glTF uses. */

import { pow } from '../../support/elementary.ts';
import type { SrgbColor } from '../model/graphics.ts';
import type { LinearRgb } from '../model/scene.ts';

/** One sRGB component 0..1 as linear light 0..1 (D-500; IEC 61966-2-1). */
export function linearFromSrgb(value: number): number {
  return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/** An sRGB colour as linear light. */
export function linearColor(srgb: SrgbColor): LinearRgb {
  return [linearFromSrgb(srgb[0]), linearFromSrgb(srgb[1]), linearFromSrgb(srgb[2])];
}

/** Relative luminance of linear light, by the weights of Rec. 709. */
export function luminance([r, g, b]: LinearRgb): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
