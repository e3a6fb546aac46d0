/** Assembles a GLB from parts of others: equal vertices, images and materials are stored once. */
import { sha256Hex } from '../../support/files.ts';
import { boundsOf } from '../making/bounds.ts';
import { type Gltf, type Primitive, type TextureInfo, writeGlb } from '../making/glb-container.ts';
import { type Corners, weld } from './corners.ts';

type Json = Record<string, unknown>;

/** A texture with its image, in place of its index. */
export interface PlacedTexture {
  image: { name?: string; mimeType: string };
  bytes: Uint8Array;
  sampler: Json | undefined;
  /** A text that is equal for equal textures. */
  toJSON(): string;
}

const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
/** Most vertices for indices of 16 bits, whose largest value would restart the primitive. */
const MOST_SHORT_VERTICES = 65_535;

/**
 * Copies a material with other references to textures: in a material, only such references have an `index`.
 *
 * @param replace - Returns the reference, whose `index` may be the texture itself until the material is written.
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

/** A GLB that is being assembled: an item that is added twice is stored once. */
export class GlbBuilder {
  /** The lists of the file, in the order in which they are written. */
  readonly #lists = {
    bufferViews: [] as Gltf['bufferViews'],
    accessors: [] as Json[],
    materials: [] as Json[],
    textures: [] as NonNullable<Gltf['textures']>,
    images: [] as NonNullable<Gltf['images']>,
    samplers: [] as Json[],
    meshes: [] as Gltf['meshes'],
  };
  readonly #parts: Uint8Array[] = [];
  #byteLength = 0;
  readonly #indices = new Map<string, number>();

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Adds a material whose references are {@link PlacedTexture}s, and returns its index. */
  addMaterial(material: Json): number {
    return this.#once(this.#lists.materials, `material ${JSON.stringify(material)}`, () =>
      mapTextures(material, (info) => {
        return { ...info, index: this.#addTexture(info.index as unknown as PlacedTexture) };
      }),
    );
  }

  addGeometry(corners: Corners): Pick<Primitive, 'attributes' | 'indices'> {
    const { attributes, order, count } = weld(corners);
    const written = attributes.map(({ name, elements, componentType, type }) => {
      const bounds =
        name === 'POSITION' ? boundsOf([new Float32Array(elements.slice().buffer)]) : {};
      const accessor = { componentType, count, type, ...bounds };
      return [name, this.#addAccessor(accessor, elements, ARRAY_BUFFER)] as const;
    });
    const isShort = count <= MOST_SHORT_VERTICES;
    const { buffer } = isShort ? Uint16Array.from(order) : order;
    const componentType = isShort ? 5123 : 5125;
    const accessor = { componentType, count: order.length, type: 'SCALAR' };
    return {
      attributes: Object.fromEntries(written),
      indices: this.#addAccessor(accessor, new Uint8Array(buffer), ELEMENT_ARRAY_BUFFER),
    };
  }

  /** Writes the tree of nodes of a file with the primitives of its nodes; nodes with equal primitives share a mesh. */
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
      const key = `mesh ${JSON.stringify(own)}`;
      return { ...node, mesh: this.#once(this.#lists.meshes, key, () => own) };
    });
    const lists = Object.entries(this.#lists).filter(([, list]) => list.length > 0);
    const tree = { asset, ...extensions, scene, scenes, nodes: placed };
    const buffers = [{ byteLength: this.#byteLength }];
    const json = { ...tree, ...Object.fromEntries(lists), buffers };
    return writeGlb(json as unknown as Gltf, this.#parts);
  }

  #addTexture(texture: PlacedTexture): number {
    const { images, samplers, textures } = this.#lists;
    return this.#once(textures, `texture ${texture.toJSON()}`, () => {
      const { image, bytes, sampler } = texture;
      const own = { ...image, bufferView: this.#addView(bytes) };
      const source = this.#once(images, `image ${JSON.stringify(own)}`, () => own);
      if (sampler === undefined) return { source };
      const key = `sampler ${JSON.stringify(sampler)}`;
      return { source, sampler: this.#once(samplers, key, () => sampler) };
    });
  }

  #addAccessor(accessor: Json, bytes: Uint8Array, target: number): number {
    const all = { bufferView: this.#addView(bytes, target), ...accessor };
    return this.#once(this.#lists.accessors, `accessor ${JSON.stringify(all)}`, () => all);
  }

  #addView(bytes: Uint8Array, target?: number): number {
    return this.#once(this.#lists.bufferViews, `view ${target} ${sha256Hex(bytes)}`, () => {
      const padded = new Uint8Array((bytes.length + 3) & ~3);
      padded.set(bytes);
      this.#parts.push(padded);
      const view = { buffer: 0, byteOffset: this.#byteLength, byteLength: bytes.length };
      this.#byteLength += padded.length;
      return { ...view, ...(target !== undefined && { target }) };
    });
  }

  #once<T>(list: T[], key: string, make: () => T): number {
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const index = list.push(make()) - 1;
    this.#indices.set(key, index);
    return index;
  }
}
