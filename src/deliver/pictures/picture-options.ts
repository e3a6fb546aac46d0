/** Options of the pictures of a model, with their defaults. */
import { CAMERAS, type CameraName } from './camera.ts';
import { type Floor, MOST_PIXELS_A_SIDE, type PictureSize } from './shot.ts';

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
  /** The only one of the frames that is taken, from 1, without their sheet. */
  frame?: number | undefined;
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

/** A picture of a model: its name, and what it shows. */
export interface NamedPicture {
  name: string;
  /** Undefined for a frame, or the sheet, of a turn. */
  camera?: CameraName;
  /** Undefined where the scale, or the frames, determine it. */
  size?: PictureSize;
}

/** All pictures of a model, in their order. */
export function picturesOf(options: PictureOptions): NamedPicture[] {
  const frames = framesOf(options).map((i) => frameName(i, options));
  const turn = [...frames, ...(hasSheet(options) ? ['turn'] : [])];
  return [
    ...options.cameras.flatMap((camera) => sizesOf(camera, options)),
    ...turn.map((name) => ({ name })),
  ];
}

/** The sizes in which a view is there: a floor plan in that of its scale, any other one reduced from the largest. */
export function sizesOf(camera: CameraName, options: PictureOptions): NamedPicture[] {
  if (CAMERAS[camera].projection === 'orthographic') return [{ name: camera, camera }];
  const { width, height, sizes } = options;
  const others = [...new Set(sizes)].filter((across) => across !== width);
  const smaller = others.map((across) => {
    return { name: `${camera}-${across}`, camera, size: sizeAt(across, options) };
  });
  return [{ name: camera, camera, size: { width, height } }, ...smaller];
}

/** The size in which a perspective picture is drawn: the largest of its sizes. */
export function drawnSize(options: PictureOptions): PictureSize {
  return sizeAt(Math.max(options.width, ...options.sizes), options);
}

function sizeAt(across: number, { width, height }: PictureOptions): PictureSize {
  return { width: across, height: Math.max(1, Math.round((across * height) / width)) };
}

/** The frames that are taken, from 0. */
export function framesOf({ frames, frame }: PictureOptions): number[] {
  if (frame !== undefined && frames > 0) return [frame - 1];
  return Array.from({ length: frames }, (_, i) => i);
}

/** Whether there is a picture of all frames. */
export function hasSheet({ frames, frame }: PictureOptions): boolean {
  return frames > 0 && frame === undefined;
}

/** The name of a frame of a turn, such as `turn-01`. */
export function frameName(index: number, { frames }: PictureOptions): string {
  return `turn-${String(index + 1).padStart(String(frames).length, '0')}`;
}
