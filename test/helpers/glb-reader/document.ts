/**
 * Document: the JSON of a GLB as far as the reader understands it, and its two chunks.
 */
import { must } from './refusal.ts';

export interface TextureInfo {
  index: number;
  texCoord?: number;
  extensions?: {
    KHR_texture_transform?: {
      offset?: [number, number];
      rotation?: number;
      scale?: [number, number];
      texCoord?: number;
    };
  };
}

export interface MaterialJson {
  name?: string;
  doubleSided?: boolean;
  alphaMode?: string;
  pbrMetallicRoughness?: {
    baseColorFactor?: number[];
    baseColorTexture?: TextureInfo;
    metallicFactor?: number;
    roughnessFactor?: number;
    metallicRoughnessTexture?: TextureInfo;
  };
  normalTexture?: TextureInfo & { scale?: number };
  emissiveFactor?: number[];
  emissiveTexture?: TextureInfo;
  // biome-ignore lint/suspicious/noExplicitAny: checked key by key where it is read
  extensions?: Record<string, any>;
  extras?: unknown;
}

export interface AccessorJson {
  bufferView: number;
  byteOffset?: number;
  componentType: number;
  type: string;
  count: number;
  normalized?: boolean;
  min?: number[];
  max?: number[];
}

export interface BufferViewJson {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  byteStride?: number;
  target?: number;
}

export interface PrimitiveJson {
  attributes: Record<string, number>;
  indices?: number;
  material?: number;
  mode?: number;
}

export interface NodeJson {
  name?: string;
  children?: number[];
  mesh?: number;
  matrix?: number[];
  translation?: [number, number, number];
  rotation?: [number, number, number, number];
  scale?: [number, number, number];
  extras?: unknown;
}

export interface GlbJson {
  asset: { version: string; generator?: string };
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: NodeJson[];
  meshes?: { name?: string; primitives: PrimitiveJson[] }[];
  accessors?: AccessorJson[];
  bufferViews?: BufferViewJson[];
  buffers?: { byteLength: number; uri?: string }[];
  materials?: MaterialJson[];
  textures?: { source?: number; sampler?: number }[];
  images?: { bufferView?: number; mimeType?: string; uri?: string; name?: string }[];
  samplers?: { wrapS?: number; wrapT?: number; minFilter?: number; magFilter?: number }[];
  extensionsUsed?: string[];
  extensionsRequired?: string[];
}

export interface Glb {
  json: GlbJson;
  bin: Uint8Array;
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/** Parses header and chunks; refuses what the container format does not allow. */
export function parseChunks(file: Uint8Array): Glb {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  must(file.byteLength >= 20, 'header: file is too short');
  must(view.getUint32(0, true) === MAGIC, 'header: wrong magic');
  must(view.getUint32(4, true) === 2, 'header: version is not 2');
  must(view.getUint32(8, true) === file.byteLength, 'header: length is not the length of the file');
  const chunks: { type: number; bytes: Uint8Array }[] = [];
  for (let at = 12; at < file.byteLength; ) {
    const size = view.getUint32(at, true);
    must(size % 4 === 0, 'chunk: length is not a multiple of four');
    must(at + 8 + size <= file.byteLength, 'chunk: runs past the end');
    chunks.push({
      type: view.getUint32(at + 4, true),
      bytes: file.subarray(at + 8, at + 8 + size),
    });
    at += 8 + size;
  }
  must(chunks.length <= 2, 'chunks: expected at most two');
  must(chunks[0]?.type === JSON_CHUNK, 'chunks: the first is not JSON');
  if (chunks[1]) must(chunks[1].type === BIN_CHUNK, 'chunks: the second is not binary');
  const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(chunks[0]!.bytes));
  return { json, bin: checkedBuffer(json, chunks[1]?.bytes ?? new Uint8Array()) };
}

function checkedBuffer(json: GlbJson, bin: Uint8Array): Uint8Array {
  must(json.asset?.version === '2.0', 'asset: version is not 2.0');
  const buffers = json.buffers ?? [];
  must(buffers.length <= 1, 'buffers: expected at most one');
  const declared = buffers[0]?.byteLength ?? 0;
  must(buffers[0]?.uri === undefined, 'buffers: a GLB buffer has no uri');
  must(
    declared <= bin.length && bin.length - declared < 4,
    'buffers: length does not fit the chunk',
  );
  must(
    bin.subarray(declared).every((byte) => byte === 0),
    'chunk: padding is not zero',
  );
  return bin.subarray(0, declared);
}
