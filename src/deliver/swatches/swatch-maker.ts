/** The delivery of swatches: a picture of each finish, which articles share, and a list of those of each article. */
import { LRUCache } from 'lru-cache';
import { SHARED_FOLDER } from '../../run/output/delivered-files.ts';
import { sha256Hex } from '../../support/files.ts';
import { visibleJson } from '../../support/visible.ts';
import type { Maker, SharedFile, Spend } from '../making/maker.ts';
import { SWATCHES } from '../making/names.ts';
import { takePicture } from '../pictures/picture.ts';
import { PICTURE_DEFAULTS, type PictureOptions } from '../pictures/picture-options.ts';
import { PICTURE_EDITION } from '../pictures/pictures.ts';
import type { Renderer } from '../pictures/renderer.ts';
import { SAMPLE_SHAPES, type SampleShapeName } from './sample-shapes.ts';
import { type Sample, samplesOf } from './samples.ts';

export interface SwatchOptions extends Pick<PictureOptions, 'width' | 'format' | 'background'> {
  shape: SampleShapeName;
}

/** Increase this version if the same material gets another sample. */
const VERSION = 1;

/** While one sample is drawn, others are encoded and written. */
const AT_ONCE = 4;

/** Pictures that are kept for the other articles of a run, and all of their pixels: a file has fewer bytes. */
const MOST_KEPT = { pictures: 1024, pixels: 64 * 1024 * 1024 };

/** A line of `materials.json`. */
interface ListedMaterial {
  /** As in the GLB; empty without a name. */
  name: string;
  /** Path of its picture, with `/`, relative to the output folder. */
  picture: string;
}

/**
 * Makes the swatches of masters.
 *
 * @param renderer - The renderer, which is closed with the maker.
 * @example
 * ```ts
 * const [list] = await createSwatchMaker(renderer, options).make(desk, ['materials.json']);
 * list.shared;   // → [{ name: '9f86….jpg', bytes }, …], one for each finish
 * ```
 */
export function createSwatchMaker(renderer: Renderer, options: SwatchOptions): Maker {
  const { shape, width, format } = options;
  const key = `${PICTURE_EDITION.version} ${VERSION} ${JSON.stringify(options)}`;
  const drawn = new LRUCache<string, Promise<SharedFile>>({
    max: Math.min(MOST_KEPT.pictures, Math.ceil(MOST_KEPT.pixels / width ** 2)),
  });
  const draw = async (glb: Uint8Array, spend: Spend | undefined): Promise<SharedFile> => {
    const { camera, floor } = SAMPLE_SHAPES[shape];
    const view = { ...PICTURE_DEFAULTS, ...options, height: width, floor };
    const bytes = await takePicture(renderer, glb, camera, view, spend);
    return { name: `${sha256Hex(bytes)}.${format}`, bytes };
  };
  const drawOnce = ({ glb }: Sample, spend: Spend | undefined): Promise<SharedFile> => {
    const digest = sha256Hex(glb);
    const known = drawn.get(digest);
    if (known !== undefined) return known;
    const picture = draw(glb, spend);
    drawn.set(digest, picture);
    // A browser that has died may draw the sample for the next article.
    picture.catch(() => drawn.delete(digest));
    return picture;
  };
  return {
    name: SWATCHES,
    files: [{ name: 'materials.json', key }],
    ...{ atOnce: AT_ONCE, hasBrowser: true },
    edition: PICTURE_EDITION,
    digestOf: digestOfSamples,
    async make(master, _, spend) {
      const samples = await samplesOf(master, shape);
      const pictures = await Promise.all(samples.map((sample) => drawOnce(sample, spend)));
      const list = samples.map(({ material }, i): ListedMaterial => {
        return { name: material, picture: `${SWATCHES}/${SHARED_FOLDER}/${pictures[i]!.name}` };
      });
      const bytes = new TextEncoder().encode(
        visibleJson(`${JSON.stringify(list, undefined, 2)}\n`),
      );
      const shared = [...new Map(pictures.map((picture) => [picture.name, picture])).values()];
      return [{ bytes, facts: { materials: list.length }, ...(shared.length > 0 && { shared }) }];
    },
    close: () => renderer.close(),
  };
}

/** Digest of what decides the swatches of a master: names of materials, and their samples. */
async function digestOfSamples(master: Uint8Array): Promise<string> {
  // The digest serves all options, and samples of another shape differ where these do.
  const samples = await samplesOf(master, 'flat');
  return sha256Hex(JSON.stringify(samples.map(({ material, glb }) => [material, sha256Hex(glb)])));
}
