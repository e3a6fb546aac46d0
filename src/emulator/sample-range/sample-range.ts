/**
 * Sample range: believable furniture of three invented manufacturers, made by code.
 *
 * In: the parameters of a request. Out: catalogue nodes, articles, parts lists, blocks, textures,
 * the same bytes every time. It must not know the client's reading of the specification.
 */
import type { EmulatedRange, Json, Query } from '../range.ts';
import { articleJson } from './article-json.ts';
import { blockBody } from './blocks/blocks.ts';
import { createCatalogue } from './catalogue.ts';
import { type ArticleDefinition, type Values, valuesOf } from './definition.ts';
import { materialsFor } from './materials/materials.ts';
import { finalNumberOf, metaReinitOf, valuesOfReinit } from './numbering.ts';
import { findArticle } from './series/range.ts';
import { createTextureStore } from './textures/textures.ts';
import { partsListJson } from './tree.ts';

/**
 * Creates the range; blocks and textures are made when they are first asked for, and kept.
 *
 * @example
 * ```ts
 * createSampleRange().nodes('')?.map((node) => node.manufacturer);
 * // → ['FJEL', 'BRNK', 'AULI']
 * ```
 *
 * @see Spec 2.1 to 2.4.
 */
export function createSampleRange(): EmulatedRange {
  const catalogue = createCatalogue();
  const textures = createTextureStore();
  const blocks = new Map<string, Uint8Array | undefined>();
  return {
    name: 'sample',
    ...catalogue,
    article: answerArticle,
    partsList: answerPartsList,
    block: async (name) => {
      if (!blocks.has(name)) blocks.set(name, blockBody(name));
      return blocks.get(name);
    },
    material: async (manufacturer, name) => textures(manufacturer, name),
  };
}

/** GET articles: the default, or the configuration of a reinit string, else of a variant code. */
function answerArticle(query: Query): Json | undefined {
  const article = findArticle(query.manufacturer, query.program, query.basearticlenumber);
  if (article === undefined) return undefined;
  const values = query.ocdreinitstring
    ? valuesOfReinit(article, query.ocdreinitstring)
    : valuesOfVariant(article, query.varcode ?? '');
  if (values === undefined) return undefined;
  const allProperties = !['', 'false', '0'].includes(query.getallproperties ?? '');
  return articleJson(article, values, { lang: query.lang ?? '', allProperties });
}

/** GET btg: only for a final number and reinit strings that belong together. */
function answerPartsList(query: Query): Json | undefined {
  const article = findArticle(query.manufacturer, query.program, query.basearticlenumber);
  if (article === undefined) return undefined;
  const values = valuesOfRequest(article, query.reinitstring);
  if (values === undefined) return undefined;
  if (finalNumberOf(article, values) !== query.finalarticlenumber) return undefined;
  const meta = query.metareinitstring ?? '';
  if (meta !== '' && meta !== metaReinitOf(article, values)) return undefined;
  return partsListJson(article.parts(values), materialsFor);
}

function valuesOfRequest(
  article: ArticleDefinition,
  reinit: string | undefined,
): Values | undefined {
  return reinit === undefined || reinit === ''
    ? valuesOf(article)
    : valuesOfReinit(article, reinit);
}

/** A variant code is a final number: that of the default or of a configuration of the demo. */
function valuesOfVariant(article: ArticleDefinition, varcode: string): Values | undefined {
  if (varcode === '') return valuesOf(article);
  return [{}, ...(article.variants ?? [])]
    .map((changes) => valuesOf(article, changes))
    .find((values) => finalNumberOf(article, values) === varcode);
}
