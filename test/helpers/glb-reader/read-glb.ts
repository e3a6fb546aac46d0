/**
 * Reads the triangles and material values of a GLB, as a viewer would show them, in double
 * precision. It refuses every deviation from the standard, and shares no code with the writer.
 */
import type { GLTF } from '@gltf-transform/core';
import type { Vec2, Vec3 } from '../evaluator/vectors.ts';
import { decodeFloats, decodeIndices } from './accessors.ts';
import { type Glb, parseChunks } from './document.ts';
import { type ReadMaterial, readMaterial } from './materials.ts';
import { determinant, movePoint, normalMover, type PlacedNode, placeNodes } from './nodes.ts';
import { entry, must } from './refusal.ts';
import { refuseUnused } from './usage.ts';

/**
 * One triangle in the frame of its node's movable, or in the world without one; its corners run
 * counter-clockwise around its front.
 */
export interface ReadTriangle {
  corners: readonly [Vec3, Vec3, Vec3];
  normals: readonly [Vec3, Vec3, Vec3];
  /** Where the base textures are read, in the service's space: V up, in tiles. */
  baseTexels: readonly [Vec2, Vec2, Vec2] | undefined;
  /** The same of the normal map. */
  normalTexels: readonly [Vec2, Vec2, Vec2] | undefined;
  material: ReadMaterial;
  node: PlacedNode;
}

export interface ReadArticle {
  triangles: ReadTriangle[];
  materials: ReadMaterial[];
  nodes: PlacedNode[];
}

const UNIT_TOLERANCE = 1e-5;

/** Reads a GLB. @throws GlbRefused where it is not strictly right. */
export function readGlb(file: Uint8Array): ReadArticle {
  const glb = parseChunks(file);
  refuseUnused(glb.json);
  const materials = (glb.json.materials ?? []).map((_, index) => readMaterial(glb, index));
  const nodes = placeNodes(glb.json);
  const decoded = new Map<GLTF.IMeshPrimitive, Primitive>();
  const triangles: ReadTriangle[] = [];
  for (const node of nodes) {
    if (node.mesh === undefined) continue;
    const mesh = entry(glb.json.meshes, node.mesh, 'meshes');
    must(mesh.primitives.length > 0, `meshes[${node.mesh}]: no primitive`);
    for (const json of mesh.primitives) {
      const primitive = decoded.get(json) ?? decodePrimitive(glb, json, node.mesh, materials);
      decoded.set(json, primitive);
      drawPrimitive(primitive, node, triangles);
    }
  }
  return { triangles, materials, nodes };
}

interface Primitive {
  positions: Float64Array;
  normals: Float64Array;
  uvSets: Float64Array[];
  indices: Float64Array;
  material: ReadMaterial;
}

function decodePrimitive(
  glb: Glb,
  json: GLTF.IMeshPrimitive,
  mesh: number,
  materials: ReadMaterial[],
): Primitive {
  const what = `meshes[${mesh}]`;
  must((json.mode ?? 4) === 4, `${what}: not triangles`);
  const { POSITION, NORMAL, TANGENT, TEXCOORD_0, TEXCOORD_1, ...rest } = json.attributes;
  must(Object.keys(rest).length === 0, `${what}: attributes ${Object.keys(rest).join()}`);
  must(POSITION !== undefined && NORMAL !== undefined, `${what}: no positions or normals`);
  must(json.indices !== undefined, `${what}: no indices`);
  must(TEXCOORD_1 === undefined || TEXCOORD_0 !== undefined, `${what}: TEXCOORD_1 alone`);
  const { values: positions, count } = decodeFloats(glb, POSITION, 'VEC3', `${what} POSITION`);
  const read = (index: number, type: string, name: string): Float64Array => {
    const attribute = decodeFloats(glb, index, type, `${what} ${name}`);
    must(attribute.count === count, `${what} ${name}: ${attribute.count} for ${count} vertices`);
    return attribute.values;
  };
  const normals = read(NORMAL, 'VEC3', 'NORMAL');
  checkUnits(normals, 3, `${what} NORMAL`);
  if (TANGENT !== undefined) checkUnits(read(TANGENT, 'VEC4', 'TANGENT'), 4, `${what} TANGENT`);
  const sets = [TEXCOORD_0, TEXCOORD_1].filter((index) => index !== undefined);
  const uvSets = sets.map((index, set) => read(index, 'VEC2', `TEXCOORD_${set}`));
  const indices = decodeIndices(glb, json.indices, count, `${what} indices`);
  const material = entry(materials, json.material, `${what} material`);
  return { positions, normals, uvSets, indices, material };
}

function checkUnits(values: Float64Array, width: number, what: string): void {
  for (let i = 0; i < values.length; i += width) {
    const size = Math.hypot(values[i]!, values[i + 1]!, values[i + 2]!);
    must(Math.abs(size - 1) < UNIT_TOLERANCE, `${what}: length ${size}`);
    if (width === 4) must(Math.abs(values[i + 3]!) === 1, `${what}: w is ${values[i + 3]}`);
  }
}

function drawPrimitive(primitive: Primitive, node: PlacedNode, into: ReadTriangle[]): void {
  const { positions, normals, indices, material } = primitive;
  const det = determinant(node.place);
  must(det !== 0, `nodes[${node.index}]: draws a mesh with a matrix of determinant zero`);
  const corners = mapThrees(positions, (position) => movePoint(node.place, position));
  const directions = mapThrees(normals, normalMover(node.place));
  const { baseTexture, metallicRoughnessTexture, emissionTexture, normalTexture } = material;
  const base = baseTexture ?? metallicRoughnessTexture ?? emissionTexture;
  const texels = texelsOf(primitive, base);
  for (const other of [metallicRoughnessTexture, emissionTexture])
    must(agree(texels, texelsOf(primitive, other)), `${material.name}: base transforms differ`);
  const bumps = texelsOf(primitive, normalTexture);
  for (let t = 0; t < indices.length; t += 3) {
    const order = det < 0 ? [t, t + 2, t + 1] : [t, t + 1, t + 2];
    const [a, b, c] = order.map((at) => indices[at]!) as [number, number, number];
    const each = <T>(of: (vertex: number) => T): readonly [T, T, T] => [of(a), of(b), of(c)];
    into.push({
      corners: each((i) => corners[i]!),
      normals: each((i) => directions[i]!),
      baseTexels: texels && each((i) => texels[i]!),
      normalTexels: bumps && each((i) => bumps[i]!),
      material,
      node,
    });
  }
}

function mapThrees(values: Float64Array, map: (three: Vec3) => Vec3): Vec3[] {
  const mapped: Vec3[] = [];
  for (let i = 0; i < values.length; i += 3) {
    mapped.push(map([values[i]!, values[i + 1]!, values[i + 2]!]));
  }
  return mapped;
}

/** Per vertex the texel of a texture, turned V up; undefined without the texture. */
function texelsOf(
  { uvSets, material }: Primitive,
  texture: ReadMaterial['baseTexture'],
): Vec2[] | undefined {
  if (!texture) return undefined;
  const uvs = uvSets[texture.uvSet];
  must(uvs, `${material.name}: a texture reads TEXCOORD_${texture.uvSet}, which is not there`);
  const texels: Vec2[] = [];
  for (let i = 0; i < uvs.length; i += 2) {
    const [u, v] = texture.address([uvs[i]!, uvs[i + 1]!]);
    texels.push([u, 1 - v]);
  }
  return texels;
}

/** Textures that the service places alike are placed alike. */
function agree(one: Vec2[] | undefined, other: Vec2[] | undefined): boolean {
  if (!one || !other) return true;
  return one.every(([u, v], i) => {
    const [u2, v2] = other[i]!;
    const size = Math.max(1, Math.abs(u), Math.abs(v));
    return Math.abs(u - u2) < 1e-6 * size && Math.abs(v - v2) < 1e-6 * size;
  });
}
