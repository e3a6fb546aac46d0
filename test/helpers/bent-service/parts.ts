/** Parts lists of a bent service: the same parts in the same places, written for a reader of another convention. */

import type { Wire } from '../sample-range.ts';
import type { Meaning } from './meaning.ts';
import {
  anglesOf,
  type Convention,
  matrixOf,
  moved,
  product,
  transposed,
  type Vector,
} from './turns.ts';

/** Layers that are not drawn. */
const HELPER = /_(?:D2|TEXT|DIMENSIONS|ACOUSTICS|ATTACH|ORIGIN)/;
const NONE: Vector = [0, 0, 0];
const ONES: Vector = [1, 1, 1];

/** What the names of blocks say about their bends. */
export interface Sizes {
  /** How much smaller the block is served than it was; the node that uses it is scaled. */
  sizeOf(blockName: string): number;
  convention: Convention;
  unit: number;
  isUpZ: boolean;
}

/** Rewrites the nodes of a parts list; it may be changed. */
export function bendNodes(list: Wire, meaning: Meaning, sizes: Sizes): void {
  list.btg.forEach(unfold);
  for (const node of everyNode(list.btg)) enlarge(node, sizes);
  if (meaning.inheritScale !== undefined)
    for (const node of everyNode(list.btg))
      if (node.type !== 'imp') moveBelowScaled(node, meaning.inheritScale === true);
  if (meaning.inheritLayers === true) list.btg = list.btg.map(withLayersAbove);
  if (meaning.inheritMaterial === true) list.btg.forEach(liftMaterials);
  if (sizes.isUpZ) list.btg = [{ type: 'top', prop: { rot: [90, 0, 0], childs: list.btg } }];
  for (const { prop } of everyNode(list.btg)) {
    if (prop.rot) prop.rot = anglesOf(matrixOf(prop.rot.map(Number)), sizes.convention);
    if (prop.offs) prop.offs = prop.offs.map((value: number) => value * sizes.unit);
  }
}

/** Every node, parents first. */
export function everyNode(nodes: Wire[]): Wire[] {
  return nodes.flatMap((node) => [node, ...everyNode(node.prop.childs)]);
}

/** Brings the children of a node into `prop`. */
function unfold(node: Wire): void {
  node.prop ??= {};
  node.prop.childs = [...(node.prop.childs ?? []), ...(node.childs ?? [])];
  delete node.childs;
  node.prop.childs.forEach(unfold);
}

function enlarge({ type, prop }: Wire, { sizeOf }: Sizes): void {
  const size = type === 'imp' ? sizeOf(prop.btgname) : 1;
  if (size !== 1) prop.scale = (prop.scale ?? ONES).map((value: number) => value * size);
}

/** Makes the second of two parts a child of the first, where that is scaled alike along all axes. */
function moveBelowScaled({ prop }: Wire, isScaleInherited: boolean): void {
  const { childs } = prop;
  for (let at = 0; at + 1 < childs.length; at++) {
    const [first, second] = [childs[at], childs[at + 1]];
    const [scale, ...others] = (first.prop.scale ?? ONES) as Vector;
    const isUniform = scale > 0 && scale !== 1 && others.every((value) => value === scale);
    if (first.type !== 'imp' || second.type !== 'imp' || !isUniform) continue;
    if (second.prop.mat === undefined || second.prop.lay === undefined) continue;
    const back = transposed(matrixOf(first.prop.rot ?? NONE));
    const from = first.prop.offs ?? NONE;
    const way = (second.prop.offs ?? NONE).map((value: number, axis: number) => value - from[axis]);
    const factor = isScaleInherited ? 1 / scale : 1;
    second.prop.offs = moved(back, way).map((value) => value * factor);
    second.prop.rot = anglesOf(product(back, matrixOf(second.prop.rot ?? NONE)));
    second.prop.scale = (second.prop.scale ?? ONES).map((value: number) => value * factor);
    first.prop.childs.push(second);
    childs.splice(at + 1, 1);
  }
}

/** Puts the layer of a helper on a node above it. */
function withLayersAbove(node: Wire): Wire {
  node.prop.childs = node.prop.childs.map(withLayersAbove);
  const { lay } = node.prop;
  if (node.type !== 'imp' || lay === undefined || !HELPER.test(lay)) return node;
  delete node.prop.lay;
  return { type: 'top', prop: { lay, childs: [node] } };
}

/** Gives the material of a group's parts to the group, where all have the same. */
function liftMaterials(node: Wire): void {
  const { childs } = node.prop;
  childs.forEach(liftMaterials);
  const names = new Set(childs.map(({ prop }: Wire) => prop.mat));
  if (childs.length === 0 || names.size !== 1 || node.type === 'imp') return;
  const [mat] = names;
  if (mat === undefined) return;
  node.prop.mat = mat;
  for (const { prop } of childs) delete prop.mat;
}
