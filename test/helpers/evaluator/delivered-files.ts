/** What delivered files show, as numbers: sizes of models, colours of their images and of pictures. */
import sharp from 'sharp';
import { boundsOf, drawnVertices, readerWithDecoders } from '../drawn-vertices.ts';
import { judgeUsdz } from '../usdz-judge.ts';
import { srgbOf } from './colors.ts';
import { imageFacts } from './image-facts.ts';
import { minus, type Vec3 } from './vectors.ts';

/** What a model shows. */
export interface ShownModel {
  /** Mean colours of its images, sRGB. */
  colors: Vec3[];
  sizeMetres: Vec3;
}

/** What a picture shows. */
export interface ShownPicture {
  width: number;
  height: number;
  /** Of a square in the middle, sRGB. */
  middle: Vec3;
}

/** Reads a GLB, also a compressed one. */
export async function shownByGlb(glb: Uint8Array): Promise<ShownModel> {
  const document = await readerWithDecoders().readBinary(glb);
  const images = document.getRoot().listTextures();
  const { min, max } = boundsOf(await drawnVertices(glb));
  const colors = await Promise.all(images.map((image) => meanColor(image.getImage()!)));
  return { colors, sizeMetres: minus(max, min) };
}

/** Reads a USDZ. @throws Error where it is none. */
export async function shownByUsdz(usdz: Uint8Array): Promise<ShownModel> {
  const { problems, images, meshes } = judgeUsdz(usdz);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const points = meshes.flatMap((mesh) => mesh.points);
  const along = (of: (a: number, b: number) => number, axis: number) =>
    points.reduce((most, value, i) => (i % 3 === axis ? of(most, value) : most), points[axis]!);
  const [x, y, z] = [0, 1, 2].map((axis) => along(Math.max, axis) - along(Math.min, axis));
  const colors = await Promise.all([...images.values()].map(meanColor));
  return { colors, sizeMetres: [x!, y!, z!] };
}

/** @param squarePixels - Side of the square in the middle. */
export async function shownByPicture(
  picture: Uint8Array,
  squarePixels: number,
): Promise<ShownPicture> {
  const { width, height } = await sharp(picture).metadata();
  const [w, h] = [Math.min(width, squarePixels), Math.min(height, squarePixels)];
  const [left, top] = [Math.floor((width - w) / 2), Math.floor((height - h) / 2)];
  const area = { left, top, width: w, height: h };
  const square = await sharp(picture).extract(area).png().toBuffer();
  const { channels } = await sharp(square).stats();
  const [r, g, b] = channels.map(({ mean }) => mean / 255);
  return { width, height, middle: [r!, g!, b!] };
}

/** sRGB, 0..1; averaged in linear light. */
export async function meanColor(image: Uint8Array): Promise<Vec3> {
  const [r, g, b] = (await imageFacts(image)).meanLinear;
  return [srgbOf(r), srgbOf(g), srgbOf(b)];
}

/** The largest difference of a channel. */
export const colorDistance = (a: Vec3, b: Vec3): number =>
  Math.max(...a.map((value, k) => Math.abs(value - b[k]!)));
