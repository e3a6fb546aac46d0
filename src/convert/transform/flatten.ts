/** Flatten: a parts list becomes the list of parts to draw, each with its own frame. */

import { hypot } from '../../support/elementary.ts';
import { ConverterError } from '../../support/errors.ts';
import { globMatcher } from '../../support/glob.ts';
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
import { canonicalName, describe } from '../wire/value.ts';
import { CONVERT_DEFAULTS, type ConvertOptions } from './convert-options.ts';
import type { Losses } from './losses.ts';
import { isSolidType } from './solids.ts';

interface Place {
  /** Rigid frame, relative to the article. */
  worldFrame: Frame;
  /** With `inheritScale`: the whole linear map of the children, scales included. */
  linear: Mat3 | undefined;
  /** With `inheritScale`: the linear map of the node's own geometry, before its own scale. */
  own: Mat3 | undefined;
  /** Effective material reference, empty where no ancestor has one. */
  material: string;
  layer: string;
  /** Name of the block of the node that defines the layer. */
  layerOf: string;
  /** Index into {@link FlatParts.movables}, or -1. */
  movable: number;
  /** Child indices from the root, such as `0/2/1`. */
  path: string;
  depth: number;
}

/** A part to be drawn: a block or a solid with its frame. */
export interface Part
  extends Pick<Place, 'worldFrame' | 'material' | 'layer' | 'movable' | 'path'> {
  node: PartsListNode;
  /** Rigid frame, relative to the part's movable frame, or to the article. */
  frame: Frame;
  scale: Vec3;
  /** With `inheritScale` only: transformation of its vertices by the ancestors' scales, before `scale`. */
  bakedShape: Mat3 | undefined;
}

/** A frame that a viewer can move, such as a drawer, relative to that of its `parent`. */
interface Movable extends Pick<Place, 'worldFrame' | 'layer'> {
  name: string;
  frame: Frame;
  /** Index of a movable, or -1: the article. */
  parent: number;
}

/** The contents of a parts list; both lists are depth first. */
export interface FlatParts {
  parts: Part[];
  movables: Movable[];
}

const GROUP_TYPES = new Set(['top', 'clsref']);
const NO_SCALE: Vec3 = [1, 1, 1];

/** Paths of deeper nodes are shortened in the middle: a full path grows with its depth. */
const LONGEST_PATH = 64;

interface Visit {
  node: PartsListNode;
  index: number;
  parent: Place;
}

interface Walk {
  options: ConvertOptions;
  losses: Losses;
  flat: FlatParts;
  readLayer: LayerReader;
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
  const walk: Walk = { options, losses, flat, readLayer };
  const root: Place = {
    worldFrame: WORLD_FRAME,
    linear: options.inheritScale ? IDENTITY3 : undefined,
    own: undefined,
    material: '',
    layer: '',
    layerOf: '',
    movable: -1,
    path: '',
    depth: 0,
  };
  // The walk uses its own stack: nesting may be 50,000 deep.
  const stack: Visit[] = [];
  pushAll(stack, roots, root);
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { node } = visit;
    const place = placeOf(visit, options);
    reportLost(node, place.path, walk);
    if (node.type === 'clsref') place.movable = addMovable(node, place, walk);
    else if (isDrawn(node, place, walk)) flat.parts.push(partOf(node, place, flat));
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
  // The fields are named one by one: spreading them took as long as everything else.
  const { worldFrame, linear, own } = frameOf(node, parent, options);
  return {
    worldFrame,
    linear,
    own,
    material: node.material === '' && options.inheritMaterial ? parent.material : node.material,
    layer: inheritsLayer ? parent.layer : node.layer,
    layerOf: inheritsLayer ? parent.layerOf : node.blockName,
    movable: parent.movable,
    path: pathOf(parent, index),
    depth: parent.depth + 1,
  };
}

/** The frame of a node. With inherited scales the map is a general linear one, and the frame the nearest rigid one. */
function frameOf(
  node: PartsListNode,
  { worldFrame, linear }: Place,
  rule: ConvertOptions,
): Pick<Place, 'worldFrame' | 'linear' | 'own'> {
  const { offsetMetres, rotationDegrees } = node;
  if (!linear) {
    const frame = childFrame(worldFrame, offsetMetres, rotationDegrees, rule);
    return { worldFrame: frame, linear: undefined, own: undefined };
  }
  const base = { rotation: linear, translationMetres: worldFrame.translationMetres };
  const translationMetres = movePoint(base, offsetMetres);
  const own = multiplyMat3(linear, rotationFromDegrees(rotationDegrees, rule));
  return {
    worldFrame: { rotation: orthonormalize(own) ?? IDENTITY3, translationMetres },
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

/** Reports a scale of a node that is no `imp`, and unreadable fields. */
function reportLost(node: PartsListNode, path: string, { options, losses }: Walk): void {
  const { type, scale, unreadable } = node;
  if (type !== 'imp' && scale.some((factor) => factor !== 1)) {
    const done = 'not applied: only an imp has a scale';
    losses.add({ where: path, field: 'scale', value: scale, done }, `${done} ${scale}`);
  }
  if (!unreadable) return;
  for (const [field, value] of Object.entries(unreadable)) {
    // An unreadable type counts as an unknown type.
    if (field === 'type') continue;
    const done = doneInstead(field, type, options);
    losses.add({ where: path, field, value, done }, `${field} ${describe(value)} ${done}`);
  }
}

function doneInstead(field: string, type: string, options: ConvertOptions): string {
  const { inheritMaterial, inheritLayers } = options;
  const isInherited = (field === 'mat' && inheritMaterial) || (field === 'lay' && inheritLayers);
  if (isInherited) return 'cannot be read: inherited instead';
  return field === 'btgname' && type === 'imp' ? 'part left out' : 'cannot be read: left out';
}

function addMovable(node: PartsListNode, place: Place, { flat, readLayer }: Walk): number {
  const { worldFrame, path, movable: parent } = place;
  const { tag } = readLayer(node.layer, node.blockName);
  const name = tag === '' ? `movable ${path}` : tag;
  const frame = inMovable(worldFrame, parent, flat);
  return flat.movables.push({ name, layer: node.layer, frame, worldFrame, parent }) - 1;
}

function inMovable(worldFrame: Frame, movable: number, { movables }: FlatParts): Frame {
  return relativeFrame(movables[movable]?.worldFrame ?? WORLD_FRAME, worldFrame);
}

function isDrawn(node: PartsListNode, place: Place, walk: Walk): boolean {
  const { losses, readLayer } = walk;
  if (GROUP_TYPES.has(node.type)) return false;
  if (node.type !== 'imp' && !isSolidType(node.type)) {
    reportUnknown(node, place.path, walk);
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

function reportUnknown(node: PartsListNode, path: string, { options, losses }: Walk): void {
  const code = 'NODE_TYPE_UNKNOWN';
  const value = node.unreadable?.type ?? node.type;
  const type = node.unreadable?.type === undefined ? `"${node.type}"` : describe(value);
  if (options.unknownNodes === 'fail')
    throw new ConverterError(code, `node ${path}: expected a known type, received ${type}`);
  losses.warn(code, `node type ${type} is kept as a group`, path);
  losses.add({ where: path, field: 'type', value, done: 'kept as a group' }, `type ${type}`);
}

function partOf(node: PartsListNode, place: Place, flat: FlatParts): Part {
  const { path, worldFrame, own, material, layer, movable } = place;
  const frame = inMovable(worldFrame, movable, flat);
  const { scale, bakedShape } = own
    ? shapeOf(worldFrame, own, scaleOf(node))
    : { scale: scaleOf(node), bakedShape: undefined };
  return { node, path, frame, worldFrame, scale, bakedShape, material, layer, movable };
}

/** The scale of a node. Only an `imp` has one. */
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

interface Layer {
  /** Text after the mode, as sent, or empty. */
  tag: string;
  isDropped: boolean;
}

type LayerReader = (layer: string, blockName: string) => Layer;

const NO_LAYER: Layer = { tag: '', isDropped: false };

/** Number of parts in which names and mode are searched: names have few parts, and a longer search takes too long. */
const MOST_PARTS = 32;

/** The one mode whose own name contains an underscore. */
const TWO_WORD_MODE = 'ARTICLE_INFO';

/**
 * Creates a reader of the layers of one article, each with the name of its node's block (D-112).
 *
 * @param names - Qualified names such as `ACME::DESK::LEG`: a layer may begin with their first two segments.
 * @param dropLayers - Globs, compared with the mode and its tag.
 *
 * @example
 * ```ts
 * createLayerReader(['FRM::FRMR_2Q::'], ['D2*'])('72_FRM_FRMR_2Q_D2_PLAN', '');
 * // → { tag: 'PLAN', isDropped: true }
 * ```
 */
export function createLayerReader(
  names: readonly string[],
  dropLayers: ConvertOptions['dropLayers'],
): LayerReader {
  const prefixes = new Set(names.flatMap(prefixesOf));
  const dropped = dropLayers.map(globMatcher);
  const known = [...dropped, ...[...CONVERT_DEFAULTS.dropLayers, 'D3*'].map(globMatcher)];
  const layers = new Map<string, Layer>();
  return (layer, blockName) => {
    if (layer === '') return NO_LAYER;
    const key = `${layer}\0${blockName}`;
    const before = layers.get(key);
    if (before) return before;
    const rest = /^72_(.+)$/s.exec(layer)?.[1] ?? '';
    const own = prefixesOf(blockName);
    const isPrefix = (text: string) => prefixes.has(text) || own.includes(text);
    const modeAndTag = behindNames(rest, isPrefix, known);
    const isDropped = modeAndTag !== '' && dropped.some((matches) => matches(modeAndTag));
    const read = { tag: tagOf(modeAndTag), isDropped };
    layers.set(key, read);
    return read;
  };
}

/** `MANUFACTURER_SERIES_` of a qualified name, in upper case; empty if the name has another form. */
function prefixesOf(name: string): string[] {
  const [manufacturer, series, block] = canonicalName(name).split('::');
  return manufacturer && series && block !== undefined ? [`${manufacturer}_${series}_`] : [];
}

/** The text after the longest prefix that fits; else from the first known mode; else after two parts. */
function behindNames(
  rest: string,
  isPrefix: (text: string) => boolean,
  known: readonly ((text: string) => boolean)[],
): string {
  const parts = rest.split('_');
  const from = (index: number) => parts.slice(index).join('_');
  const few = parts.slice(0, MOST_PARTS);
  const inNames = few.findLastIndex((_, i) =>
    isPrefix(`${few.slice(0, i).join('_')}_`.toUpperCase()),
  );
  if (inNames > 0) return from(inNames);
  const isMode = (index: number) => {
    const text = from(index);
    return known.some((matches) => matches(text));
  };
  const mode = few.findIndex((_, i) => i >= 2 && isMode(i));
  return from(Math.max(2, mode));
}

function tagOf(modeAndTag: string): string {
  const hasTwoWords = modeAndTag.toUpperCase().startsWith(TWO_WORD_MODE);
  return modeAndTag.slice(hasTwoWords ? TWO_WORD_MODE.length : 0).replace(/^[^_]*_?/, '');
}
