/** Which pictures a model gets; each default once. */
import { CAMERAS, type CameraName } from './camera.ts';
import { MOST_PIXELS_A_SIDE } from './shot.ts';

/** The formats by the ending of their files. */
export const PICTURE_FORMATS = {
  jpg: { mimeType: 'image/jpeg', isOpaque: true },
  png: { mimeType: 'image/png', isOpaque: false },
  webp: { mimeType: 'image/webp', isOpaque: false },
} as const;

/** An ending of {@link PICTURE_FORMATS}. */
type PictureFormat = keyof typeof PICTURE_FORMATS;

/** What all pictures of a model have in common. */
export interface PictureOptions {
  cameras: readonly CameraName[];
  /** Pixels; that of an orthographic picture follows from `pixelsPerMetre`. */
  width: number;
  height: number;
  format: PictureFormat;
  /** `transparent`, or `#` and six hexadecimal digits, sRGB. */
  background: string;
  pixelsPerMetre: number;
  /** Pictures of a turn about the model, in equal steps from the front; 0: none. */
  frames: number;
}

/** No background; a format without transparency has that of the defaults. */
export const TRANSPARENT = 'transparent';

/** What may be asked for. */
export const PICTURE_CHOICES = {
  cameras: Object.keys(CAMERAS) as [CameraName, ...CameraName[]],
  formats: Object.keys(PICTURE_FORMATS) as [PictureFormat, ...PictureFormat[]],
  mostPixelsASide: MOST_PIXELS_A_SIDE,
} as const;

/** Defaults of {@link PictureOptions}. */
export const PICTURE_DEFAULTS = {
  cameras: ['hero'],
  width: 1024,
  height: 1024,
  format: 'jpg',
  background: '#ffffff',
  pixelsPerMetre: 200,
  frames: 0,
} as const satisfies PictureOptions;

/** The options of the one picture that stands for a model: hero where that is asked for, else the first view. */
export function mainView(options: PictureOptions): PictureOptions & { cameras: [CameraName] } {
  const [first = 'hero'] = options.cameras;
  const camera = options.cameras.includes('hero') ? 'hero' : first;
  return { ...options, cameras: [camera], frames: 0 };
}
