/** Puts a GLB together from the parts of others: equal vertices, images and materials once. */
import { sha256Hex } from '../../support/files.ts';
import { type Gltf, type Primitive, type TextureInfo, writeGlb } from '../making/glb-container.ts';
import { type Corners, weld } from './corners.ts';

type Json = Record<string, unknown>;

/** A texture with its image, in place of its index. */
export interface PlacedTexture {
  image: { name?: string; mimeType: string };
  bytes: Uint8Array;
  sampler: Json | undefined;
  /** Equal for equal textures. */
  toJSON(): string;
}

const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
/** The largest index of 16 bits would restart the primitive. */
const MOST_SHORT_VERTICES = 65_535;

/**
 * Copies a material with other references to textures: in a material, only they have an `index`.
 *
 * @param replace - Returns the reference, whose `index` may be a texture itself until the material is written.
 */
export function mapTextures(
  value: Json,
  replace: (info: TextureInfo) => { index: number | PlacedTexture },
): Json {
  const entries = Object.entries(value).map(([name, inside]): [string, unknown] => {
    const isPlain = typeof inside !== 'object' || inside === null || Array.isArray(inside);
    if (isPlain || name === 'extras') return [name, inside];
    if ('index' in inside) return [name, replace(inside as TextureInfo)];
    return [name, mapTextures(inside as Json, replace)];
  });
  return Object.fromEntries(entries);
}

/** Starts a GLB. */
export function createGlbBuilder() {
  const parts: Uint8Array[] = [];
  const json = {
    bufferViews: [] as Gltf['bufferViews'],
    accessors: [] as Json[],
    materials: [] as Json[],
    textures: [] as NonNullable<Gltf['textures']>,
    images: [] as NonNullable<Gltf['images']>,
    samplers: [] as Json[],
    meshes: [] as Gltf['meshes'],
  };
  let byteLength = 0;
  const indices = new Map<string, number>();
  /** Returns the index of what is added once. */
  const once = <T>(list: T[], key: string, make: () => T): number => {
    const known = indices.get(key);
    if (known !== undefined) return known;
    const index = list.push(make()) - 1;
    indices.set(key, index);
    return index;
  };
  const addView = (bytes: Uint8Array, target?: number): number =>
    once(json.bufferViews, `view ${target} ${sha256Hex(bytes)}`, () => {
      const padded = new Uint8Array((bytes.length + 3) & ~3);
      padded.set(bytes);
      parts.push(padded);
      const view = { buffer: 0, byteOffset: byteLength, byteLength: bytes.length };
      byteLength += padded.length;
      return { ...view, ...(target !== undefined && { target }) };
    });
  const addAccessor = (accessor: Json, bytes: Uint8Array, target: number): number => {
    const all = { bufferView: addView(bytes, target), ...accessor };
    return once(json.accessors, `accessor ${JSON.stringify(all)}`, () => all);
  };
  const addTexture = (texture: PlacedTexture): number =>
    once(json.textures, `texture ${texture.toJSON()}`, () => {
      const { image, bytes, sampler } = texture;
      const own = { ...image, bufferView: addView(bytes) };
      const source = once(json.images, `image ${JSON.stringify(own)}`, () => own);
      if (sampler === undefined) return { source };
      const key = `sampler ${JSON.stringify(sampler)}`;
      return { source, sampler: once(json.samplers, key, () => sampler) };
    });
  return {
    /** Bytes of all views so far. */
    bytes: (): number => byteLength,
    /** Adds a material whose references are {@link PlacedTexture}s, and returns its index. */
    material(material: Json): number {
      return once(json.materials, `material ${JSON.stringify(material)}`, () =>
        mapTextures(material, (info) => {
          return { ...info, index: addTexture(info.index as unknown as PlacedTexture) };
        }),
      );
    },
    /** Adds the vertices of a primitive. */
    geometry(corners: Corners): Pick<Primitive, 'attributes' | 'indices'> {
      const { attributes, order, count } = weld(corners);
      const written = attributes.map(({ name, elements, componentType, type }) => {
        const bounds = name === 'POSITION' ? boundsOf(elements) : {};
        const accessor = { componentType, count, type, ...bounds };
        return [name, addAccessor(accessor, elements, ARRAY_BUFFER)] as const;
      });
      const isShort = count <= MOST_SHORT_VERTICES;
      const { buffer } = isShort ? Uint16Array.from(order) : order;
      const accessor = { componentType: isShort ? 5123 : 5125, count: order.length };
      return {
        attributes: Object.fromEntries(written),
        indices: addAccessor(
          { ...accessor, type: 'SCALAR' },
          new Uint8Array(buffer),
          ELEMENT_ARRAY_BUFFER,
        ),
      };
    },
    /** Writes the tree of nodes of a file with the primitives of its nodes; nodes with equal ones share a mesh. */
    finish(
      { asset, scene, scenes, nodes, meshes }: Gltf,
      primitivesOf: ReadonlyMap<number, Primitive[]>,
      extensions: Pick<Gltf, 'extensionsUsed' | 'extensions'>,
    ): Uint8Array {
      const placed = nodes.map((node, i) => {
        const primitives = primitivesOf.get(i);
        if (primitives === undefined) return node;
        const { name } = meshes[node.mesh!]!;
        const own = { ...(name !== undefined && { name }), primitives };
        return { ...node, mesh: once(json.meshes, `mesh ${JSON.stringify(own)}`, () => own) };
      });
      const lists = Object.entries(json).filter(([, list]) => list.length > 0);
      const buffers = [{ byteLength }];
      const all = {
        asset,
        ...extensions,
        scene,
        scenes,
        nodes: placed,
        ...Object.fromEntries(lists),
      };
      return writeGlb({ ...all, buffers } as unknown as Gltf, parts);
    },
  };
}

/** Of positions, as float32. */
function boundsOf(elements: Uint8Array): { min: number[]; max: number[] } {
  const positions = new Float32Array(elements.slice().buffer);
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (const [i, value] of positions.entries()) {
    min[i % 3] = Math.min(min[i % 3]!, value);
    max[i % 3] = Math.max(max[i % 3]!, value);
  }
  return { min, max };
}
