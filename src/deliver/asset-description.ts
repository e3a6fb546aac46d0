/** What a configuration is, for a page on which a shopper chooses: texts, price, and properties with what they may be. */
import type { Article, ArticleKey, ArticleProperty, PropertyRange } from '../model/article.ts';
import type { AssetFigures } from '../model/asset.ts';
import { configurationId } from '../model/configuration-id.ts';
import { missingValues } from '../source/fetch/resolve-article.ts';

/** A configuration in words and numbers; its JSON is the form `json`. */
export interface AssetDescription {
  /** Numbers and configuration strings, by which it can be asked for again. */
  configuration: ArticleKey;
  /** Day on which the manufacturer's data was converted, `YYYY-MM-DD`, or empty. */
  convertdate: string;
  shorttext: string;
  longtext: string;
  /** The chosen values in words, a line each. */
  varianttext: string;
  /** With `assets: { prices: true }`, where the article has one. */
  price?: { amount: number; currency: string };
  /** Axis-aligned box, metres, and number of triangles; missing for an article without parts. */
  boundsMetres?: AssetFigures['boundsMetres'];
  triangles?: number;
  /** Whether nothing is left to choose. */
  isComplete: boolean;
  /** Properties that need a value and have none, by `CLASS.PROPERTY`. */
  missing: string[];
  /** Visible properties, in the order of the service. */
  properties: DescribedProperty[];
}

interface DescribedProperty {
  /** `CLASS.PROPERTY` */
  name: string;
  text: string;
  /** Text of its class. */
  group: string;
  /** A list of values, or a number within ranges. */
  kind: 'choice' | 'number' | 'text';
  value: string;
  /** Whether it can be changed. */
  isEnabled: boolean;
  /** `hasSwatch`: whether the service has a picture of it, the form `swatch`. */
  values?: { value: string; text: string; hasSwatch?: true }[];
  ranges?: PropertyRange[];
}

/**
 * Describes a configuration.
 *
 * @param how - `prices`: whether it has its price; `glb`: its model, if it has parts.
 * @example
 * ```ts
 * describeAsset(key, article, { prices: false, glb }).properties[0];
 * // → { name: 'OBERFLÄCHE.DEKOR', text: 'Dekor', group: 'Oberfläche', kind: 'choice', value: 'EI', isEnabled: true, values: […] }
 * ```
 * @see Spec 2.2.
 */
export function describeAsset(
  key: ArticleKey,
  article: Article,
  {
    prices,
    glb,
  }: { prices: boolean; glb?: Pick<AssetFigures, 'boundsMetres' | 'triangles'> | undefined },
): AssetDescription {
  const { ocd, propclasses } = article;
  const { complete: isComplete, missing } = missingValues(article);
  const { price, currency = '', articlewithprice } = ocd ?? {};
  const isPriced = prices && articlewithprice === true && typeof price === 'number';
  return {
    configuration: configurationId(key),
    convertdate: ocd?.convertdate ?? '',
    shorttext: ocd?.shorttext ?? '',
    longtext: ocd?.longtext ?? '',
    varianttext: ocd?.varianttext ?? '',
    ...(isPriced && { price: { amount: price, currency } }),
    ...(glb && { boundsMetres: glb.boundsMetres, triangles: glb.triangles }),
    ...{ isComplete, missing },
    properties: [...propclasses, ...(ocd?.propclasses ?? [])].flatMap(
      ({ name, text, properties }) =>
        properties
          .filter(({ visible }) => visible)
          .map((own) => described(own, name, text || name)),
    ),
  };
}

function described(property: ArticleProperty, propclass: string, group: string): DescribedProperty {
  const { name, text, currentvalue: value, enabled: isEnabled, ranges } = property;
  const values = property.propertyvalues.map((one) => ({
    value: one.valuefrom,
    text: one.text || one.valuefrom,
    ...(one.previewimage !== '' && { hasSwatch: true as const }),
  }));
  const isNumber = ranges.length > 0 || /^[NL]$/.test(property.proptype);
  const kind = values.length > 0 ? 'choice' : isNumber ? 'number' : 'text';
  return {
    ...{ name: `${propclass}.${name}`, text: text || name, group, kind, value, isEnabled },
    ...(values.length > 0 && { values }),
    ...(ranges.length > 0 && { ranges }),
  };
}

/**
 * Finds the picture that the service has of a value: a `previewimage`.
 *
 * @returns Undefined if there is no such value, or no picture of it.
 */
export function previewOf(article: Article, property: string, value: string): string | undefined {
  const classes = [...article.propclasses, ...(article.ocd?.propclasses ?? [])];
  const own = classes.flatMap(({ name, properties }) =>
    properties.filter((one) => `${name}.${one.name}` === property),
  );
  const values = own.flatMap(({ propertyvalues }) => propertyvalues);
  return values.find(({ valuefrom }) => valuefrom === value)?.previewimage || undefined;
}
