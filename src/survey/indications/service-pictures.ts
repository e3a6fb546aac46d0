/**
 * What the service's own pictures of articles say: the right reading looks most like them, from the same side. Light and
 * lens are others, so that only the places are compared in which readings differ, and only what light leaves as it is.
 */

import type { Scene } from '../../convert/model/scene.ts';
import type { ImageCodec } from '../../model/image-codec.ts';
import { type Effect, OF_PICTURES, type Vote } from '../readings/decide.ts';
import type { ReadingOption, ReadingValue } from '../readings/readings.ts';
import type { SmallImage, SmallImages } from '../readings/small-images.ts';
import { Photograph } from './photograph.ts';
import { type Distance, distancesOf } from './picture-distances.ts';
import { drawnFrom, isSameOutline, type Matched, NEARLY, viewpointsOf } from './viewpoint.ts';

/** An outline that fits worse is of something else, such as a room or another article. */
const LEAST_FIT = 0.72;
/** How much better a reading must be: a part of its distance, and so much more. */
const CLEARLY = { share: 0.15, least: 0.004 };

/** Most articles whose pictures are requested. */
const MOST_ARTICLES = 12;

/** A scene in one reading. */
interface ReadScene {
  scene: Scene;
  images: readonly (SmallImage | undefined)[];
}

/** How much each reading of an option differs from the picture of an article. */
export interface Comparison {
  option: ReadingOption;
  article: string;
  values: readonly ReadingValue[];
  /** One for each value. */
  distances: readonly Distance[];
}

/** The pictures that the service has of articles, each requested once. */
export class ServicePictures {
  readonly #request: (label: string) => Promise<Uint8Array | undefined>;
  readonly #codec: ImageCodec;
  readonly #known = new Map<string, Promise<Uint8Array | undefined>>();
  readonly #photographs = new Map<string, Promise<Photograph | undefined>>();
  /** From where pictures were taken, as the present reading shows it. */
  readonly #viewpoints = new Map<string, Matched[]>();

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
   * Compares the readings of an option with the pictures of the articles in which they matter most.
   *
   * @param present - The present value.
   * @param sceneOf - The scene of an article with a value of the option; that of the present value is always the same.
   * @returns None for a picture that shows something else, or in which all readings look alike.
   */
  async compare(
    option: ReadingOption,
    present: ReadingValue,
    effects: readonly Effect[],
    sceneOf: (label: string, value: ReadingValue) => Promise<Scene>,
    images: SmallImages,
  ): Promise<Comparison[]> {
    const values = [present, ...effects.map(({ value }) => value)];
    const comparisons: Comparison[] = [];
    for (const article of new Set(effects.flatMap(({ examples }) => examples))) {
      const photograph = await this.#photographOf(article);
      if (photograph === undefined) continue;
      const scenes: ReadScene[] = [];
      for (const value of values) {
        const scene = await sceneOf(article, value);
        scenes.push({ scene, images: await images.of(scene) });
      }
      const distances = this.#distancesOf(article, photograph, scenes);
      if (distances !== undefined) comparisons.push({ option, article, values, distances });
    }
    return comparisons;
  }

  #photographOf(label: string): Promise<Photograph | undefined> {
    const read = async () => {
      const bytes = await this.bytesOf(label);
      return bytes && Photograph.read(bytes, this.#codec);
    };
    const known = this.#photographs.get(label) ?? read();
    this.#photographs.set(label, known);
    return known;
  }

  /** How much scenes differ from a picture, each from where it fits best; undefined if none fits, or all look alike. */
  #distancesOf(
    article: string,
    photograph: Photograph,
    scenes: readonly ReadScene[],
  ): Distance[] | undefined {
    const measured = this.#viewpointsOf(article, photograph, scenes)
      .map(({ view, framed }) => {
        const drawings = scenes.map(({ scene, images }) => drawnFrom(scene, view, images));
        return distancesOf(drawings, framed, photograph.background);
      })
      .filter((distances) => distances !== undefined);
    if (measured.length === 0) return undefined;
    const nearest = (at: number, of: keyof Distance) =>
      Math.min(...measured.map((distances) => distances[at]![of]));
    return scenes.map((_, at) => ({ own: nearest(at, 'own'), least: nearest(at, 'least') }));
  }

  /** Readings that move parts have viewpoints of their own: the picture may have been taken from any of them. */
  #viewpointsOf(article: string, photograph: Photograph, scenes: readonly ReadScene[]): Matched[] {
    const [{ scene: present }, ...others] = scenes as [ReadScene, ...ReadScene[]];
    const own = this.#viewpoints.get(article) ?? viewpointsOf(present, photograph);
    this.#viewpoints.set(article, own);
    const view = own[0]?.view;
    const moved = others.filter(({ scene }) => !view || !isSameOutline(present, scene, view));
    const all = [...own, ...moved.flatMap(({ scene }) => viewpointsOf(scene, photograph))];
    const best = Math.max(LEAST_FIT, ...all.map(({ fit }) => fit - NEARLY));
    return all.filter(({ fit }) => fit >= best);
  }
}

/** The readings that look clearly most like a picture; undefined if the picture shows no clear difference. */
export function voteOf({ option, article, values, distances }: Comparison): Vote | undefined {
  const distance = Math.min(...distances.map(({ own }) => own));
  // A picture that has no patterns, or others, would decide by chance.
  if (distances.some(({ least }) => least < distance)) return undefined;
  const most = distance * (1 + CLEARLY.share) + CLEARLY.least;
  const fits = values.filter((_, at) => distances[at]!.least <= most);
  if (fits.length === values.length) return undefined;
  const figure = `differs by ${(100 * distance).toFixed(0)} %`;
  return { option, indication: OF_PICTURES, fits, values, figure, article };
}
