/**
 * Placed children: which children of a planning stand in its parts list.
 *
 * In: the parts list of the planning and those of its children. Out: yes or no for each child.
 * Nothing of the service says where a child is, so that only the drawn parts themselves can tell:
 * a child is there where all its parts are, in the places that they have to one another.
 */
import {
  childFrame,
  type Frame,
  movePoint,
  relativeFrame,
  WORLD_FRAME,
} from '../math/ofml-frame.ts';
import { multiplyMat3 } from '../math/vec.ts';
import type { PartsListNode, Vec3 } from '../model/graphics.ts';
import { canonicalName } from '../service/wire-value.ts';

/** A child of a planning, as it is built by itself. */
export interface ChildParts {
  /** Index of the child that holds this one, or -1 for a child of the planning itself. */
  parent: number;
  /** Its own parts list; undefined where it cannot be had. */
  nodes: readonly PartsListNode[] | undefined;
  /** Whether the planning's own article is the same: then one such shape is the planning's own. */
  likeRoot: boolean;
}

/** Places that a service rounds on its way are still the same place: 1 mm, and 1 mm in a metre. */
const TOLERANCE = 1e-3;

/** Parts that draw something; all else is a frame for others. */
const DRAWN = new Set(['imp', 'block', 'frame', 'cyl', 'sphere', 'ellipsoid']);

/** One drawn part, in the terms of its parts list. */
interface DrawnPart {
  /** Block, or kind and parameters of a solid. */
  shape: string;
  frame: Frame;
  scale: Vec3;
  /** Effective material in upper case; empty where no ancestor has one. */
  material: string;
}

/** Drawn parts by shape, each to be claimed once. */
type Unclaimed = Map<string, Set<DrawnPart>>;

/**
 * Finds the children that a planning's parts list holds.
 *
 * Each drawn part is claimed by one child at most, the child of most parts first, so that two equal
 * children need two places. A child's own children are looked for in its parts list, then in the
 * planning's. A child that draws nothing is held: there is nothing to place.
 *
 * @param root - Parts list of the planning.
 * @param children - n children, each parent before its own children.
 * @returns n answers.
 *
 * @example
 * ```ts
 * heldChildren([{ ...top, offsetMetres: [1, 0, 0], children: [leg] }], [{ parent: -1, nodes: [leg], likeRoot: false }]);
 * // → [true]
 * ```
 *
 * @see D-804.
 */
export function heldChildren(
  root: readonly PartsListNode[],
  children: readonly ChildParts[],
): boolean[] {
  const parts = children.map(({ nodes }) => nodes && drawnParts(nodes));
  const held = parts.map((own) => own !== undefined && own.length === 0);
  const planning = byShape(drawnParts(root));
  const double = children.findIndex(
    ({ likeRoot }, index) => likeRoot && parts[index] !== undefined,
  );
  if (double >= 0) claim(planning, parts[double]!);
  for (const [parent, siblings] of groupByParent(children)) {
    const container = parent < 0 ? planning : held[parent] && byShape(parts[parent]!);
    const order = siblings
      .filter((index) => !held[index] && parts[index] !== undefined)
      .sort((a, b) => parts[b]!.length - parts[a]!.length || a - b);
    if (container) claimEach(container, order, parts, held);
    if (parent >= 0) claimEach(planning, order, parts, held);
  }
  return held;
}

/** Those that look alike go first: of two equal shapes the one of the right material is there. */
function claimEach(
  container: Unclaimed,
  order: readonly number[],
  parts: readonly (DrawnPart[] | undefined)[],
  held: boolean[],
): void {
  for (const alike of [sameLook, anyLook]) {
    for (const index of order) held[index] ||= claim(container, parts[index]!, alike);
  }
}

/** Children by the one that holds them, parents first. */
function groupByParent(children: readonly ChildParts[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  children.forEach(({ parent }, index) => {
    const siblings = groups.get(parent);
    if (siblings === undefined) groups.set(parent, [index]);
    else siblings.push(index);
  });
  return groups;
}

/** Walks with a stack of its own: nesting may be thousands deep. */
function drawnParts(roots: readonly PartsListNode[]): DrawnPart[] {
  const parts: DrawnPart[] = [];
  const stack = roots.map((node) => ({ node, above: WORLD_FRAME, look: '' })).reverse();
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, above, look } = visit;
    const frame = childFrame(above, node.offsetMetres, node.rotationDegrees);
    const material = node.material === '' ? look : node.material.toUpperCase();
    if (DRAWN.has(node.type)) {
      const { scale } = node;
      parts.push({ shape: shapeOf(node), frame, scale, material });
    }
    for (let i = node.children.length - 1; i >= 0; i--) {
      stack.push({ node: node.children[i]!, above: frame, look: material });
    }
  }
  return parts;
}

function shapeOf(node: PartsListNode): string {
  if (node.type === 'imp') return canonicalName(node.blockName);
  return `${node.type} ${JSON.stringify(node.params)}`;
}

function byShape(parts: readonly DrawnPart[]): Unclaimed {
  const unclaimed: Unclaimed = new Map();
  for (const part of parts) {
    const same = unclaimed.get(part.shape);
    if (same === undefined) unclaimed.set(part.shape, new Set([part]));
    else same.add(part);
  }
  return unclaimed;
}

type Alike = (child: DrawnPart, part: DrawnPart) => boolean;

const anyLook: Alike = () => true;
const sameLook: Alike = (child, part) => child.material === '' || child.material === part.material;

/** Claims a place for all parts of a child, or nothing. */
function claim(unclaimed: Unclaimed, child: readonly DrawnPart[], alike = anyLook): boolean {
  const anchor = rarest(unclaimed, child);
  if (anchor === undefined) return false;
  for (const candidate of unclaimed.get(anchor.shape)!) {
    const claimed = place(unclaimed, child, anchor, candidate, alike);
    if (claimed === undefined) continue;
    for (const part of claimed) unclaimed.get(part.shape)!.delete(part);
    return true;
  }
  return false;
}

/** The part of a child that has the fewest places; none where there are fewer than it needs. */
function rarest(unclaimed: Unclaimed, child: readonly DrawnPart[]): DrawnPart | undefined {
  const needed = new Map<string, number>();
  for (const { shape } of child) needed.set(shape, (needed.get(shape) ?? 0) + 1);
  let best: DrawnPart | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const part of child) {
    const there = unclaimed.get(part.shape)?.size ?? 0;
    if (there < needed.get(part.shape)!) return undefined;
    if (there < fewest) [best, fewest] = [part, there];
  }
  return best;
}

/** The parts that a child's parts are, if its anchor is that candidate; undefined where one has none. */
function place(
  unclaimed: Unclaimed,
  child: readonly DrawnPart[],
  anchor: DrawnPart,
  candidate: DrawnPart,
  alike: Alike,
): Set<DrawnPart> | undefined {
  const claimed = new Set<DrawnPart>();
  for (const part of child) {
    const expected = within(candidate.frame, relativeFrame(anchor.frame, part.frame));
    const found = find(unclaimed.get(part.shape)!, part, expected, claimed, alike);
    if (found === undefined) return undefined;
    claimed.add(found);
  }
  return claimed;
}

function within(outer: Frame, inner: Frame): Frame {
  return {
    rotation: multiplyMat3(outer.rotation, inner.rotation),
    translationMetres: movePoint(outer, inner.translationMetres),
  };
}

function find(
  candidates: ReadonlySet<DrawnPart>,
  wanted: DrawnPart,
  at: Frame,
  claimed: ReadonlySet<DrawnPart>,
  alike: Alike,
): DrawnPart | undefined {
  for (const part of candidates) {
    const there =
      near(part.frame.translationMetres, at.translationMetres) &&
      near(part.frame.rotation, at.rotation) &&
      near(part.scale, wanted.scale);
    if (there && alike(wanted, part) && !claimed.has(part)) return part;
  }
  return undefined;
}

function near(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, index) => Math.abs(value - b[index]!) <= TOLERANCE);
}
