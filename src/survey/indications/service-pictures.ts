/**
 * What the service's own pictures of articles say: the right reading looks most like them, from the same side. Light and
 * lens are others, so that outlines and the pattern of colours are compared, not colours themselves.
 */

import type { Scene } from '../../convert/model/scene.ts';
import { type Camera, placeCamera } from '../../deliver/pictures/camera.ts';
import type { Bounds } from '../../model/asset.ts';
import type { ImageCodec, Pixels } from '../../model/image-codec.ts';
import { type Effect, OF_PICTURES, type Vote } from '../readings/decide.ts';
import { DRAWN_PIXELS, sceneDrawer } from '../readings/raster.ts';
import type { ReadingOption, ReadingValue } from '../readings/readings.ts';
import type { SmallImage, SmallImages } from '../readings/small-images.ts';

/** Pixels of each side of the part that is compared, from edge to edge of what is shown. */
const CROP = 64;
/** Where furniture is usually photographed from. */
const CAMERAS: readonly Camera[] = [-55, -35, -20, 20, 35, 55].flatMap((azimuthDegrees) =>
  [12, 28].map((elevationDegrees): Camera => {
    return { azimuthDegrees, elevationDegrees, projection: 'perspective' };
  }),
);
/** The share of a drawing that stays free on each side. */
const MARGIN = 0.04;
/** Colours that differ less from the background belong to it, from 0 to 1. */
const BACKGROUND = 0.07;
/** An outline that fits worse is of something else, such as a room or another article. */
const LEAST_FIT = 0.72;
/** How much better a reading must be: a part of the distance, and at least so much. */
const CLEARLY = { share: 0.04, least: 0.004 };

/** A square picture. */
interface Picture {
  size: number;
  /** Red, green, blue of each pixel, row by row from the top, in any unit. */
  rgb: Float32Array;
  /** 1 where something is shown. */
  covered: Uint8Array;
}

/** The part of a picture that shows something, from edge to edge, as a square of `CROP` pixels. */
interface Outline {
  /** 1 where something is shown. */
  covered: Uint8Array;
  /** The pixel of the picture for each of its own; -1 outside. */
  from: Int32Array;
}

/** A picture of the service, as it is compared. */
export class ServicePicture {
  readonly #outline: Outline;
  readonly #rgb: Float32Array;

  private constructor(outline: Outline, rgb: Float32Array) {
    this.#outline = outline;
    this.#rgb = rgb;
  }

  /** Reads a picture; undefined if nothing stands out from its background. */
  static async read(bytes: Uint8Array, codec: ImageCodec): Promise<ServicePicture | undefined> {
    const pixels = await codec.decode(bytes).catch(() => undefined);
    if (pixels === undefined) return undefined;
    const picture = withBackground(pixels);
    const outline = outlineOf(picture);
    return outline && new ServicePicture(outline, colorsIn(picture, outline));
  }

  /**
   * How much a scene differs from the picture, 0 to 1, from where it differs least.
   *
   * @returns Undefined if its outline fits from nowhere.
   */
  distance(scene: Scene, images: readonly (SmallImage | undefined)[]): number | undefined {
    let best: number | undefined;
    const corners = cornersOf(scene.boundsMetres);
    const draw = sceneDrawer(scene, (image) => images[image]);
    for (const camera of CAMERAS) {
      const { colors, covered } = draw(placeCamera(corners, camera, 1, MARGIN));
      const picture = { size: DRAWN_PIXELS, rgb: colors, covered };
      const outline = outlineOf(picture);
      if (outline === undefined) continue;
      const fit = overlap(outline.covered, this.#outline.covered);
      if (fit < LEAST_FIT) continue;
      const rgb = colorsIn(picture, outline);
      const both = { a: outline.covered, b: this.#outline.covered };
      const distance = (1 - fit + colorDistance(rgb, this.#rgb, both)) / 2;
      best = Math.min(best ?? 1, distance);
    }
    return best;
  }
}

function cornersOf({ min, max }: Bounds): Float32Array {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) =>
    [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? max : min)[axis]!),
  );
  return Float32Array.from(corners);
}

/** The values whose distances are not clearly larger than the smallest. */
function closest<T>(measured: readonly { value: T; distance: number }[]): T[] {
  const best = Math.min(...measured.map(({ distance }) => distance));
  const most = best + Math.max(CLEARLY.least, CLEARLY.share * best);
  return measured.filter(({ distance }) => distance <= most).map(({ value }) => value);
}

/** A picture as a square whose background is the colour of most of its edge. */
function withBackground({ width, height, channels, data }: Pixels): Picture {
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

/** Cuts what is shown out, as a square of its own proportions; undefined if it is too small. */
function outlineOf({ size, covered }: Picture): Outline | undefined {
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
  const outline: Outline = {
    covered: new Uint8Array(CROP * CROP),
    from: new Int32Array(CROP * CROP).fill(-1),
  };
  for (let row = 0; row < CROP; row++) {
    for (let column = 0; column < CROP; column++) {
      const x = Math.floor(x0 + ((column + 0.5) * side) / CROP);
      const y = Math.floor(y0 + ((row + 0.5) * side) / CROP);
      if (x < 0 || y < 0 || x >= size || y >= size) continue;
      const [from, to] = [y * size + x, row * CROP + column];
      outline.from[to] = from;
      outline.covered[to] = covered[from]!;
    }
  }
  return outline;
}

/** Red, green, blue of each pixel that is shown, as parts of the mean brightness. */
function colorsIn(picture: Picture, { covered, from }: Outline): Float32Array {
  const rgb = blurred(picture, Math.max(1, Math.round(picture.size / 64)));
  const colors = new Float32Array(3 * CROP * CROP);
  let [sum, count] = [0, 0];
  for (let to = 0; to < covered.length; to++) {
    if (covered[to] === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      const color = rgb[3 * from[to]! + channel]!;
      colors[3 * to + channel] = color;
      sum += color;
    }
    count += 3;
  }
  const mean = sum / count || 1;
  return colors.map((color) => color / mean);
}

/** The colours of a picture, each pixel as the mean of a square about it: what is finer is not seen from some distance. */
function blurred({ size, rgb }: Picture, radius: number): Float32Array {
  const [once, twice] = [new Float32Array(rgb.length), new Float32Array(rgb.length)];
  blurLines(rgb, once, size, 3, 3 * size, radius);
  blurLines(once, twice, size, 3 * size, 3, radius);
  return twice;
}

function blurLines(
  from: Float32Array,
  to: Float32Array,
  size: number,
  step: number,
  line: number,
  radius: number,
): void {
  for (let start = 0; start < size * line; start += line) {
    for (let channel = 0; channel < 3; channel++) {
      const first = start + channel;
      const last = first + step * (size - 1);
      let sum = from[first]! * (radius + 1);
      for (let i = 1; i <= radius; i++) sum += from[Math.min(last, first + step * i)]!;
      for (let at = first, i = 0; i < size; i++, at += step) {
        to[at] = sum / (2 * radius + 1);
        sum += from[Math.min(last, at + step * (radius + 1))]!;
        sum -= from[Math.max(first, at - step * radius)]!;
      }
    }
  }
}

/** The common area of two outlines, of that of both. */
function overlap(a: Uint8Array, b: Uint8Array): number {
  let [common, all] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    common += a[i]! & b[i]!;
    all += a[i]! | b[i]!;
  }
  return common / (all || 1);
}

/** The mean difference of colours where both show something. */
function colorDistance(
  rgb: Float32Array,
  other: Float32Array,
  { a, b }: { a: Uint8Array; b: Uint8Array },
): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if ((a[i]! & b[i]!) === 0) continue;
    for (let at = 3 * i; at < 3 * i + 3; at++) sum += Math.abs(rgb[at]! - other[at]!);
    count += 3;
  }
  return sum / (count || 1);
}

/** Most articles whose pictures are requested. */
const MOST_ARTICLES = 12;

/** The pictures that the service has of articles, each requested once. */
export class ServicePictures {
  readonly #request: (label: string) => Promise<Uint8Array | undefined>;
  readonly #codec: ImageCodec;
  readonly #known = new Map<string, Promise<Uint8Array | undefined>>();
  readonly #read = new Map<string, Promise<ServicePicture | undefined>>();
  /** How much articles as they are read at present differ from their pictures. */
  readonly #present = new Map<string, number>();

  /** @param request - The bytes of the picture of an article, by its label. */
  constructor(request: (label: string) => Promise<Uint8Array | undefined>, codec: ImageCodec) {
    this.#request = request;
    this.#codec = codec;
  }

  /** The bytes of a picture; undefined if there is none, or if many were requested already. */
  bytesOf(label: string): Promise<Uint8Array | undefined> {
    const known = this.#known.get(label);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_ARTICLES) return Promise.resolve(undefined);
    const requested = this.#request(label);
    this.#known.set(label, requested);
    return requested;
  }

  /**
   * Votes of the pictures of the articles in which a reading matters most.
   *
   * @param present - The present value. All calls have the same present values of all options.
   * @param sceneOf - The scene of an article with a value of the option.
   * @returns None of a picture that shows something else, or in which all readings look alike.
   */
  async votes(
    option: ReadingOption,
    present: ReadingValue,
    effects: readonly Effect[],
    sceneOf: (label: string, value: ReadingValue) => Promise<Scene>,
    images: SmallImages,
  ): Promise<Vote[]> {
    const values = [present, ...effects.map(({ value }) => value)];
    const votes: Vote[] = [];
    for (const article of new Set(effects.flatMap(({ examples }) => examples))) {
      const picture = await this.#pictureOf(article);
      if (picture === undefined) continue;
      const measured: { value: ReadingValue; distance: number }[] = [];
      for (const value of values) {
        const known = value === present ? this.#present.get(article) : undefined;
        const distance =
          known ?? (await distanceOf(picture, await sceneOf(article, value), images));
        if (value === present) this.#present.set(article, distance);
        measured.push({ value, distance });
      }
      const best = Math.min(...measured.map(({ distance }) => distance));
      const fits = closest(measured);
      if (best === 1 || fits.length === values.length) continue;
      const figure = `differs by ${(100 * best).toFixed(0)} %`;
      votes.push({ option, indication: OF_PICTURES, fits, values, figure, article });
    }
    return votes;
  }

  #pictureOf(article: string): Promise<ServicePicture | undefined> {
    const read = async () => {
      const bytes = await this.bytesOf(article);
      return bytes && ServicePicture.read(bytes, this.#codec);
    };
    const known = this.#read.get(article) ?? read();
    this.#read.set(article, known);
    return known;
  }
}

async function distanceOf(picture: ServicePicture, scene: Scene, images: SmallImages) {
  return picture.distance(scene, await images.of(scene)) ?? 1;
}
