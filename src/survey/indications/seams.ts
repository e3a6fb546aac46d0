/**
 * What images say where surfaces meet: on a painted object the colours on both sides of a seam of its UVs are alike, if
 * the image lies as it was painted.
 */

import type { Geometry, Scene } from '../../convert/model/scene.ts';
import type { Effect, Vote } from '../readings/decide.ts';
import type { ReadingOption, ReadingValue } from '../readings/readings.ts';
import type { SmallImage, SmallImages } from '../readings/small-images.ts';
import { mapOf, type TextureMap } from '../readings/texture-map.ts';

/** Edges of which two triangles of different UVs share both ends: four vertices each, two of either triangle. */
const seamsOf = new WeakMap<Geometry, Uint32Array>();

/** Cosine of the largest angle at a seam: an object may be of another colour behind a sharp edge. */
const LEAST_COSINE = 0.8;
/** Points of different triangles that are nearer are the same, metres. */
const SAME_METRES = 1e-5;
/** Fewer seams say nothing. */
const LEAST_SEAMS = 24;
/** Smaller differences of UVs are no seam. */
const SAME_UV = 1e-3;

/** Differences up to this share more than the least one are none. */
const MUCH_MORE = 1.3;
/** One article may be so by chance. */
const LEAST_ARTICLES = 2;
/** Other options place images that repeat, such as wood, which are painted on nothing. */
const OPTIONS: ReadonlySet<ReadingOption> = new Set<ReadingOption>(['flipV']);

/**
 * Compares the seams of the articles in which an option matters most, in all its readings.
 *
 * @param sceneOf - The scene of an article in a reading; undefined is the present one.
 */
export async function seamVotes(
  option: ReadingOption,
  present: ReadingValue,
  effects: readonly Effect[],
  images: SmallImages,
  sceneOf: (article: string, value: ReadingValue | undefined) => Promise<Scene>,
): Promise<Vote[]> {
  if (!OPTIONS.has(option)) return [];
  const textured = effects.filter(({ aspects }) => aspects.includes('texture'));
  const votes: Vote[] = [];
  for (const article of new Set(textured.flatMap(({ examples }) => examples))) {
    const measured: { value: ReadingValue; difference: number }[] = [];
    for (const value of [undefined, ...textured.map((effect) => effect.value)]) {
      const scene = await sceneOf(article, value);
      const own = await images.of(scene);
      const difference = seamDifference(scene, (image) => own[image]);
      if (difference !== undefined) measured.push({ value: value ?? present, difference });
    }
    const best = Math.min(...measured.map(({ difference }) => difference));
    const fits = measured.filter(({ difference }) => difference <= MUCH_MORE * best);
    if (fits.length === measured.length) continue;
    const valuesOf = (some: typeof measured) => some.map(({ value }) => value);
    const figure = `colours at seams differ by ${(100 * best).toFixed(1)} % at best`;
    const found = { fits: valuesOf(fits), values: valuesOf(measured), figure };
    votes.push({ option, indication: 'seams of the image', ...found, article });
  }
  return votes.length < LEAST_ARTICLES ? [] : votes;
}

/**
 * Compares the colours on both sides of the seams of a scene.
 *
 * @param imageOf - An image of the scene by its index.
 * @returns The mean difference, 0 to 1 in linear light; undefined if there are too few seams.
 */
function seamDifference(
  scene: Scene,
  imageOf: (image: number) => SmallImage | undefined,
): number | undefined {
  let [sum, count] = [0, 0];
  const seen = new Set<string>();
  for (const { primitives } of scene.meshes) {
    for (const { geometry: at, material } of primitives) {
      const use = scene.materials[material]!.baseColorTexture;
      const key = `${at} ${material}`;
      if (use === undefined || seen.has(key)) continue;
      seen.add(key);
      const geometry = scene.geometries[at]!;
      const uvs = geometry.uvs[use.uvSet];
      const image = imageOf(use.image);
      if (uvs === undefined || image === undefined) continue;
      const map = mapOf(use);
      const seams = seamsOf.get(geometry) ?? findSeams(geometry, uvs);
      seamsOf.set(geometry, seams);
      for (let i = 0; i < seams.length; i += 4) {
        const first = colorBetween(image, uvs, map, seams[i]!, seams[i + 1]!);
        const second = colorBetween(image, uvs, map, seams[i + 2]!, seams[i + 3]!);
        sum += Math.hypot(first[0]! - second[0]!, first[1]! - second[1]!, first[2]! - second[2]!);
        count++;
      }
    }
  }
  return count < LEAST_SEAMS ? undefined : sum / count;
}

function findSeams({ positions, normals, indices }: Geometry, uvs: Float32Array): Uint32Array {
  const points = new Map<string, number>();
  const pointOf = new Uint32Array(positions.length / 3);
  for (let vertex = 0; vertex < pointOf.length; vertex++) {
    const key = [0, 1, 2]
      .map((axis) => Math.round(positions[3 * vertex + axis]! / SAME_METRES))
      .join();
    const point = points.get(key) ?? points.size;
    points.set(key, point);
    pointOf[vertex] = point;
  }
  const edges = new Map<number, readonly [number, number]>();
  const found: number[] = [];
  for (let i = 0; i < indices.length; i++) {
    const [a, b] = [indices[i]!, indices[i % 3 === 2 ? i - 2 : i + 1]!];
    const [p, q] = [pointOf[a]!, pointOf[b]!];
    const other = edges.get(q * points.size + p);
    if (other === undefined) edges.set(p * points.size + q, [a, b]);
    else {
      // The other triangle passes the edge the other way round.
      const [c, d] = [other[1], other[0]];
      const isSeam = isFar(uvs, a, c) || isFar(uvs, b, d);
      if (isSeam && cosine(normals, a, c) >= LEAST_COSINE) found.push(a, b, c, d);
    }
  }
  return Uint32Array.from(found);
}

function isFar(uvs: Float32Array, a: number, b: number): boolean {
  const [u, v] = [uvs[2 * a]! - uvs[2 * b]!, uvs[2 * a + 1]! - uvs[2 * b + 1]!];
  return Math.abs(u) > SAME_UV || Math.abs(v) > SAME_UV;
}

function cosine(normals: Float32Array, a: number, b: number): number {
  return [0, 1, 2].reduce((sum, axis) => sum + normals[3 * a + axis]! * normals[3 * b + axis]!, 0);
}

/** The colour of an image in the middle between two vertices. */
function colorBetween(
  { levels }: SmallImage,
  uvs: Float32Array,
  map: TextureMap,
  a: number,
  b: number,
): readonly number[] {
  const p = (uvs[2 * a]! + uvs[2 * b]!) / 2;
  const q = (uvs[2 * a + 1]! + uvs[2 * b + 1]!) / 2;
  const u = map[0] * p + map[1] * q + map[2];
  const v = map[3] * p + map[4] * q + map[5];
  const { side, data } = levels[0]!;
  const at = (share: number) => Math.min(side - 1, Math.floor((share - Math.floor(share)) * side));
  const first = 3 * (at(v) * side + at(u));
  return [data[first]!, data[first + 1]!, data[first + 2]!];
}
