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

/** A picture to be taken. An orthographic one may follow the size of the model. */
export interface Shot {
  camera: Camera;
  size: PictureSize | { pixelsPerMetre: number };
  backdrop: Backdrop;
}

/** Name of the errors of the page that are not the model's fault: in another browser it may be drawn. */
export const BROWSER_ERROR = 'BrowserError';

/** What the page offers. */
export interface PicturePage {
  /** Loads a model; the one before is dropped. @param address - Relative to the page. */
  load(address: string): Promise<void>;
  /** Takes a picture of it. @returns A QOI file as base64: a tenth of its pixels, in 10 ms. */
  take(shot: Shot): Promise<string>;
}
