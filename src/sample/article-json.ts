/**
 * Article: a definition with its values → the article object of GET and POST articles.
 *
 * @see Spec 2.2.
 */

import {
  type ArticleDefinition,
  allPropertiesOf,
  isVisible,
  openProperties,
  type PropertyDefinition,
  priceOf,
  type Values,
} from './definition.ts';
import { finalNumberOf, metaReinitOf, reinitOf } from './numbering.ts';
import { classesJson } from './property-json.ts';
import { identifier } from './random.ts';
import type { Json } from './range.ts';
import { convertdateOf } from './series/range.ts';
import type { Teller } from './views.ts';

/** How an article is asked for. */
export interface ArticleOptions {
  /** Reads texts in the language of the request. */
  say: Teller;
  currency: string;
  /** Units of that currency for one euro. */
  rate: number;
  /** Invisible properties are answered too. */
  allProperties: boolean;
  /** Identifier that the article has already; made of its configuration where missing. */
  id?: string;
  /** What the buyer is told about the change that led here. */
  usermessages?: readonly string[];
}

/**
 * The article object of a configuration; children of a planning are inside it.
 *
 * @param rootid - Identifier of the planning that a child belongs to.
 */
export function articleJson(
  article: ArticleDefinition,
  values: Values,
  { id: known, usermessages = [], ...options }: ArticleOptions,
  rootid?: string,
): Json {
  const { manufacturer, program, number, meta } = article;
  const reinit = reinitOf(article, values);
  // Children carry their root in their identifier: the same article may stand in many plannings.
  const id = known ?? identifier([rootid ?? '', manufacturer, program, number, reinit].join('\n'));
  const children = meta?.children(values) ?? [];
  return {
    id,
    rootid: rootid ?? id,
    manufacturer,
    program,
    basearticlenumber: number,
    typename: meta?.typename ?? '',
    reinit: metaReinitOf(article, values),
    children: children.map((child) => articleJson(child.article, child.values, options, id)),
    propclasses: classesJson(
      article,
      meta?.properties ?? [],
      values,
      options.say,
      options.allProperties,
    ),
    metamessages: [],
    ocd: { ...commercialJson(article, values, options, id), usermessages },
  };
}

function commercialJson(
  article: ArticleDefinition,
  values: Values,
  { say, currency, rate, allProperties }: ArticleOptions,
  id: string,
): Json {
  const { price, components } = priceOf(article, values, rate);
  const short = say(article.short);
  return {
    id: id.slice(0, 8),
    finalarticlenumber: finalNumberOf(article, values),
    price,
    currency,
    pricecomponents: components.map((component) => ({ ...component, currency })),
    shorttext: short,
    longtext: [short, ...article.long.map(say)].join('\n'),
    varianttext: allPropertiesOf(article)
      .filter((property) => isVisible(property, values) && values[property.name] !== '')
      .map((property) => `${say(property.text)}: ${valueText(property, values, say)}`)
      .join('\n'),
    reinitstring: reinitOf(article, values),
    convertdate: convertdateOf(article),
    articlewithprice: article.price > 0,
    propclasses: classesJson(article, article.properties, values, say, allProperties),
    obligatory2c: openProperties(article, values).length > 0,
  };
}

function valueText(property: PropertyDefinition, values: Values, say: Teller): string {
  const value = values[property.name]!;
  const choice = property.choices?.find((candidate) => candidate.value === value);
  return choice === undefined ? value : say(choice.text);
}
