/**
 * Planning: the children of a top-level article, and which of them its parts list leaves out.
 *
 * In: an article with children and its parts list. Out: the children that become assets of their own.
 * A position is never made up, and a child is loaded as it is, never configured by itself.
 */

import type { Article, ArticleKey, ArticleRequest, PlanningChild } from '../model/article.ts';
import { articleLabel } from '../model/configuration-id.ts';
import type { PartsList, PartsListNode } from '../model/graphics.ts';
import type { UnplacedChild, Warning } from '../model/snapshot.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { heldChildren } from './placed-children.ts';

/** What a planning lacks. */
export interface Placement {
  unplaced: UnplacedChild[];
  warnings: Warning[];
}

/** Code of the warning about a child without a place. */
export const META_CHILD_WITHOUT_PLACEMENT = 'META_CHILD_WITHOUT_PLACEMENT';

/**
 * Lists all descendants of an article as requests, parents before their children.
 *
 * @example
 * ```ts
 * planningChildren(workplace);
 * // → [{ manufacturer: 'ACME', program: 'DESK', basearticlenumber: 'D1', …, parent: -1 }]
 * ```
 *
 * @see Spec 2.2 (`children`); D-804.
 */
export function planningChildren(root: Article): PlanningChild[] {
  const children: PlanningChild[] = [];
  const open = [{ article: root, index: -1 }];
  // Grows while it is walked: one level after the other.
  for (const { article, index } of open) {
    for (const child of article.children) {
      open.push({ article: child, index: children.length });
      children.push({ ...requestOfArticle(child), parent: index });
    }
  }
  return children;
}

/** An article as a request for exactly its configuration. */
export function requestOfArticle(article: Article): ArticleRequest {
  const { manufacturer, program, basearticlenumber, ocd, reinit } = article;
  return {
    manufacturer: manufacturer.toUpperCase(),
    program: program.toUpperCase(),
    basearticlenumber,
    finalarticlenumber: ocd?.finalarticlenumber ?? '',
    reinitstring: ocd?.reinitstring ?? '',
    metareinitstring: reinit,
  };
}

/**
 * Tells which children a planning's parts list does not hold.
 *
 * @param partsListOf - Gets the parts list of a child.
 * @throws {@link ConverterError} what ends a run.
 *
 * @see Spec 3 rule 3, 4.4; D-804.
 */
export async function checkPlacement(
  key: ArticleKey,
  partsList: PartsList,
  children: readonly PlanningChild[],
  partsListOf: (child: ArticleRequest) => Promise<PartsList>,
): Promise<Placement> {
  const lists = await Promise.all(children.map((child) => nodesOf(child, partsListOf)));
  const held = heldChildren(
    partsList.nodes,
    children.map((child, index) => ({
      parent: child.parent,
      nodes: lists[index],
      likeRoot: articleLabel(child) === articleLabel(key),
    })),
  );
  // What an unplaced child holds is looked for where that child is converted by itself.
  const unplaced = children.flatMap((child, index) =>
    held[index] || (child.parent >= 0 && !held[child.parent]) ? [] : [index],
  );
  return {
    unplaced: unplaced
      .filter((index) => children[index]!.basearticlenumber !== '')
      .map((index) => subtree(children, index)),
    warnings: unplaced.map((index) => withoutPlacement(children[index]!, lists[index])),
  };
}

/** The nodes that a child draws; undefined where its parts list cannot be had. */
async function nodesOf(
  child: PlanningChild,
  partsListOf: (child: ArticleRequest) => Promise<PartsList>,
): Promise<PartsListNode[] | undefined> {
  const { parent: _, ...request } = child;
  if (request.basearticlenumber === '') return undefined;
  try {
    return (await partsListOf(request)).nodes;
  } catch (thrown) {
    const error = asConverterError(thrown);
    // Whether it is there cannot be told; why it cannot is told where it is converted by itself.
    if (endsRun(error.code)) throw error;
    return undefined;
  }
}

function withoutPlacement(
  child: PlanningChild,
  nodes: readonly PartsListNode[] | undefined,
): Warning {
  const why =
    nodes === undefined
      ? 'it has no parts list to look for'
      : "the planning's parts list does not hold it";
  const number = child.finalarticlenumber === '' ? '' : ` (${child.finalarticlenumber})`;
  return {
    code: META_CHILD_WITHOUT_PLACEMENT,
    message: `child ${articleLabel(child)}${number}: ${why}, so that it has no position and is an asset of its own`,
  };
}

/** A child with what hangs on it, as a list of its own. */
function subtree(children: readonly PlanningChild[], top: number): UnplacedChild {
  const moved = new Map([[top, -1]]);
  const below: PlanningChild[] = [];
  children.forEach((child, index) => {
    const parent = moved.get(child.parent);
    if (parent === undefined) return;
    moved.set(index, below.length);
    below.push({ ...child, parent });
  });
  const { parent: _, ...request } = children[top]!;
  return { request, children: below };
}
