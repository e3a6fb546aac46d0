/** Finds the nodes of a model that are movable parts, and the article to which each of them belongs. */
import type { Mesh, Object3D } from 'three';

/** A movable node and its article: the whole model, or an article that was placed in a planning. */
interface PartNode {
  node: Object3D;
  article: Object3D;
}

/**
 * Finds the parts, parents first. If everything that an article draws is in movable nodes, these nodes are articles,
 * such as those placed in a planning: they have nothing to move against, so they do not move.
 */
export function findParts(root: Object3D): PartNode[] {
  const found: PartNode[] = [];
  const articles = [root];
  // The list grows while it is iterated.
  for (const article of articles) {
    const all = movablesBelow(article);
    const movables = new Set(all);
    const outermost = all.filter((node) => !isInside(node, movables));
    const inMovables = outermost.reduce((sum, node) => sum + meshesBelow(node).length, 0);
    if (inMovables === meshesBelow(article).length) articles.push(...outermost);
    else found.push(...all.map((node) => ({ node, article })));
  }
  return found;
}

/** All meshes of a node. */
export function meshesBelow(node: Object3D): Mesh[] {
  const found: Mesh[] = [];
  node.traverse((object) => {
    if ((object as Mesh).isMesh) found.push(object as Mesh);
  });
  return found;
}

/** The innermost of several holders to whose node an object belongs. */
export function holderOf<T extends { node: Object3D }>(
  object: Object3D,
  holders: readonly T[],
): T | undefined {
  for (let at: Object3D | null = object; at; at = at.parent) {
    const holder = holders.find(({ node }) => node === at);
    if (holder) return holder;
  }
  return undefined;
}

function isInside(node: Object3D, others: ReadonlySet<Object3D>): boolean {
  for (let at = node.parent; at; at = at.parent) if (others.has(at)) return true;
  return false;
}

function movablesBelow(article: Object3D): Object3D[] {
  const found: Object3D[] = [];
  article.traverse((node) => {
    if (node !== article && node.userData.movable === true) found.push(node);
  });
  return found;
}
