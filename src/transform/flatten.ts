/** Flatten: a parts list becomes the list of parts to draw, each with its own frame. */
import { hypot } from '../math/elementary.ts';
import {
  childFrame,
  type Frame,
  movePoint,
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
} from '../math/vec.ts';
import type { PartsListNode, Vec3 } from '../model/graphics.ts';
import { ConverterError } from '../support/errors.ts';
import type { ConvertOptions } from './convert-options.ts';
import { createLayerReader } from './layers.ts';
import type { Losses } from './losses.ts';
import { isSolidType } from './solids.ts';

/** A part to be drawn: a block or a solid with its frame. */
export interface Part {
  node: PartsListNode;
  /** Child indices from the root, such as `0/2/1`. */
  path: string;
  /** Rigid, relative to the part's movable frame, or to the article. */
  frame: Frame;
  /** Rigid, relative to the article. */
  worldFrame: Frame;
  scale: Vec3;
  /** With `inheritScale` only: what the ancestors' scales do to its vertices before `scale`. */
  bakedShape: Mat3 | undefined;
  /** Effective material reference, empty where no ancestor has one. */
  material: string;
  /** Effective layer, or empty. */
  layer: string;
  /** Index into {@link FlatParts.movables}, or -1. */
  movable: number;
}

/** The parts to draw and the frames that a viewer can move, such as a drawer; both depth first. */
interface FlatParts {
  parts: Part[];
  /** `frame` is relative to the movable `parent`, or to the article where that is -1. */
  movables: { name: string; path: string; layer: string; frame: Frame; parent: number }[];
}

const GROUP_TYPES = new Set(['top', 'clsref']);
const NO_SCALE: Vec3 = [1, 1, 1];

/** Paths of deeper nodes are shortened in the middle: a full one is as long as it is deep. */
const LONGEST_PATH = 64;

/** What a node passes to its children. */
interface Place {
  world: Frame;
  /** With `inheritScale`: the whole linear map of the children, scales included. */
  linear: Mat3 | undefined;
  /** With `inheritScale`: the linear map of the node's own geometry, before its own scale. */
  own: Mat3 | undefined;
  material: string;
  layer: string;
  /** Name of the block of the node that the layer is of. */
  layerOf: string;
  movable: number;
  path: string;
  depth: number;
}

interface Visit {
  node: PartsListNode;
  index: number;
  parent: Place;
}

interface Walk {
  options: ConvertOptions;
  losses: Losses;
  flat: FlatParts;
  /** Frame of each movable, relative to the article. */
  movableWorlds: Frame[];
  readLayer: ReturnType<typeof createLayerReader>;
}

/**
 * Flattens a parts list into the parts to draw (Spec 2.3; D-103, D-104, D-106, D-108, D-109, D-110,
 * D-112).
 *
 * @param names - Qualified names of the article and its blocks, as layers may begin with them.
 * @throws {@link ConverterError} `NODE_TYPE_UNKNOWN` with `unknownNodes: fail`.
 */
export function flattenPartsList(
  roots: readonly PartsListNode[],
  options: ConvertOptions,
  losses: Losses,
  names: readonly string[] = [],
): FlatParts {
  const flat: FlatParts = { parts: [], movables: [] };
  const readLayer = createLayerReader(names, options.dropLayers);
  const walk: Walk = { options, losses, flat, movableWorlds: [], readLayer };
  const root: Place = {
    world: WORLD_FRAME,
    linear: options.inheritScale ? IDENTITY3 : undefined,
    own: undefined,
    material: '',
    layer: '',
    layerOf: '',
    movable: -1,
    path: '',
    depth: 0,
  };
  // A stack of its own: nesting may be 50,000 deep.
  const stack: Visit[] = [];
  pushAll(stack, roots, root);
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { node } = visit;
    const place = placeOf(visit, options);
    if (node.type === 'clsref') place.movable = addMovable(node, place, walk);
    else if (isDrawn(node, place, walk)) flat.parts.push(partOf(node, place, walk.movableWorlds));
    pushAll(stack, node.children, place);
  }
  return flat;
}

function pushAll(stack: Visit[], nodes: readonly PartsListNode[], parent: Place): void {
  for (let index = nodes.length - 1; index >= 0; index--) {
    stack.push({ node: nodes[index]!, index, parent });
  }
}

function placeOf({ node, index, parent }: Visit, options: ConvertOptions): Place {
  const inheritsLayer = node.layer === '' && options.inheritLayers;
  return {
    ...frameOf(node, parent, options),
    material: node.material === '' && options.inheritMaterial ? parent.material : node.material,
    layer: inheritsLayer ? parent.layer : node.layer,
    layerOf: inheritsLayer ? parent.layerOf : node.blockName,
    movable: parent.movable,
    path: pathOf(parent, index),
    depth: parent.depth + 1,
  };
}

/** With inherited scales the map is a general linear one, and the frame the nearest rigid one. */
function frameOf(
  node: PartsListNode,
  { world, linear }: Place,
  rule: ConvertOptions,
): Pick<Place, 'world' | 'linear' | 'own'> {
  const { offsetMetres, rotationDegrees } = node;
  if (!linear) {
    const frame = childFrame(world, offsetMetres, rotationDegrees, rule);
    return { world: frame, linear: undefined, own: undefined };
  }
  const base = { rotation: linear, translationMetres: world.translationMetres };
  const translationMetres = movePoint(base, offsetMetres);
  const own = multiplyMat3(linear, rotationFromDegrees(rotationDegrees, rule));
  return {
    world: { rotation: orthonormalize(own) ?? IDENTITY3, translationMetres },
    linear: scaleColumns(own, scaleOf(node)),
    own,
  };
}

function pathOf(parent: Place, index: number): string {
  if (parent.depth === 0) return String(index);
  if (parent.depth <= LONGEST_PATH) return `${parent.path}/${index}`;
  const isFull = parent.depth === LONGEST_PATH + 1;
  const cut = isFull ? parent.path.lastIndexOf('/') : parent.path.indexOf('/…');
  return `${parent.path.slice(0, cut)}/…${parent.depth - LONGEST_PATH} more…/${index}`;
}

function addMovable(node: PartsListNode, place: Place, walk: Walk): number {
  const { flat, movableWorlds } = walk;
  const { tag } = walk.readLayer(node.layer, node.blockName);
  flat.movables.push({
    name: tag === '' ? `movable ${place.path}` : tag,
    path: place.path,
    layer: node.layer,
    frame: relativeFrame(movableWorlds[place.movable] ?? WORLD_FRAME, place.world),
    parent: place.movable,
  });
  return movableWorlds.push(place.world) - 1;
}

function isDrawn(node: PartsListNode, place: Place, walk: Walk): boolean {
  const { losses, readLayer } = walk;
  if (GROUP_TYPES.has(node.type)) return false;
  if (node.type !== 'imp' && !isSolidType(node.type)) {
    reportUnknown(node.type, place.path, walk);
    return false;
  }
  if (readLayer(place.layer, place.layerOf).isDropped) {
    losses.counts.droppedLayers++;
    return false;
  }
  const { path, own } = place;
  const isFlat = scaleOf(node).includes(0) || (own !== undefined && determinant3(own) === 0);
  if (isFlat) {
    losses.counts.skippedNodes++;
    losses.warn('SCALE_ZERO', 'a part with a scale of zero is not drawn', path);
    const value = node.scale;
    losses.add({ where: path, field: 'scale', value, done: 'not drawn' }, `scale ${value}`);
  }
  return !isFlat;
}

function reportUnknown(type: string, path: string, { options, losses }: Walk): void {
  const code = 'NODE_TYPE_UNKNOWN';
  if (options.unknownNodes === 'fail')
    throw new ConverterError(code, `node ${path}: expected a known type, received "${type}"`);
  losses.warn(code, `node type "${type}" is kept as a group`, path);
  losses.add({ where: path, field: 'type', value: type, done: 'kept as a group' }, `type ${type}`);
}

function partOf(node: PartsListNode, place: Place, worlds: readonly Frame[]): Part {
  const { path, world, own, material, layer, movable } = place;
  return {
    node,
    path,
    frame: relativeFrame(worlds[movable] ?? WORLD_FRAME, world),
    worldFrame: world,
    ...(own ? shapeOf(world, own, scaleOf(node)) : { scale: scaleOf(node), bakedShape: undefined }),
    material,
    layer,
    movable,
  };
}

/** Only an `imp` has a scale. */
function scaleOf(node: PartsListNode): Vec3 {
  return node.type === 'imp' ? node.scale : NO_SCALE;
}

/** Splits an inherited map into a scale where it is one, or a shape to bake where it shears. */
function shapeOf(world: Frame, own: Mat3, scale: Vec3): Pick<Part, 'scale' | 'bakedShape'> {
  const m = scaleColumns(multiplyMat3(transposeMat3(world.rotation), own), scale);
  const size = hypot(hypot(m[0], m[1], m[2]), hypot(m[3], m[4], m[5]), hypot(m[6], m[7], m[8]));
  const shears = [1, 2, 3, 5, 6, 7].some((i) => Math.abs(m[i]!) > 1e-12 * size);
  return shears
    ? { scale: NO_SCALE, bakedShape: m }
    : { scale: [m[0], m[4], m[8]], bakedShape: undefined };
}
