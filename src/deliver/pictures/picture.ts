/** Pictures as files: the pictures of a model, their formats, and the sheet of a turntable. */
import { linearColor } from '../../convert/math/color.ts';
import type { Spend } from '../making/maker.ts';
import { CAMERAS, type Camera } from './camera.ts';
import {
  drawnSize,
  frameName,
  framesOf,
  hasSheet,
  type NamedPicture,
  PICTURE_DEFAULTS,
  PICTURE_FORMATS,
  type PictureOptions,
  sizesOf,
  TRANSPARENT,
} from './picture-options.ts';
import type { Picture, Renderer } from './renderer.ts';
import { MOST_PIXELS_A_SIDE, type PictureSize, type Shot } from './shot.ts';

/** Columns of the sheet of frames. */
const COLUMNS = 6;

export interface PictureFile extends PictureSize {
  /** Name of its camera, `hero-400` in another size, `turn-01` and the like for a frame, or `turn` for the sheet of all. */
  name: string;
  bytes: Uint8Array;
  /** The scale of a picture whose model is too large for the requested scale. */
  pixelsPerMetre?: number;
}

/** Strength of the shadow on the floor; a floor plan has none. */
const SHADOW = 0.85;

const TURN_ELEVATION = CAMERAS.hero.elevationDegrees;

/**
 * Takes the pictures of a GLB.
 *
 * @throws {@link ConverterError} `PICTURE_FAILED` if the GLB cannot be drawn; `BROWSER_MISSING`.
 * @example
 * ```ts
 * const [hero] = await takePictures(renderer, glb, { ...PICTURE_DEFAULTS, format: 'webp' });
 * hero;   // → { name: 'hero', width: 1024, height: 1024, bytes }
 * ```
 */
export async function takePictures(
  renderer: Pick<Renderer, 'takePictures'>,
  glb: Uint8Array,
  options: PictureOptions,
  spend?: Spend,
): Promise<PictureFile[]> {
  const views = options.cameras.map((camera): [Shot, NamedPicture[]] => {
    return [shotOf(CAMERAS[camera], options), sizesOf(camera, options)];
  });
  const turn = framesOf(options).map((i): [Shot, NamedPicture[]] => {
    return [frameShot(i, options), [{ name: frameName(i, options) }]];
  });
  const shots = [...views, ...turn];
  const taken = await renderer.takePictures(
    glb,
    shots.map(([shot]) => shot),
    spend,
  );
  const files = await Promise.all(
    taken.flatMap((picture, i) =>
      shots[i]![1].map(async ({ name, size: { width, height } = picture }) => {
        const { pixelsPerMetre: scale } = picture;
        const isSmaller = scale !== undefined && scale < options.pixelsPerMetre;
        const bytes = await encode(picture, options, { width, height });
        return { name, width, height, bytes, ...(isSmaller && { pixelsPerMetre: scale }) };
      }),
    ),
  );
  if (!hasSheet(options)) return files;
  return [...files, await sheetOf(taken.slice(options.cameras.length), options)];
}

/**
 * Takes one picture of a GLB that is smaller than the images on it, such as a sample of a material.
 *
 * @throws as {@link takePictures}
 */
export async function takePicture(
  renderer: Pick<Renderer, 'takePictures'>,
  glb: Uint8Array,
  camera: Camera,
  options: PictureOptions,
  spend?: Spend,
): Promise<Uint8Array> {
  const shot = { ...shotOf(camera, options), imagePixels: MOST_PIXELS_A_SIDE };
  const [picture] = await renderer.takePictures(glb, [shot], spend);
  return encode(picture!, options);
}

function shotOf(camera: Camera, options: PictureOptions): Shot {
  const { pixelsPerMetre } = options;
  const backdrop = backdropOf(options);
  if (camera.projection === 'orthographic')
    return {
      ...{ camera, size: { pixelsPerMetre }, imagePixels: MOST_PIXELS_A_SIDE },
      backdrop: { ...backdrop, shadow: 0 },
    };
  const size = drawnSize(options);
  // A closeup shows a small part of an image.
  const imagePixels = camera.closeupMetres === undefined ? longestOf(size) : MOST_PIXELS_A_SIDE;
  return { camera, size, imagePixels, backdrop };
}

const longestOf = ({ width, height }: PictureSize) => Math.max(width, height);

function frameShot(index: number, options: PictureOptions): Shot {
  const { width, height } = options;
  return {
    camera: {
      azimuthDegrees: (360 * index) / options.frames,
      elevationDegrees: TURN_ELEVATION,
      projection: 'perspective',
      // The model must keep its size while it turns.
      isOfTurn: true,
    },
    size: { width, height },
    imagePixels: longestOf(options),
    backdrop: backdropOf(options),
  };
}

function backdropOf(options: PictureOptions): Shot['backdrop'] {
  return { color: colorOf(options), shadow: SHADOW, floor: options.floor };
}

function colorOf({ background, format }: PictureOptions): Shot['backdrop']['color'] {
  // In a format without transparency, the background is white.
  // A pipeline file may spell it in capitals, as it may spell colours.
  const isClear = background.toLowerCase() === TRANSPARENT;
  if (isClear && !PICTURE_FORMATS[format].isOpaque) return undefined;
  const color = isClear ? PICTURE_DEFAULTS.background : background;
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16) / 255;
  return linearColor([part(1), part(3), part(5)]);
}

async function encode(
  { width, height, pixels }: Picture,
  { format }: PictureOptions,
  size: PictureSize = { width, height },
) {
  const { default: sharp } = await import('sharp');
  const drawn = sharp(pixels, { raw: { width, height, channels: 4 } });
  const isDrawn = size.width === width && size.height === height;
  const image = isDrawn ? drawn : drawn.resize(size.width, size.height, { fit: 'fill' });
  const encoded = {
    jpg: () => image.removeAlpha().jpeg({ quality: 90, chromaSubsampling: '4:4:4' }),
    png: () => image.png({ compressionLevel: 9 }),
    webp: () => image.webp({ quality: 90, effort: 4 }),
    avif: () => image.avif({ quality: 70, effort: 3, chromaSubsampling: '4:4:4' }),
  }[format]();
  return new Uint8Array(await encoded.toBuffer());
}

async function sheetOf(frames: readonly Picture[], options: PictureOptions): Promise<PictureFile> {
  const { default: sharp } = await import('sharp');
  const [{ width: frameWidth, height: frameHeight } = { width: 1, height: 1 }] = frames;
  const columns = Math.min(COLUMNS, frames.length);
  const width = columns * frameWidth;
  const height = Math.ceil(frames.length / columns) * frameHeight;
  const blank = { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  const pixels = await sharp({ create: blank })
    .composite(
      frames.map((frame, i) => ({
        input: Buffer.from(frame.pixels.buffer, frame.pixels.byteOffset, frame.pixels.length),
        raw: { width: frameWidth, height: frameHeight, channels: 4 },
        left: (i % columns) * frameWidth,
        top: Math.floor(i / columns) * frameHeight,
        blend: 'over',
      })),
    )
    .raw()
    .toBuffer();
  return { name: 'turn', width, height, bytes: await encode({ width, height, pixels }, options) };
}
