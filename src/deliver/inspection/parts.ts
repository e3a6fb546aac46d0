/** The parts of a model as it is drawn: sizes, triangles and texel densities. */
import type {
  Document,
  Material,
  mat4,
  Node,
  Primitive,
  Texture,
  vec3,
} from '@gltf-transform/core';

/** A node of the scene with all below it. */
export interface Part {
  /** Its place in the list of nodes of the file. */
  node: number;
  name: string;
  /** How far it is below the scene, from 0. */
  depth: number;
  /** Width, height and depth, along x, y and z of the scene; undefined if it draws nothing. */
  sizeMillimetres: readonly [x: number, y: number, z: number] | undefined;
  triangles: number;
  /** Names of the materials of its own mesh. */
  materials: readonly string[];
}

/** How many texels a metre of a surface has: along a line, as if they were squares. */
export interface TexelDensity {
  /** The part of the material that it is measured with, such as `baseColorTexture`. */
  slot: string;
  /** Number of triangles, of those that have an area. */
  triangles: number;
  smallest: number;
  /** Half of the surface has fewer. */
  median: number;
  largest: number;
}

export interface Parts {
  /** From the scene down; a part precedes what is below it. */
  parts: readonly Part[];
  sizeMillimetres: Part['sizeMillimetres'];
  /** Of each material that is drawn with a texture, by its place in the list of the file. */
  densities: ReadonlyMap<number, TexelDensity>;
}

interface Box {
  min: [number, number, number];
  max: [number, number, number];
}

/** The state of a node while its scene is walked. */
interface Visit {
  node: Node;
  parent: number;
  depth: number;
  box: Box;
  triangles: number;
}

/** What is measured of a material: a density and an area for each triangle. */
interface Samples {
  slot: string;
  densities: number[];
  areas: number[];
}

/** Reads the parts of a model that `plainModel` has made. */
export function partsOf(document: Document): Parts {
  const root = document.getRoot();
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  const places = new Map(root.listNodes().map((node, at) => [node, at]));
  const materials = new Map(root.listMaterials().map((material, at) => [material, at]));
  const samples = new Map<number, Samples>();
  const visits: Visit[] = [];
  const open = (scene?.listChildren() ?? []).map((node) => ({ node, parent: -1, depth: 0 }));
  open.reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    const at = visits.push({ ...next, box: emptyBox(), triangles: 0 }) - 1;
    const matrix = node.getWorldMatrix();
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const points = worldPoints(primitive, matrix);
      for (let i = 0; i < points.length; i += 3) include(visits[at]!.box, points, i);
      const corners = cornersOf(primitive);
      visits[at]!.triangles += corners.length / 3;
      const material = primitive.getMaterial();
      if (material !== null)
        measure(samples, materials.get(material)!, material, primitive, points, corners);
    }
    const children = node
      .listChildren()
      .map((child) => ({ node: child, parent: at, depth: depth + 1 }));
    open.push(...children.reverse());
  }
  const whole = emptyBox();
  for (const { parent, box, triangles } of visits.toReversed()) {
    const into = parent < 0 ? whole : visits[parent]!.box;
    merge(into, box);
    if (parent >= 0) visits[parent]!.triangles += triangles;
  }
  const parts = visits.map(({ node, depth, box, triangles }): Part => {
    const used = (node.getMesh()?.listPrimitives() ?? []).map((one) => one.getMaterial());
    const names = used.flatMap((one) => (one === null ? [] : nameOf(one, materials.get(one)!)));
    const place = places.get(node)!;
    const name = node.getName() || node.getMesh()?.getName() || `node ${place}`;
    const size = { sizeMillimetres: sizeOf(box), triangles };
    return { node: place, name, depth, ...size, materials: [...new Set(names)] };
  });
  const densities = [...samples].map(([at, one]) => [at, densityOf(one)] as const);
  return { parts, sizeMillimetres: sizeOf(whole), densities: new Map(densities) };
}

const nameOf = (material: Material, at: number) => material.getName() || `material ${at}`;

const emptyBox = (): Box => ({
  min: [Infinity, Infinity, Infinity],
  max: [-Infinity, -Infinity, -Infinity],
});

function include({ min, max }: Box, points: ArrayLike<number>, at: number): void {
  for (let axis = 0; axis < 3; axis++) {
    const value = points[at + axis]!;
    min[axis] = Math.min(min[axis]!, value);
    max[axis] = Math.max(max[axis]!, value);
  }
}

function merge(into: Box, { min, max }: Box): void {
  if (min[0] > max[0]) return;
  include(into, min, 0);
  include(into, max, 0);
}

function sizeOf({ min, max }: Box): Part['sizeMillimetres'] {
  if (min[0] > max[0]) return undefined;
  const side = (axis: number) => 1000 * (max[axis]! - min[axis]!);
  return [side(0), side(1), side(2)];
}

/** The vertices in metres, x y z of each, in the space of the scene. */
function worldPoints(primitive: Primitive, m: mat4): Float64Array {
  const position = primitive.getAttribute('POSITION');
  const count = position?.getCount() ?? 0;
  const points = new Float64Array(3 * count);
  const point: vec3 = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    position!.getElement(i, point);
    const [x, y, z] = point;
    for (let axis = 0; axis < 3; axis++)
      points[3 * i + axis] = m[axis]! * x + m[4 + axis]! * y + m[8 + axis]! * z + m[12 + axis]!;
  }
  return points;
}

const TRIANGLES = 4;
const STRIP = 5;
const FAN = 6;

/** The vertices of the triangles, three of each; none of points and lines. */
function cornersOf(primitive: Primitive): number[] {
  const indices = primitive.getIndices();
  const count = indices?.getCount() ?? primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const vertex = (i: number) => indices?.getScalar(i) ?? i;
  const corners: number[] = [];
  const mode: number = primitive.getMode();
  if (mode === TRIANGLES) for (let i = 0; i < count - (count % 3); i++) corners.push(vertex(i));
  if (mode === STRIP || mode === FAN)
    for (let i = 2; i < count; i++)
      corners.push(vertex(mode === FAN ? 0 : i - 2), vertex(i - 1), vertex(i));
  return corners;
}

type Slot = [name: string, texture: Texture | null, coordinates: number, scale: number];

/** The first texture of a material, and by how much its transform enlarges an area of texture coordinates. */
function firstTexture(material: Material): Slot | undefined {
  const slots: [string, Texture | null, ReturnType<Material['getBaseColorTextureInfo']>][] = [
    ['base colour', material.getBaseColorTexture(), material.getBaseColorTextureInfo()],
    ['normals', material.getNormalTexture(), material.getNormalTextureInfo()],
    [
      'metal and roughness',
      material.getMetallicRoughnessTexture(),
      material.getMetallicRoughnessTextureInfo(),
    ],
    ['occlusion', material.getOcclusionTexture(), material.getOcclusionTextureInfo()],
    ['emission', material.getEmissiveTexture(), material.getEmissiveTextureInfo()],
  ];
  const found = slots.find(([, texture]) => texture?.getSize());
  if (found === undefined) return undefined;
  const [name, texture, info] = found;
  const transform = info?.getExtension<TextureTransform>('KHR_texture_transform');
  const [x, y] = transform?.getScale() ?? [1, 1];
  const coordinates = transform?.getTexCoord() ?? info?.getTexCoord() ?? 0;
  return [name, texture, coordinates, Math.abs(x * y)];
}

type TextureTransform = import('@gltf-transform/extensions').Transform;

function measure(
  samples: Map<number, Samples>,
  place: number,
  material: Material,
  primitive: Primitive,
  points: Float64Array,
  corners: readonly number[],
): void {
  const [slot, texture, coordinates, scale] = firstTexture(material) ?? [];
  const uv = primitive.getAttribute(`TEXCOORD_${coordinates}`);
  if (slot === undefined || uv === null) return;
  const [width, height] = texture!.getSize()!;
  const texels = width * height * scale!;
  const own = samples.get(place) ?? { slot, densities: [], areas: [] };
  samples.set(place, own);
  const [a, b, c] = [
    [0, 0],
    [0, 0],
    [0, 0],
  ] as [number[], number[], number[]];
  for (let i = 0; i < corners.length; i += 3) {
    const [at, bt, ct] = [corners[i]!, corners[i + 1]!, corners[i + 2]!];
    const area = triangleArea(points, 3 * at, 3 * bt, 3 * ct);
    // Also an area that is no number.
    if (!(area > 0)) continue;
    uv.getElement(at, a);
    uv.getElement(bt, b);
    uv.getElement(ct, c);
    const [ux, uy] = [b[0]! - a[0]!, b[1]! - a[1]!];
    const [vx, vy] = [c[0]! - a[0]!, c[1]! - a[1]!];
    own.densities.push(Math.sqrt((texels * Math.abs(ux * vy - uy * vx)) / 2 / area));
    own.areas.push(area);
  }
}

function triangleArea(p: Float64Array, a: number, b: number, c: number): number {
  const [ux, uy, uz] = [p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!];
  const [vx, vy, vz] = [p[c]! - p[a]!, p[c + 1]! - p[a + 1]!, p[c + 2]! - p[a + 2]!];
  return Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
}

function densityOf({ slot, densities, areas }: Samples): TexelDensity {
  const order = Float64Array.from(densities.keys()).sort((a, b) => densities[a]! - densities[b]!);
  const half = areas.reduce((sum, area) => sum + area, 0) / 2;
  let below = 0;
  let median = 0;
  for (const at of order) {
    below += areas[at]!;
    median = densities[at]!;
    if (below >= half) break;
  }
  const [first = 0, last = 0] = [order.at(0), order.at(-1)];
  return {
    ...{ slot, triangles: densities.length, median },
    smallest: densities[first] ?? 0,
    largest: densities[last] ?? 0,
  };
}
