/** `btg2gltf render`: pictures of a GLB. */
import { basename, dirname, join, resolve } from 'node:path';
import { BROWSER_VARIABLE, findBrowser } from '../deliver/browser.ts';
import { CAMERAS, type CameraName } from '../deliver/camera.ts';
import { takePictures } from '../deliver/picture.ts';
import {
  PICTURE_DEFAULTS,
  PICTURE_FORMATS,
  type PictureFormat,
  type PictureOptions,
  TRANSPARENT,
} from '../deliver/picture-options.ts';
import { openRenderer } from '../deliver/renderer.ts';
import { MOST_PIXELS_A_SIDE } from '../deliver/shot.ts';
import { size } from '../report/text.ts';
import { ConverterError } from '../support/errors.ts';
import { makeFolder, readBytes, replaceFile } from '../support/files.ts';
import { type Arguments, type Command, numberOf, textOf } from './command.ts';

const NAMES = Object.keys(CAMERAS).join(', ');

/** The command. */
export const renderCommand: Command = {
  positionals: [{ name: 'FILE.glb', describe: 'the model', required: true }],
  options: {
    camera: {
      type: 'string',
      value: 'NAMES',
      describe: `cameras, separated by commas: ${NAMES}`,
      default: PICTURE_DEFAULTS.cameras.join(','),
    },
    size: {
      type: 'string',
      value: 'N|WxH',
      describe: 'pixels of a picture; that of the camera top follows from --pixels-per-metre',
      default: `${PICTURE_DEFAULTS.width}x${PICTURE_DEFAULTS.height}`,
    },
    format: {
      type: 'string',
      choices: Object.keys(PICTURE_FORMATS),
      describe: 'format of the files',
      default: PICTURE_DEFAULTS.format,
    },
    background: {
      type: 'string',
      value: 'COLOUR',
      describe: 'colour behind the model such as #f4f4f4, or transparent',
      default: PICTURE_DEFAULTS.background,
    },
    'pixels-per-metre': {
      type: 'number',
      min: 1,
      describe: 'scale of the camera top',
      default: PICTURE_DEFAULTS.pixelsPerMetre,
    },
    frames: {
      type: 'number',
      describe: 'pictures of a turn about the model, and a sheet of all; 0 is none',
      default: PICTURE_DEFAULTS.frames,
    },
    output: {
      type: 'string',
      value: 'DIR',
      describe: 'folder of the pictures [default: that of the file]',
    },
    browser: { type: 'string', value: 'PATH', describe: 'program of Chrome or Chromium' },
  },
  examples: [
    'btg2gltf render desk.glb',
    'btg2gltf render desk.glb --camera hero,top --size 400x300 --format png --background transparent',
    'btg2gltf render desk.glb --frames 8 --size 200',
  ],
  async run(args, io) {
    const options = pictureOptionsOf(args);
    const file = resolve(textOf(args, 'FILE.glb')!);
    const folder = resolve(textOf(args, 'output') ?? dirname(file));
    const browser = await findBrowser(textOf(args, 'browser'), io.env[BROWSER_VARIABLE]);
    if (browser === undefined) {
      const message = 'pictures: expected a browser, found none';
      throw new ConverterError('BROWSER_MISSING', message);
    }
    const glb = await readBytes(file);
    const renderer = openRenderer({ browser });
    const stop = () => void renderer.close();
    io.signal.addEventListener('abort', stop);
    const pictures = await takePictures(renderer, glb, options).finally(() => {
      io.signal.removeEventListener('abort', stop);
      return renderer.close();
    });
    await makeFolder(folder);
    const name = basename(file).replace(/\.glb$/i, '');
    for (const picture of pictures) {
      const path = join(folder, `${name}-${picture.name}.${options.format}`);
      await replaceFile(path, picture.bytes);
      io.print(`${path}: ${picture.width} × ${picture.height}, ${size(picture.bytes.length)}\n`);
    }
    return 0;
  },
};

function pictureOptionsOf(args: Arguments): PictureOptions {
  const background = textOf(args, 'background') ?? PICTURE_DEFAULTS.background;
  if (background !== TRANSPARENT && !/^#[0-9a-f]{6}$/i.test(background))
    throw wrong('background', 'a colour such as #f4f4f4, or transparent', background);
  const [width, height] = sizeOf(textOf(args, 'size'));
  return {
    cameras: camerasOf(textOf(args, 'camera')),
    width,
    height,
    format: (textOf(args, 'format') ?? PICTURE_DEFAULTS.format) as PictureFormat,
    background: background.toLowerCase(),
    pixelsPerMetre: numberOf(args, 'pixels-per-metre') ?? PICTURE_DEFAULTS.pixelsPerMetre,
    frames: numberOf(args, 'frames') ?? PICTURE_DEFAULTS.frames,
  };
}

function camerasOf(text: string | undefined): readonly CameraName[] {
  if (text === undefined) return PICTURE_DEFAULTS.cameras;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => !Object.hasOwn(CAMERAS, name));
  if (unknown !== undefined) throw wrong('camera', `names of ${NAMES}`, unknown);
  return names as CameraName[];
}

function sizeOf(text: string | undefined): [number, number] {
  if (text === undefined) return [PICTURE_DEFAULTS.width, PICTURE_DEFAULTS.height];
  const [, width, height] = /^(\d+)(?:x(\d+))?$/.exec(text) ?? [];
  const sides = [Number(width), Number(height ?? width)] as [number, number];
  if (sides.every((side) => side >= 1 && side <= MOST_PIXELS_A_SIDE)) return sides;
  throw wrong(
    'size',
    `pixels such as 1024 or 1600x1200, at most ${MOST_PIXELS_A_SIDE} a side`,
    text,
  );
}

function wrong(option: string, expected: string, received: string): ConverterError {
  return new ConverterError('USAGE', `--${option}: expected ${expected}, received ${received}`);
}
