/** The scale of a texture on a model: the metres that one unit of its coordinates takes. */
import type { Accessor, mat4, Primitive } from '@gltf-transform/core';
import { cross } from '../../convert/math/vec.ts';
import type { Vec3 } from '../../convert/model/graphics.ts';
import { hypot } from '../../support/elementary.ts';

/** A primitive of triangles at its place in the scene. */
export interface Part {
  primitive: Primitive;
  worldMatrix: mat4;
}

/** Metres of one unit of texture coordinates. */
export interface MetresPerUnit {
  /** To the right of the image. */
  u: number;
  /** Down the image. */
  v: number;
}

/** Of a surface without usable texture coordinates. */
const ONE_METRE: MetresPerUnit = { u: 1, v: 1 };

/** Digits of a scale: articles that have a finish differ by rounding errors, but share its sample. */
const DIGITS = 3;
/** Share of the area whose scales are at most that of the texture. */
const SHARE = 0.1;

/**
 * Returns the scale of a texture on the parts of a material: that which a tenth of their area has at most. A projected
 * texture is stretched where a surface turns away from its plane, and nowhere shrunk, so the greater scales are those of
 * rounded parts, and differ from article to article.
 *
 * @param uvSet - The set of texture coordinates; parts without it do not count.
 * @returns Metres, with three digits; 1 without a triangle that counts.
 * @example
 * ```ts
 * textureScaleOf(parts, 0);   // → { u: 0.6, v: 0.6 }, an image that repeats after 0.6 m
 * ```
 */
export function textureScaleOf(parts: readonly Part[], uvSet: number): MetresPerUnit {
  const areas = { u: new Map<number, number>(), v: new Map<number, number>() };
  for (const { primitive, worldMatrix } of parts) {
    const uvs = primitive.getAttribute(`TEXCOORD_${uvSet}`);
    if (uvs === null) continue;
    for (const corners of trianglesOf(primitive)) {
      const triangle = triangleOf(corners, primitive.getAttribute('POSITION')!, uvs, worldMatrix);
      if (triangle === undefined) continue;
      for (const axis of ['u', 'v'] as const) {
        const metres = Number(triangle[axis].toPrecision(DIGITS));
        areas[axis].set(metres, (areas[axis].get(metres) ?? 0) + triangle.area);
      }
    }
  }
  return areas.u.size === 0 ? ONE_METRE : { u: scaleOf(areas.u), v: scaleOf(areas.v) };
}

function* trianglesOf(primitive: Primitive): Iterable<readonly [number, number, number]> {
  const indices = primitive.getIndices();
  const count = (indices ?? primitive.getAttribute('POSITION')!).getCount();
  const at = (i: number) => indices?.getScalar(i) ?? i;
  for (let i = 0; i + 2 < count; i += 3) yield [at(i), at(i + 1), at(i + 2)];
}

/** The scale of a triangle, and twice its area; undefined if its coordinates are on a line. */
function triangleOf(
  [a, b, c]: readonly [number, number, number],
  positions: Accessor,
  uvs: Accessor,
  worldMatrix: mat4,
): (MetresPerUnit & { area: number }) | undefined {
  const [u1, v1] = difference(uvs, a, b);
  const [u2, v2] = difference(uvs, a, c);
  const determinant = u1! * v2! - u2! * v1!;
  const first = rotated(worldMatrix, difference(positions, a, b));
  const second = rotated(worldMatrix, difference(positions, a, c));
  const sum = (x: number, y: number): Vec3 => [
    (x * first[0] + y * second[0]) / determinant,
    (x * first[1] + y * second[1]) / determinant,
    (x * first[2] + y * second[2]) / determinant,
  ];
  const [u, v] = [hypot(...sum(v2!, -v1!)), hypot(...sum(-u2!, u1!))];
  const isUsable = u > 0 && u < Infinity && v > 0 && v < Infinity;
  return isUsable ? { u, v, area: hypot(...cross(first, second)) } : undefined;
}

function difference(of: Accessor, from: number, to: number): number[] {
  const [start, end] = [of.getElement(from, []), of.getElement(to, [])];
  return end.map((value, k) => value - start[k]!);
}

/** A direction in the coordinates of the scene. */
function rotated(matrix: mat4, direction: readonly number[]): Vec3 {
  const component = (k: 0 | 1 | 2) =>
    matrix[k] * direction[0]! +
    matrix[(4 + k) as 4] * direction[1]! +
    matrix[(8 + k) as 8] * direction[2]!;
  return [component(0), component(1), component(2)];
}

/** The scale at which {@link SHARE} of the area is reached. @param areas - By scale. */
function scaleOf(areas: ReadonlyMap<number, number>): number {
  const sorted = [...areas].sort(([a], [b]) => a - b);
  const enough = SHARE * sorted.reduce((sum, [, area]) => sum + area, 0);
  let reached = 0;
  for (const [value, area] of sorted) {
    reached += area;
    if (reached >= enough) return value;
  }
  return sorted.at(-1)![0];
}
