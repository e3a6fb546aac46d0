/**
 * The corners of triangles: what a primitive draws, independent of how its vertices are shared.
 *
 * A textured finish keeps vertices separate that an untextured one shares, so that equal shapes have other indices.
 */
import { sha256Hex } from '../../support/files.ts';
import { accessorBytes, elementBytes, type Glb, type Primitive } from '../making/glb-container.ts';

/** An attribute at each corner, in the order of the triangles. */
export interface Stream {
  /** Words of four bytes, `size` of them per element: masters have floats. */
  words: Uint32Array;
  size: number;
  digest: string;
  componentType: number;
  type: 'VEC2' | 'VEC3' | 'VEC4';
}

export type Corners = ReadonlyMap<string, Stream>;

const UV = /^TEXCOORD_(\d+)$/;

/** Reads the corners of a primitive. */
export function cornersOf(glb: Glb, { attributes, indices }: Primitive): Corners {
  const order = indicesOf(glb, indices);
  const streams = new Map<string, Stream>();
  for (const name of Object.keys(attributes).sort()) {
    const { componentType, type } = glb.json.accessors[attributes[name]!]!;
    const size = elementBytes({ componentType, type }) / 4;
    const elements = new Uint32Array(accessorBytes(glb, attributes[name]!).slice().buffer);
    const words = new Uint32Array(order.length * size);
    for (let corner = 0, at = 0; corner < order.length; corner++) {
      const from = order[corner]! * size;
      for (let word = 0; word < size; word++) words[at++] = elements[from + word]!;
    }
    const digest = sha256Hex(new Uint8Array(words.buffer));
    streams.set(name, { words, size, digest, componentType, type: type as Stream['type'] });
  }
  return streams;
}

function indicesOf(glb: Glb, index: number): Uint8Array | Uint16Array | Uint32Array {
  // The copy is aligned to its elements.
  const { buffer } = accessorBytes(glb, index).slice();
  const { componentType } = glb.json.accessors[index]!;
  if (componentType === 5125) return new Uint32Array(buffer);
  return componentType === 5123 ? new Uint16Array(buffer) : new Uint8Array(buffer);
}

/** Identifies a shape: all attributes of the corners except their texture coordinates. */
export function shapeOf(corners: Corners): string {
  const plain = [...corners].filter(([name]) => !UV.test(name));
  return plain.map(([name, { digest }]) => `${name} ${digest}`).join(' ');
}

/** The texture coordinates of a set. */
export function uvStream(corners: Corners, set: number): Stream | undefined {
  return corners.get(`TEXCOORD_${set}`);
}

/** Corners with other sets of texture coordinates in place of their own. */
export function withUvSets(corners: Corners, sets: readonly Stream[]): Corners {
  const plain = [...corners].filter(([name]) => !UV.test(name));
  return new Map([...plain, ...sets.map((set, i) => [`TEXCOORD_${i}`, set] as const)]);
}

/**
 * Makes corners that are equal in all attributes share a vertex, in the order in which they first occur.
 *
 * @returns The elements of each attribute, and the vertex of each corner.
 */
export function weld(corners: Corners) {
  const streams = [...corners.values()];
  const count = streams[0]!.words.length / streams[0]!.size;
  const heads = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1))).fill(-1);
  const next = new Int32Array(count).fill(-1);
  const firstCorners: number[] = [];
  const order = new Uint32Array(count);
  for (let corner = 0; corner < count; corner++) {
    const slot = hashOf(streams, corner) & (heads.length - 1);
    let vertex = heads[slot]!;
    while (vertex >= 0 && !areEqual(streams, firstCorners[vertex]!, corner)) vertex = next[vertex]!;
    if (vertex < 0) {
      vertex = firstCorners.length;
      firstCorners.push(corner);
      next[vertex] = heads[slot]!;
      heads[slot] = vertex;
    }
    order[corner] = vertex;
  }
  const attributes = Array.from(corners, ([name, { words, size, componentType, type }]) => {
    const elements = new Uint32Array(firstCorners.length * size);
    for (const [vertex, corner] of firstCorners.entries())
      elements.set(words.subarray(corner * size, (corner + 1) * size), vertex * size);
    return { name, elements: new Uint8Array(elements.buffer), componentType, type };
  });
  return { attributes, order, count: firstCorners.length };
}

/** Hash of a corner: FNV-1a, a word at a time. */
function hashOf(streams: readonly Stream[], corner: number): number {
  let hash = 0x811c9dc5;
  for (const { words, size } of streams)
    for (let at = corner * size; at < (corner + 1) * size; at++)
      hash = Math.imul(hash ^ words[at]! ^ (words[at]! >>> 15), 0x01000193);
  return hash ^ (hash >>> 16);
}

function areEqual(streams: readonly Stream[], a: number, b: number): boolean {
  for (const { words, size } of streams)
    for (let i = 0; i < size; i++) if (words[a * size + i] !== words[b * size + i]) return false;
  return true;
}
