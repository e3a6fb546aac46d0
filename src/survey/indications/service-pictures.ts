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
   * Votes of the pictures of the articles in which a reading matters most.
   *
   * @param present - The present value.
   * @param sceneOf - The scene of an article with a value of the option; that of the present value is always the same.
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
      const photograph = await this.#photographOf(article);
      if (photograph === undefined) continue;
      const scenes: ReadScene[] = [];
      for (const value of values) {
        const scene = await sceneOf(article, value);
        scenes.push({ scene, images: await images.of(scene) });
      }
      const found = this.#closest(article, photograph, scenes);
      if (found === undefined) continue;
      const fits = values.filter((_, at) => found.closest.includes(at));
      if (fits.length === values.length) continue;
      const figure = `differs by ${(100 * found.distance).toFixed(0)} %`;
      votes.push({ option, indication: OF_PICTURES, fits, values, figure, article });
    }
    return votes;
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

  /** The scenes that look most like a picture, all from the same places; undefined if none fits, or all look alike. */
  #closest(article: string, photograph: Photograph, scenes: readonly ReadScene[]) {
    const measured = this.#viewpointsOf(article, photograph, scenes)
      .map(({ view, framed }) => {
        const drawings = scenes.map(({ scene, images }) => drawnFrom(scene, view, images));
        return distancesOf(drawings, framed, photograph.background);
      })
      .filter((distances) => distances !== undefined);
    if (measured.length === 0) return undefined;
    const nearest = (at: number, of: keyof Distance) =>
      Math.min(...measured.map((distances) => distances[at]![of]));
    const distance = Math.min(...scenes.map((_, at) => nearest(at, 'own')));
    // A picture that has no patterns, or others, would decide by chance.
    const isWithoutPatterns = scenes.some((_, at) => nearest(at, 'least') < distance);
    if (isWithoutPatterns) return undefined;
    const most = distance * (1 + CLEARLY.share) + CLEARLY.least;
    const closest = scenes.flatMap((_, at) =>
      nearest(at, 'own') === distance || nearest(at, 'least') <= most ? [at] : [],
    );
    return { closest, distance };
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
