/** The sample: articles of all manufacturers and series, those with the most distinct features first. */

import type { ArticleRequest } from '../../model/article.ts';
import { articleKey } from '../../model/configuration-id.ts';
import { groupBy } from '../../support/group-by.ts';
import type { Features } from './features.ts';

/** A feature counts until so many articles of the sample have it: one article may be an exception. */
const WANTED = 3;

/**
 * Orders requests so that any first part of them is spread: the series take turns, and within a series the base articles.
 *
 * @example
 * ```ts
 * spread([desk1, desk1InOak, desk2, chair]); // → [desk1, chair, desk2, desk1InOak], if the chair is of another series
 * ```
 */
export function spread<T extends { request: ArticleRequest }>(items: readonly T[]): T[] {
  const seriesOf = ({ request }: T) => `${request.manufacturer}\0${request.program}`;
  const series = [...groupBy(items, seriesOf).values()].map((own) => {
    const articles = [...groupBy(own, ({ request }) => articleKey(request)).values()];
    return inTurns(articles);
  });
  return inTurns(series);
}

/** The first items of all lists, then the second ones, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => (at < list.length ? [list[at]!] : [])),
  ).flat();
}

/**
 * Chooses articles: each time the one with the most features that few of the chosen ones have.
 *
 * @param chosen - Articles that are chosen already; they count.
 * @returns The new ones, at most `count`, in the order in which they were chosen.
 */
export function chooseByFeatures<T extends { features: Features }>(
  pool: readonly T[],
  count: number,
  chosen: readonly T[] = [],
): T[] {
  const covered = new Map<string, number>();
  const namesOf = ({ features }: T) => features.all().map(({ group, name }) => `${group}\0${name}`);
  const note = (article: T) => {
    for (const name of namesOf(article)) covered.set(name, (covered.get(name) ?? 0) + 1);
  };
  chosen.forEach(note);
  const left = new Set(pool.filter((article) => !chosen.includes(article)));
  const found: T[] = [];
  const worthOf = (article: T) =>
    namesOf(article).reduce((sum, name) => {
      const times = covered.get(name) ?? 0;
      return sum + (times < WANTED ? 1 / (times + 1) : 0);
    }, 0);
  while (found.length < count && left.size > 0) {
    let best: T | undefined;
    let worth = -1;
    for (const article of left) {
      const own = worthOf(article);
      if (own > worth) [best, worth] = [article, own];
    }
    left.delete(best!);
    found.push(best!);
    note(best!);
  }
  return found;
}
