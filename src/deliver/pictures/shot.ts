/** Data that the renderer and its page exchange. */
import type { Bounds } from '../../model/asset.ts';
import type { Camera } from './camera.ts';

/** Size in pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

/** Largest side of a picture: software rendering draws 8,192 pixels, two for each. */
export const MOST_PIXELS_A_SIDE = 4096;

/** The size of a picture that may follow the size of the model. */
export interface ScaledSize extends PictureSize {
  pixelsPerMetre?: number;
}

/**
 * Returns the size of an orthographic picture that shows a model, by half of its width and height in metres. The scale is
 * smaller than requested if the model would exceed {@link MOST_PIXELS_A_SIDE}.
 *
 * @param wanted - Pixels per metre.
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

export type Floor = 'auto' | 'always' | 'never';

/** A part of a picture: shares of its width and height, from its upper left corner. */
export interface PicturePart {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A picture to take. An orthographic picture may follow the size of the model, up to {@link MOST_PIXELS_A_SIDE}. */
export interface Shot {
  camera: Camera;
  /** Metres: the camera shows this box and not the whole model, so that pictures of several models match. */
  framed?: Bounds;
  /** The only part that is shown, as large as the whole picture would be. Perspective cameras only. */
  part?: PicturePart;
  size: PictureSize | { pixelsPerMetre: number };
  /** Longest side of the images on the model, pixels: more would not be visible. */
  imagePixels: number;
  backdrop: {
    /** Colour, linear; undefined: transparent. */
    color: readonly [number, number, number] | undefined;
    /** Greatest darkness of the shadow on the floor: 0 none, 1 black. */
    shadow: number;
    /** Whether there is a floor; `auto`: if the model stands on one. */
    floor: Floor;
  };
}

/** Name of the errors of the page that the model has not caused: another browser may draw it. */
export const BROWSER_ERROR = 'BrowserError';

export interface PicturePage {
  /**
   * Takes a picture of a model, which stays loaded for the next one.
   *
   * @returns A QOI file as base64, a tenth of its pixels, in 10 ms; with the scale of one that follows the model.
   */
  take(request: {
    shot: Shot;
    /** Address of the model, relative to the page. */
    model: string;
    /** That of the model that may be next, which is fetched meanwhile. */
    nextModel: string | undefined;
  }): Promise<{ qoi: string; pixelsPerMetre?: number | undefined }>;
}
