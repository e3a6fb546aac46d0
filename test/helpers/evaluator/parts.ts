/**
 * Parts: which nodes of a parts list draw something, and where.
 *
 * @see D-102 to D-112b.
 */
import { isObject, type Json, matchesGlob, threeOf } from './json.ts';
import { type Frame, inside, turnOf, type Vec3, WORLD } from './vectors.ts';

/** One node that draws something of its own. */
export interface Part {
  type: string;
  /** As the node spells it. */
  blockName: string;
  params: unknown;
  frame: Frame;
  /** Of an `imp`; ones for solids. */
  scale: Vec3;
  /** Its own or the nearest ancestor's `mat`; empty where there is none. */
  material: string;
  /** The movable nodes above it (and itself), innermost last. */
  movable: Movable | undefined;
  path: () => string;
}

/** A `clsref`: its pivot and what viewers call it. */
export interface Movable {
  name: string;
  frame: Frame;
  outer: Movable | undefined;
}

export interface Parts {
  parts: Part[];
  droppedLayers: number;
  zeroScales: number;
}

interface Step {
  node: Json;
  frame: Frame;
  material: string;
  movable: Movable | undefined;
  index: number;
  parent: Step | undefined;
}

const SOLIDS = ['block', 'frame', 'cyl', 'sphere', 'ellipsoid'];

/** Walks a parts list with a stack of its own. */
export function partsOf(partsList: Json, dropLayers: readonly string[]): Parts {
  const found: Parts = { parts: [], droppedLayers: 0, zeroScales: 0 };
  const roots = listOf(partsList.btg);
  const stack = roots.map((node, index) => stepInto(node, index, undefined));
  for (let step = stack.pop(); step; step = stack.pop()) {
    draw(step, dropLayers, found);
    const above = step;
    listOf(field(step.node, 'childs')).forEach((child, index) => {
      stack.push(stepInto(child, index, above));
    });
  }
  return found;
}

function stepInto(node: Json, index: number, parent: Step | undefined): Step {
  const own = {
    turn: turnOf(threeOf(field(node, 'rot'), 0)),
    move: threeOf(field(node, 'offs'), 0),
  };
  const frame = inside(parent?.frame ?? WORLD, own);
  const material = text(field(node, 'mat')) || (parent?.material ?? '');
  const step: Step = { node, frame, material, movable: parent?.movable, index, parent };
  if (node.type === 'clsref') {
    const name = layerOf(text(field(node, 'lay')))?.tag || `movable ${pathOf(step)}`;
    step.movable = { name, frame, outer: parent?.movable };
  }
  return step;
}

function draw(step: Step, dropLayers: readonly string[], found: Parts): void {
  const { node, frame, material, movable } = step;
  const type = text(node.type);
  if (type !== 'imp' && !SOLIDS.includes(type)) return;
  const layer = layerOf(text(field(node, 'lay')));
  if (layer && dropLayers.some((glob) => matchesGlob(glob, layer.modeAndTag))) {
    found.droppedLayers++;
    return;
  }
  const scale: Vec3 = type === 'imp' ? threeOf(field(node, 'scale'), 1) : [1, 1, 1];
  if (scale.includes(0)) {
    found.zeroScales++;
    return;
  }
  const blockName = text(field(node, 'btgname'));
  const params = field(node, 'params');
  const path = () => pathOf(step);
  found.parts.push({ type, blockName, params, frame, scale, material, movable, path });
}

/** `72_<MAN>_<SERIES>_<MODE>[_<TAG>]`; undefined for anything else. */
function layerOf(lay: string): { modeAndTag: string; tag: string } | undefined {
  const match = /^\d+_[^_]+_[^_]+_(.+)$/.exec(lay);
  const modeAndTag = match?.[1];
  if (modeAndTag === undefined) return undefined;
  const tag = /^(?:ARTICLE_INFO|(?!ARTICLE_INFO)[^_]+)_(.+)$/i.exec(modeAndTag)?.[1] ?? '';
  return { modeAndTag, tag };
}

/** A field is inside `prop`, or beside it. */
function field(node: Json, key: string): unknown {
  const within = isObject(node.prop) ? node.prop[key] : undefined;
  return within ?? node[key];
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function pathOf(step: Step): string {
  const path: number[] = [];
  for (let at: Step | undefined = step; at; at = at.parent) path.push(at.index);
  return path.reverse().join('/');
}
