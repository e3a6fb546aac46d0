/** The container of glTF: one file with JSON and one binary chunk, as the masters are. It has no imports from Node. */
import { ConverterError } from '../../support/errors.ts';

type Json = Record<string, unknown>;

export interface TextureInfo extends Json {
  index: number;
  texCoord?: number | undefined;
}

export interface Primitive {
  attributes: Record<string, number>;
  indices: number;
  mode?: number;
  material?: number;
  extensions?: Json;
}

interface Accessor extends Json {
  bufferView: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: keyof typeof COMPONENTS;
}

/** The JSON of a master, as far as this program reads it. */
export interface Gltf extends Json {
  extensionsUsed?: string[];
  extensions?: Json;
  nodes: ({ mesh?: number } & Json)[];
  meshes: { name?: string; primitives: Primitive[] }[];
  materials?: Json[];
  textures?: { source: number; sampler?: number }[];
  images?: { name?: string; mimeType: string; bufferView: number }[];
  samplers?: Json[];
  accessors: Accessor[];
  bufferViews: {
    buffer: number;
    byteOffset?: number;
    byteLength: number;
    byteStride?: number;
    target?: number;
  }[];
}

export interface Glb {
  json: Gltf;
  binary: Uint8Array;
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const HEADER_BYTES = 12;
const CHUNK_BYTES = 8;
const BLANK = 0x20;

const COMPONENTS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 } as const;
/** Bytes of a component by its glTF constant. */
export const COMPONENT_BYTES: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};

/** Reads a GLB file. @throws {@link ConverterError} `STORE_DAMAGED` if the bytes are not a GLB. */
export function readGlb(bytes: Uint8Array): Glb {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = HEADER_BYTES + CHUNK_BYTES;
  const isGlb = bytes.length > start && view.getUint32(0, true) === MAGIC;
  const jsonBytes = isGlb ? view.getUint32(HEADER_BYTES, true) : 0;
  if (!isGlb || start + jsonBytes > bytes.length)
    throw new ConverterError('STORE_DAMAGED', 'expected a GLB file, received something else');
  const text = new TextDecoder().decode(bytes.subarray(start, start + jsonBytes));
  // A plain Uint8Array: `slice` of a Buffer would not copy.
  const binary = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(
    start + jsonBytes + CHUNK_BYTES,
  );
  try {
    return { json: JSON.parse(text) as Gltf, binary };
  } catch (cause) {
    throw new ConverterError('STORE_DAMAGED', 'expected the JSON of a GLB file', { cause });
  }
}

/** Writes a GLB file; its one buffer consists of the parts, whose lengths are multiples of four. */
export function writeGlb(json: Gltf, parts: readonly Uint8Array[]): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const jsonBytes = (text.length + 3) & ~3;
  const binaryBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const binaryAt = HEADER_BYTES + CHUNK_BYTES + jsonBytes + CHUNK_BYTES;
  const out = new Uint8Array(binaryAt + binaryBytes);
  const view = new DataView(out.buffer);
  const words = [MAGIC, 2, out.length, jsonBytes, JSON_CHUNK];
  for (const [i, word] of words.entries()) view.setUint32(4 * i, word, true);
  out.fill(BLANK, HEADER_BYTES + CHUNK_BYTES, binaryAt - CHUNK_BYTES);
  out.set(text, HEADER_BYTES + CHUNK_BYTES);
  view.setUint32(binaryAt - CHUNK_BYTES, binaryBytes, true);
  view.setUint32(binaryAt - 4, BINARY_CHUNK, true);
  let at = binaryAt;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The bytes of a view of the buffer. */
export function viewBytes({ json, binary }: Glb, view: number): Uint8Array {
  const { byteOffset = 0, byteLength } = json.bufferViews[view]!;
  return binary.subarray(byteOffset, byteOffset + byteLength);
}

/** Bytes of one element of an accessor. */
export function elementBytes({ componentType, type }: Pick<Accessor, 'componentType' | 'type'>) {
  return COMPONENT_BYTES[componentType]! * COMPONENTS[type];
}

/** The elements of an accessor, one after the other. @throws {@link ConverterError} `STORE_DAMAGED` if they are interleaved, as in no master. */
export function accessorBytes(glb: Glb, index: number): Uint8Array {
  const accessor = glb.json.accessors[index]!;
  const { byteOffset = 0, count, bufferView } = accessor;
  const size = elementBytes(accessor);
  const { byteStride = size } = glb.json.bufferViews[bufferView]!;
  if (byteStride !== size) {
    const message = `accessor ${index}: expected elements of ${size} bytes side by side, received one every ${byteStride} bytes`;
    throw new ConverterError('STORE_DAMAGED', message);
  }
  return viewBytes(glb, bufferView).subarray(byteOffset, byteOffset + count * size);
}
