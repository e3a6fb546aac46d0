/** Compare model: a published GLB against its article, and what pictures and other files made of it have to show. */

import type { EmulatedRange } from '../../src/emulator/sample/range.ts';
import type { ArticleKey } from '../../src/model/article.ts';
import { srgbOf } from '../helpers/evaluator/colors.ts';
import { meanColor } from '../helpers/evaluator/delivered-files.ts';
import type { ExpectedArticle } from '../helpers/evaluator/evaluate.ts';
import type { ExpectedMaterial } from '../helpers/evaluator/material.ts';
import type { ExpectedConfiguration } from '../helpers/evaluator/published.ts';
import type { Vec3 } from '../helpers/evaluator/vectors.ts';
import { toWorld } from '../helpers/glb-reader/nodes.ts';
import type { ReadArticle } from '../helpers/glb-reader/read-glb.ts';
import { compareGlb, evaluateBodies } from './compare-glb.ts';
import { createFindings } from './findings.ts';
import { bodiesOf } from './range-bodies.ts';

/** What a right GLB looks like, and what is wrong with this one. */
export type ComparedModel = Omit<ExpectedConfiguration, 'articles'> & { problems: string[] };

/** A published GLB. */
interface PublishedModel {
  glb: Uint8Array;
  sha256: string;
}

/** Less than half of the square that is looked at in the middle of a picture, metres. */
const NEAR_MIDDLE = 0.045;

/** Compares published GLBs with the evaluation of their articles; the same two are compared once. */
export function modelComparer() {
  const compared = new Map<string, Promise<ComparedModel>>();
  const numbers = new WeakMap<Uint8Array, number>();
  let last = 0;
  /** A number for each body: a range gives the same one again. */
  const numberOf = (bytes: Uint8Array | undefined): number => {
    if (bytes === undefined) return 0;
    const number = numbers.get(bytes) ?? ++last;
    numbers.set(bytes, number);
    return number;
  };
  return async (range: EmulatedRange, id: ArticleKey, { glb, sha256 }: PublishedModel) => {
    const bodies = await bodiesOf(range, id);
    const parts = [...bodies.blocks.values(), ...bodies.images.values()].map(numberOf);
    const key = `${sha256} ${new TextDecoder().decode(bodies.partsList)} ${parts}`;
    const model =
      compared.get(key) ??
      evaluateBodies(bodies, `${id.manufacturer}::${id.program}`).then((expected) =>
        compareModel(glb, expected),
      );
    compared.set(key, model);
    return model;
  };
}

async function compareModel(glb: Uint8Array, expected: ExpectedArticle): Promise<ComparedModel> {
  const findings = createFindings();
  const read = await compareGlb(glb, expected, findings);
  const drawn = new Set(read.triangles.map(({ material }) => material.name));
  const materials = [...expected.materials.values()].filter(({ name }) => drawn.has(name));
  const textures = materials.flatMap(({ baseTexture }) => baseTexture?.bytes ?? []);
  return {
    problems: findings.differences,
    boundsMetres: boundsOf(read),
    finishes: await Promise.all([...new Set(textures)].map(meanColor)),
    topColor: await topColor(read, expected.materials),
  };
}

function cornersOf({ triangles }: ReadArticle): { corners: Vec3[]; material: string }[] {
  return triangles.map(({ corners, node, material }) => ({
    corners: corners.map((corner) => toWorld(node, corner)),
    material: material.name,
  }));
}

function boundsOf(read: ReadArticle): ExpectedConfiguration['boundsMetres'] {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const { corners } of cornersOf(read))
    for (const corner of corners)
      corner.forEach((value, k) => {
        min[k] = Math.min(min[k]!, value);
        max[k] = Math.max(max[k]!, value);
      });
  return { min, max };
}

/** The colour of what is seen from above around the middle, where that is one opaque thing. */
async function topColor(
  read: ReadArticle,
  materials: ReadonlyMap<string, ExpectedMaterial>,
): Promise<Vec3 | undefined> {
  const { min, max } = boundsOf(read);
  const [x, z] = [(min[0] + max[0]) / 2, (min[2] + max[2]) / 2];
  const around = [-NEAR_MIDDLE, 0, NEAR_MIDDLE];
  const all = cornersOf(read);
  const seen = new Set(
    around.flatMap((dx) => around.map((dz) => topmost(all, x + dx, z + dz) ?? '')),
  );
  const [name = ''] = seen;
  const material = materials.get(name);
  const isPlain = seen.size === 1 && material?.blend === false && material.transmission === 0;
  if (!isPlain || material.metallic > 0 || material.metallicTexture !== undefined) return undefined;
  if (material.baseTexture !== undefined) return meanColor(material.baseTexture.bytes);
  const [r, g, b] = material.baseColor;
  return [srgbOf(r), srgbOf(g), srgbOf(b)];
}

/** The material of the highest triangle at a place; undefined where there is none. */
function topmost(
  triangles: readonly { corners: Vec3[]; material: string }[],
  x: number,
  z: number,
): string | undefined {
  let [highest, found]: [number, string | undefined] = [-Infinity, undefined];
  for (const { corners, material } of triangles) {
    const [a, b, c] = corners as [Vec3, Vec3, Vec3];
    const area = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2]);
    if (area === 0) continue;
    const v = ((x - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (z - a[2])) / area;
    const w = ((b[0] - a[0]) * (z - a[2]) - (x - a[0]) * (b[2] - a[2])) / area;
    if (v < 0 || w < 0 || v + w > 1) continue;
    const height = a[1] + v * (b[1] - a[1]) + w * (c[1] - a[1]);
    if (height > highest) [highest, found] = [height, material];
  }
  return found;
}
