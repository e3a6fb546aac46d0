/** Assemble: parts, their meshes and materials become one scene with equal content listed once. */

import type { Vec3 } from '../../model/graphics.ts';
import type {
  Geometry,
  Scene,
  SceneMaterial,
  SceneNode,
  ScenePrimitive,
  TangentGenerator,
  TextureUse,
} from '../../model/scene.ts';
import { ConverterError } from '../../support/errors.ts';
import type { Frame } from '../math/ofml-frame.ts';
import {
  diagonal3,
  IDENTITY3,
  type Mat3,
  quaternionFromRotation,
  scaleColumns,
} from '../math/vec.ts';
import { canonicalName } from '../wire/value.ts';
import type { PreparedMesh } from './block-mesh.ts';
import { createBounds } from './bounds.ts';
import { ContentPool } from './content-pool.ts';
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
  /** Undefined where tangents are not written. */
  tangents: TangentGenerator | undefined;
  /** Parts that are left out. */
  holes: readonly Part[];
}

/** A material is written for each side that is used. */
type Side = Exclude<keyof VertexData, 'splitVertices'>;

/** For the name of the second of two materials: D-530. */
const SIDES = {
  singleSided: { other: 'doubleSided', said: 'single-sided' },
  doubleSided: { other: 'singleSided', said: 'double-sided' },
} as const satisfies Record<Side, { other: Side; said: string }>;

interface Draft extends AssembleInput {
  scene: Scene;
  pool: ContentPool;
  /** What the scene's entries are made of → their index. */
  index: Map<unknown, number>;
  materialIndex: Record<Side, Map<ResolvedMaterial, number>>;
  splitCounted: Set<string>;
  /** Of the distinct arrays of all geometries. */
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

/** Takes the noise of double arithmetic off: a picometre, and no −0. */
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
  // Without the image, which tangents do not depend on.
  const placed = normalMap && { ...normalMap, image: undefined };
  const key = `vertices ${meshKey} ${JSON.stringify([plan, placed])}`;
  const expectRoom = (bytes: number) => expectFewBytes(draft, bytes);
  const build = () => addTangents(buildVertexData(mesh, plan, expectRoom), normalMap, tangents);
  const data = cache.get(key, build);
  if (!splitCounted.has(key)) {
    losses.counts.splitVertices += data.splitVertices;
    // The same whether the data were in the cache or not.
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

/** Plans are equal where their vertex data is: without projection its options do not count. */
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

/** One image for each content, under the name of its first use. */
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
