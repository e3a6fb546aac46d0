/** Options of the pictures of a model, with their defaults. */
import { CAMERAS, type CameraName } from './camera.ts';
import { type Floor, MOST_PIXELS_A_SIDE } from './shot.ts';

/** The formats by the extension of their files. */
export const PICTURE_FORMATS = {
  jpg: { mimeType: 'image/jpeg', isOpaque: true },
  png: { mimeType: 'image/png', isOpaque: false },
  webp: { mimeType: 'image/webp', isOpaque: false },
  avif: { mimeType: 'image/avif', isOpaque: false },
} as const;

type PictureFormat = keyof typeof PICTURE_FORMATS;

export interface PictureOptions {
  cameras: readonly CameraName[];
  /** Pixels; `pixelsPerMetre` determines the width of an orthographic picture. */
  width: number;
  height: number;
  /** Widths, pixels, in which each perspective picture is there too, reduced from the largest. */
  sizes: readonly number[];
  format: PictureFormat;
  /** `transparent`, or `#` and six hexadecimal digits, sRGB. */
  background: string;
  /** Whether the shadow on the floor is drawn; `auto`: if the model stands on one. */
  floor: Floor;
  pixelsPerMetre: number;
  /** Number of pictures of a turn about the model, in equal steps from the front; 0: none. */
  frames: number;
}

/** No background; a format without transparency uses the background of the defaults. */
export const TRANSPARENT = 'transparent';

/** Values and limits of the options. */
export const PICTURE_CHOICES = {
  cameras: Object.keys(CAMERAS) as [CameraName, ...CameraName[]],
  floors: ['auto', 'always', 'never'] satisfies Floor[],
  formats: Object.keys(PICTURE_FORMATS) as [PictureFormat, ...PictureFormat[]],
  mostPixelsASide: MOST_PIXELS_A_SIDE,
} as const;

/** Defaults of {@link PictureOptions}. */
export const PICTURE_DEFAULTS = {
  cameras: ['hero'],
  width: 1024,
  height: 1024,
  sizes: [],
  format: 'jpg',
  background: '#ffffff',
  floor: 'auto',
  pixelsPerMetre: 200,
  frames: 0,
} as const satisfies PictureOptions;

/** The options of the picture that represents a model: hero if it is configured, otherwise the first view. */
export function mainView(options: PictureOptions): PictureOptions & { cameras: [CameraName] } {
  const [first = 'hero'] = options.cameras;
  const camera = options.cameras.includes('hero') ? 'hero' : first;
  return { ...options, cameras: [camera], frames: 0 };
}
