/** What differs between two scenes of one article: where parts are, how they are shaded, and what they are drawn with. */

import type { Geometry, Scene, SceneMaterial } from '../../convert/model/scene.ts';
import { areaOf, coordinate, partsOf, type ScenePart } from './scene-parts.ts';
import { mapOf } from './texture-map.ts';

/** In which respects parts may differ. */
export const ASPECTS = ['parts', 'position', 'facing', 'texture', 'material'] as const;

export type Aspect = (typeof ASPECTS)[number];

/** A difference between two scenes. */
export interface SceneDifference {
  /** Empty if the scenes are equal. */
  aspects: readonly Aspect[];
  /** Area of the parts that differ, of that of all parts, 0 to 1. */
  areaShare: number;
  /** Area of the parts that differ, m². */
  areaSquareMetres: number;
  /** The longest way of a point, mm; undefined if parts are missing or have other points. */
  movedMillimetres: number | undefined;
  /** Names of the parts that differ most, the largest first. */
  parts: readonly string[];
}

const MOST_PARTS = 5;
/** Shorter ways are rounding. */
const LEAST_MOVE_METRES = 1e-5;
/** Smaller differences of factors, and of texture coordinates, are rounding. */
const LEAST_FACTOR = 1e-4;

/** Compares a scene with another reading of the same article. */
export function sceneDifference(scene: Scene, other: Scene): SceneDifference {
  const [parts, others] = [partsOf(scene), partsOf(other)];
  const aspects = new Set<Aspect>();
  const changed: { name: string; area: number }[] = [];
  let moved = 0;
  let isComparable = parts.length === others.length;
  let whole = 0;
  const match = matchingParts(parts, others);
  for (const [part, counterpart] of match.pairs) {
    const area = Math.max(areaOf(part), areaOf(counterpart));
    whole += area;
    const found = partDifference(part, counterpart, scene, other);
    if (found.aspects.length === 0) continue;
    for (const aspect of found.aspects) aspects.add(aspect);
    if (found.movedMetres === undefined) isComparable = false;
    else moved = Math.max(moved, found.movedMetres);
    changed.push({ name: part.name, area });
  }
  for (const part of match.single) {
    const area = areaOf(part);
    whole += area;
    aspects.add('parts');
    changed.push({ name: part.name, area });
  }
  const areaSquareMetres = changed.reduce((sum, { area }) => sum + area, 0);
  changed.sort((a, b) => b.area - a.area || (a.name < b.name ? -1 : 1));
  return {
    aspects: ASPECTS.filter((aspect) => aspects.has(aspect)),
    areaShare: whole === 0 ? Number(changed.length > 0) : areaSquareMetres / whole,
    areaSquareMetres,
    movedMillimetres: isComparable ? 1000 * moved : undefined,
    parts: [...new Set(changed.map(({ name }) => name))].slice(0, MOST_PARTS),
  };
}

/** Parts with their counterparts: the n-th of a name is the n-th of that name. */
export function matchingParts(parts: readonly ScenePart[], others: readonly ScenePart[]) {
  const waiting = new Map<string, ScenePart[]>();
  for (const part of others) {
    const same = waiting.get(part.name);
    if (same === undefined) waiting.set(part.name, [part]);
    else same.push(part);
  }
  const pairs: [ScenePart, ScenePart][] = [];
  const single: ScenePart[] = [];
  for (const part of parts) {
    const counterpart = waiting.get(part.name)?.shift();
    if (counterpart === undefined) single.push(part);
    else pairs.push([part, counterpart]);
  }
  return { pairs, single: [...single, ...[...waiting.values()].flat()] };
}

function partDifference(part: ScenePart, other: ScenePart, scene: Scene, otherScene: Scene) {
  const aspects = new Set<Aspect>();
  let movedMetres: number | undefined = 0;
  if (part.primitives.length !== other.primitives.length) {
    return { aspects: ['parts'] as Aspect[], movedMetres: undefined };
  }
  for (const [at, { geometry, material }] of part.primitives.entries()) {
    const { geometry: otherGeometry, material: otherMaterial } = other.primitives[at]!;
    const way = longestWay(geometry, part, otherGeometry, other);
    if (way === undefined) aspects.add('parts');
    else if (way > LEAST_MOVE_METRES) aspects.add('position');
    movedMetres =
      way === undefined || movedMetres === undefined ? undefined : Math.max(movedMetres, way);
    if (isFacingOtherwise(geometry, otherGeometry)) aspects.add('facing');
    const [first, second] = [looksOf(material, scene), looksOf(otherMaterial, otherScene)];
    if (!isSameLook(first, second)) aspects.add('material');
    if (hasImage(material) && !isSamePlacing(geometry, material, otherGeometry, otherMaterial))
      aspects.add('texture');
  }
  return { aspects: [...aspects], movedMetres };
}

/** The longest way of a point between two placements, metres; undefined where the points are not the same ones. */
function longestWay(
  a: Geometry,
  part: ScenePart,
  b: Geometry,
  other: ScenePart,
): number | undefined {
  const isSameData = a.positions === b.positions && a.indices === b.indices;
  const isSamePlace = part.placement.every((value, at) => value === other.placement[at]);
  if (isSameData && isSamePlace) return 0;
  // Corners are compared: vertices may be split otherwise where UVs or normals are others.
  if (a.indices.length !== b.indices.length) return undefined;
  let longest = 0;
  for (let i = 0; i < a.indices.length; i++) {
    const [at, bt] = [3 * a.indices[i]!, 3 * b.indices[i]!];
    let squared = 0;
    for (let axis = 0; axis < 3; axis++) {
      const from = coordinate(
        part.placement,
        axis,
        a.positions[at]!,
        a.positions[at + 1]!,
        a.positions[at + 2]!,
      );
      const to = coordinate(
        other.placement,
        axis,
        b.positions[bt]!,
        b.positions[bt + 1]!,
        b.positions[bt + 2]!,
      );
      squared += (from - to) ** 2;
    }
    if (squared > longest) longest = squared;
  }
  return Math.sqrt(longest);
}

/** Whether triangles show their other side: flipping a surface turns its normals, too. */
function isFacingOtherwise(a: Geometry, b: Geometry): boolean {
  if (a.normals === b.normals || a.indices.length !== b.indices.length) return false;
  for (let i = 0; i < a.indices.length; i++) {
    const [at, bt] = [3 * a.indices[i]!, 3 * b.indices[i]!];
    const cosine =
      a.normals[at]! * b.normals[bt]! +
      a.normals[at + 1]! * b.normals[bt + 1]! +
      a.normals[at + 2]! * b.normals[bt + 2]!;
    if (cosine < 0) return true;
  }
  return false;
}

/** The images of a material. */
export const TEXTURES = [
  'baseColorTexture',
  'metallicRoughnessTexture',
  'normalTexture',
  'emissiveTexture',
] as const satisfies readonly (keyof SceneMaterial)[];

function hasImage(material: SceneMaterial): boolean {
  return TEXTURES.some((slot) => material[slot] !== undefined);
}

/** A material without the places of its images, which are compared by themselves. */
function looksOf(material: SceneMaterial, { images }: Scene) {
  const { name: _, extras: _extras, ...factors } = material;
  const bytes = TEXTURES.map((slot) => {
    const use = material[slot];
    return use === undefined ? undefined : images[use.image]!.bytes;
  });
  const rest = Object.fromEntries(
    Object.entries(factors).filter(([name]) => !(TEXTURES as readonly string[]).includes(name)),
  );
  return { rest: JSON.stringify(rest, rounding), bytes };
}

function rounding(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value / LEAST_FACTOR) * LEAST_FACTOR : value;
}

function isSameLook(a: ReturnType<typeof looksOf>, b: ReturnType<typeof looksOf>): boolean {
  return a.rest === b.rest && a.bytes.every((bytes, at) => isSameImage(bytes, b.bytes[at]));
}

function isSameImage(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  return Buffer.compare(a, b) === 0;
}

/** Whether each corner has the same place in each image. */
function isSamePlacing(a: Geometry, m: SceneMaterial, b: Geometry, n: SceneMaterial): boolean {
  if (a.indices.length !== b.indices.length) return true;
  return TEXTURES.every((slot) => {
    const [first, second] = [m[slot], n[slot]];
    if (first === undefined || second === undefined) return true;
    const [p, q] = [a.uvs[first.uvSet], b.uvs[second.uvSet]];
    if (p === undefined || q === undefined) return p === q;
    const isSameUse = JSON.stringify(first.transform) === JSON.stringify(second.transform);
    if (p === q && a.indices === b.indices && isSameUse) return true;
    const [s, t] = [mapOf(first), mapOf(second)];
    for (let i = 0; i < a.indices.length; i++) {
      const [at, bt] = [2 * a.indices[i]!, 2 * b.indices[i]!];
      const du =
        s[0] * p[at]! + s[1] * p[at + 1]! + s[2] - t[0] * q[bt]! - t[1] * q[bt + 1]! - t[2];
      const dv =
        s[3] * p[at]! + s[4] * p[at + 1]! + s[5] - t[3] * q[bt]! - t[4] * q[bt + 1]! - t[5];
      // Images repeat: whole tiles are no difference.
      if (Math.abs(du - Math.round(du)) > 0.001 || Math.abs(dv - Math.round(dv)) > 0.001)
        return false;
    }
    return true;
  });
}
