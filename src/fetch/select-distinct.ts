/**
 * Select distinct: requests that mean the same configuration, as one.
 *
 * In: selected articles and a way to resolve one. Out: one for each configuration, in their order.
 * Only what may mean the same is resolved, and a run asks for that anyway.
 */

import type { ArticleKey, ArticleRequest } from '../model/article.ts';
import { articleKey, configurationKey } from '../model/configuration-id.ts';
import { asConverterError, endsRun } from '../support/errors.ts';
import { inParallel } from '../support/in-parallel.ts';
import { mergeSelected } from './select-articles.ts';
import type { SelectedArticle } from './selection.ts';

/** Articles that are identified at the same time; the client decides how many requests that makes. */
const AT_ONCE = 256;

/**
 * Merges the articles that resolve to one key.
 *
 * A catalogue names a configuration by its final number, a cart by its reinit string too: whether they
 * mean the same only the service can tell. One that cannot be resolved stays as it is.
 *
 * @param identify - Such as `Fetcher.identify`.
 * @throws {@link ConverterError} what ends a run.
 *
 * @see D-800.
 */
export async function distinctArticles(
  articles: readonly SelectedArticle[],
  identify: (request: ArticleRequest) => Promise<{ key: ArticleKey }>,
): Promise<SelectedArticle[]> {
  const keys = new Map<SelectedArticle, string>();
  await inParallel(ambiguous(articles), AT_ONCE, async (article) => {
    try {
      keys.set(article, configurationKey((await identify(article.request)).key));
    } catch (thrown) {
      const error = asConverterError(thrown);
      if (endsRun(error.code)) throw error;
    }
  });
  return mergeSelected(
    articles,
    (article) => keys.get(article) ?? configurationKey(article.request),
  );
}

/** Those that share their base article with another that may be the same configuration. */
function ambiguous(articles: readonly SelectedArticle[]): SelectedArticle[] {
  const groups = new Map<string, SelectedArticle[]>();
  for (const article of articles) {
    const name = articleKey(article.request);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [article]);
    else group.push(article);
  }
  return [...groups.values()].flatMap((group) =>
    group.filter((one) => group.some((other) => other !== one && maybeSame(one, other))),
  );
}

/** A field that one of them leaves out may hold what the other says. */
function maybeSame({ request: a }: SelectedArticle, { request: b }: SelectedArticle): boolean {
  const fields = ['finalarticlenumber', 'reinitstring', 'metareinitstring'] as const;
  return fields.every((field) => a[field] === '' || b[field] === '' || a[field] === b[field]);
}
