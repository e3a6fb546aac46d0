/**
 * Decides which children of a planning are in its parts list. The service does not say where a child is:
 * a child is there if all its drawn parts are, in the same positions relative to one another.
 */
import {
  childFrame,
  type Frame,
  movePoint,
  relativeFrame,
  WORLD_FRAME,
} from '../math/ofml-frame.ts';
import { multiplyMat3 } from '../math/vec.ts';
import type { ArticleKey, ArticleRequest, PlanningChild } from '../model/article.ts';
import { articleLabel } from '../model/configuration-id.ts';
import type { PartsList, PartsListNode, Vec3 } from '../model/graphics.ts';
import type { UnplacedChild, Warning } from '../model/snapshot.ts';
import { canonicalName } from '../service/wire-value.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { groupBy } from '../support/group-by.ts';

/** Code of the warning about a child without a place. */
export const META_CHILD_WITHOUT_PLACEMENT = 'META_CHILD_WITHOUT_PLACEMENT';

/** A child of a planning, as it is drawn by itself. */
interface DrawnChild {
  child: PlanningChild;
  /** Undefined if its parts list cannot be fetched. */
  parts: DrawnPart[] | undefined;
  isPlaced: boolean;
}

/** Finds the children that a planning's parts list does not contain; they become assets of their own. @see D-804. */
export async function checkPlacement(
  key: ArticleKey,
  partsList: PartsList,
  children: readonly PlanningChild[],
  partsListOf: (child: ArticleRequest) => Promise<PartsList>,
): Promise<{ unplaced: UnplacedChild[]; warnings: Warning[] }> {
  if (children.length === 0) return { unplaced: [], warnings: [] };
  const drawn = await Promise.all(
    children.map(async (child): Promise<DrawnChild> => {
      const parts = await partsOf(child, partsListOf);
      return { child, parts, isPlaced: parts?.length === 0 };
    }),
  );
  const planning = byShape(drawnParts(partsList.nodes));
  // Of the children that are the same article as the planning, one such shape is the planning's own.
  const own = drawn.find(({ child, parts }) => parts && articleLabel(child) === articleLabel(key));
  if (own !== undefined) claim(planning, own.parts!);
  placeAll(drawn, planning);
  // The children of an unplaced child are checked when it is converted by itself.
  const isInUnplaced: boolean[] = [];
  const unplaced = drawn.filter(({ child: { parent }, isPlaced }, index) => {
    isInUnplaced[index] = drawn[parent]?.isPlaced === false || isInUnplaced[parent] === true;
    return !isPlaced && !isInUnplaced[index];
  });
  const named = unplaced.filter(({ child }) => child.basearticlenumber !== '');
  return {
    unplaced: subtrees(children, named),
    warnings: unplaced.map(withoutPlacement),
  };
}

async function partsOf(
  { parent: _, ...request }: PlanningChild,
  partsListOf: (child: ArticleRequest) => Promise<PartsList>,
): Promise<DrawnPart[] | undefined> {
  if (request.basearticlenumber === '') return undefined;
  try {
    return drawnParts((await partsListOf(request)).nodes);
  } catch (thrown) {
    const error = asConverterError(thrown);
    // The reason is reported when the child is converted by itself.
    if (endsRun(error.code)) throw error;
    return undefined;
  }
}

function withoutPlacement({ child, parts }: DrawnChild): Warning {
  const why = parts ? "the planning's parts list lacks it" : 'it has no parts list';
  const number = child.finalarticlenumber === '' ? '' : ` (${child.finalarticlenumber})`;
  const message = `child ${articleLabel(child)}${number}: ${why}, so that it has no position and is an asset of its own`;
  return { code: META_CHILD_WITHOUT_PLACEMENT, message };
}

/** Each of some children with its descendants, as a list of its own. */
function subtrees(all: readonly PlanningChild[], tops: readonly DrawnChild[]): UnplacedChild[] {
  const indexOf = new Map(all.map((child, index) => [child, index]));
  const indicesOf = groupBy(all.keys(), (index) => all[index]!.parent);
  return tops.map(({ child: { parent: _, ...request }, child }) => {
    const below = [indexOf.get(child)!];
    // The list grows while it is iterated.
    for (const index of below) for (const inner of indicesOf.get(index) ?? []) below.push(inner);
    const [top, ...inner] = below;
    inner.sort((a, b) => a - b);
    const moved = new Map([[top, -1], ...inner.map((index, at) => [index, at] as const)]);
    const children = inner.map((index) => {
      return { ...all[index]!, parent: moved.get(all[index]!.parent)! };
    });
    return { request, children };
  });
}

/** Tolerance for positions that the service rounds: 1 mm, and 1 mm in a metre. */
const TOLERANCE = 1e-3;

/** Node types that draw something; all others are frames. */
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
 * Finds a place for each child; parents precede their children. Each drawn part is claimed by one child at
 * most, by the child with most parts first, so that two equal children need two places. A child's own
 * children are searched in its parts list, then in the planning's.
 */
function placeAll(drawn: readonly DrawnChild[], planning: Unclaimed): void {
  for (const [parent, siblings] of groupBy(drawn, ({ child }) => child.parent)) {
    const order = siblings
      .filter(({ isPlaced, parts }) => !isPlaced && parts !== undefined)
      .sort((a, b) => b.parts!.length - a.parts!.length);
    const container = drawn[parent];
    if (container?.isPlaced) claimEach(byShape(container.parts!), order);
    claimEach(planning, order);
  }
}

/** Parts with the same material are claimed first. */
function claimEach(container: Unclaimed, order: readonly DrawnChild[]): void {
  for (const alike of [sameMaterial, anyMaterial]) {
    for (const child of order) child.isPlaced ||= claim(container, child.parts!, alike);
  }
}

/** Uses a stack of its own: nesting may be thousands deep. */
function drawnParts(roots: readonly PartsListNode[]): DrawnPart[] {
  const parts: DrawnPart[] = [];
  const stack = roots.map((node) => ({ node, above: WORLD_FRAME, material: '' })).reverse();
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, above, material: inherited } = visit;
    const frame = childFrame(above, node.offsetMetres, node.rotationDegrees);
    const material = node.material === '' ? inherited : node.material.toUpperCase();
    const { scale } = node;
    if (DRAWN.has(node.type)) parts.push({ shape: shapeOf(node), frame, scale, material });
    for (let i = node.children.length - 1; i >= 0; i--) {
      stack.push({ node: node.children[i]!, above: frame, material });
    }
  }
  return parts;
}

function shapeOf(node: PartsListNode): string {
  if (node.type === 'imp') return canonicalName(node.blockName);
  return `${node.type} ${JSON.stringify(node.params)}`;
}

function byShape(parts: readonly DrawnPart[]): Unclaimed {
  const groups = groupBy(parts, ({ shape }) => shape);
  return new Map(Array.from(groups, ([shape, alike]) => [shape, new Set(alike)]));
}

type Alike = (child: DrawnPart, part: DrawnPart) => boolean;

const anyMaterial: Alike = () => true;
const sameMaterial: Alike = (child, part) =>
  child.material === '' || child.material === part.material;

/** Claims places for all parts of a child, or none. */
function claim(unclaimed: Unclaimed, child: readonly DrawnPart[], alike = anyMaterial): boolean {
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

/** The part of a child with the fewest places; undefined if there are fewer than it needs. */
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

/** The places of a child's parts if the candidate is its anchor; undefined if one has no place. */
function place(
  unclaimed: Unclaimed,
  child: readonly DrawnPart[],
  anchor: DrawnPart,
  candidate: DrawnPart,
  alike: Alike,
): Set<DrawnPart> | undefined {
  const claimed = new Set<DrawnPart>();
  for (const part of child) {
    const frame = within(candidate.frame, relativeFrame(anchor.frame, part.frame));
    const isPlace = (other: DrawnPart) =>
      isAt(other, { ...part, frame }) && alike(part, other) && !claimed.has(other);
    const found = findIn(unclaimed.get(part.shape)!, isPlace);
    if (found === undefined) return undefined;
    claimed.add(found);
  }
  return claimed;
}

/** Unlike an array of it, a set need not be copied to be searched. */
function findIn<T>(items: Iterable<T>, isWanted: (item: T) => boolean): T | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}

function within(outer: Frame, inner: Frame): Frame {
  return {
    rotation: multiplyMat3(outer.rotation, inner.rotation),
    translationMetres: movePoint(outer, inner.translationMetres),
  };
}

function isAt(a: DrawnPart, b: DrawnPart): boolean {
  return (
    near(a.frame.translationMetres, b.frame.translationMetres) &&
    near(a.frame.rotation, b.frame.rotation) &&
    near(a.scale, b.scale)
  );
}

function near(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, index) => Math.abs(value - b[index]!) <= TOLERANCE);
}
