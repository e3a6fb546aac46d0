/**
 * Assemble: parts, their meshes and materials become one scene, equal content standing in it once.
 */
import type { Frame } from '../math/ofml-frame.ts';
import { quaternionFromRotation } from '../math/quaternion.ts';
import { diagonal3, IDENTITY3, type Mat3, scaleColumns } from '../math/vec.ts';
import type { Geometry, Scene, SceneNode, ScenePrimitive } from '../model/scene.ts';
import type { TangentGenerator } from '../model/tangent-generator.ts';
import { canonicalName } from '../service/wire-value.ts';
import { createBoundsGatherer } from './bounds.ts';
import { type ContentPool, createContentPool } from './content-pool.ts';
import type { ConvertOptions } from './convert-options.ts';
import type { FlatParts, Part } from './flatten.ts';
import type { Ledger } from './ledger.ts';
import type { KeyedMesh, MeshFinder } from './load-meshes.ts';
import type { MeshCache } from './mesh-cache.ts';
import type { MaterialFinder, PlacedImage, ResolvedMaterial } from './resolve-materials.ts';
import { createSceneMaterials, type SceneMaterials } from './scene-materials.ts';
import { withTangents } from './tangents.ts';
import { buildVertexData, type VertexData, type VertexPlan } from './vertex-data.ts';

interface Workbench {
  options: ConvertOptions;
  cache: MeshCache;
  ledger: Ledger;
  /** Present where tangents are wanted. */
  tangents: TangentGenerator | undefined;
}

interface Draft {
  scene: Scene;
  pool: ContentPool;
  materials: SceneMaterials;
  geometryIndex: Map<string, number>;
  meshIndex: Map<string, number>;
  splitCounted: Set<string>;
}

/**
 * Assembles the scene of an article.
 *
 * @returns Nodes: movable frames first, then parts, parents before children. Translations in metres.
 *
 * @see D-107, D-108, D-406.
 */
export function assembleScene(
  flat: FlatParts,
  meshOf: MeshFinder,
  materialOf: MaterialFinder,
  bench: Workbench,
): Scene {
  const draft = emptyDraft(bench.ledger);
  const drawn = flat.parts.filter((part) => meshOf(part) !== undefined);
  const movableNode = addMovables(flat, drawn, draft.scene);
  const bounds = createBoundsGatherer();
  for (const part of drawn) {
    const primitives = primitivesOf(part, meshOf(part)!, materialOf(part.material), draft, bench);
    const mesh = meshFor(meshOf(part)!.name, primitives, draft);
    draft.scene.nodes.push(nodeOf(part, mesh, movableNode[part.movable] ?? -1));
    for (const { geometry } of primitives) {
      const { positions, indices } = draft.scene.geometries[geometry]!;
      bounds.add(positions, part.worldFrame, part.scale);
      draft.scene.triangles += indices.length / 3;
      draft.scene.drawCalls++;
    }
  }
  draft.scene.boundsMetres = bounds.box();
  if (bench.options.origin === 'floor-centre') moveOrigin(draft.scene);
  return draft.scene;
}

function emptyDraft(ledger: Ledger): Draft {
  const scene: Scene = {
    nodes: [],
    meshes: [],
    geometries: [],
    materials: [],
    images: [],
    boundsMetres: { min: [0, 0, 0], max: [0, 0, 0] },
    triangles: 0,
    drawCalls: 0,
    losses: [],
    warnings: [],
    counts: ledger.counts,
  };
  const pool = createContentPool();
  return {
    scene,
    pool,
    materials: createSceneMaterials(scene, pool),
    geometryIndex: new Map(),
    meshIndex: new Map(),
    splitCounted: new Set(),
  };
}

/** Movables that hold a drawn part, however deep; returns each one's node, or -1. */
function addMovables(flat: FlatParts, drawn: readonly Part[], scene: Scene): number[] {
  const used = new Set<number>();
  for (const part of drawn) {
    for (let m = part.movable; m >= 0 && !used.has(m); m = flat.movables[m]!.parent) used.add(m);
  }
  const nodes: number[] = [];
  flat.movables.forEach(({ name, frame, layer, parent }, i) => {
    const extras = { movable: true, ...(layer === '' ? {} : { layer }) };
    const node = () => sceneNode(name, nodes[parent] ?? -1, -1, frame, [1, 1, 1], extras);
    nodes.push(used.has(i) ? scene.nodes.push(node()) - 1 : -1);
  });
  return nodes;
}

function nodeOf(part: Part, mesh: number, parent: number): SceneNode {
  const { node, path, layer, frame, scale } = part;
  const name = node.type === 'imp' ? canonicalName(node.blockName) : path;
  const extras = {
    part: node.type === 'imp' ? name : node.type,
    ...(layer === '' ? {} : { layer }),
  };
  return sceneNode(name, parent, mesh, frame, scale, extras);
}

function sceneNode(
  name: string,
  parent: number,
  mesh: number,
  frame: Frame,
  scale: readonly [number, number, number],
  extras: Record<string, unknown>,
): SceneNode {
  const [x, y, z] = frame.translationMetres;
  const [qx, qy, qz, qw] = quaternionFromRotation(frame.rotation);
  return {
    name,
    parent,
    mesh,
    translationMetres: [tidy(x), tidy(y), tidy(z)],
    rotation: [tidy(qx), tidy(qy), tidy(qz), tidy(qw)],
    scale,
    extras,
  };
}

/** Takes the noise of double arithmetic off: a picometre, and no −0. */
function tidy(value: number): number {
  return Math.abs(value) < 1000 ? Math.round(value * 1e12) / 1e12 + 0 : value;
}

function primitivesOf(
  part: Part,
  keyed: KeyedMesh,
  material: ResolvedMaterial,
  draft: Draft,
  bench: Workbench,
): ScenePrimitive[] {
  const plan = planOf(part, keyed, material, bench.options);
  const normalMap = bench.tangents && material.images.normalTexture;
  const key = `vertices ${keyed.key} ${planKey(plan, keyed)} ${tangentKey(normalMap)}`;
  const build = () => addTangents(buildVertexData(keyed.mesh, plan), normalMap, bench.tangents);
  const data = bench.cache.get(key, build, vertexBytes);
  if (!draft.splitCounted.has(key)) {
    draft.splitCounted.add(key);
    bench.ledger.counts.splitVertices += data.splitVertices;
  }
  const primitives: ScenePrimitive[] = [];
  for (const doubleSided of [false, true]) {
    const geometry = doubleSided ? data.doubleSided : data.singleSided;
    if (!geometry) continue;
    primitives.push({
      geometry: geometryFor(geometry, draft),
      material: draft.materials.indexOf(material, doubleSided),
    });
  }
  return primitives;
}

function planOf(
  part: Part,
  { mesh }: KeyedMesh,
  { uvs }: ResolvedMaterial,
  options: ConvertOptions,
): VertexPlan {
  const projects = !uvs.useStoredUvs || mesh.needsProjection;
  const shape = part.bakedShape ?? IDENTITY3;
  return {
    ...uvs,
    flipV: options.flipV,
    doubleSided: options.doubleSided,
    mirrorOppositeSides: options.mirrorOppositeSides,
    shape,
    projectAt: projects ? PROJECTION_SIZES[options.boxProjection](part) : IDENTITY3,
  };
}

/** The size at which a part is projected: D-402. */
const PROJECTION_SIZES = {
  scaled: ({ bakedShape, scale }) =>
    bakedShape ? scaleColumns(bakedShape, scale) : diagonal3(scale),
  unscaled: () => IDENTITY3,
} as const satisfies Record<ConvertOptions['boxProjection'], (part: Part) => Mat3>;

function planKey(plan: VertexPlan, { mesh }: KeyedMesh): string {
  const projects = !plan.useStoredUvs || mesh.needsProjection;
  return [
    plan.useStoredUvs,
    projects && plan.swapProjected,
    projects && plan.uvSets.length > 0 ? plan.projectAt : '',
    projects && plan.mirrorOppositeSides,
    plan.doubleSided,
    plan.flipV,
    plan.shape,
    plan.uvSets.map((map) => map ?? 'raw').join(' '),
  ].join('|');
}

function tangentKey(normalMap: PlacedImage | undefined): string {
  if (!normalMap) return '';
  const { uvSet, transform } = normalMap;
  return `tangents ${uvSet} ${transform ? JSON.stringify(transform) : ''}`;
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

function vertexBytes({ singleSided, doubleSided }: VertexData): number {
  return geometryBytes(singleSided) + geometryBytes(doubleSided);
}

function geometryBytes(geometry: Geometry | undefined): number {
  if (!geometry) return 0;
  const { positions, normals, uvs, tangents, indices } = geometry;
  const arrays = [positions, normals, ...uvs, ...(tangents ? [tangents] : []), indices];
  return arrays.reduce((sum, array) => sum + array.byteLength, 0);
}

function geometryFor(geometry: Geometry, { scene, pool, geometryIndex }: Draft): number {
  const interned: Geometry = {
    positions: pool.intern(geometry.positions),
    normals: pool.intern(geometry.normals),
    uvs: geometry.uvs.map((set) => pool.intern(set)),
    tangents: geometry.tangents && pool.intern(geometry.tangents),
    indices: pool.intern(geometry.indices),
  };
  const { positions, normals, uvs, tangents, indices } = interned;
  const arrays = [positions, normals, ...uvs, ...(tangents ? [tangents] : []), indices];
  const key = arrays.map((array) => pool.idOf(array)).join();
  return indexFor(geometryIndex, key, () => scene.geometries.push(interned) - 1);
}

function meshFor(name: string, primitives: ScenePrimitive[], draft: Draft): number {
  const key = primitives.map(({ geometry, material }) => `${geometry}:${material}`).join();
  return indexFor(draft.meshIndex, key, () => draft.scene.meshes.push({ name, primitives }) - 1);
}

function indexFor(index: Map<string, number>, key: string, add: () => number): number {
  let at = index.get(key);
  if (at === undefined) {
    at = add();
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
    node.translationMetres = [tidy(x - shift[0]), tidy(y - shift[1]), tidy(z - shift[2])];
  }
  for (const corner of [min, max]) for (const k of [0, 1, 2] as const) corner[k] -= shift[k];
}
