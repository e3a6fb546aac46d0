/** What materials and their images say: whether grooves go in, what colours do, and how large images are. */

import type { ImageField, ServiceMaterial } from '../../convert/model/graphics.ts';
import type { ImageCodec, Pixels } from '../../model/image-codec.ts';
import { NODE_FEATURES } from '../articles/features.ts';
import type { ArticleReader, SurveyedArticle } from '../articles/surveyed-article.ts';
import type { Vote } from '../readings/decide.ts';
import type { ReadingOption, ReadingValue } from '../readings/readings.ts';

/** Sides of an image: enough to judge its colours, and its relief. */
const COLOR_PIXELS = 128;
const RELIEF_PIXELS = 256;
/** Less colour than this is grey; more than that is a colour. */
const GREY = 0.06;
const COLOURED = 0.2;
/** Colours nearer than this are the same to the eye. */
const SAME_COLOUR = 0.12;
/** How much better one sign of a gradient must be. */
const CLEARLY = 1.6;

/** The readings about which materials vote. */
export const MATERIAL_OPTIONS: ReadonlySet<ReadingOption> = new Set<ReadingOption>([
  'inheritMaterial',
  'writtenMaterials',
  'textureScale',
  'tintTextures',
  'normalMap',
]);

/** Looks at images, each once. */
export class ImageFacts {
  readonly #images: ImageCodec;
  readonly #reader: ArticleReader;
  readonly #known = new Map<string, Promise<Pixels | undefined>>();

  constructor(images: ImageCodec, reader: ArticleReader) {
    this.#images = images;
    this.#reader = reader;
  }

  /** Small pixels of an image of a material; undefined if it is missing or cannot be read. */
  pixels(
    article: SurveyedArticle,
    reference: string,
    side = COLOR_PIXELS,
  ): Promise<Pixels | undefined> {
    const image = article.snapshot.images.get(reference);
    if (image === undefined || 'missing' in image) return Promise.resolve(undefined);
    const key = `${side} ${image.digest}`;
    const known = this.#known.get(key) ?? this.#look(article, reference, side);
    this.#known.set(key, known);
    return known;
  }

  async #look(
    article: SurveyedArticle,
    reference: string,
    side: number,
  ): Promise<Pixels | undefined> {
    const bytes = await this.#reader.image(article, reference);
    const size = { width: side, height: side };
    return bytes && this.#images.decode(bytes, size).catch(() => undefined);
  }
}

/** Votes of the materials of an article. */
export async function materialVotes(article: SurveyedArticle, images: ImageFacts): Promise<Vote[]> {
  const materials = [...new Set(article.drawn.flatMap(({ material }) => material ?? []))];
  const votes = [...nodeVotes(article)];
  for (const material of materials) {
    votes.push(...scaleVotes(material, article));
    const look = (field: ImageField, side?: number) =>
      material[field] ? images.pixels(article, material[field], side) : undefined;
    votes.push(...tintVotes(material, await look('pic'), article));
    votes.push(...reliefVotes(await look('bump', RELIEF_PIXELS), article));
  }
  return votes;
}

function vote(
  article: SurveyedArticle,
  option: ReadingOption,
  indication: string,
  fits: readonly ReadingValue[],
  values: readonly ReadingValue[],
  figure: string,
): Vote {
  return { option, indication, fits, values, figure, article: article.label };
}

/** Materials that only a node above can give, and definitions that are written where a name belongs. */
function nodeVotes(article: SurveyedArticle): Vote[] {
  const { features, drawn } = article;
  const inherited =
    features.count('nodes', NODE_FEATURES.withoutMaterial) -
    features.count('nodes', NODE_FEATURES.withoutAnyMaterial);
  const written = drawn.filter(({ node }) => /^\$|;/.test(node.material));
  const read = written.filter(({ material }) => material !== undefined);
  return [
    ...(inherited > 0
      ? [
          vote(
            article,
            'inheritMaterial',
            'parts without material',
            [true],
            [true, false],
            `${inherited} parts would be grey`,
          ),
        ]
      : []),
    ...(read.length > 0
      ? [
          vote(
            article,
            'writtenMaterials',
            'form of the text',
            [true],
            [true, false],
            `${read.length} texts are definitions`,
          ),
        ]
      : []),
  ];
}

/**
 * The normal map has a scale of its own, which is in repetitions per metre by the specification: where it equals that of
 * the image, the latter is, too.
 */
function scaleVotes(material: ServiceMaterial, article: SurveyedArticle): Vote[] {
  const { scaleu, bump_scaleu: bump } = material;
  if (!scaleu || !bump || scaleu === 1) return [];
  const isNear = (a: number, b: number) => Math.abs(a / b - 1) < 0.02;
  const fits = [
    ...(isNear(bump, scaleu) ? ['repetitions'] : []),
    ...(isNear(bump, 1 / scaleu) ? ['metres'] : []),
  ];
  if (fits.length !== 1) return [];
  const figure = `scaleu ${scaleu}, bump_scaleu ${bump}`;
  return [
    vote(
      article,
      'textureScale',
      'scale of the normal map',
      fits,
      ['repetitions', 'metres'],
      figure,
    ),
  ];
}

/** A colour like that of the image stands in for it; a colour over a grey image tints it. */
function tintVotes(
  { dif, pic }: ServiceMaterial,
  pixels: Pixels | undefined,
  article: SurveyedArticle,
): Vote[] {
  if (dif === undefined || pic === undefined || pixels === undefined) return [];
  if (dif.every((part) => part > 0.98)) return [];
  const mean = meanOf(pixels);
  const saturation = (color: readonly number[]) => Math.max(...color) - Math.min(...color);
  const distance = Math.hypot(...mean.map((part, at) => part - dif[at]!)) / Math.sqrt(3);
  const isTint = saturation(mean) < GREY && saturation(dif) > COLOURED;
  // A grey that equals the image would darken it, and equals it by chance.
  if (!isTint && (distance > SAME_COLOUR || saturation(mean) < GREY)) return [];
  const fits = [isTint];
  const figure = isTint ? 'a colour over a grey image' : 'the colour is that of the image';
  return [vote(article, 'tintTextures', 'colour of the image', fits, [true, false], figure)];
}

/** The mean colour of an image, sRGB. */
export function meanOf({ data, channels }: Pixels): [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < data.length; i += channels) {
    for (let c = 0; c < 3; c++) sums[c]! += data[i + Math.min(c, channels - 1)]!;
  }
  const count = (data.length / channels) * 255;
  return sums.map((sum) => sum / count) as [number, number, number];
}

/**
 * The normals of a surface are those of one height field: its gradient has no curl. With the wrong sign of green it has.
 */
function reliefVotes(pixels: Pixels | undefined, article: SurveyedArticle): Vote[] {
  if (pixels === undefined || pixels.channels !== 3) return [];
  const { up, down } = curls(pixels);
  if (!(up > 0) || !(down > 0)) return [];
  const ratio = up / down;
  if (ratio < CLEARLY && ratio > 1 / CLEARLY) return [];
  const fits = [ratio < 1 ? 'opengl' : 'directx'];
  const figure = `curl ${up.toPrecision(2)} with green up, ${down.toPrecision(2)} with green down`;
  return [vote(article, 'normalMap', 'gradient of the image', fits, ['opengl', 'directx'], figure)];
}

/** The mean squared curl of the gradient for both signs of green; the image repeats. */
function curls({ width, height, data }: Pixels): { up: number; down: number } {
  const slope = (x: number, y: number, channel: 0 | 1) => {
    const at = 3 * (((y + height) % height) * width + ((x + width) % width));
    const z = Math.max(0.1, data[at + 2]! / 127.5 - 1);
    return -(data[at + channel]! / 127.5 - 1) / z;
  };
  let up = 0;
  let down = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      // Rows run down: with green up, the slope along a row step is the negative one.
      const alongRows = (slope(x, y + 1, 0) - slope(x, y - 1, 0)) / 2;
      const alongColumns = (slope(x + 1, y, 1) - slope(x - 1, y, 1)) / 2;
      up += (alongRows + alongColumns) ** 2;
      down += (alongRows - alongColumns) ** 2;
    }
  }
  const count = width * height;
  return { up: up / count, down: down / count };
}
