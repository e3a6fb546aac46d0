/** The children of a top-level article, as requests. */
import type { Article, ArticleRequest, PlanningChild } from '../model/article.ts';

/** Lists all descendants of an article as requests, parents before their children. @see Spec 2.2; D-804. */
export function planningChildren(root: Article): PlanningChild[] {
  const children: PlanningChild[] = [];
  const open = [{ article: root, index: -1 }];
  // The list grows while it is iterated: level by level.
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
