/**
 * Tangents: adds them to a geometry, so that viewers compute none for a normal map. Vertices are split
 * further where tangents differ.
 */

import { cos, hypot, sin } from '../../support/elementary.ts';
import type { Geometry, TangentGenerator, TextureTransform } from '../model/scene.ts';

/**
 * Adds MikkTSpace tangents to a geometry (D-309).
 *
 * @param uvSet - UV set of the normal map.
 * @param transform - Its texture transform, or undefined.
 * @returns `tangents` n × 4: unit vector along the image's U, and ±1 for the side of its V.
 */
export function withTangents(
  geometry: Geometry,
  uvSet: number,
  transform: TextureTransform | undefined,
  generate: TangentGenerator,
): Geometry {
  const { indices } = geometry;
  const positions = expand(geometry.positions, indices, 3);
  const normals = expand(geometry.normals, indices, 3);
  const uvs = expand(geometry.uvs[uvSet]!, indices, 2);
  if (transform) applyTransform(uvs, transform);
  const tangents = generate(positions, normals, uvs);
  for (let i = 0; i < tangents.length; i += 4) repair(tangents, i, normals, (i / 4) * 3);
  return join(geometry, tangents);
}

function expand(values: Float32Array, indices: Uint16Array | Uint32Array, size: number) {
  const out = new Float32Array(indices.length * size);
  for (let i = 0; i < indices.length; i++) {
    const from = indices[i]! * size;
    for (let k = 0; k < size; k++) out[i * size + k] = values[from + k]!;
  }
  return out;
}

/** Applies KHR_texture_transform, V down: scale, then rotation, then offset. */
function applyTransform(uvs: Float32Array, { offset, rotationRadians, scale }: TextureTransform) {
  const c = cos(rotationRadians);
  const s = sin(rotationRadians);
  for (let i = 0; i < uvs.length; i += 2) {
    const u = uvs[i]! * scale[0];
    const v = uvs[i + 1]! * scale[1];
    uvs[i] = c * u + s * v + offset[0];
    uvs[i + 1] = -s * u + c * v + offset[1];
  }
}

/**
 * Inverts the sign, since glTF's V runs down, and replaces a tangent that UVs without an area
 * left at zero by any unit vector perpendicular to the normal.
 */
function repair(tangents: Float32Array, at: number, normals: Float32Array, normal: number): void {
  tangents[at + 3] = tangents[at + 3]! < 0 ? 1 : -1;
  const length = hypot(tangents[at]!, tangents[at + 1]!, tangents[at + 2]!);
  if (Math.abs(length - 1) < 1e-3) return;
  const x = normals[normal]!;
  const y = normals[normal + 1]!;
  const z = normals[normal + 2]!;
  const [tx, ty, tz] = Math.abs(x) < 0.9 ? [0, z, -y] : [-z, 0, x];
  const size = hypot(tx!, ty!, tz!);
  tangents.set([tx! / size, ty! / size, tz! / size], at);
}

/** Joins vertices: corners of one vertex with equal tangents stay one vertex. */
function join(geometry: Geometry, tangents: Float32Array): Geometry {
  const { indices } = geometry;
  const from = new Uint32Array(indices.length);
  const corner = new Uint32Array(indices.length);
  const joined = new Uint32Array(indices.length);
  const lists = createVertexLists({
    pointCount: geometry.positions.length / 3,
    cornerCount: indices.length,
    isSame: (vertex, i) => sameTangent(tangents, corner[vertex]!, i),
    keyOf: (i) => tangents.subarray(4 * i, 4 * i + 4).join(' '),
  });
  let vertices = 0;
  for (let i = 0; i < indices.length; i++) {
    const vertex = lists.vertexOf(indices[i]!, i);
    if (vertex === vertices) {
      from[vertices] = indices[i]!;
      corner[vertices++] = i;
    }
    joined[i] = vertex;
  }
  const kept = from.subarray(0, vertices);
  return {
    positions: expand(geometry.positions, kept, 3),
    normals: expand(geometry.normals, kept, 3),
    uvs: geometry.uvs.map((set) => expand(set, kept, 2)),
    tangents: expand(tangents, corner.subarray(0, vertices), 4),
    indices: vertices <= 65_535 ? Uint16Array.from(joined) : joined,
  };
}

function sameTangent(tangents: Float32Array, a: number, b: number): boolean {
  for (let k = 0; k < 4; k++) if (tangents[4 * a + k] !== tangents[4 * b + k]) return false;
  return true;
}

const NONE = 0xffffffff;

/** Length at which a list is closed; further vertices of its point are found by key, in constant time. */
const LONGEST_LIST = 64;

/** The corners that are joined to vertices: equal corners of one point become one vertex. */
interface Corners {
  pointCount: number;
  cornerCount: number;
  isSame(vertex: number, corner: number): boolean;
  /** A key that is equal for two corners of one point exactly if they are the same vertex. */
  keyOf(corner: number): string;
}

/**
 * Makes an index without vertices. Vertices are numbered from 0.
 *
 * A short list is searched from end to end, which takes no memory and a fraction of the time of a key.
 */
export function createVertexLists({ pointCount, cornerCount, isSame, keyOf }: Corners) {
  const heads = new Uint32Array(pointCount).fill(NONE);
  const next = new Uint32Array(cornerCount);
  let unlisted: Map<string, number> | undefined;
  let count = 0;

  function unlistedVertexOf(point: number, corner: number): number {
    unlisted ??= new Map();
    const key = `${point} ${keyOf(corner)}`;
    const known = unlisted.get(key);
    if (known !== undefined) return known;
    unlisted.set(key, count);
    return count++;
  }

  return {
    /** Returns the vertex of a point for a corner, or a new one: its number is the number of vertices before it. */
    vertexOf(point: number, corner: number): number {
      let length = 0;
      for (let vertex = heads[point]!; vertex !== NONE; vertex = next[vertex]!) {
        if (isSame(vertex, corner)) return vertex;
        length++;
      }
      if (length >= LONGEST_LIST) return unlistedVertexOf(point, corner);
      next[count] = heads[point]!;
      heads[point] = count;
      return count++;
    },
  };
}
