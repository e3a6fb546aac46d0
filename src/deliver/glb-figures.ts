/** What a GLB file consists of, as it is stored: read from its JSON and the headers of its images, without a decoder. */

import { ConverterError } from '../support/errors.ts';
import { COMPONENT_BYTES } from './glb-container.ts';

/** A mesh as it is stored. */
export interface MeshFigures {
  name: string;
  /** Of its vertices and indices, each shared one counted for its first mesh. */
  bytes: number;
  triangles: number;
  /** Nodes that draw it. */
  instances: number;
}

/** An image as it is stored; sides in pixels. */
export interface ImageFigures {
  name: string;
  bytes: number;
  mimeType: string;
  width: number;
  height: number;
}

/** Figures of a GLB. */
export interface GlbFigures {
  bytes: number;
  /** Drawn, that is with all instances. */
  triangles: number;
  /** Primitives, with all instances. */
  drawCalls: number;
  materials: number;
  meshes: MeshFigures[];
  images: ImageFigures[];
  extensionsUsed: string[];
  extensionsRequired: string[];
}

const GLB = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;

interface Named {
  name?: string;
}
interface BufferView {
  byteOffset?: number;
  byteLength: number;
  extensions?: Record<string, { byteOffset?: number; byteLength: number } | undefined>;
}
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
}
interface Gltf {
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: { mesh?: number; children?: number[] }[];
  meshes?: (Named & { primitives: Primitive[] })[];
  materials?: unknown[];
  images?: (Named & { bufferView?: number; mimeType?: string })[];
  accessors?: Accessor[];
  bufferViews?: BufferView[];
  extensionsUsed?: string[];
  extensionsRequired?: string[];
}

/**
 * Reads the figures of a GLB, compressed or not.
 *
 * @throws {@link ConverterError} `MODEL_UNREADABLE` where it is no GLB.
 * @example
 * ```ts
 * const { triangles, drawCalls } = await readFigures(glb);
 * ```
 */
export async function readFigures(glb: Uint8Array): Promise<GlbFigures> {
  try {
    const { gltf, binary } = chunksOf(glb);
    const { images = [], extensionsUsed = [], extensionsRequired = [], materials = [] } = gltf;
    const meshes = meshesOf(gltf);
    const drawn = (count: (mesh: number) => number) =>
      meshes.reduce((sum, { instances }, i) => sum + instances * count(i), 0);
    const sizeOf = await loadSizes();
    return {
      bytes: glb.length,
      triangles: drawn((i) => meshes[i]!.triangles),
      drawCalls: drawn((i) => gltf.meshes![i]!.primitives.length),
      materials: materials.length,
      meshes,
      images: images.map(({ name, bufferView, mimeType = '' }, i) => {
        if (bufferView === undefined) throw new Error(`image ${i} is outside of the file`);
        const { byteOffset = 0, byteLength } = gltf.bufferViews![bufferView]!;
        const [width, height] = sizeOf(
          binary.subarray(byteOffset, byteOffset + byteLength),
          mimeType,
        );
        return { name: name || `image ${i}`, bytes: byteLength, mimeType, width, height };
      }),
      extensionsUsed: [...extensionsUsed].sort(),
      extensionsRequired: [...extensionsRequired].sort(),
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    throw new ConverterError('MODEL_UNREADABLE', `model: expected a GLB file: ${reason}`, {
      cause,
    });
  }
}

function chunksOf(glb: Uint8Array): { gltf: Gltf; binary: Uint8Array } {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  if (view.getUint32(0, true) !== GLB || view.getUint32(16, true) !== JSON_CHUNK)
    throw new Error('it begins with other bytes');
  const end = 20 + view.getUint32(12, true);
  const gltf = JSON.parse(new TextDecoder().decode(glb.subarray(20, end))) as Gltf;
  return { gltf, binary: glb.subarray(end + 8) };
}

function meshesOf(gltf: Gltf): MeshFigures[] {
  const { accessors = [], meshes = [] } = gltf;
  const bytesOf = storedBytes(gltf);
  const instances = instancesOf(gltf);
  const counted = new Set<number>();
  return meshes.map(({ name, primitives }, i) => {
    const used = primitives.flatMap(({ attributes, indices }) => [
      ...Object.values(attributes),
      ...(indices === undefined ? [] : [indices]),
    ]);
    const own = [...new Set(used)].filter((at) => !counted.has(at));
    for (const at of own) counted.add(at);
    return {
      name: name || `mesh ${i}`,
      bytes: Math.round(own.reduce((sum, at) => sum + bytesOf(at), 0)),
      triangles: primitives.reduce((sum, primitive) => sum + trianglesOf(primitive, accessors), 0),
      instances: instances[i] ?? 0,
    };
  });
}

function trianglesOf({ attributes, indices, mode = 4 }: Primitive, accessors: readonly Accessor[]) {
  const { count } = accessors[indices ?? attributes.POSITION!]!;
  if (mode === 4) return Math.floor(count / 3);
  // Strips and fans; points and lines have none.
  return mode > 4 ? Math.max(0, count - 2) : 0;
}

const COMPONENTS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** An accessor has its share of the stored bytes of its buffer view. */
function storedBytes({ accessors = [], bufferViews = [] }: Gltf) {
  const plain = ({ componentType, count, type }: Accessor) =>
    (COMPONENT_BYTES[componentType] ?? 0) * (COMPONENTS[type] ?? 0) * count;
  const all = bufferViews.map(() => 0);
  for (const accessor of accessors) {
    if (accessor.bufferView !== undefined) all[accessor.bufferView]! += plain(accessor);
  }
  return (at: number): number => {
    const accessor = accessors[at]!;
    if (accessor.bufferView === undefined) return 0;
    const { byteLength, extensions = {} } = bufferViews[accessor.bufferView]!;
    const packed = extensions.EXT_meshopt_compression ?? extensions.KHR_meshopt_compression;
    return ((packed?.byteLength ?? byteLength) * plain(accessor)) / (all[accessor.bufferView] || 1);
  };
}

/** How often the scene draws each mesh. A node has one parent: what is met again is a mistake of the file. */
function instancesOf({ scene = 0, scenes = [], nodes = [], meshes = [] }: Gltf): number[] {
  const instances = meshes.map(() => 0);
  const seen = new Set<number>();
  const open = [...(scenes[scene]?.nodes ?? [])];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const { mesh, children = [] } = nodes[at]!;
    if (mesh !== undefined) instances[mesh]!++;
    open.push(...children);
  }
  return instances;
}

async function loadSizes(): Promise<(bytes: Uint8Array, mimeType: string) => [number, number]> {
  const { ImageUtils } = await import('@gltf-transform/core');
  const { EXTTextureWebP, KHRTextureBasisu } = await import('@gltf-transform/extensions');
  EXTTextureWebP.register();
  KHRTextureBasisu.register();
  return (bytes, mimeType) => {
    const [width, height] = ImageUtils.getSize(bytes, mimeType) ?? [0, 0];
    return [width, height];
  };
}
