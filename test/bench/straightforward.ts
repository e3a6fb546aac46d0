/**
 * A straightforward converter: JSON.parse of the bodies of one article, and a glTF document of @gltf-transform/core.
 *
 * Usage: `node straightforward.js FOLDER ARTICLE OUTPUT.glb`, the folder being one of `article.ts`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Document, NodeIO } from '@gltf-transform/core';

interface Node {
  prop: { btgname: string; mat: string; offs: [number, number, number] };
}
interface Block {
  V: number[];
  T: number[];
  A: { F: number[]; TI: number[] }[];
}

const [folder, article, output] = process.argv.slice(2) as [string, string, string];
const read = (...path: string[]) => readFile(join(folder, ...path));
const list = JSON.parse(String(await read('lists', `${article}-STD.json`)));
const document = new Document();
const buffer = document.createBuffer();
const scene = document.createScene();

const image = async (name: string) =>
  document
    .createTexture(name)
    .setMimeType('image/jpeg')
    .setImage(await read('images', `${name}.jpg`));
const materials = new Map<string, ReturnType<Document['createMaterial']>>();
for (const { mname, pic, bump } of list.mats as Record<string, string>[]) {
  const material = document.createMaterial(mname).setMetallicFactor(0);
  if (pic) material.setBaseColorTexture(await image(pic));
  if (bump) material.setNormalTexture(await image(bump));
  materials.set(mname!, material);
}

/** One vertex for each pair of point and UV; normals are the mean of the faces of a point. */
function primitiveOf({ V, T, A }: Block) {
  const normals = new Float64Array(V.length);
  const known = new Map<string, number>();
  const arrays = { POSITION: [] as number[], NORMAL: [] as number[], TEXCOORD_0: [] as number[] };
  const corners = A.flatMap(({ F, TI }) => F.map((point, i) => ({ point, uv: TI[i]! })));
  for (let i = 0; i < corners.length; i += 3) {
    const face = corners.slice(i, i + 3).map(({ point }) => V.slice(3 * point, 3 * point + 3));
    const [a, b, c] = face as [number[], number[], number[]];
    const [u, v] = [b, c].map((to) => to.map((value, axis) => value - a[axis]!));
    for (let axis = 0; axis < 3; axis++) {
      const [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
      const value = u![j]! * v![k]! - u![k]! * v![j]!;
      for (const { point } of corners.slice(i, i + 3)) normals[3 * point + axis]! += value;
    }
  }
  const indices = corners.map(({ point, uv }) => {
    const key = `${point}/${uv}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const normal = [...normals.subarray(3 * point, 3 * point + 3)];
    const length = Math.hypot(...normal) || 1;
    arrays.POSITION.push(...V.slice(3 * point, 3 * point + 3));
    arrays.NORMAL.push(...normal.map((value) => value / length));
    arrays.TEXCOORD_0.push(T[2 * uv]!, 1 - T[2 * uv + 1]!);
    known.set(key, known.size);
    return known.size - 1;
  });
  const accessor = (type: 'SCALAR' | 'VEC2' | 'VEC3', array: Float32Array | Uint32Array) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array as never)
      .setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setIndices(accessor('SCALAR', Uint32Array.from(indices)));
  for (const [name, values] of Object.entries(arrays)) {
    const type = name === 'TEXCOORD_0' ? 'VEC2' : 'VEC3';
    primitive.setAttribute(name, accessor(type, Float32Array.from(values)));
  }
  return primitive;
}

const meshes = new Map<string, ReturnType<Document['createMesh']>>();
for (const { prop } of list.btg[0].prop.childs as Node[]) {
  const key = `${prop.btgname} ${prop.mat}`;
  if (!meshes.has(key)) {
    const block = JSON.parse(
      String(await read('blocks', `${prop.btgname.split('::').at(-1)}.json`)),
    );
    const primitive = primitiveOf(block).setMaterial(materials.get(prop.mat)!);
    meshes.set(key, document.createMesh().addPrimitive(primitive));
  }
  scene.addChild(document.createNode().setMesh(meshes.get(key)!).setTranslation(prop.offs));
}
await new NodeIO().write(output, document);
