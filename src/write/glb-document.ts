/**
 * GLB document: a scene as the JSON part of a glTF file.
 *
 * Names and nesting are glTF's own. What equals glTF's default is left out.
 */
import type { Bounds, Geometry, Scene, SceneNode, TextureUse } from '../model/scene.ts';
import type { BinaryChunk, GltfObject } from './glb-binary.ts';
import { createMaterialWriter } from './glb-materials.ts';

/** Without a version: a new release must not change every file. */
const GENERATOR = 'btg2gltf';

/**
 * The glTF document of a scene; its arrays and images go into the binary chunk.
 *
 * @see glTF 2.0, section 5; D-307, D-750.
 */
export function gltfDocument(scene: Scene, binary: BinaryChunk): GltfObject {
  const textures = createTextures(scene, binary);
  const extensions = new Set<string>();
  const writeMaterial = createMaterialWriter(textures.indexOf, extensions);
  const materials = scene.materials.map(writeMaterial);
  const meshes = scene.meshes.map(({ name, primitives }) => ({
    name,
    primitives: primitives.map(({ geometry, material }) =>
      writePrimitive(scene.geometries[geometry]!, material, binary),
    ),
  }));
  const { nodes, roots } = writeNodes(scene.nodes);
  const { accessors, bufferViews } = binary.layout();
  return {
    asset: { version: '2.0', generator: GENERATOR },
    ...(extensions.size > 0 ? { extensionsUsed: [...extensions].sort() } : {}),
    scene: 0,
    scenes: [{ nodes: roots }],
    nodes,
    meshes,
    ...listed('materials', materials),
    ...listed('textures', textures.textures),
    ...listed('images', textures.images()),
    accessors,
    bufferViews,
    buffers: [{ byteLength: binary.byteLength() }],
  };
}

function listed(name: string, list: readonly unknown[]): GltfObject {
  return list.length > 0 ? { [name]: list } : {};
}

function writePrimitive(geometry: Geometry, material: number, binary: BinaryChunk): GltfObject {
  const { positions, normals, uvs, tangents, indices } = geometry;
  const attributes: GltfObject = {
    POSITION: binary.vertices(positions, 3, boundsOf(positions)),
    NORMAL: binary.vertices(normals, 3),
  };
  if (tangents) attributes.TANGENT = binary.vertices(tangents, 4);
  uvs.forEach((set, i) => {
    attributes[`TEXCOORD_${i}`] = binary.vertices(set, 2);
  });
  return { attributes, indices: binary.indices(indices), material };
}

/** Exactly the smallest and largest float32 of each component. */
function boundsOf(positions: Float32Array): Bounds {
  const min: Bounds['min'] = [positions[0]!, positions[1]!, positions[2]!];
  const max: Bounds['max'] = [positions[0]!, positions[1]!, positions[2]!];
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const value = positions[i + k]!;
      if (value < min[k]!) min[k] = value;
      if (value > max[k]!) max[k] = value;
    }
  }
  return { min, max };
}

function writeNodes(nodes: readonly SceneNode[]): { nodes: GltfObject[]; roots: number[] } {
  const children: number[][] = [];
  const roots: number[] = [];
  nodes.forEach(({ parent }, i) => {
    if (parent < 0) roots.push(i);
    else {
      children[parent] ??= [];
      children[parent].push(i);
    }
  });
  return { nodes: nodes.map((node, i) => writeNode(node, children[i])), roots };
}

function writeNode(node: SceneNode, children: number[] | undefined): GltfObject {
  const { translationMetres: t, rotation: r, scale: s } = node;
  return {
    name: node.name,
    ...(children ? { children } : {}),
    ...(t.some((value) => value !== 0) ? { translation: t } : {}),
    ...(r[0] !== 0 || r[1] !== 0 || r[2] !== 0 ? { rotation: r } : {}),
    ...(s.some((value) => value !== 1) ? { scale: s } : {}),
    ...(node.mesh >= 0 ? { mesh: node.mesh } : {}),
    ...(node.extras ? { extras: node.extras } : {}),
  };
}

interface Textures {
  textures: GltfObject[];
  indexOf(use: TextureUse, meaning: 'color' | 'data'): number;
  images(): GltfObject[];
}

/** An image that is seen as colour and read as data is two textures that share it: D-503. */
function createTextures(scene: Scene, binary: BinaryChunk): Textures {
  const textures: GltfObject[] = [];
  const index = new Map<string, number>();
  const views = scene.images.map(({ bytes }) => binary.image(bytes));
  return {
    textures,
    indexOf({ image }, meaning) {
      const key = `${meaning} ${image}`;
      let at = index.get(key);
      if (at === undefined) {
        at = textures.push({ source: image }) - 1;
        index.set(key, at);
      }
      return at;
    },
    images: () =>
      scene.images.map(({ name, mimeType }, i) => ({
        name,
        mimeType,
        bufferView: views[i]!.bufferView,
      })),
  };
}
