/** Draws the files of `src/emulator/sample/images`. */
import sharp from 'sharp';
import { blockBody } from '../../src/emulator/sample/blocks/blocks.ts';
import { valuesOf } from '../../src/emulator/sample/definition.ts';
import { readImage } from '../../src/emulator/sample/images.ts';
import { drawArticle } from '../../src/emulator/sample/pictures/pictures.ts';
import { hashText } from '../../src/emulator/sample/random.ts';
import { findArticle } from '../../src/emulator/sample/series/range.ts';
import { TEXTURE_SIZE } from './noise.ts';
import { TEXTURE_DRAWERS } from './textures.ts';

/** Pixels on a side. */
const PREVIEW_SIZE: Readonly<Record<string, number>> = { small: 64, large: 256 };
const LOGO_SIZE = 96;
const CATALOGUE_WIDTH = 320;

/** By the first segment of a path: draws what the others name. */
const DRAWERS: Readonly<Record<string, (...names: string[]) => Promise<Uint8Array>>> = {
  textures: drawTexture,
  previews: drawPreview,
  catalogue: (manufacturer, name, number) =>
    number === undefined
      ? drawLogo(manufacturer!, name === 'logo' ? 'png' : 'jpeg')
      : drawCatalogueImage(manufacturer!, name!, decodeURIComponent(number)),
};

/** Draws one image by its path below `src/emulator/sample/images`; a preview needs the file of its texture. */
export function drawImage(path: string): Promise<Uint8Array> {
  const [folder, ...names] = path.replace(/\.\w+$/, '').split('/');
  return DRAWERS[folder!]!(...names);
}

async function drawTexture(texture: string): Promise<Uint8Array> {
  const { channels, data } = TEXTURE_DRAWERS[texture]!();
  const raw = { width: TEXTURE_SIZE, height: TEXTURE_SIZE, channels };
  return sharp(data, { raw }).jpeg({ quality: 85 }).toBuffer();
}

async function drawPreview(size: string, texture: string): Promise<Uint8Array> {
  const pixels = PREVIEW_SIZE[size]!;
  const image = sharp(await readImage(`textures/${texture}.jpg`));
  return image.resize(pixels, pixels).jpeg().toBuffer();
}

async function drawCatalogueImage(manufacturer: string, program: string, number: string) {
  const article = findArticle(manufacturer, program, number)!;
  return drawArticle(article, valuesOf(article), blockBody, CATALOGUE_WIDTH);
}

/** Eight by eight tiles, symmetrical, in the manufacturer's colour. */
async function drawLogo(manufacturer: string, format: 'png' | 'jpeg'): Promise<Uint8Array> {
  const [size, seed] = [8, hashText(manufacturer)];
  const colour = [0, 8, 16].map((shift) => 40 + ((seed >>> shift) & 0x7f));
  const data = new Uint8ClampedArray(size * size * 3).fill(255);
  for (let i = 0; i < size * size; i++) {
    const [x, y] = [Math.min(i % size, size - 1 - (i % size)), Math.floor(i / size)];
    if (hashText(`${x},${y}`, seed) & 1) data.set(colour, i * 3);
  }
  const width = format === 'png' ? LOGO_SIZE : CATALOGUE_WIDTH;
  const image = sharp(data, { raw: { width: size, height: size, channels: 3 } });
  return image.resize(width, undefined, { kernel: 'nearest' }).toFormat(format).toBuffer();
}
