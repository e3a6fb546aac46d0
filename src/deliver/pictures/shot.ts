/** What the renderer and its page exchange. */
import type { Camera } from './camera.ts';

/** What is behind a model. */
interface Backdrop {
  /** Linear; undefined: transparent. */
  color: readonly [number, number, number] | undefined;
  /** How dark the shadow on the floor is at most: 0 none, 1 black. */
  shadow: number;
}

/** In pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

/** Largest side of a picture: the graphics of the processor draw 8,192 pixels, two for each. */
export const MOST_PIXELS_A_SIDE = 4096;

/** The size of a picture that may follow the size of the model. */
export interface ScaledSize extends PictureSize {
  pixelsPerMetre?: number;
}

/**
 * Returns the size of an orthographic picture that shows a model, by half of its width and height in metres. The scale is
 * smaller than the wanted one where the model would exceed {@link MOST_PIXELS_A_SIDE}.
 *
 * @param wanted - Pixels a metre.
 * @example
 * ```ts
 * sizeToScale({ halfWidth: 11.5, halfHeight: 0.4 }, 200);
 * // → { width: 4096, height: 142, pixelsPerMetre: 178.09 }
 * ```
 */
export function sizeToScale(
  { halfWidth, halfHeight }: { halfWidth: number; halfHeight: number },
  wanted: number,
): ScaledSize {
  const largest = 2 * Math.max(halfWidth, halfHeight);
  const fits = Math.round(largest * wanted) <= MOST_PIXELS_A_SIDE;
  const pixelsPerMetre = fits ? wanted : MOST_PIXELS_A_SIDE / largest;
  const pixels = (half: number) => Math.max(1, Math.round(2 * half * pixelsPerMetre));
  return { width: pixels(halfWidth), height: pixels(halfHeight), pixelsPerMetre };
}

/** A picture to be taken. An orthographic one may follow the size of the model, up to {@link MOST_PIXELS_A_SIDE}. */
export interface Shot {
  camera: Camera;
  size: PictureSize | { pixelsPerMetre: number };
  backdrop: Backdrop;
}

/** Name of the errors of the page that are not the model's fault: in another browser it may be drawn. */
export const BROWSER_ERROR = 'BrowserError';

/** A picture as the page returns it. */
interface TakenPicture {
  /** A QOI file as base64: a tenth of its pixels, in 10 ms. */
  qoi: string;
  /** Where the picture follows the size of the model. */
  pixelsPerMetre?: number | undefined;
}

/** What the page offers. */
export interface PicturePage {
  /** Loads a model; the one before is dropped. @param address - Relative to the page. */
  load(address: string): Promise<void>;
  /** Takes a picture of it. */
  take(shot: Shot): Promise<TakenPicture>;
}
