/** Readings that are wrong together: none of them alone makes places right, so that they are compared together. */

import type { Scene } from '../convert/model/scene.ts';
import type { ConvertOptions } from '../convert/transform/convert-options.ts';
import type { SurveyedArticle } from './articles/surveyed-article.ts';
import { GEOMETRY_MEASURES, placedParts } from './indications/geometry.ts';
import { plausibleSize } from './indications/plausible-size.ts';
import { READINGS, type ReadingOption, valuesOf } from './readings/readings.ts';
import { partsOf } from './readings/scene-parts.ts';

/** So many articles, those with the fewest parts: there may be fifty combinations. */
const MOST_ARTICLES = 10;

/**
 * Finds the values of several options with which most measures of most articles are as good as with any.
 *
 * @param base - The present values; of combinations that are equally good, the one with most of them is taken.
 */
export async function jointReading(
  articles: readonly SurveyedArticle[],
  options: readonly ReadingOption[],
  base: ConvertOptions,
  sceneOf: (article: SurveyedArticle, options: ConvertOptions) => Promise<Scene>,
): Promise<ConvertOptions> {
  const touched = options.filter((option) =>
    articles.some(({ features }) => READINGS[option].touches(features)),
  );
  const combinations = combinationsOf(touched, base);
  const chosen = articles
    .filter(({ features }) => touched.some((option) => READINGS[option].touches(features)))
    .toSorted((a, b) => a.drawn.length - b.drawn.length)
    .slice(0, MOST_ARTICLES);
  const wins = combinations.map(() => 0);
  for (const article of chosen) {
    const stated = plausibleSize(article.snapshot.article);
    const placed = [];
    for (const options of combinations)
      placed.push(placedParts(partsOf(await sceneOf(article, options))));
    for (const { measure, tolerance } of GEOMETRY_MEASURES) {
      const breaches = placed.map((parts) => measure(parts, stated) ?? 0);
      const best = Math.min(...breaches) + tolerance;
      for (const [at, breach] of breaches.entries()) if (breach <= best) wins[at]!++;
    }
  }
  // The present combination is the first one, and nearer ones come before others.
  return combinations[wins.indexOf(Math.max(...wins))]!;
}

/** All combinations, those with most of the present values first. */
function combinationsOf(
  options: readonly ReadingOption[],
  base: ConvertOptions,
): [ConvertOptions, ...ConvertOptions[]] {
  const all = options.reduce<ConvertOptions[]>(
    (some, option) =>
      some.flatMap((one) => valuesOf(option).map((value) => ({ ...one, [option]: value }))),
    [base],
  );
  const changes = (one: ConvertOptions) =>
    options.filter((option) => one[option] !== base[option]).length;
  return all.toSorted((a, b) => changes(a) - changes(b)) as [ConvertOptions, ...ConvertOptions[]];
}
