/**
 * Parts: which nodes of a parts list draw something, and where.
 *
 * @see D-102 to D-112b.
 */
import { canonical, isObject, type Json, matchesGlob, threeOf } from './json.ts';
import { type Frame, inside, turnOf, type Vec3, WORLD } from './vectors.ts';

/** One node that draws something of its own. */
export interface Part {
  type: string;
  /** As the node spells it. */
  blockName: string;
  params: unknown;
  /** In the frame of its movable; in the world without one. */
  frame: Frame;
  /** Of an `imp`; ones for solids. */
  scale: Vec3;
  /** Its own or the nearest ancestor's `mat`; empty where there is none. */
  material: string;
  /** The innermost movable node above it. */
  movable: Movable | undefined;
  path: () => string;
}

/** A `clsref`: its pivot and what viewers call it. */
export interface Movable {
  name: string;
  /** In the frame of the next outer one; in the world without one. */
  frame: Frame;
  outer: Movable | undefined;
}

export interface Parts {
  parts: Part[];
  droppedLayers: number;
  zeroScales: number;
  /** Scales of nodes that are no `imp`, which are not applied: each once, as `x,y,z`. */
  unappliedScales: Set<string>;
}

interface Step {
  node: Json;
  /** Mode and tag of its layer. */
  layer: ReturnType<typeof layerOf>;
  /** In the frame of `movable`. */
  frame: Frame;
  material: string;
  movable: Movable | undefined;
  index: number;
  parent: Step | undefined;
}

const SOLIDS = ['block', 'frame', 'cyl', 'sphere', 'ellipsoid'];

/**
 * Walks a parts list with a stack of its own.
 *
 * @param series - `MANUFACTURER::SERIES` of the article.
 */
export function partsOf(partsList: Json, dropLayers: readonly string[], series: string): Parts {
  const found: Parts = {
    parts: [],
    droppedLayers: 0,
    zeroScales: 0,
    unappliedScales: new Set(),
  };
  const roots = listOf(partsList.btg);
  const names = [series, ...(Array.isArray(partsList.blocks) ? partsList.blocks : [])];
  const stack = roots.map((node, index) => stepInto(node, index, undefined, names));
  for (let step = stack.pop(); step; step = stack.pop()) {
    draw(step, dropLayers, found);
    const scale = threeOf(field(step.node, 'scale'), 1);
    if (step.node.type !== 'imp' && scale.some((factor) => factor !== 1))
      found.unappliedScales.add(String(scale));
    const above = step;
    listOf(field(step.node, 'childs')).forEach((child, index) => {
      stack.push(stepInto(child, index, above, names));
    });
  }
  return found;
}

function stepInto(
  node: Json,
  index: number,
  parent: Step | undefined,
  names: readonly unknown[],
): Step {
  const own = {
    turn: turnOf(threeOf(field(node, 'rot'), 0)),
    move: threeOf(field(node, 'offs'), 0),
  };
  const frame = inside(parent?.frame ?? WORLD, own);
  const material = text(field(node, 'mat')) || (parent?.material ?? '');
  const layer = layerOf(text(field(node, 'lay')), [...names, field(node, 'btgname')]);
  const step: Step = { node, layer, frame, material, movable: parent?.movable, index, parent };
  if (node.type === 'clsref') {
    const name = layer?.tag || `movable ${pathOf(step)}`;
    step.movable = { name, frame, outer: parent?.movable };
    step.frame = WORLD;
  }
  return step;
}

function draw(step: Step, dropLayers: readonly string[], found: Parts): void {
  const { node, layer, frame, material, movable } = step;
  const type = text(node.type);
  if (type !== 'imp' && !SOLIDS.includes(type)) return;
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

/** The modes that layers are known to have, behind names that may contain underscores themselves. */
const MODES = /^(?:ACOUSTICS|ATTACH|ORIGIN|D2|D3|DIMENSIONS|TEXT|ARTICLE_INFO)/i;

/** `72_<MAN>_<SERIES>_<MODE>[_<TAG>]`; undefined for anything else. */
function layerOf(
  lay: string,
  names: readonly unknown[],
): { modeAndTag: string; tag: string } | undefined {
  const parts = lay.split('_');
  if (parts.shift() !== '72') return undefined;
  const left = (from: number) => parts.slice(from).join('_');
  const starts = names
    .map((name) => canonical(text(name)).split('::').slice(0, 2).join('_').split('_'))
    .filter((start) => start.length > 1 && start.length < parts.length)
    .filter((start) => start.every((s, i) => s === parts[i]!.toUpperCase()))
    .map((start) => start.length);
  const known = parts.findIndex((_, i) => i > 1 && MODES.test(left(i)));
  const modeAndTag = left(starts.length > 0 ? Math.max(...starts) : Math.max(known, 2));
  if (modeAndTag === '') return undefined;
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
