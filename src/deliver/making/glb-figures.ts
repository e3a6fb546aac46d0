/** The figures of a GLB file as it is stored: read from its JSON and the headers of its images, without a decoder. */

import { ConverterError } from '../../support/errors.ts';
import { COMPONENT_BYTES } from './glb-container.ts';

export interface GlbFigures {
  bytes: number;
  /** Number of drawn triangles, with all instances. */
  triangles: number;
  /** Primitives of all nodes. */
  drawCalls: number;
  materials: number;
  meshes: {
    name: string;
    /** Bytes of its vertices and indices; shared bytes are counted for the first mesh. */
    bytes: number;
    triangles: number;
    instances: number;
  }[];
  /** Sides in pixels. */
  images: { name: string; bytes: number; mimeType: string; width: number; height: number }[];
  extensionsUsed: string[];
  extensionsRequired: string[];
}

const GLB = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;

interface Accessor {
  bufferView?: number;
  componentType: number;
  count: number;
  type: string;
}
interface Primitive {
  attributes: Record<string, number>;
  indices?: number;
  mode?: number;
  extensions?: { KHR_draco_mesh_compression?: { bufferView: number } };
}
interface Gltf {
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: {
    mesh?: number;
    children?: number[];
    extensions?: { EXT_mesh_gpu_instancing?: { attributes: Record<string, number> } };
  }[];
  meshes?: { name?: string; primitives: Primitive[] }[];
  materials?: unknown[];
  images?: { name?: string; bufferView?: number; uri?: string; mimeType?: string }[];
  accessors?: Accessor[];
  bufferViews?: {
    byteOffset?: number;
    byteLength: number;
    extensions?: Record<string, { byteOffset?: number; byteLength: number } | undefined>;
  }[];
  buffers?: { uri?: string }[];
  extensionsUsed?: string[];
  extensionsRequired?: string[];
}

/**
 * Reads the figures of a GLB, compressed or not.
 *
 * @throws {@link ConverterError} `MODEL_UNREADABLE` if the bytes are not a GLB.
 * @example
 * ```ts
 * const { triangles, drawCalls } = await readFigures(glb);
 * ```
 */
export async function readFigures(glb: Uint8Array): Promise<GlbFigures> {
  try {
    const { gltf, binary } = chunksOf(glb);
    return await figuresOf(gltf, glb.length, ({ bufferView }, i) => {
      if (bufferView === undefined) throw new Error(`image ${i} is outside of the file`);
      const { byteOffset = 0, byteLength } = gltf.bufferViews![bufferView]!;
      return binary.subarray(byteOffset, byteOffset + byteLength);
    });
  } catch (cause) {
    throw modelUnreadable(cause);
  }
}

/** Why a file is no GLB, if it does not begin as one. */
export const NO_GLB = 'this is another kind of file, or its beginning is damaged';

/** The error of a file that is no model, with the sentence of the cause unless that is an error of the engine. */
export function modelUnreadable(cause: unknown): ConverterError {
  const isSentence = cause instanceof Error && cause.constructor === Error;
  const reason = isSentence ? cause.message.split('\n', 1)[0] : 'its JSON is not that of a model';
  const message = `model: expected a GLB file: ${reason}`;
  return new ConverterError('MODEL_UNREADABLE', message, { cause });
}

/** Reads the figures of a `.gltf`; its bytes are those of all its files. @param fileAt - A file by its address. */
export async function readSeparateFigures(
  json: Uint8Array,
  fileAt: (uri: string) => Uint8Array,
): Promise<GlbFigures> {
  const gltf = JSON.parse(new TextDecoder().decode(json)) as Gltf;
  const uris = [...(gltf.buffers ?? []), ...(gltf.images ?? [])].flatMap(({ uri }) => uri ?? []);
  const bytes = [...new Set(uris)].reduce((sum, uri) => sum + fileAt(uri).length, json.length);
  return figuresOf(gltf, bytes, ({ uri }) => fileAt(uri!));
}

/** Reads the resources that drawing a GLB needs, from its JSON alone; undefined if the bytes are not a GLB. */
export function drawnFigures(glb: Uint8Array) {
  try {
    const { gltf } = chunksOf(glb);
    const { accessors = [], meshes = [] } = gltf;
    const { instances } = placesOf(gltf);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    const trianglesOfMesh = meshes.map(({ primitives }) =>
      sum(primitives.map((primitive) => trianglesOf(primitive, accessors))),
    );
    return {
      triangles: sum(instances.map((times, i) => times * trianglesOfMesh[i]!)),
      instances: sum(instances),
      // An accessor without stored bytes has zeros, which are decoded, too.
      vertexBytes: sum(accessors.map(decodedBytes)),
    };
  } catch {
    return undefined;
  }
}

type Image = NonNullable<Gltf['images']>[number];

async function figuresOf(
  gltf: Gltf,
  bytes: number,
  imageBytes: (image: Image, index: number) => Uint8Array,
): Promise<GlbFigures> {
  const { images = [], extensionsUsed = [], extensionsRequired = [], materials = [] } = gltf;
  const { instances, draws } = placesOf(gltf);
  const meshes = meshesOf(gltf, instances);
  const sum = (times: readonly number[], count: (mesh: number) => number) =>
    times.reduce((total, time, i) => total + time * count(i), 0);
  const { ImageUtils } = await import('@gltf-transform/core');
  const { EXTTextureWebP, KHRTextureBasisu } = await import('@gltf-transform/extensions');
  EXTTextureWebP.register();
  KHRTextureBasisu.register();
  return {
    bytes,
    triangles: sum(instances, (i) => meshes[i]!.triangles),
    drawCalls: sum(draws, (i) => gltf.meshes![i]!.primitives.length),
    materials: materials.length,
    meshes,
    images: images.map((image, i) => {
      const { name, mimeType = '' } = image;
      const stored = imageBytes(image, i);
      const [width, height] = ImageUtils.getSize(stored, mimeType) ?? [0, 0];
      return { name: name || `image ${i}`, bytes: stored.length, mimeType, width, height };
    }),
    extensionsUsed: [...extensionsUsed].sort(),
    extensionsRequired: [...extensionsRequired].sort(),
  };
}

function chunksOf(glb: Uint8Array): { gltf: Gltf; binary: Uint8Array } {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  if (view.getUint32(0, true) !== GLB || view.getUint32(16, true) !== JSON_CHUNK)
    throw new Error(NO_GLB);
  const end = 20 + view.getUint32(12, true);
  const gltf = JSON.parse(new TextDecoder().decode(glb.subarray(20, end))) as Gltf;
  return { gltf, binary: glb.subarray(end + 8) };
}

function meshesOf(gltf: Gltf, instances: readonly number[]): GlbFigures['meshes'] {
  const { accessors = [], meshes = [] } = gltf;
  const bytesOf = storedBytes(gltf);
  const counted = new Set<number>();
  return meshes.map(({ name, primitives }, i) => {
    const used = primitives.flatMap(({ attributes, indices }) => [
      ...Object.values(attributes),
      ...(indices === undefined ? [] : [indices]),
    ]);
    const own = [...new Set(used)].filter((at) => !counted.has(at));
    for (const at of own) counted.add(at);
    const packed = primitives.flatMap(
      ({ extensions }) => extensions?.KHR_draco_mesh_compression?.bufferView ?? [],
    );
    const packedBytes = packed.map((view) => gltf.bufferViews![view]!.byteLength);
    return {
      name: name || `mesh ${i}`,
      bytes: Math.round([...own.map(bytesOf), ...packedBytes].reduce((sum, part) => sum + part, 0)),
      triangles: primitives.reduce((sum, primitive) => sum + trianglesOf(primitive, accessors), 0),
      instances: instances[i] ?? 0,
    };
  });
}

function trianglesOf({ attributes, indices, mode = 4 }: Primitive, accessors: readonly Accessor[]) {
  const { count } = accessors[indices ?? attributes.POSITION!]!;
  if (mode === 4) return Math.floor(count / 3);
  // Modes above 4 are strips and fans; points and lines have no triangles.
  return mode > 4 ? Math.max(0, count - 2) : 0;
}

const COMPONENTS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

function decodedBytes({ componentType, count, type }: Accessor): number {
  return (COMPONENT_BYTES[componentType] ?? 0) * (COMPONENTS[type] ?? 0) * count;
}

/** An accessor has its share of the stored bytes of its buffer view. */
function storedBytes({ accessors = [], bufferViews = [] }: Gltf) {
  const all = bufferViews.map(() => 0);
  for (const accessor of accessors) {
    if (accessor.bufferView !== undefined) all[accessor.bufferView]! += decodedBytes(accessor);
  }
  return (at: number): number => {
    const accessor = accessors[at]!;
    if (accessor.bufferView === undefined) return 0;
    const { byteLength, extensions = {} } = bufferViews[accessor.bufferView]!;
    const packed = extensions.EXT_meshopt_compression ?? extensions.KHR_meshopt_compression;
    return (
      ((packed?.byteLength ?? byteLength) * decodedBytes(accessor)) /
      (all[accessor.bufferView] || 1)
    );
  };
}

/** The number of instances of each mesh, and the nodes that draw it. A node has one parent: a second visit is a mistake of the file. */
function placesOf({ scene = 0, scenes = [], nodes = [], meshes = [], accessors = [] }: Gltf) {
  const instances = meshes.map(() => 0);
  const draws = meshes.map(() => 0);
  const seen = new Set<number>();
  const open = [...(scenes[scene]?.nodes ?? [])];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const { mesh, children = [], extensions } = nodes[at]!;
    const [list] = Object.values(extensions?.EXT_mesh_gpu_instancing?.attributes ?? {});
    if (mesh !== undefined) {
      instances[mesh]! += list === undefined ? 1 : accessors[list]!.count;
      draws[mesh]!++;
    }
    open.push(...children);
  }
  return { instances, draws };
}
