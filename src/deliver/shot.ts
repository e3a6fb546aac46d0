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

/** The same, as the page gets it. */
export interface PageShot extends Shot {
  /** Address that takes the pixels: RGBA, from the lowest row to the topmost. */
  upload: string;
}

/** What the page offers. */
export interface PicturePage {
  /** Loads the model and takes its pictures, one after the other; returns their sizes. */
  takePictures(model: string, shots: readonly PageShot[]): Promise<PictureSize[]>;
}
