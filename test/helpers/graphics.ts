/**
 * Graphics made in sight: parts-list nodes, blocks and materials with their usual defaults, and
 * bodies as the service would send them.
 */
import type {
  Block,
  BlockSurface,
  PartsListNode,
  ServiceMaterial,
} from '../../src/convert/model/graphics.ts';
import type { Scene } from '../../src/convert/model/scene.ts';

/** The bytes of a text. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A body as the service would send it. */
export function body(value: unknown): Uint8Array {
  return utf8(JSON.stringify(value));
}

/** A node of a type, with what is said of it. */
export function partsNode(type: string, fields: Partial<PartsListNode> = {}): PartsListNode {
  return {
    type,
    blockName: type === 'imp' ? 'ACME::DESK::LEG' : '',
    offsetMetres: [0, 0, 0],
    rotationDegrees: [0, 0, 0],
    scale: [1, 1, 1],
    material: '',
    layer: '',
    params: undefined,
    children: [],
    ...fields,
  };
}

/** A block of points and surfaces; a surface is a list of corner indices. */
export function meshBlock(
  positions: readonly number[],
  surfaces: readonly (readonly number[] | Partial<BlockSurface>)[],
  fields: Partial<Block> = {},
): Block {
  return {
    name: 'ACME::DESK::LEG',
    positionMetres: [0, 0, 0],
    rotationDegrees: [0, 0, 0],
    positions: Float32Array.from(positions),
    uvs: new Float64Array(0),
    uvStride: 0,
    surfaces: surfaces.map((surface) =>
      Array.isArray(surface) ? blockSurface(surface) : { ...blockSurface([]), ...surface },
    ),
    ...fields,
  };
}

function blockSurface(triangles: readonly number[]): BlockSurface {
  return { triangles: Int32Array.from(triangles), uvIndices: new Int32Array(0), closed: undefined };
}

/** A material of which only some fields were sent. */
export function serviceMaterial(fields: Partial<ServiceMaterial> = {}): ServiceMaterial {
  return { mname: 'OAK', source: {}, ...fields };
}

/** Corners of a box from the origin to (x, y, z). */
export function boxPoints(x = 1, y = 1, z = 1): number[] {
  return [0, 0, 0, x, 0, 0, x, y, 0, 0, y, 0, 0, 0, z, x, 0, z, x, y, z, 0, y, z];
}

/** Twelve triangles of that box, counter-clockwise from outside. */
export const BOX_TRIANGLES: readonly number[] = [
  [0, 2, 1, 0, 3, 2],
  [4, 5, 6, 4, 6, 7],
  [0, 1, 5, 0, 5, 4],
  [3, 7, 6, 3, 6, 2],
  [0, 4, 7, 0, 7, 3],
  [1, 2, 6, 1, 6, 5],
].flat();

/** Every triangle the other way round. */
export function turnedOver(triangles: readonly number[]): number[] {
  return triangles.map((_, i) => triangles[i % 3 === 0 ? i : i % 3 === 1 ? i + 1 : i - 1]!);
}

/** The position of each vertex of each node of a scene: x y z, drawn triangles one after the other. */
export function drawnPoints(scene: Scene): number[][] {
  const points: number[][] = [];
  for (const node of scene.nodes) {
    if (node.mesh < 0) continue;
    for (const { geometry } of scene.meshes[node.mesh]!.primitives) {
      const { positions, indices } = scene.geometries[geometry]!;
      for (const index of indices) {
        let p = [...positions.subarray(3 * index, 3 * index + 3)];
        for (let at = scene.nodes.indexOf(node); at >= 0; at = scene.nodes[at]!.parent) {
          const { translationMetres: t, rotation, scale } = scene.nodes[at]!;
          const scaled = p.map((value, k) => value * scale[k]!);
          p = turned(rotation, scaled).map((v, k) => v + t[k]!);
        }
        points.push(p);
      }
    }
  }
  return points;
}

/** A vector turned by a unit quaternion x y z w. */
export function turned(q: readonly number[], v: readonly number[]): number[] {
  const [x, y, z, w] = q as [number, number, number, number];
  const [a, b, c] = v as [number, number, number];
  const tx = 2 * (y * c - z * b);
  const ty = 2 * (z * a - x * c);
  const tz = 2 * (x * b - y * a);
  return [
    a + w * tx + (y * tz - z * ty),
    b + w * ty + (z * tx - x * tz),
    c + w * tz + (x * ty - y * tx),
  ];
}
