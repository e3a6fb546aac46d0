/** Applies to the vertices what some readers of glTF ignore: transforms of textures and of mirrored parts. */
import type { Accessor, Document, mat4, TextureInfo, vec3 } from '@gltf-transform/core';
import { cross } from '../../convert/math/vec.ts';
import { cos, sin } from '../../support/elementary.ts';
import { placementOf } from '../usd/usd-placement.ts';
import type { Libraries } from './libraries.ts';

const TEXTURE_TRANSFORM = 'KHR_texture_transform';

/** Every reader has two UV sets (glTF 2.0, 3.7.2.1); Scene Viewer may use the first one for all textures. */
const MOST_UV_SETS = 2;

/**
 * Applies the transforms of textures to the UVs.
 *
 * The first UV set is that of the base colour (otherwise of the normal map, otherwise of the first texture). Textures
 * of a material with another transform use the second set; further transforms are replaced by that of the first.
 *
 * @returns The number of textures whose transform was replaced.
 */
export function bakeTextureTransforms(document: Document, { core, functions }: Libraries): number {
  let changed = 0;
  const baked = new Map<Accessor, Map<string, Accessor>>();
  for (const material of document.getRoot().listMaterials()) {
    const used = functions.listTextureInfoByMaterial(material);
    const first = [material.getBaseColorTextureInfo(), material.getNormalTextureInfo()];
    const infos = [...new Set([...first, ...used])].filter(
      (info): info is TextureInfo => info !== null && used.includes(info),
    );
    const placements = new Map(
      infos.map((info) => [bakedPlacement(info).key, bakedPlacement(info)]),
    );
    const kept = [...placements.values()].slice(0, MOST_UV_SETS);
    for (const info of infos) {
      const set = kept.findIndex(({ key }) => key === bakedPlacement(info).key);
      if (set < 0) changed++;
      info.setTexCoord(Math.max(0, set)).setExtension(TEXTURE_TRANSFORM, null);
    }
    if (kept.length === 0) continue;
    for (const primitive of material.listParents()) {
      if (!(primitive instanceof core.Primitive)) continue;
      const given = kept.map(({ set }) => primitive.getAttribute(`TEXCOORD_${set}`));
      for (const name of primitive.listSemantics().filter((n) => n.startsWith('TEXCOORD_')))
        primitive.setAttribute(name, null);
      for (const [i, { key, apply }] of kept.entries()) {
        const from = given[i];
        if (!from) continue;
        const of = baked.get(from) ?? new Map<string, Accessor>();
        baked.set(from, of);
        const to = of.get(key) ?? from.clone().setArray(apply(from));
        of.set(key, to);
        primitive.setAttribute(`TEXCOORD_${i}`, to);
      }
    }
  }
  document
    .getRoot()
    .listExtensionsUsed()
    .find(({ extensionName }) => extensionName === TEXTURE_TRANSFORM)
    ?.dispose();
  return changed;
}

function bakedPlacement(info: TextureInfo) {
  const placement = placementOf(info);
  const { uvSet: set, offset, rotationRadians, scale } = placement;
  const [c, s] = [cos(rotationRadians), sin(rotationRadians)];
  const apply = (uvs: Accessor): Float32Array<ArrayBuffer> => {
    const out = new Float32Array(uvs.getCount() * 2);
    const uv = [0, 0];
    for (let i = 0; i < uvs.getCount(); i++) {
      uvs.getElement(i, uv);
      const u = uv[0]! * scale[0];
      const v = uv[1]! * scale[1];
      out[2 * i] = c * u + s * v + offset[0];
      out[2 * i + 1] = -s * u + c * v + offset[1];
    }
    return out;
  };
  return { set, key: JSON.stringify(placement), apply };
}

/** A matrix with more shear is no translation, rotation and scale: the cosine between two of its axes. */
const SHEAR = 1e-5;

/** Gives mirrored or sheared parts their own mesh in world coordinates. @returns Number of such parts. */
export function bakeIrregularParts(document: Document, { functions }: Libraries): number {
  let count = 0;
  for (const scene of document.getRoot().listScenes()) {
    const found: ReturnType<typeof scene.listChildren> = [];
    scene.traverse((node) => {
      if (node.getMesh() !== null && isIrregular(node.getWorldMatrix())) found.push(node);
    });
    for (const node of found) {
      const mesh = node.getMesh()!.clone();
      functions.transformMesh(mesh, node.getWorldMatrix());
      scene.addChild(document.createNode(node.getName()).setMesh(mesh));
      node.setMesh(null);
    }
    count += found.length;
  }
  return count;
}

function isIrregular(m: mat4): boolean {
  const axes = [0, 4, 8].map((at) => [m[at]!, m[at + 1]!, m[at + 2]!] as vec3);
  const dot = (a: vec3, b: vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const [x, y, z] = axes as [vec3, vec3, vec3];
  const isSheared = ([a, b]: readonly [vec3, vec3]) =>
    Math.abs(dot(a, b)) > SHEAR * Math.sqrt(dot(a, a) * dot(b, b));
  const pairs = [
    [x, y],
    [y, z],
    [z, x],
  ] as const;
  return dot(x, cross(y, z)) < 0 || pairs.some(isSheared);
}

/** Removes tangents, so that the viewer computes them, if vertices move: a mirrored part would have the wrong hand. */
export function removeTangents(document: Document): void {
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) primitive.setAttribute('TANGENT', null);
  }
}

/** Moves the origin below the middle of the drawn parts, by all vertices: the box of a turned part is too large. */
export async function moveOriginToFloor(
  document: Document,
  { functions }: Libraries,
): Promise<void> {
  const min: vec3 = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const max = min.map((value) => -value) as vec3;
  const point: number[] = [0, 0, 0];
  for (const node of document.getRoot().listNodes()) {
    const m = node.getWorldMatrix();
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const positions = primitive.getAttribute('POSITION')!;
      for (let i = 0; i < positions.getCount(); i++) {
        const [x, y, z] = positions.getElement(i, point) as vec3;
        for (let k = 0; k < 3; k++) {
          const value = m[k]! * x + m[4 + k]! * y + m[8 + k]! * z + m[12 + k]!;
          min[k] = Math.min(min[k]!, value);
          max[k] = Math.max(max[k]!, value);
        }
      }
    }
  }
  if (min[0] > max[0]) return;
  const pivot: vec3 = [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2];
  await document.transform(functions.center({ pivot }));
}
