/**
 * Flatten: a parts list becomes a list of drawn parts, each with its own frame.
 *
 * In: a parts list. Out: parts and movable frames, depth first. It knows neither meshes nor
 * materials beyond their names, and walks with a stack of its own: nesting may be 50,000 deep.
 */
import {
  childFrame,
  type Frame,
  movePoint,
  type RotationRule,
  relativeFrame,
  rotationFromDegrees,
  WORLD_FRAME,
} from '../math/ofml-frame.ts';
import {
  determinant3,
  IDENTITY3,
  type Mat3,
  multiplyMat3,
  orthonormalize,
  scaleColumns,
  transposeMat3,
  type Vec3,
} from '../math/vec.ts';
import type { PartsListNode } from '../model/graphics.ts';
import { ConverterError } from '../support/errors.ts';
import type { ConvertOptions } from './convert-options.ts';
import { layerFilter, parseLayer } from './layers.ts';
import type { Ledger } from './ledger.ts';

/** A part to be drawn: a block or a solid, at a place. */
export interface Part {
  node: PartsListNode;
  /** Child indices from the root, such as `0/2/1`. */
  path: string;
  /** Rigid, in the terms of the movable frame it hangs on, or of the article. */
  frame: Frame;
  /** The same place in the terms of the article. */
  worldFrame: Frame;
  scale: Vec3;
  /**
   * With `inheritScale` only: what the ancestors' scales do to the part's own geometry, to be baked
   * into its vertices before `scale`; undefined where nothing.
   */
  bakedShape: Mat3 | undefined;
  /** Effective material reference, empty where no ancestor has one. */
  material: string;
  /** Effective layer, or empty. */
  layer: string;
  /** Index into {@link FlatParts.movables}, or -1. */
  movable: number;
}

/** A frame that a viewer can move: a drawer, a door. */
export interface Movable {
  name: string;
  path: string;
  layer: string;
  frame: Frame;
  /** The movable that holds this one, or -1. */
  parent: number;
}

/** What there is to draw, depth first. */
export interface FlatParts {
  parts: Part[];
  movables: Movable[];
}

const SOLID_TYPES = new Set(['block', 'frame', 'cyl', 'sphere', 'ellipsoid']);
const NO_SCALE: Vec3 = [1, 1, 1];
const GROUP_TYPES = new Set(['top', 'clsref']);

/** What becomes of a node of an unknown type. */
const UNKNOWN_NODES = {
  group: (type, path, ledger) =>
    ledger.warn('NODE_TYPE_UNKNOWN', `node type "${type}" is kept as a group`, path),
  fail: (type, path) => {
    throw new ConverterError(
      'NODE_TYPE_UNKNOWN',
      `node ${path}: expected a known type, received "${type}"`,
    );
  },
} as const satisfies Record<
  ConvertOptions['unknownNodes'],
  (type: string, path: string, ledger: Ledger) => void
>;

/** The options that a flat list of parts depends on. */
type FlattenOptions = Pick<
  ConvertOptions,
  | 'rotationOrder'
  | 'rotationDirection'
  | 'inheritScale'
  | 'inheritMaterial'
  | 'inheritLayers'
  | 'unknownNodes'
  | 'dropLayers'
>;

/** Whether a node type is a solid: drawn from its own parameters. */
export function isSolidType(type: string): boolean {
  return SOLID_TYPES.has(type);
}

interface Visit {
  node: PartsListNode;
  index: number;
  parent: Place;
}

/** What a node hands down to its children. */
interface Place {
  world: Frame;
  /** With `inheritScale`: the whole linear map of the children, scales included. */
  linear: Mat3 | undefined;
  /** With `inheritScale`: the linear map of the node's own geometry, before its own scale. */
  own: Mat3 | undefined;
  material: string;
  layer: string;
  movable: number;
  path: string;
  depth: number;
}

const ROOT: Place = {
  world: WORLD_FRAME,
  linear: undefined,
  own: undefined,
  material: '',
  layer: '',
  movable: -1,
  path: '',
  depth: 0,
};

/** Paths of deeper nodes are shortened in the middle: a full one is as long as it is deep. */
const LONGEST_PATH = 64;

/**
 * Flattens a parts list into the parts to draw.
 *
 * A child's frame is its parent's times T(offset)·R(rotation); scale acts on a node's own geometry
 * only. Frames are told from the nearest movable frame above, or from the article.
 *
 * @param roots - Forest of nodes; offsets in metres, rotations in degrees.
 * @returns Parts and movables, depth first; frames in metres, +Y up.
 * @throws {@link ConverterError} `NODE_TYPE_UNKNOWN` with `unknownNodes: fail`.
 *
 * @example
 * ```ts
 * flattenPartsList([{ ...top, offsetMetres: [1, 0, 0], children: [leg] }], CONVERT_DEFAULTS, ledger);
 * // → { parts: [{ node: leg, path: '0/0', frame: { translationMetres: [1, 0, 0], … }, … }], movables: [] }
 * ```
 *
 * @see Spec 2.3; D-103, D-104, D-106, D-108, D-109, D-110, D-112.
 */
export function flattenPartsList(
  roots: readonly PartsListNode[],
  options: FlattenOptions,
  ledger: Ledger,
): FlatParts {
  const isDropped = layerFilter(options.dropLayers);
  const flat: FlatParts = { parts: [], movables: [] };
  const movableWorlds: Frame[] = [];
  const root: Place = options.inheritScale ? { ...ROOT, linear: IDENTITY3 } : ROOT;
  const stack: Visit[] = [];
  pushAll(stack, roots, root);
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { node } = visit;
    const place = placeOf(visit, options);
    if (node.type === 'clsref') place.movable = addMovable(flat, movableWorlds, node, place);
    else if (draws(node, place, isDropped, options, ledger))
      flat.parts.push(partOf(node, place, movableWorlds));
    pushAll(stack, node.children, place);
  }
  return flat;
}

function pushAll(stack: Visit[], nodes: readonly PartsListNode[], parent: Place): void {
  for (let index = nodes.length - 1; index >= 0; index--) {
    stack.push({ node: nodes[index]!, index, parent });
  }
}

function placeOf({ node, index, parent }: Visit, options: FlattenOptions): Place {
  const place: Place = {
    world: parent.world,
    linear: undefined,
    own: undefined,
    material: node.material === '' && options.inheritMaterial ? parent.material : node.material,
    layer: node.layer === '' && options.inheritLayers ? parent.layer : node.layer,
    movable: parent.movable,
    path: pathOf(parent, index),
    depth: parent.depth + 1,
  };
  if (parent.linear) placeWithScale(place, parent, parent.linear, node, options);
  else place.world = childFrame(parent.world, node.offsetMetres, node.rotationDegrees, options);
  return place;
}

/** The same with inherited scales: a general linear map, and the rigid frame nearest to it. */
function placeWithScale(
  place: Place,
  parent: Place,
  linear: Mat3,
  node: PartsListNode,
  rule: RotationRule,
): void {
  const translationMetres = movePoint(
    { rotation: linear, translationMetres: parent.world.translationMetres },
    node.offsetMetres,
  );
  place.own = multiplyMat3(linear, rotationFromDegrees(node.rotationDegrees, rule));
  place.linear = scaleColumns(place.own, scaleOf(node));
  place.world = { rotation: orthonormalize(place.own) ?? IDENTITY3, translationMetres };
}

function pathOf(parent: Place, index: number): string {
  if (parent.depth === 0) return String(index);
  if (parent.depth <= LONGEST_PATH) return `${parent.path}/${index}`;
  const isWhole = parent.depth === LONGEST_PATH + 1;
  const cut = isWhole ? parent.path.lastIndexOf('/') : parent.path.indexOf('/…');
  return `${parent.path.slice(0, cut)}/…${parent.depth - LONGEST_PATH} more…/${index}`;
}

function addMovable(flat: FlatParts, worlds: Frame[], node: PartsListNode, place: Place): number {
  const base = worlds[place.movable] ?? WORLD_FRAME;
  const { tag } = parseLayer(node.layer);
  flat.movables.push({
    name: tag === '' ? `movable ${place.path}` : tag,
    path: place.path,
    layer: node.layer,
    frame: relativeFrame(base, place.world),
    parent: place.movable,
  });
  worlds.push(place.world);
  return worlds.length - 1;
}

function draws(
  node: PartsListNode,
  place: Place,
  isDropped: (layer: string) => boolean,
  { unknownNodes }: FlattenOptions,
  ledger: Ledger,
): boolean {
  if (GROUP_TYPES.has(node.type)) return false;
  if (node.type !== 'imp' && !isSolidType(node.type)) {
    UNKNOWN_NODES[unknownNodes](node.type, place.path, ledger);
    return false;
  }
  if (isDropped(place.layer)) {
    ledger.counts.droppedLayers++;
    return false;
  }
  const flat =
    scaleOf(node).includes(0) || (place.own !== undefined && determinant3(place.own) === 0);
  if (flat) {
    ledger.counts.skippedNodes++;
    ledger.warn('SCALE_ZERO', 'a part with a scale of zero is not drawn', place.path);
  }
  return !flat;
}

function partOf(node: PartsListNode, place: Place, worlds: readonly Frame[]): Part {
  const base = worlds[place.movable] ?? WORLD_FRAME;
  const shape = place.own && shapeOf(place.world, place.own, scaleOf(node));
  return {
    node,
    path: place.path,
    frame: relativeFrame(base, place.world),
    worldFrame: place.world,
    scale: shape ? shape.scale : scaleOf(node),
    bakedShape: shape?.baked,
    material: place.material,
    layer: place.layer,
    movable: place.movable,
  };
}

/** Only an `imp` has a scale. */
function scaleOf(node: PartsListNode): Vec3 {
  return node.type === 'imp' ? node.scale : NO_SCALE;
}

/** Splits an inherited map into a scale where it is one, or a shape to bake where it shears. */
function shapeOf(world: Frame, own: Mat3, scale: Vec3): { scale: Vec3; baked: Mat3 | undefined } {
  const m = scaleColumns(multiplyMat3(transposeMat3(world.rotation), own), scale);
  const size = Math.hypot(...m);
  const shears = [1, 2, 3, 5, 6, 7].some((i) => Math.abs(m[i]!) > 1e-12 * size);
  return shears
    ? { scale: NO_SCALE, baked: m }
    : { scale: [m[0]!, m[4]!, m[8]!], baked: undefined };
}
