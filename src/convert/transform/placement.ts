/**
 * Decides which children of a planning are in its parts list. The service does not send the place of a child:
 * a child is found if all its drawn parts are, in the same positions relative to one another.
 */

import type { ArticleKey, ArticleRequest, PlanningChild } from '../../model/article.ts';
import { articleLabel, configurationKey } from '../../model/configuration-id.ts';
import type { UnplacedChild } from '../../model/snapshot.ts';
import type { Warning } from '../../model/warning.ts';
import { asConverterError, endsRun } from '../../support/errors.ts';
import { groupBy } from '../../support/group-by.ts';
import {
  childFrame,
  type Frame,
  movePoint,
  relativeFrame,
  WORLD_FRAME,
} from '../math/ofml-frame.ts';
import { multiplyMat3 } from '../math/vec.ts';
import type { PartsList, PartsListNode, Vec3 } from '../model/graphics.ts';
import { canonicalName } from '../wire/value.ts';

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
  const parts = drawnParts(partsList.nodes);
  const planning = unclaimedOf(parts);
  const all = drawn.reduce((sum, child) => sum + (child.parts?.length ?? 0), parts.length);
  const search = { left: LEAST_COMPARISONS + COMPARISONS_A_PART * all };
  // If children are the same article as the planning, one such shape belongs to the planning itself.
  const own = drawn.find(({ child, parts }) => parts && articleLabel(child) === articleLabel(key));
  if (own !== undefined) claim(planning, own.parts!, anyMaterial, search);
  placeAll(drawn, planning, search);
  // The children of an unplaced child are checked when it is converted by itself.
  const isInUnplaced: boolean[] = [];
  const unplaced = drawn.filter(({ child: { parent }, isPlaced }, index) => {
    isInUnplaced[index] = drawn[parent]?.isPlaced === false || isInUnplaced[parent] === true;
    return !isPlaced && !isInUnplaced[index];
  });
  const named = unplaced.filter(({ child }) => child.basearticlenumber !== '');
  return {
    unplaced: subtrees(children, named),
    warnings: unplaced.map((child) => withoutPlacement(child, search)),
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

function withoutPlacement({ child, parts }: DrawnChild, { left }: Search): Warning {
  const lacking = left > 0 ? "the planning's parts list lacks it" : 'it was not found in time';
  const why = parts ? lacking : 'it has no parts list';
  const number = child.finalarticlenumber === '' ? '' : ` (${child.finalarticlenumber})`;
  const message = `child ${articleLabel(child)}${number}: ${why}, so that it has no position and is an asset of its own`;
  return { code: 'META_CHILD_WITHOUT_PLACEMENT', message };
}

/** Lists each of the given children with its descendants, separately. */
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

interface DrawnPart {
  /** Name of a block, or kind and parameters of a solid. */
  shape: string;
  frame: Frame;
  scale: Vec3;
  /** Effective material in upper case; empty where no ancestor has one. */
  material: string;
  /** Index in its parts list. */
  index: number;
}

interface Unclaimed {
  byShape: Map<string, Set<DrawnPart>>;
  byLook: Map<string, Set<DrawnPart>>;
  /** Parts by shape and cell of space. */
  byCell: Map<string, Set<DrawnPart>>;
}

/** Number of comparisons left. At 0 no further child is found, so that the search takes linear time. */
interface Search {
  left: number;
}

const LEAST_COMPARISONS = 1_000_000;
const COMPARISONS_A_PART = 50;

/**
 * Finds a place for each child; parents precede their children. Each drawn part is claimed by one child at
 * most, by the child with most parts first, so that two equal children need two places. A child's own
 * children are searched in its parts list, then in the planning's.
 */
function placeAll(drawn: readonly DrawnChild[], planning: Unclaimed, search: Search): void {
  for (const [parent, siblings] of groupBy(drawn, ({ child }) => child.parent)) {
    const order = siblings
      .filter(({ isPlaced, parts }) => !isPlaced && parts !== undefined)
      .sort((a, b) => b.parts!.length - a.parts!.length);
    const container = drawn[parent];
    if (container?.isPlaced) claimEach(unclaimedOf(container.parts!), order, search);
    claimEach(planning, order, search);
  }
}

/** Claims places for children. Parts with the same material are claimed first. */
function claimEach(container: Unclaimed, order: readonly DrawnChild[], search: Search): void {
  for (const alike of [sameMaterial, anyMaterial]) {
    // The number of places only decreases: if one child finds none, an equal child does not either.
    const failed = new Set<string>();
    for (const drawn of order) {
      const key = configurationKey(drawn.child);
      if (drawn.isPlaced || failed.has(key)) continue;
      drawn.isPlaced = claim(container, drawn.parts!, alike, search);
      if (!drawn.isPlaced) failed.add(key);
    }
  }
}

/** Lists the drawn parts, with a stack of its own: nesting may be thousands deep. */
function drawnParts(roots: readonly PartsListNode[]): DrawnPart[] {
  const parts: DrawnPart[] = [];
  const stack = roots.map((node) => ({ node, above: WORLD_FRAME, material: '' })).reverse();
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, above, material: inherited } = visit;
    const frame = childFrame(above, node.offsetMetres, node.rotationDegrees);
    const material = node.material === '' ? inherited : node.material.toUpperCase();
    const { scale } = node;
    if (DRAWN.has(node.type))
      parts.push({ shape: shapeOf(node), frame, scale, material, index: parts.length });
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

function unclaimedOf(parts: readonly DrawnPart[]): Unclaimed {
  const sets = (keyOf: (part: DrawnPart) => string) =>
    new Map(Array.from(groupBy(parts, keyOf), ([key, alike]) => [key, new Set(alike)]));
  return {
    byShape: sets(({ shape }) => shape),
    byLook: sets(lookOf),
    byCell: sets(({ shape, frame }) => cellKey(shape, frame.translationMetres.map(cellOf))),
  };
}

/** Key of shape and material. */
function lookOf({ shape, material }: DrawnPart): string {
  return `${material}\0${shape}`;
}

/** Size of a cell: large against the tolerance, so that a place is in one cell, except near a border. */
const CELL_METRES = 0.1;

function cellOf(metres: number): number {
  return Math.floor(metres / CELL_METRES);
}

function cellKey(shape: string, cell: readonly number[]): string {
  return `${cell.join(' ')} ${shape}`;
}

/** The keys of the cells within the tolerance of a point. */
function keysAround(shape: string, point: Vec3): string[] {
  const low = point.map((metres) => cellOf(metres - CELL_MARGIN));
  const high = point.map((metres) => cellOf(metres + CELL_MARGIN));
  if (low.every((cell, axis) => cell === high[axis])) return [cellKey(shape, low)];
  const [xs, ys, zs] = low.map((cell, axis) => [...new Set([cell, high[axis]!])]);
  return xs!.flatMap((x) => ys!.flatMap((y) => zs!.map((z) => cellKey(shape, [x, y, z]))));
}

/** A little more than the tolerance, for the rounding of the cells. */
const CELL_MARGIN = 1.5 * TOLERANCE;

type Alike = (child: DrawnPart, part: DrawnPart) => boolean;

const anyMaterial: Alike = () => true;
const sameMaterial: Alike = (child, part) =>
  child.material === '' || child.material === part.material;

/** Claims places for all parts of a child, or none. */
function claim(
  unclaimed: Unclaimed,
  child: readonly DrawnPart[],
  alike: Alike,
  search: Search,
): boolean {
  const anchor = rarest(unclaimed, child);
  if (anchor === undefined) return false;
  const fromAnchor = child.map(({ frame }) => relativeFrame(anchor.frame, frame));
  const isColoured = alike === sameMaterial && anchor.material !== '';
  const candidates = isColoured
    ? unclaimed.byLook.get(lookOf(anchor))
    : unclaimed.byShape.get(anchor.shape);
  for (const candidate of candidates ?? []) {
    if (search.left <= 0) return false;
    const claimed = place(unclaimed, child, { fromAnchor, candidate, alike, search });
    if (claimed === undefined) continue;
    for (const part of claimed) {
      const cell = part.frame.translationMetres.map(cellOf);
      unclaimed.byShape.get(part.shape)!.delete(part);
      unclaimed.byLook.get(lookOf(part))!.delete(part);
      unclaimed.byCell.get(cellKey(part.shape, cell))!.delete(part);
    }
    return true;
  }
  return false;
}

/** The part of a child with the fewest places; undefined if there are fewer than the child needs. */
function rarest({ byShape }: Unclaimed, child: readonly DrawnPart[]): DrawnPart | undefined {
  const needed = new Map<string, number>();
  for (const { shape } of child) needed.set(shape, (needed.get(shape) ?? 0) + 1);
  let best: DrawnPart | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const part of child) {
    const there = byShape.get(part.shape)?.size ?? 0;
    if (there < needed.get(part.shape)!) return undefined;
    if (there < fewest) [best, fewest] = [part, there];
  }
  return best;
}

/** The input of a search: the candidate for one part of the child determines the places of the others. */
interface Attempt {
  /** The frame of each part of the child, relative to that part. */
  fromAnchor: readonly Frame[];
  candidate: DrawnPart;
  alike: Alike;
  search: Search;
}

/** The places of a child's parts if the candidate is its anchor; undefined if a part has no place. */
function place(
  unclaimed: Unclaimed,
  child: readonly DrawnPart[],
  { fromAnchor, candidate, alike, search }: Attempt,
): Set<DrawnPart> | undefined {
  const claimed = new Set<DrawnPart>();
  for (const [index, part] of child.entries()) {
    const wanted = { ...part, frame: within(candidate.frame, fromAnchor[index]!) };
    const isPlace = (other: DrawnPart) =>
      !claimed.has(other) && alike(part, other) && isAt(other, wanted);
    const found = findNear(unclaimed, wanted, isPlace, search);
    if (found === undefined) return undefined;
    claimed.add(found);
  }
  return claimed;
}

/** The first matching part near a place. */
function findNear(
  { byCell }: Unclaimed,
  { shape, frame }: DrawnPart,
  isPlace: (part: DrawnPart) => boolean,
  search: Search,
): DrawnPart | undefined {
  let first: DrawnPart | undefined;
  search.left--;
  for (const key of keysAround(shape, frame.translationMetres)) {
    for (const part of byCell.get(key) ?? []) {
      if (search.left-- <= 0) return undefined;
      if (first !== undefined && first.index < part.index) break;
      if (!isPlace(part)) continue;
      first = part;
      break;
    }
  }
  return first;
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
