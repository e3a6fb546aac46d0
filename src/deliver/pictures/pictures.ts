/** The delivery of pictures: the browser starts with the first one. */

import type { FileFacts } from '../../run/output/delivered-files.ts';
import { sha256Hex } from '../../support/files.ts';
import { readGlb } from '../making/glb-container.ts';
import type { FilePlace, Maker } from '../making/maker.ts';
import { takePictures } from './picture.ts';
import {
  drawnSize,
  type NamedPicture,
  type PictureOptions,
  picturesOf,
  sizesOf,
} from './picture-options.ts';
import type { Renderer } from './renderer.ts';

/** Increase this version if the same model gets another picture, and say why. */
export const PICTURE_EDITION = {
  version: 12,
  changed: 'all pictures were taken again, because shadows and reflections are drawn differently',
};

/** While one picture is drawn, others are encoded and written. */
export const PICTURES_AT_ONCE = 4;

/** Makes the pictures of masters. @param renderer - The renderer, which is closed with the maker. */
export function createPictureMaker(renderer: Renderer, options: PictureOptions): Maker {
  const { cameras, format } = options;
  const fileOf = (name: string) => `${name}.${format}`;
  return {
    ...pictureFiles(options),
    ...{ atOnce: PICTURES_AT_ONCE, hasBrowser: true },
    edition: PICTURE_EDITION,
    async make(master, names, spend) {
      const wanted = new Set(names);
      const isViewed = (name: string) => wanted.has(fileOf(name));
      const viewed = cameras.filter((camera) =>
        sizesOf(camera, options).some(({ name }) => isViewed(name)),
      );
      // The sheet of a turn needs all frames.
      const frames = names.some((name) => name.startsWith('turn')) ? options.frames : 0;
      const wantedOptions = { ...options, cameras: viewed, frames };
      const pictures = await takePictures(renderer, master, wantedOptions, spend);
      return pictures
        .filter(({ name }) => isViewed(name))
        .map(({ width, height, bytes, pixelsPerMetre: scale }) => ({
          bytes,
          facts: { width, height, ...(scale !== undefined && { pixelsPerMetre: scale }) },
        }));
    },
    close: () => renderer.close(),
  };
}

/** The pictures of each master, as a delivery names them. */
export function pictureFiles(options: PictureOptions): Pick<Maker, 'name' | 'files' | 'digestOf'> {
  const files = picturesOf(options).map((picture) => ({
    name: `${picture.name}.${options.format}`,
    key: `${PICTURE_EDITION.version} ${JSON.stringify(whatDecides(picture, options))}`,
    ...(picture.camera !== undefined && { places: placesOf(picture, options) }),
  }));
  return { name: 'pictures', files, digestOf: digestOfLook };
}

/** A view is found by article, camera and width; in its first size also at the address of older versions. */
function placesOf({ name, camera, size }: NamedPicture, { format }: PictureOptions): FilePlace[] {
  const place = (file: string, hasArticle: boolean, facts: FileFacts): FilePlace => ({
    name: `${file}.${format}`,
    ...{ hasArticle, facts: { camera: camera!, ...facts } },
  });
  if (name !== camera) return [place(name, true, {})];
  const readable = size === undefined ? camera : `${camera}-${size.width}`;
  return [place(readable, true, {}), place(camera, false, { isFormerAddress: true })];
}

/** Digest of what a picture shows of a GLB: all but names and other notes; a layer says whether there is a floor. */
export function digestOfLook(glb: Uint8Array): string {
  const { json, binary } = readGlb(glb);
  const shown = JSON.stringify({ ...json, asset: undefined }, (key, value) => {
    if (key === 'extras') return { layer: (value as { layer?: unknown }).layer };
    return key === 'name' ? undefined : value;
  });
  return sha256Hex([new TextEncoder().encode(shown), binary]);
}

function whatDecides({ camera, size }: NamedPicture, options: PictureOptions) {
  const { width, height, sizes, background, floor, pixelsPerMetre, frames } = options;
  if (camera === undefined) return { background, floor, width, height, frames };
  if (size === undefined) return { background, pixelsPerMetre };
  const own = { background, floor, ...size };
  return sizes.length === 0 ? own : { ...own, drawn: drawnSize(options).width };
}
