/**
 * Binary chunk: arrays go in once each, and come out as buffer views and accessors.
 *
 * One buffer view for each kind of element (indices of 2 and 4 bytes, vectors of 2, 3 and 4 floats),
 * one for each image. Arrays are told apart by identity: equal content is one array already.
 */
import type { Bounds } from '../model/scene.ts';

const COMPONENT_TYPES = { float: 5126, uint16: 5123, uint32: 5125 } as const;
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;

/** The kinds of element, in the order in which their views stand in the chunk. */
const KINDS = {
  uint16: { componentType: COMPONENT_TYPES.uint16, type: 'SCALAR', size: 1 },
  uint32: { componentType: COMPONENT_TYPES.uint32, type: 'SCALAR', size: 1 },
  vec2: { componentType: COMPONENT_TYPES.float, type: 'VEC2', size: 2 },
  vec3: { componentType: COMPONENT_TYPES.float, type: 'VEC3', size: 3 },
  vec4: { componentType: COMPONENT_TYPES.float, type: 'VEC4', size: 4 },
} as const;

type Kind = keyof typeof KINDS;
type Elements = Float32Array | Uint16Array | Uint32Array;

/** glTF objects are written as they are: names are glTF's. */
export type GltfObject = Record<string, unknown>;

/** Collects the arrays of a document. */
export interface BinaryChunk {
  /** Accessor of vertex data: `size` floats an element. */
  vertices(array: Float32Array, size: 2 | 3 | 4, bounds?: Bounds): number;
  /** Accessor of indices. */
  indices(array: Uint16Array | Uint32Array): number;
  /** Buffer view of an image; known once the views of arrays are laid out. */
  image(bytes: Uint8Array): { bufferView: number };
  /** Accessors, buffer views and the buffer, laid out; nothing may be added afterwards. */
  layout(): { accessors: GltfObject[]; bufferViews: GltfObject[] };
  byteLength(): number;
  parts(): readonly Uint8Array[];
}

interface View {
  kind: Kind;
  arrays: Elements[];
  byteLength: number;
}

/** Makes an empty chunk. */
export function createBinaryChunk(): BinaryChunk {
  const accessors: (GltfObject & { kind: Kind })[] = [];
  // By role too: the normals of one mesh may be bit for bit the positions of another.
  const accessorOf = new Map<string, Map<Elements, number>>();
  const views = new Map<Kind, View>();
  const images: { bytes: Uint8Array; placed: { bufferView: number } }[] = [];
  const parts: Uint8Array[] = [];
  let byteLength = 0;

  function add(array: Elements, kind: Kind, bounds?: Bounds): number {
    const role = bounds ? `${kind} with bounds` : kind;
    const sameRole = accessorOf.get(role) ?? new Map<Elements, number>();
    accessorOf.set(role, sameRole);
    const known = sameRole.get(array);
    if (known !== undefined) return known;
    const view = views.get(kind) ?? { kind, arrays: [], byteLength: 0 };
    views.set(kind, view);
    const { componentType, type, size } = KINDS[kind];
    const accessor = {
      kind,
      byteOffset: view.byteLength,
      componentType,
      count: array.length / size,
      type,
      ...bounds,
    };
    view.arrays.push(array);
    // Each array starts on a multiple of four, as `append` lays it.
    view.byteLength += (array.byteLength + 3) & ~3;
    const index = accessors.push(accessor) - 1;
    sameRole.set(array, index);
    return index;
  }

  function append(bytes: Uint8Array): void {
    parts.push(bytes);
    byteLength += bytes.length;
    const padding = -byteLength & 3;
    if (padding > 0) parts.push(new Uint8Array(padding));
    byteLength += padding;
  }

  return {
    vertices: (array, size, bounds) => add(array, `vec${size}`, bounds),
    indices: (array) => add(array, array instanceof Uint16Array ? 'uint16' : 'uint32'),
    image(bytes) {
      const placed = { bufferView: -1 };
      images.push({ bytes, placed });
      return placed;
    },
    layout() {
      const bufferViews: GltfObject[] = [];
      const viewIndex = new Map<Kind, number>();
      for (const kind of Object.keys(KINDS) as Kind[]) {
        const view = views.get(kind);
        if (!view) continue;
        viewIndex.set(kind, bufferViews.push(arrayView(view, byteLength)) - 1);
        for (const array of view.arrays) append(bytesOf(array));
      }
      for (const { bytes, placed } of images) {
        const view = { buffer: 0, byteOffset: byteLength, byteLength: bytes.length };
        placed.bufferView = bufferViews.push(view) - 1;
        append(bytes);
      }
      return {
        accessors: accessors.map(({ kind, ...accessor }) => ({
          bufferView: viewIndex.get(kind),
          ...accessor,
        })),
        bufferViews,
      };
    },
    byteLength: () => byteLength,
    parts: () => parts,
  };
}

function arrayView({ kind, byteLength }: View, byteOffset: number): GltfObject {
  const { size, type } = KINDS[kind];
  const view = { buffer: 0, byteOffset, byteLength };
  return type === 'SCALAR'
    ? { ...view, target: ELEMENT_ARRAY_BUFFER }
    : { ...view, byteStride: 4 * size, target: ARRAY_BUFFER };
}

function bytesOf(array: Elements): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
