/** Assemble: parts, their meshes and materials become one scene with equal content listed once. */

import type { Bounds } from '../../model/asset.ts';
import { ConverterError } from '../../support/errors.ts';
import { boundsOf } from '../kernels/kernels.ts';
import { type Frame, movePoint } from '../math/ofml-frame.ts';
import {
  diagonal3,
  IDENTITY3,
  type Mat3,
  quaternionFromRotation,
  scaleColumns,
} from '../math/vec.ts';
import type { Vec3 } from '../model/graphics.ts';
import type {
  Geometry,
  Scene,
  SceneMaterial,
  SceneNode,
  ScenePrimitive,
  TangentGenerator,
  TextureUse,
} from '../model/scene.ts';
import { canonicalName } from '../wire/value.ts';
import type { PreparedMesh } from './block-mesh.ts';
import type { ConvertOptions } from './convert-options.ts';
import type { FlatParts, Part } from './flatten.ts';
import type { KeyedMesh } from './load-meshes.ts';
import type { Losses } from './losses.ts';
import type { MeshCache } from './mesh-cache.ts';
import type { PlacedImage, ResolvedMaterial } from './resolve-materials.ts';
import { withTangents } from './tangents.ts';
import { buildVertexData, type VertexData, type VertexPlan } from './vertex-data.ts';

interface AssembleInput {
  options: ConvertOptions;
  cache: MeshCache;
  losses: Losses;
  tangents: TangentGenerator | undefined;
  holes: readonly Part[];
}

/** Side of a material, which is written for each side that is used. */
type Side = Exclude<keyof VertexData, 'splitVertices'>;

/** Names of the sides, for the second of two materials: D-530. */
const SIDES = {
  singleSided: { other: 'doubleSided', said: 'single-sided' },
  doubleSided: { other: 'singleSided', said: 'double-sided' },
} as const satisfies Record<Side, { other: Side; said: string }>;

interface Draft extends AssembleInput {
  scene: Scene;
  pool: ContentPool;
  /** Index of each entry of the scene, by the value that it is made from. */
  index: Map<unknown, number>;
  materialIndex: Record<Side, Map<ResolvedMaterial, number>>;
  splitCounted: Set<string>;
  /** Bytes of the distinct arrays of all geometries. */
  vertexBytes: number;
}

/**
 * Assembles the scene of an article (D-107, D-108, D-406).
 *
 * @param meshes - The parts that can be drawn.
 * @returns Nodes: movable frames first, then parts, parents before children. Translations in metres.
 * @throws {@link ConverterError} `SCENE_TOO_LARGE`
 */
export function assembleScene(
  flat: FlatParts,
  meshes: ReadonlyMap<Part, KeyedMesh>,
  materialOf: (reference: string) => ResolvedMaterial,
  input: AssembleInput,
): Scene {
  const draft: Draft = {
    ...input,
    scene: emptyScene(input.losses),
    pool: new ContentPool(),
    index: new Map(),
    materialIndex: { singleSided: new Map(), doubleSided: new Map() },
    splitCounted: new Set(),
    vertexBytes: 0,
  };
  const { scene } = draft;
  const movableNode = addMovables(flat, meshes, scene);
  const bounds = createBounds();
  for (const [part, keyed] of meshes) {
    const primitives = primitivesOf(part, keyed, materialOf(part.material), draft);
    const mesh = meshFor(keyed.name, primitives, draft);
    scene.nodes.push(nodeOf(part, mesh, movableNode[part.movable] ?? -1));
    for (const { geometry } of primitives) {
      const { positions, indices } = scene.geometries[geometry]!;
      bounds.add(positions, part.worldFrame, part.scale);
      scene.triangles += indices.length / 3;
      scene.drawCalls++;
    }
  }
  scene.boundsMetres = bounds.box();
  scene.holesMetres = input.holes.map(({ worldFrame }) => [...worldFrame.translationMetres]);
  if (input.options.origin === 'floor-centre') moveOrigin(scene);
  return scene;
}

function emptyScene(losses: Losses): Scene {
  return {
    nodes: [],
    meshes: [],
    geometries: [],
    materials: [],
    images: [],
    boundsMetres: { min: [0, 0, 0], max: [0, 0, 0] },
    holesMetres: [],
    triangles: 0,
    drawCalls: 0,
    ...losses.listed(),
  };
}

/** Adds the movables with a drawn part, however deep; returns the node of each, or -1. */
function addMovables(
  { movables }: FlatParts,
  meshes: ReadonlyMap<Part, KeyedMesh>,
  scene: Scene,
): number[] {
  const used = new Set<number>();
  for (const { movable } of meshes.keys()) {
    for (let m = movable; m >= 0 && !used.has(m); m = movables[m]!.parent) used.add(m);
  }
  const nodes: number[] = [];
  movables.forEach(({ name, frame, layer, parent }, i) => {
    const extras = { movable: true, ...(layer === '' ? {} : { layer }) };
    const node = () => sceneNode(name, nodes[parent] ?? -1, -1, frame, [1, 1, 1], extras);
    nodes.push(used.has(i) ? scene.nodes.push(node()) - 1 : -1);
  });
  return nodes;
}

function nodeOf({ node, path, layer, frame, scale }: Part, mesh: number, parent: number) {
  const isBlock = node.type === 'imp';
  const name = isBlock ? canonicalName(node.blockName) : path;
  const extras = { part: isBlock ? name : node.type, ...(layer === '' ? {} : { layer }) };
  return sceneNode(name, parent, mesh, frame, scale, extras);
}

function sceneNode(
  name: string,
  parent: number,
  mesh: number,
  { translationMetres, rotation }: Frame,
  scale: Vec3,
  extras: Record<string, unknown>,
): SceneNode {
  const [x, y, z] = translationMetres;
  const [qx, qy, qz, qw] = quaternionFromRotation(rotation);
  return {
    name,
    parent,
    mesh,
    translationMetres: [rounded(x), rounded(y), rounded(z)],
    rotation: [rounded(qx), rounded(qy), rounded(qz), rounded(qw)],
    scale,
    extras,
  };
}

/** Removes the rounding noise of doubles: rounds to a picometre, and −0 to 0. */
function rounded(value: number): number {
  return Math.abs(value) < 1000 ? Math.round(value * 1e12) / 1e12 + 0 : value;
}

function primitivesOf(
  part: Part,
  { key: meshKey, mesh }: KeyedMesh,
  material: ResolvedMaterial,
  draft: Draft,
): ScenePrimitive[] {
  const { cache, losses, splitCounted, tangents } = draft;
  const plan = planOf(part, mesh, material, draft.options);
  const normalMap = tangents && material.images.normalTexture;
  // The image is left out, because tangents do not depend on it.
  const placed = normalMap && { ...normalMap, image: undefined };
  const key = `vertices ${meshKey} ${JSON.stringify([plan, placed])}`;
  const expectRoom = (bytes: number) => expectFewBytes(draft, bytes);
  const build = () => addTangents(buildVertexData(mesh, plan, expectRoom), normalMap, tangents);
  const data = cache.get(key, build);
  if (!splitCounted.has(key)) {
    losses.counts.splitVertices += data.splitVertices;
    // The result is the same whether the data were in the cache or not.
    for (const side of [data.singleSided, data.doubleSided]) if (side) expectRoom(bytesOf(side));
  }
  splitCounted.add(key);
  const primitives: ScenePrimitive[] = [];
  for (const side of ['singleSided', 'doubleSided'] as const) {
    const own = data[side];
    if (!own) continue;
    const geometry = geometryFor(own, draft);
    primitives.push({ geometry, material: materialFor(material, side, draft) });
  }
  return primitives;
}

/** Plans are equal if their vertex data are equal: without projection, the projection options do not count. */
function planOf(
  part: Part,
  mesh: PreparedMesh,
  { uvs }: ResolvedMaterial,
  options: ConvertOptions,
): VertexPlan {
  const projects = !uvs.useStoredUvs || mesh.needsProjection;
  const isScaled = projects && uvs.uvSets.length > 0 && options.boxProjection === 'scaled';
  return {
    ...uvs,
    swapProjected: projects && uvs.swapProjected,
    flipV: options.flipV,
    doubleSided: options.doubleSided,
    mirrorOppositeSides: projects && options.mirrorOppositeSides,
    shape: part.bakedShape ?? IDENTITY3,
    projectAt: isScaled ? sizeOf(part) : IDENTITY3,
  };
}

/** The size at which a part is projected: D-402. */
function sizeOf({ bakedShape, scale }: Part): Mat3 {
  return bakedShape ? scaleColumns(bakedShape, scale) : diagonal3(scale);
}

function addTangents(
  data: VertexData,
  normalMap: PlacedImage | undefined,
  generate: TangentGenerator | undefined,
): VertexData {
  if (!normalMap || !generate) return data;
  const add = (geometry: Geometry | undefined) =>
    geometry && withTangents(geometry, normalMap.uvSet, normalMap.transform, generate);
  return { ...data, singleSided: add(data.singleSided), doubleSided: add(data.doubleSided) };
}

function geometryFor(geometry: Geometry, draft: Draft): number {
  const { scene, pool } = draft;
  const interned: Geometry = {
    positions: pool.intern(geometry.positions),
    normals: pool.intern(geometry.normals),
    uvs: geometry.uvs.map((set) => pool.intern(set)),
    tangents: geometry.tangents && pool.intern(geometry.tangents),
    indices: pool.intern(geometry.indices),
  };
  const { positions, normals, uvs, tangents, indices } = interned;
  const ids = [positions, normals, ...uvs, tangents, indices].map(
    (array) => array && pool.idOf(array),
  );
  return indexFor(draft.index, `geometry ${ids}`, () => {
    draft.vertexBytes += bytesOf(interned);
    expectFewBytes(draft, 0);
    return scene.geometries.push(interned);
  });
}

function bytesOf({ positions, normals, uvs, tangents, indices }: Geometry): number {
  const arrays = [positions, normals, ...uvs, tangents, indices];
  return arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
}

function expectFewBytes({ vertexBytes, options: { maxSceneBytes } }: Draft, more: number): void {
  if (vertexBytes + more <= maxSceneBytes) return;
  const message = `scene: expected at most ${maxSceneBytes} bytes of vertices, received more`;
  throw new ConverterError('SCENE_TOO_LARGE', message);
}

function meshFor(name: string, primitives: ScenePrimitive[], { scene, index }: Draft): number {
  const parts = primitives.map(({ geometry, material }) => `${geometry}:${material}`);
  return indexFor(index, `mesh ${parts}`, () => scene.meshes.push({ name, primitives }));
}

function materialFor(resolved: ResolvedMaterial, side: Side, draft: Draft): number {
  const add = () => draft.scene.materials.push(sceneMaterial(resolved, side, draft));
  return indexFor(draft.materialIndex[side], resolved, add);
}

function sceneMaterial(resolved: ResolvedMaterial, side: Side, draft: Draft): SceneMaterial {
  const { shading, images, extras } = resolved;
  const { images: _used, kept: _kept, ...values } = shading;
  const { other, said } = SIDES[side];
  const use = (placed: PlacedImage | undefined): TextureUse | undefined =>
    placed && { ...placed, image: imageFor(placed, draft) };
  return {
    ...values,
    name: draft.materialIndex[other].has(resolved) ? `${values.name} (${said})` : values.name,
    doubleSided: side === 'doubleSided',
    baseColorTexture: use(images.baseColorTexture),
    metallicRoughnessTexture: use(images.metallicRoughnessTexture),
    normalTexture: use(images.normalTexture),
    emissiveTexture: use(images.emissiveTexture),
    extras,
  };
}

/** Adds one image for each content, under the name of its first use. */
function imageFor({ image }: PlacedImage, { scene, pool, index }: Draft): number {
  const bytes = pool.intern(image.bytes);
  return indexFor(index, bytes, () => scene.images.push({ ...image, bytes }));
}

/** @param add - Adds the entry to its list and returns the new length. */
function indexFor<K>(index: Map<K, number>, key: K, add: () => number): number {
  let at = index.get(key);
  if (at === undefined) {
    at = add() - 1;
    index.set(key, at);
  }
  return at;
}

/** Puts the middle of the floor area at the origin: D-107. */
function moveOrigin(scene: Scene): void {
  const { min, max } = scene.boundsMetres;
  const shift = [(min[0] + max[0]) / 2, min[1], (min[2] + max[2]) / 2] as const;
  for (const node of scene.nodes) {
    if (node.parent >= 0) continue;
    const [x, y, z] = node.translationMetres;
    node.translationMetres = [rounded(x - shift[0]), rounded(y - shift[1]), rounded(z - shift[2])];
  }
  for (const corner of [min, max]) for (const k of [0, 1, 2] as const) corner[k] -= shift[k];
  scene.holesMetres = scene.holesMetres.map(([x, y, z]) => [
    x - shift[0],
    y - shift[1],
    z - shift[2],
  ]);
}

/** Collects the boxes of placed meshes; the own box of a mesh is computed once. */
export function createBounds() {
  const ownBoxes = new Map<Float32Array, Bounds>();
  const corners: Vec3[] = [];
  return {
    /** Adds n × 3 positions (part frame, metres) in their frame at their scale. */
    add(positions: Float32Array, { rotation, translationMetres }: Frame, scale: Vec3): void {
      const frame = { rotation: scaleColumns(rotation, scale), translationMetres };
      if (isAxisAligned(frame.rotation)) {
        const { min, max } = ownBoxes.get(positions) ?? boundsOf(positions);
        ownBoxes.set(positions, { min, max });
        corners.push(movePoint(frame, min), movePoint(frame, max));
      } else {
        const { min, max } = boundsOf(positions, [...frame.rotation, ...translationMetres]);
        corners.push(min, max);
      }
    },
    /** The box, metres; zero-sized at the origin where nothing was added. */
    box(): Bounds {
      const [first = [0, 0, 0], ...others] = corners;
      const box: Bounds = { min: [...first], max: [...first] };
      for (const corner of others) {
        for (const axis of [0, 1, 2] as const) {
          box.min[axis] = Math.min(box.min[axis], corner[axis]);
          box.max[axis] = Math.max(box.max[axis], corner[axis]);
        }
      }
      return box;
    },
  };
}

/** Whether each axis is mapped to one axis: then two opposite corners of the box are enough. */
function isAxisAligned(m: Mat3): boolean {
  return [0, 3, 6].every((c) => [0, 1, 2].filter((r) => m[c + r] !== 0).length <= 1);
}

type Bytes = Float32Array | Uint16Array | Uint32Array | Uint8Array;

const hashes = new WeakMap<Bytes, number>();

/** Distinct arrays, each with a number. */
export class ContentPool {
  readonly #buckets = new Map<number, Bytes[]>();
  readonly #ids = new Map<Bytes, number>();

  /** The first array of equal type and content. */
  intern<T extends Bytes>(array: T): T {
    if (this.#ids.has(array)) return array;
    const hash = hashOf(array);
    const bucket = this.#buckets.get(hash) ?? [];
    const known = bucket.find((other) => isEqual(other, array));
    if (known) return known as T;
    bucket.push(array);
    this.#buckets.set(hash, bucket);
    this.#ids.set(array, this.#ids.size);
    return array;
  }

  /** The number of an interned array within this pool, in order of appearance. */
  idOf(array: Bytes): number {
    return this.#ids.get(array)!;
  }
}

/** Most words of an array that are read for its hash; those of a long array are read at intervals. */
const MOST_HASHED = 8_192;

/** FNV-1a over 32-bit words. The hash is kept with the array, which many articles may share. */
function hashOf(array: Bytes): number {
  const known = hashes.get(array);
  if (known !== undefined) return known;
  const { words, rest } = wordsOf(array);
  let hash = 0x811c9dc5 ^ array.byteLength;
  const step = Math.ceil(words.length / MOST_HASHED);
  for (let i = 0; i < words.length; i += step) hash = Math.imul(hash ^ words[i]!, 0x01000193);
  for (const byte of rest) hash = Math.imul(hash ^ byte, 0x01000193);
  hash ^= hash >>> 15;
  hashes.set(array, hash);
  return hash;
}

function isEqual(a: Bytes, b: Bytes): boolean {
  // Constructors are not compared: bytes of a database are a Buffer, those of a file or a response may not be.
  const isSameType = a[Symbol.toStringTag] === b[Symbol.toStringTag];
  if (!isSameType || a.byteLength !== b.byteLength) return false;
  const [x, y] = [wordsOf(a), wordsOf(b)];
  for (let i = 0; i < x.words.length; i++) if (x.words[i] !== y.words[i]) return false;
  return x.rest.every((byte, i) => byte === y.rest[i]);
}

/** The bytes in groups of four, and the remaining bytes. */
function wordsOf(array: Bytes): { words: Uint32Array; rest: Uint8Array } {
  const given = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  // Words are read at multiples of four; an image may lie anywhere in its buffer.
  const bytes = array.byteOffset % 4 === 0 ? given : given.slice();
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return { words, rest: bytes.subarray(4 * words.length) };
}
