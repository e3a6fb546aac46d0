/** What the data of an article has: counts of nodes, layers, surfaces and material fields, without a conversion. */

import {
  MATERIAL_FIELDS,
  type PartsList,
  type PartsListNode,
  type ServiceMaterial,
} from '../../convert/model/graphics.ts';
import { materialLookup } from '../../convert/wire/material.ts';
import type { Warning } from '../../model/warning.ts';
import type { BlockFacts } from './block-facts.ts';

/** The table of features: what each group counts. */
export const FEATURE_GROUPS = {
  nodes: 'Nodes of parts lists',
  layers: 'Modes of layers',
  meshes: 'Meshes and their surfaces',
  materials: 'Kinds of materials',
  'material fields': 'Fields of materials that are used',
  'unused fields': 'Fields of materials that no article uses',
  'unknown fields': 'Fields of materials that the specification does not name',
  'unreadable fields': 'Fields whose values cannot be read',
  'out of range': 'Fields whose values are outside of their range',
  missing: 'What the service does not have',
  drift: 'Values in another form than the specification has',
} as const;

export type FeatureGroup = keyof typeof FEATURE_GROUPS;

/** Groups whose names are texts of the service: they do not leave this machine. */
export const GROUPS_OF_DATA: ReadonlySet<FeatureGroup> = new Set(['layers', 'unknown fields']);

/** Counts of the features of one article, or of several. */
export class Features {
  readonly #counts = new Map<string, number>();

  /** How often an article has a feature; 0 if never. */
  count(group: FeatureGroup, name: string): number {
    return this.#counts.get(`${group}\0${name}`) ?? 0;
  }

  add(group: FeatureGroup, name: string, count = 1): void {
    if (count > 0) this.#counts.set(`${group}\0${name}`, this.count(group, name) + count);
  }

  /** Every feature, sorted by group and name. */
  all(): { group: FeatureGroup; name: string; count: number }[] {
    const order = Object.keys(FEATURE_GROUPS);
    const rows = Array.from(this.#counts, ([key, count]) => {
      const [group, name] = key.split('\0') as [FeatureGroup, string];
      return { group, name, count };
    });
    return rows.sort(
      (a, b) =>
        order.indexOf(a.group) - order.indexOf(b.group) ||
        (a.name < b.name ? -1 : Number(a.name > b.name)),
    );
  }
}

/** The names of the features that {@link featuresOf} counts among nodes. */
export const NODE_FEATURES = {
  turned: 'turned',
  turnedPartly: 'turned by no multiple of 180°',
  turnedTwice: 'turned about two axes or three',
  scaled: 'scaled',
  mirrored: 'mirrored by a negative scale',
  nonUniform: 'scaled differently along its axes',
  scaledParent: 'scaled, with nodes below it',
  sheared: 'scaled differently, with turned nodes below it',
  movable: 'movable (clsref)',
  unknown: 'of an unknown type',
  solid: 'solid',
  deep: 'nested 10 levels or deeper',
  withoutMaterial: 'drawn without a material of its own',
  withoutAnyMaterial: 'drawn without a material of its own or of a node above',
  writtenMaterial: 'defines or changes a material itself',
  unlistedMaterial: 'names a material that is not listed',
  withoutLayer: 'drawn without a layer, below a node with one',
} as const;

const GROUPS = new Set(['top', 'clsref']);
const SOLIDS = new Set(['block', 'frame', 'cyl', 'sphere', 'ellipsoid']);
const DEEP = 10;

/** Values outside of these are out of range. */
const RANGES: Partial<Record<keyof typeof MATERIAL_FIELDS, readonly [number, number]>> = {
  roughness: [0, 1],
  metallic: [0, 1],
  tra: [0, 1],
  refl: [0, 1],
  luminance: [0, Number.POSITIVE_INFINITY],
  refr: [0, Number.POSITIVE_INFINITY],
  shi: [0, Number.POSITIVE_INFINITY],
  clearcoat: [0, 1],
  sheen: [0, 1],
};

interface Visit {
  node: PartsListNode;
  material: string;
  layer: string;
  depth: number;
  isBelowNonUniform: boolean;
}

/** A part as it is drawn: its node, with the material that it has or inherits. */
export interface DrawnNode {
  node: PartsListNode;
  material: ServiceMaterial | undefined;
}

/**
 * Counts the features of an article, and lists its drawn nodes with their materials.
 *
 * @param blocks - Facts about each block of the parts list that is there.
 */
export function featuresOf(
  partsList: PartsList,
  blocks: Iterable<BlockFacts>,
): { features: Features; drawn: DrawnNode[] } {
  const features = new Features();
  const ignore = (_: Warning) => {};
  const lookup = materialLookup(partsList.materials, ignore, true);
  const drawn: DrawnNode[] = [];
  const stack: Visit[] = partsList.nodes.toReversed().map((node) => {
    return { node, material: '', layer: '', depth: 1, isBelowNonUniform: false };
  });
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const material = visit.node.material || visit.material;
    countNode(visit, features);
    if (!GROUPS.has(visit.node.type)) {
      const found = material === '' ? undefined : lookup(material);
      countDrawn(visit, material, found, features);
      drawn.push({ node: visit.node, material: found });
    }
    pushChildren(stack, visit, material);
  }
  for (const material of new Set(drawn.flatMap((part) => part.material ?? [])))
    countMaterial(material, features);
  for (const block of blocks) countBlock(block, features);
  return { features, drawn };
}

function pushChildren(stack: Visit[], { node, layer, depth, ...rest }: Visit, material: string) {
  const [x, y, z] = node.scale;
  const isBelowNonUniform = rest.isBelowNonUniform || x !== y || y !== z;
  for (let i = node.children.length - 1; i >= 0; i--) {
    const child = node.children[i]!;
    const inherited = { material, layer: node.layer || layer, depth: depth + 1 };
    stack.push({ node: child, ...inherited, isBelowNonUniform });
  }
}

function countNode({ node, depth, isBelowNonUniform }: Visit, features: Features): void {
  const { type, rotationDegrees, scale, children, layer, unreadable } = node;
  const isKnown = type === 'imp' || GROUPS.has(type) || SOLIDS.has(type);
  features.add('nodes', isKnown ? `type ${type}` : NODE_FEATURES.unknown);
  const turns = rotationDegrees.filter((degrees) => degrees % 360 !== 0);
  const [x, y, z] = scale;
  const isScaled = scale.some((factor) => factor !== 1);
  const isNonUniform = Math.abs(x) !== Math.abs(y) || Math.abs(y) !== Math.abs(z);
  const has = {
    turned: turns.length > 0,
    turnedPartly: turns.some((degrees) => degrees % 180 !== 0),
    turnedTwice: turns.length > 1,
    scaled: isScaled,
    mirrored: x * y * z < 0,
    nonUniform: isNonUniform,
    scaledParent: isScaled && children.length > 0,
    sheared: isBelowNonUniform && turns.length > 0,
    movable: type === 'clsref',
    solid: SOLIDS.has(type),
    deep: depth >= DEEP,
  };
  for (const [name, is] of Object.entries(has))
    if (is) features.add('nodes', NODE_FEATURES[name as keyof typeof has]);
  if (layer !== '') features.add('layers', layerMode(layer));
  for (const field of Object.keys(unreadable ?? {})) features.add('unreadable fields', field);
}

/** The mode of a layer without manufacturer and series: those of the specification, or anything else. */
function layerMode(layer: string): string {
  const found =
    /_(D3FRONT|D3|D2|ACOUSTICS|ATTACH|ORIGIN|DIMENSIONS|TEXT|ARTICLE_INFO)(?:_|\d|$)/i.exec(layer);
  return found ? found[1]!.toUpperCase() : 'another mode';
}

function countDrawn(
  { node, layer }: Visit,
  reference: string,
  material: ServiceMaterial | undefined,
  features: Features,
): void {
  if (node.material === '') features.add('nodes', NODE_FEATURES.withoutMaterial);
  if (reference === '') features.add('nodes', NODE_FEATURES.withoutAnyMaterial);
  if (/^\$|;/.test(node.material)) features.add('nodes', NODE_FEATURES.writtenMaterial);
  if (reference !== '' && material === undefined)
    features.add('nodes', NODE_FEATURES.unlistedMaterial);
  if (node.layer === '' && layer !== '') features.add('nodes', NODE_FEATURES.withoutLayer);
}

function countMaterial(material: ServiceMaterial, features: Features): void {
  const { source, unreadable } = material;
  for (const field of Object.keys(MATERIAL_FIELDS) as (keyof typeof MATERIAL_FIELDS)[]) {
    const value = material[field];
    if (value === undefined) continue;
    features.add('material fields', field);
    const [least, most] = RANGES[field] ?? [];
    const isOutside =
      typeof value === 'number' && least !== undefined && (value < least || value > most!);
    if (isOutside) features.add('out of range', field);
  }
  for (const field of Object.keys(unreadable ?? {})) features.add('unreadable fields', field);
  for (const field of Object.keys(source)) {
    const name = field.toLowerCase();
    if (!(name in MATERIAL_FIELDS) && name !== 'mname') features.add('unknown fields', name);
  }
  for (const kind of kindsOf(material)) features.add('materials', kind);
}

/** The names of the kinds of a material. */
export const MATERIAL_KINDS = {
  textured: 'with an image',
  coloured: 'with a colour only',
  tinted: 'with an image and a colour other than white',
  bumped: 'with a normal or height map',
  transparent: 'transparent',
  luminous: 'luminous',
  metal: 'metal',
  projected: 'with map auto',
  exchanged: 'with map rauto',
  environment: 'with map env',
  turned: 'with a turned image',
  scaled: 'with a scaled image',
  glossOnly: 'with gloss (shi) and no roughness',
  reflecting: 'with a reflection (refl) below 1',
  glowingImage: 'luminous, with an image',
  glass: 'of glass',
  extended: 'with clearcoat, sheen or emission',
} as const satisfies Record<string, string>;

type MaterialKind = (typeof MATERIAL_KINDS)[keyof typeof MATERIAL_KINDS];

function kindsOf(material: ServiceMaterial): MaterialKind[] {
  const { pic, dif, bump, tra = 0, luminance = 0, metallic = 0, map, rot = 0, refr = 0 } = material;
  const isWhite = dif === undefined || dif.every((part) => part > 0.98);
  const scales = [material.scaleu, material.scalev, material.bump_scaleu, material.bump_scalev];
  const has = {
    textured: pic !== undefined,
    coloured: pic === undefined,
    tinted: pic !== undefined && !isWhite,
    bumped: bump !== undefined,
    transparent: tra > 0.001,
    luminous: luminance > 0,
    metal: metallic >= 0.5 || material.metallic_image !== undefined,
    projected: map === 'auto',
    exchanged: map === 'rauto',
    environment: map === 'env',
    turned: rot % 360 !== 0 || (material.bump_rot ?? 0) % 360 !== 0,
    scaled: scales.some((scale) => scale !== undefined && scale !== 1 && scale !== 0),
    glossOnly: material.roughness === undefined && material.roughness_image === undefined,
    reflecting: material.refl !== undefined && material.refl < 1,
    glowingImage: luminance > 0 && pic !== undefined,
    glass: tra > 0.001 && (refr > 1 || pic === undefined),
    extended: ['clearcoat', 'sheen', 'emission'].some((field) => field in material),
  } satisfies Record<keyof typeof MATERIAL_KINDS, boolean>;
  return (Object.keys(has) as (keyof typeof has)[])
    .filter((kind) => has[kind])
    .map((kind) => MATERIAL_KINDS[kind]);
}

/** The names of the features that {@link featuresOf} counts among meshes. */
export const MESH_FEATURES = {
  block: 'block',
  placed: 'block with an offset or rotation of its own',
  closed: 'closed surface',
  inward: 'closed surface whose triangles face inwards',
  open: 'open surface',
  storedUvs: 'block with stored UVs',
  withoutUvs: 'block without stored UVs',
  threeNumbers: 'block with three numbers per stored UV',
  fromOne: 'block whose points are counted from 1',
  uncertainFirst: 'block that does not show whether points are counted from 0 or 1',
  uncertainUvs: 'block that does not show how its stored UVs are counted',
  beyondUnit: 'block with stored UVs outside of 0 to 1',
} as const;

function countBlock(block: BlockFacts, features: Features): void {
  const { outward, inward, open, points, uvs } = block;
  features.add('meshes', MESH_FEATURES.block);
  features.add('meshes', MESH_FEATURES.closed, outward + inward);
  features.add('meshes', MESH_FEATURES.inward, inward);
  features.add('meshes', MESH_FEATURES.open, open);
  if (block.isPlaced) features.add('meshes', MESH_FEATURES.placed);
  features.add('meshes', uvs === undefined ? MESH_FEATURES.withoutUvs : MESH_FEATURES.storedUvs);
  if (points.firsts.length > 1) features.add('meshes', MESH_FEATURES.uncertainFirst);
  if (points.firsts.join() === '1') features.add('meshes', MESH_FEATURES.fromOne);
  if (uvs === undefined) return;
  if (uvs.layouts.length > 1) features.add('meshes', MESH_FEATURES.uncertainUvs);
  if (uvs.layouts.length > 0 && uvs.layouts.every(({ stride }) => stride === 3))
    features.add('meshes', MESH_FEATURES.threeNumbers);
  if (uvs.isBeyondUnit) features.add('meshes', MESH_FEATURES.beyondUnit);
}
