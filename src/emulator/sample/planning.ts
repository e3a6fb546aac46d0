/** Reads the article and the values of a top-level article that a client sent. */
import type { ArticleDefinition, Values } from './definition.ts';
import { valuesOfReinit, withMetaValues } from './numbering.ts';
import { type Json, RangeRefusal } from './range.ts';
import { findArticle } from './series/range.ts';

/** The configuration of an article. */
export interface ConfiguredArticle {
  article: ArticleDefinition;
  values: Values;
}

/**
 * Reads a top-level article.
 *
 * The function uses only the identity of the configuration: the numbers and the two reinit strings. Texts,
 * prices and children follow from the identity.
 *
 * @throws {@link RangeRefusal} with the field.
 */
export function readPlanning(json: Json): ConfiguredArticle {
  const [manufacturer, program, number] = ['manufacturer', 'program', 'basearticlenumber'].map(
    (field) => textOf(json, field),
  );
  const article = findArticle(manufacturer, program, number);
  if (article === undefined) {
    throw new RangeRefusal(`article ${manufacturer} ${program} ${number}: no such article`);
  }
  const commercial = valuesOfReinit(article, textOf(ocdOf(json), 'reinitstring', 'ocd.'));
  if (commercial === undefined) {
    throw new RangeRefusal('ocd.reinitstring: is none of this article');
  }
  const values = withMetaValues(article, commercial, textOf(json, 'reinit'));
  if (values === undefined) throw new RangeRefusal('reinit: is none of this planning');
  return { article, values };
}

/** The commercial part of an article. @throws {@link RangeRefusal} if there is none. */
export function ocdOf(json: Json): Json {
  const { ocd } = json;
  if (typeof ocd === 'object' && ocd !== null) return ocd as Json;
  throw new RangeRefusal('ocd: expected an object');
}

function textOf(json: Json, field: string, path = ''): string {
  const value = json[field];
  if (typeof value === 'string') return value;
  throw new RangeRefusal(`${path}${field}: expected a text`);
}
