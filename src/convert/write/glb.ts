/**
 * GLB: a scene becomes the bytes of one `.glb` file, without values that equal glTF's defaults. It takes about
 * 17 ns per triangle, a general document writer takes 195 (test/bench/README.md).
 */

import type { Bounds } from '../../model/asset.ts';
import { boundsOf } from '../kernels/kernels.ts';
import type {
  Geometry,
  Scene,
  SceneMaterial,
  SceneNode,
  TextureTransform,
  TextureUse,
} from '../model/scene.ts';

/** Generator without a version: a new release must not change every file. */
const GENERATOR = 'btg2gltf';

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const BLANK = 0x20;

const FLOAT = 5126;
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;

/** The kinds of element, in the order of their views in the binary chunk; `size` counts components. */
const KINDS = {
  uint16: { componentType: 5123, type: 'SCALAR', size: 1 },
  uint32: { componentType: 5125, type: 'SCALAR', size: 1 },
  vec2: { componentType: FLOAT, type: 'VEC2', size: 2 },
  vec3: { componentType: FLOAT, type: 'VEC3', size: 3 },
  vec4: { componentType: FLOAT, type: 'VEC4', size: 4 },
} as const;

type Kind = keyof typeof KINDS;
type Elements = Float32Array | Uint16Array | Uint32Array;
type GltfObject = Record<string, unknown>;

/**
 * Smaller parts are joined: writing each of them alone takes longer than copying it. With 256 KiB, 500 articles that share
 * pictures of 200 KB took 3.6 s instead of 2.8, because of copies and their garbage.
 */
const LEAST_PIECE_BYTES = 64 * 1024;

/**
 * Writes a scene as GLB (D-307, D-750).
 *
 * @returns glTF 2.0 binary; equal scenes give equal bytes.
 */
export function writeGlb(scene: Scene): Uint8Array {
  return joined(writeGlbPieces(scene));
}

/**
 * Writes a scene as GLB in pieces, which are the bytes one after the other. Large pieces are arrays and images of the
 * scene itself: a GLB of two million triangles takes less than 30 MB more.
 */
export function writeGlbPieces(scene: Scene): Uint8Array[] {
  const { json, parts } = encodeScene(scene);
  const pieces: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  let smallBytes = 0;
  const joinSmall = () => {
    if (smallBytes > 0) pieces.push(joined(small));
    [small, smallBytes] = [[], 0];
  };
  for (const part of [...headOf(json, parts), ...parts]) {
    const isLarge = part.length >= LEAST_PIECE_BYTES;
    if (isLarge || smallBytes >= LEAST_PIECE_BYTES) joinSmall();
    if (isLarge) pieces.push(part);
    else smallBytes += small.push(part) && part.length;
  }
  joinSmall();
  return pieces;
}

/**
 * Writes a scene as the JSON of a `.gltf` file and its buffer; the images are files of their own.
 *
 * @param uris - Addresses of buffer and images, as the JSON has them.
 */
export function writeGltfParts(
  scene: Scene,
  uris: FileUris,
): { json: Uint8Array; buffer: Uint8Array } {
  const { json, parts } = encodeScene(scene, uris);
  return { json, buffer: joined(parts) };
}

/** Addresses of the files beside a `.gltf` file: its buffer, and each image of the scene. */
interface FileUris {
  buffer: string;
  images: readonly string[];
}

/**
 * Encodes a scene as JSON and one buffer, of which both containers of glTF consist.
 *
 * @param uris - Addresses of buffer and images in files of their own; without them, the images are in the buffer.
 * @returns The buffer in parts, each padded to four bytes.
 */
function encodeScene(
  scene: Scene,
  uris?: FileUris,
): { json: Uint8Array; parts: readonly Uint8Array[] } {
  const binary = createBinaryChunk();
  const document = JSON.stringify(gltfDocument(scene, binary, uris), undefined, uris && 2);
  const json = new TextEncoder().encode(document);
  return { json, parts: binary.parts };
}

const bytesOf = (parts: readonly Uint8Array[]) =>
  parts.reduce((sum, { length }) => sum + length, 0);

/** Joins parts in a buffer that contains nothing else: some readers take `bytes.buffer` as a whole. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(bytesOf(parts));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Everything before the content of the binary chunk. A scene without arrays has no such chunk. */
function headOf(json: Uint8Array, parts: readonly Uint8Array[]): Uint8Array[] {
  const binaryBytes = bytesOf(parts);
  const padding = new Uint8Array(-json.length & 3).fill(BLANK);
  const jsonBytes = json.length + padding.length;
  const jsonEnd = HEADER_BYTES + CHUNK_HEADER_BYTES + jsonBytes;
  const total = jsonEnd + (binaryBytes > 0 ? CHUNK_HEADER_BYTES + binaryBytes : 0);
  const head = words(GLB_MAGIC, 2, total, jsonBytes, JSON_CHUNK);
  const binaryHead = binaryBytes > 0 ? [words(binaryBytes, BINARY_CHUNK)] : [];
  return [head, json, padding, ...binaryHead];
}

/** Numbers of 32 bits, the lowest byte first. */
function words(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => {
    view.setUint32(4 * i, value, true);
  });
  return new Uint8Array(view.buffer);
}

/** The document. Arrays and images go into the binary chunk, unless images are separate files. */
function gltfDocument(scene: Scene, binary: BinaryChunk, uris: FileUris | undefined): GltfObject {
  const extensions = new Set<string>();
  const textures = createTextures();
  const materials = scene.materials.map((material) =>
    writeMaterial(material, textures.indexOf, extensions),
  );
  const meshes = scene.meshes.map(({ name, primitives }) => ({
    name,
    primitives: primitives.map(({ geometry, material }) =>
      writePrimitive(scene.geometries[geometry]!, material, binary),
    ),
  }));
  const { nodes, roots } = writeNodes(scene.nodes);
  const { accessors, bufferViews, firstImage } = binary.layout(
    uris === undefined ? scene.images : [],
  );
  const images = scene.images.map(({ name, mimeType }, i) => ({
    name,
    mimeType,
    ...(uris === undefined ? { bufferView: firstImage + i } : { uri: uris.images[i] }),
  }));
  const listed = (list: readonly unknown[]) => (list.length > 0 ? list : undefined);
  return {
    asset: { version: '2.0', generator: GENERATOR },
    extensionsUsed: listed([...extensions].sort()),
    scene: 0,
    scenes: [{ nodes: roots }],
    nodes,
    meshes,
    materials: listed(materials),
    textures: listed(textures.list),
    images: listed(images),
    accessors,
    bufferViews,
    buffers: [{ uri: uris?.buffer, byteLength: binary.byteLength() }],
  };
}

function writePrimitive(geometry: Geometry, material: number, binary: BinaryChunk): GltfObject {
  const { positions, normals, uvs, tangents, indices } = geometry;
  const attributes: GltfObject = {
    POSITION: binary.add(positions, 'vec3', boundsOf(positions)),
    NORMAL: binary.add(normals, 'vec3'),
  };
  if (tangents) attributes.TANGENT = binary.add(tangents, 'vec4');
  uvs.forEach((set, i) => {
    attributes[`TEXCOORD_${i}`] = binary.add(set, 'vec2');
  });
  const kind = indices instanceof Uint16Array ? 'uint16' : 'uint32';
  return { attributes, indices: binary.add(indices, kind), material };
}

function writeNodes(nodes: readonly SceneNode[]): { nodes: GltfObject[]; roots: number[] } {
  const roots: number[] = [];
  const children = new Map<number, number[]>();
  nodes.forEach(({ parent }, i) => {
    const siblings = parent < 0 ? roots : (children.get(parent) ?? []);
    if (parent >= 0) children.set(parent, siblings);
    siblings.push(i);
  });
  return { nodes: nodes.map((node, i) => writeNode(node, children.get(i))), roots };
}

function writeNode(node: SceneNode, children: number[] | undefined): GltfObject {
  const { name, mesh, extras } = node;
  const rotation = node.rotation.map(float32);
  return {
    name,
    children,
    translation: unlessAll(0, node.translationMetres),
    rotation: rotation.slice(0, 3).some((value) => value !== 0) ? rotation : undefined,
    scale: unlessAll(1, node.scale),
    mesh: mesh >= 0 ? mesh : undefined,
    extras,
  };
}

/** Float32 values; undefined if all are the default of glTF. */
function unlessAll(standard: number, values: readonly number[]): number[] | undefined {
  const rounded = values.map(float32);
  return rounded.every((value) => value === standard) ? undefined : rounded;
}

type Meaning = 'color' | 'data';
type TextureIndex = (image: number, meaning: Meaning) => number;

/** Creates the list of textures. An image used as colour and as data is two textures that share it: D-503. */
function createTextures(): { list: GltfObject[]; indexOf: TextureIndex } {
  const list: GltfObject[] = [];
  const index = new Map<string, number>();
  return {
    list,
    indexOf(image, meaning) {
      const key = `${meaning} ${image}`;
      const at = index.get(key) ?? list.push({ source: image }) - 1;
      index.set(key, at);
      return at;
    },
  };
}

/** Writes a material. The source of each value is in D-500. */
function writeMaterial(
  material: SceneMaterial,
  textureIndex: TextureIndex,
  extensionsUsed: Set<string>,
): GltfObject {
  const texture = (use: TextureUse | undefined, meaning: Meaning): GltfObject | undefined => {
    if (!use) return undefined;
    const { image, uvSet, transform } = use;
    const index = textureIndex(image, meaning);
    if (transform) extensionsUsed.add('KHR_texture_transform');
    return {
      index,
      texCoord: uvSet === 0 ? undefined : uvSet,
      extensions: transform && { KHR_texture_transform: textureTransform(transform) },
    };
  };
  const { alphaMode, doubleSided } = material;
  const [metallic, roughness] = [float32(material.metallic), float32(material.roughness)];
  const emissive = material.emissiveLinear.map(float32);
  const emits = emissive.some((value) => value > 0);
  const extensions = extensionsOf(material, emits);
  for (const name of Object.keys(extensions)) extensionsUsed.add(name);
  return {
    name: material.name,
    pbrMetallicRoughness: {
      baseColorFactor: unlessAll(1, [...material.baseColorLinear, material.alpha]),
      baseColorTexture: texture(material.baseColorTexture, 'color'),
      metallicFactor: metallic === 1 ? undefined : metallic,
      roughnessFactor: roughness === 1 ? undefined : roughness,
      metallicRoughnessTexture: texture(material.metallicRoughnessTexture, 'data'),
    },
    normalTexture: texture(material.normalTexture, 'data'),
    emissiveFactor: emits ? emissive : undefined,
    emissiveTexture: emits ? texture(material.emissiveTexture, 'color') : undefined,
    alphaMode: alphaMode === 'OPAQUE' ? undefined : alphaMode,
    doubleSided: doubleSided ? true : undefined,
    extensions: Object.keys(extensions).length > 0 ? extensions : undefined,
    extras: material.extras,
  };
}

function textureTransform({ offset, rotationRadians, scale }: TextureTransform): GltfObject {
  const rotation = float32(rotationRadians);
  return {
    offset: unlessAll(0, offset),
    rotation: rotation === 0 ? undefined : rotation,
    scale: unlessAll(1, scale),
  };
}

function extensionsOf(material: SceneMaterial, emits: boolean): GltfObject {
  const { clearcoat, sheen, specular, ior, transmission, emissiveStrength } = material;
  const extensions = {
    KHR_materials_clearcoat: clearcoat && {
      clearcoatFactor: float32(clearcoat.factor),
      clearcoatRoughnessFactor: float32(clearcoat.roughness),
    },
    KHR_materials_emissive_strength: emits &&
      emissiveStrength !== 1 && { emissiveStrength: float32(emissiveStrength) },
    KHR_materials_ior: ior !== undefined && { ior: float32(ior) },
    KHR_materials_sheen: sheen && {
      sheenColorFactor: sheen.colorLinear.map(float32),
      sheenRoughnessFactor: float32(sheen.roughness),
    },
    KHR_materials_specular: specular !== undefined && { specularFactor: float32(specular) },
    KHR_materials_transmission: transmission > 0 && {
      transmissionFactor: float32(transmission),
    },
  };
  return Object.fromEntries(Object.entries(extensions).filter(([, value]) => value));
}

/** The shortest decimal number that a reader rounds to the same float32; nine digits always suffice. */
function float32(value: number): number {
  const rounded = Math.fround(value);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(rounded.toPrecision(digits));
    if (Math.fround(short) === rounded) return short;
  }
  return Number(rounded.toPrecision(9));
}

interface View {
  arrays: Elements[];
  byteLength: number;
}

type BinaryChunk = ReturnType<typeof createBinaryChunk>;

/**
 * The binary chunk: one buffer view for each kind of element, then one for each image. Arrays are
 * compared by identity, because equal content is already one array.
 */
function createBinaryChunk() {
  const accessors: (GltfObject & { kind: Kind })[] = [];
  // The key includes the role: the normals of one mesh may be bit for bit the positions of another.
  const accessorOf = new Map<string, Map<Elements, number>>();
  const views = new Map<Kind, View>();
  const parts: Uint8Array[] = [];
  let byteLength = 0;

  function append(bytes: Uint8Array): void {
    parts.push(bytes);
    const padding = -bytes.length & 3;
    if (padding > 0) parts.push(new Uint8Array(padding));
    byteLength += bytes.length + padding;
  }

  return {
    parts,
    byteLength: () => byteLength,

    /** Index of the accessor of an array; only positions have bounds. */
    add(array: Elements, kind: Kind, bounds?: Bounds): number {
      const role = bounds ? `${kind} with bounds` : kind;
      const sameRole = accessorOf.get(role) ?? new Map<Elements, number>();
      accessorOf.set(role, sameRole);
      const known = sameRole.get(array);
      if (known !== undefined) return known;
      const view = views.get(kind) ?? { arrays: [], byteLength: 0 };
      views.set(kind, view);
      const { componentType, type, size } = KINDS[kind];
      const count = array.length / size;
      const index =
        accessors.push({
          kind,
          byteOffset: view.byteLength,
          componentType,
          count,
          type,
          ...bounds,
        }) - 1;
      view.arrays.push(array);
      // Each array starts at a multiple of four, as `append` pads it.
      view.byteLength += (array.byteLength + 3) & ~3;
      sameRole.set(array, index);
      return index;
    },

    /** Lays everything out; nothing may be added afterwards. */
    layout(images: Scene['images']) {
      const bufferViews: GltfObject[] = [];
      const viewIndex = new Map<Kind, number>();
      for (const kind of Object.keys(KINDS) as Kind[]) {
        const view = views.get(kind);
        if (!view) continue;
        viewIndex.set(kind, bufferViews.push(arrayView(kind, view, byteLength)) - 1);
        for (const { buffer, byteOffset, byteLength: length } of view.arrays) {
          append(new Uint8Array(buffer, byteOffset, length));
        }
      }
      const firstImage = bufferViews.length;
      for (const { bytes } of images) {
        bufferViews.push({ buffer: 0, byteOffset: byteLength, byteLength: bytes.length });
        append(bytes);
      }
      const placed = accessors.map(({ kind, ...accessor }) => ({
        bufferView: viewIndex.get(kind),
        ...accessor,
      }));
      return { accessors: placed, bufferViews, firstImage };
    },
  };
}

function arrayView(kind: Kind, { byteLength }: View, byteOffset: number): GltfObject {
  const { size, type } = KINDS[kind];
  const view = { buffer: 0, byteOffset, byteLength };
  return type === 'SCALAR'
    ? { ...view, target: ELEMENT_ARRAY_BUFFER }
    : { ...view, byteStride: 4 * size, target: ARRAY_BUFFER };
}
