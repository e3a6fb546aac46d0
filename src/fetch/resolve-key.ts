/**
 * Resolve a key: which configuration an answer of GET articles is.
 *
 * In: what was asked for and what came. Out: the numbers and strings that identify the configuration.
 */

import type { Article, ArticleKey, ArticleRequest } from '../model/article.ts';
import { articleLabel } from '../model/configuration-id.ts';
import type { Warning } from '../model/snapshot.ts';
import { ConverterError } from '../support/errors.ts';
import { articleMessages } from './article-messages.ts';
import { openProperties } from './open-properties.ts';

/**
 * Takes every number as the service spells it, and what was asked for where the service is silent.
 *
 * The configuration of the meta planning is the one asked for: GET articles does not take it, so that
 * the article's own is the default.
 *
 * @returns The key, what the service has to say about the article, and what is still to be chosen.
 * @throws {@link ConverterError} `ARTICLE_REPORTED` for an article with a dump and without usable commercial data.
 *
 * @see D-613, D-614.
 */
export function resolveKey(
  request: ArticleRequest,
  article: Article,
): { key: ArticleKey; warnings: Warning[] } {
  const { ocd } = article;
  const messages = articleMessages(article);
  const name = articleLabel(request);
  if (article.dump !== '' && (ocd === undefined || ocd.finalarticlenumber === '')) {
    const said = messages.map(({ message }) => message).join('; ');
    const message = `${name}: the service could not build the article: ${said}`;
    throw new ConverterError('ARTICLE_REPORTED', message, { article: name });
  }
  const key = {
    manufacturer: article.manufacturer.toUpperCase() || request.manufacturer,
    program: article.program.toUpperCase() || request.program,
    basearticlenumber: article.basearticlenumber || request.basearticlenumber,
    finalarticlenumber: ocd?.finalarticlenumber || request.finalarticlenumber,
    reinitstring: ocd?.reinitstring || request.reinitstring,
    metareinitstring: request.metareinitstring || article.reinit,
  };
  const warnings = [...variantWarning(request, key), ...openProperties(article), ...messages];
  return { key, warnings };
}

function variantWarning(request: ArticleRequest, key: ArticleKey): Warning[] {
  const asked = request.finalarticlenumber;
  if (asked === '' || asked === key.finalarticlenumber) return [];
  const message = `asked for final article number ${asked}, received ${key.finalarticlenumber}`;
  return [{ code: 'VARIANT_DIFFERS', message }];
}
