/** What the renderer and its page exchange. */
import type { Camera } from './camera.ts';

/** What is behind a model. */
interface Backdrop {
  /** Linear; undefined: transparent. */
  color: readonly [number, number, number] | undefined;
  /** How dark the shadow on the floor is at most: 0 none, 1 black. */
  shadow: number;
}

/** A picture to be taken. */
export interface Shot {
  camera: Camera;
  /** Pixels. */
  width: number;
  height: number;
  backdrop: Backdrop;
}

/** The same, as the page gets it. */
export interface PageShot extends Shot {
  /** Address that takes the pixels: RGBA, from the lowest row to the topmost. */
  upload: string;
}

/** What the page offers. */
export interface PicturePage {
  /** Loads the model and takes its pictures, one after the other. */
  takePictures(model: string, shots: readonly PageShot[]): Promise<void>;
}
