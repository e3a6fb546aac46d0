/**
 * What the service's own pictures of articles say: the right reading looks most like them, from the same side. Light and
 * lens are others, so that outlines and the pattern of colours are compared, not colours themselves.
 */

import type { Scene } from '../../convert/model/scene.ts';
import type { Bounds } from '../../model/asset.ts';
import type { ImageCodec, Pixels } from '../../model/image-codec.ts';
import { groupBy } from '../../support/group-by.ts';
import type { Vote } from '../readings/decide.ts';
import {
  blurred,
  type Drawing,
  drawScene,
  type SmallImages,
  type View,
} from '../readings/raster.ts';
import type { ReadingOption, ReadingValue } from '../readings/readings.ts';

/** Pixels of each side at which outlines are compared. */
const SIZE = 128;
/** Pixels of each side of the part that is compared, from edge to edge of what is shown. */
const CROP = 64;
/** Where furniture is usually photographed from. */
export const VIEWS: readonly View[] = [-55, -35, -20, 20, 35, 55].flatMap((yawDegrees) =>
  [12, 28].map((pitchDegrees) => ({ yawDegrees, pitchDegrees })),
);
/** Colours that differ less from the background belong to it, from 0 to 1. */
const BACKGROUND = 0.07;
/** An outline that fits worse is of something else, such as a room or another article. */
const LEAST_FIT = 0.72;
/** How much better a reading must be: a part of the distance, and at least so much. */
const CLEARLY = { share: 0.04, least: 0.004 };

/** The part of a picture that shows something, from edge to edge, as a square. */
interface Crop {
  covered: Float32Array;
  /** Red, green, blue of each pixel, as parts of the mean brightness. */
  rgb: Float32Array;
}

/** A picture of the service, as it is compared. */
export class ServicePicture {
  readonly #crop: Crop;

  private constructor(crop: Crop) {
    this.#crop = crop;
  }

  /** Reads a picture; undefined if nothing stands out from its background. */
  static async read(bytes: Uint8Array, codec: ImageCodec): Promise<ServicePicture | undefined> {
    const pixels = await codec.decode(bytes).catch(() => undefined);
    if (pixels === undefined) return undefined;
    const drawing = withBackground(pixels);
    const crop = drawing && cropOf(drawing);
    return crop && new ServicePicture(crop);
  }

  /**
   * How much a scene differs from the picture, 0 to 1, from where it differs least.
   *
   * @returns Undefined if its outline fits from nowhere.
   */
  distance(
    scene: Scene,
    frame: Bounds,
    images: readonly (Pixels | undefined)[],
  ): { distance: number; view: View } | undefined {
    let best: { distance: number; view: View } | undefined;
    for (const view of VIEWS) {
      const crop = cropOf(drawScene(scene, view, frame, images, SIZE));
      if (crop === undefined) continue;
      const fit = overlap(crop, this.#crop);
      if (fit < LEAST_FIT) continue;
      const distance = (1 - fit + colourDistance(crop, this.#crop)) / 2;
      if (best === undefined || distance < best.distance) best = { distance, view };
    }
    return best;
  }
}

/** The values whose distances are not clearly larger than the smallest. */
export function closest<T>(measured: readonly { value: T; distance: number }[]): T[] {
  const best = Math.min(...measured.map(({ distance }) => distance));
  const most = best + Math.max(CLEARLY.least, CLEARLY.share * best);
  return measured.filter(({ distance }) => distance <= most).map(({ value }) => value);
}

/** A picture as a square drawing whose background is the colour of most of its edge. */
function withBackground({ width, height, channels, data }: Pixels): Drawing | undefined {
  const size = Math.max(width, height);
  const [left, top] = [(size - width) >> 1, (size - height) >> 1];
  const edge: number[][] = [[], [], []];
  const value = (x: number, y: number, channel: number) =>
    data[(y * width + x) * channels + Math.min(channel, channels - 1)]! / 255;
  for (let channel = 0; channel < 3; channel++) {
    for (let x = 0; x < width; x++)
      edge[channel]!.push(value(x, 0, channel), value(x, height - 1, channel));
    for (let y = 0; y < height; y++)
      edge[channel]!.push(value(0, y, channel), value(width - 1, y, channel));
  }
  const background = edge.map((values) => values.sort((a, b) => a - b)[values.length >> 1]!);
  const rgb = new Float32Array(3 * size * size);
  const covered = new Uint8Array(size * size);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y + top) * size + x + left;
      let difference = 0;
      for (let channel = 0; channel < 3; channel++) {
        const part = value(x, y, channel);
        rgb[3 * at + channel] = part;
        difference = Math.max(difference, Math.abs(part - background[channel]!));
      }
      covered[at] = Number(difference > BACKGROUND);
    }
  }
  return { size, rgb, covered };
}

/** Cuts what is shown out, as a square of its own proportions, and makes its brightness comparable. */
function cropOf(drawing: Drawing): Crop | undefined {
  const { size, rgb } = blurred(drawing, Math.max(1, Math.round(drawing.size / 64)));
  const { covered } = drawing;
  let [left, right, top, bottom] = [size, -1, size, -1];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (covered[y * size + x] === 0) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  const side = Math.max(right - left, bottom - top) + 1;
  if (side < CROP / 4) return undefined;
  const [x0, y0] = [(left + right + 1 - side) / 2, (top + bottom + 1 - side) / 2];
  const crop: Crop = {
    covered: new Float32Array(CROP * CROP),
    rgb: new Float32Array(3 * CROP * CROP),
  };
  let [sum, count] = [0, 0];
  for (let row = 0; row < CROP; row++) {
    for (let column = 0; column < CROP; column++) {
      const x = Math.floor(x0 + ((column + 0.5) * side) / CROP);
      const y = Math.floor(y0 + ((row + 0.5) * side) / CROP);
      if (x < 0 || y < 0 || x >= size || y >= size) continue;
      const [from, to] = [y * size + x, row * CROP + column];
      crop.covered[to] = covered[from]!;
      if (covered[from] === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        crop.rgb[3 * to + channel] = rgb[3 * from + channel]!;
        sum += rgb[3 * from + channel]!;
      }
      count += 3;
    }
  }
  const mean = sum / count || 1;
  for (let i = 0; i < crop.rgb.length; i++) crop.rgb[i]! /= mean;
  return crop;
}

/** The common area of two outlines, of that of both. */
function overlap(a: Crop, b: Crop): number {
  let [common, all] = [0, 0];
  for (let i = 0; i < a.covered.length; i++) {
    common += a.covered[i]! * b.covered[i]!;
    all += Math.max(a.covered[i]!, b.covered[i]!);
  }
  return common / (all || 1);
}

/** The mean difference of colours where both show something. */
function colourDistance(a: Crop, b: Crop): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < a.covered.length; i++) {
    if (a.covered[i]! * b.covered[i]! === 0) continue;
    for (let channel = 0; channel < 3; channel++)
      sum += Math.abs(a.rgb[3 * i + channel]! - b.rgb[3 * i + channel]!);
    count += 3;
  }
  return sum / (count || 1);
}

/** A reading of an article that is compared with its picture. */
export interface Compared {
  option: ReadingOption;
  value: ReadingValue;
  scene: Scene;
}

/**
 * Votes of one picture.
 *
 * @param present - The scene in the present readings, whose values `presentOf` returns.
 * @returns None if the picture shows something else, or if all readings of an option look alike in it.
 */
export async function pictureVotes(
  article: string,
  picture: ServicePicture,
  present: Scene,
  presentOf: (option: ReadingOption) => ReadingValue,
  others: readonly Compared[],
  images: SmallImages,
): Promise<Vote[]> {
  const measure = async (scene: Scene) =>
    picture.distance(scene, scene.boundsMetres, await images.of(scene))?.distance;
  const own = await measure(present);
  const votes: Vote[] = [];
  for (const [option, rows] of groupBy(others, (one) => one.option)) {
    const measured = [{ value: presentOf(option), distance: own ?? 1 }];
    for (const { value, scene } of rows)
      measured.push({ value, distance: (await measure(scene)) ?? 1 });
    const fits = closest(measured);
    const values = measured.map(({ value }) => value);
    const best = Math.min(...measured.map(({ distance }) => distance));
    if (best === 1 || fits.length === values.length) continue;
    const figure = `differs by ${(100 * best).toFixed(0)} %`;
    votes.push({ option, indication: 'picture of the service', fits, values, figure, article });
  }
  return votes;
}
