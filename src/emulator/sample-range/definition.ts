/**
 * Definition: one description of an article from which everything that the service says of it
 * follows: texts, price, properties, numbers and the parts list.
 */
import type { Part } from './tree.ts';

/** A text in the languages of the range. */
export interface Text {
  de: string;
  en: string;
}

/** Value of each property by name; empty where an optional one is not evaluated yet. */
export type Values = Readonly<Record<string, string>>;

/** One value that a property may take. */
export interface Choice {
  value: string;
  /** Stands for the value in the final article number. */
  code: string;
  text: Text;
  /** Added to the price, in euro. */
  surcharge?: number;
  /** File name of a preview image. */
  preview?: string;
  /** Whether it may be chosen beside the other values; always where missing. */
  allowed?: (values: Values) => boolean;
}

/** One property: a choice of values or a number. */
export interface PropertyDefinition {
  name: string;
  /** Name of its class: a key of {@link PROPERTY_CLASSES}. */
  group: string;
  text: Text;
  choices?: readonly Choice[];
  /** For numbers: bounds (both allowed) and step. */
  range?: { from: number; to: number; raster: number };
  /** Added to the price for each unit above the lower bound, in euro. */
  surchargePerUnit?: number;
  /** Value of the default configuration; empty only where `mustChoose`. */
  initial: string;
  /** Optional, but the article is not valid before it has a value. */
  mustChoose?: boolean;
  visible?: (values: Values) => boolean;
  enabled?: (values: Values) => boolean;
}

/** A child of a meta planning. */
export interface ChildDefinition {
  article: ArticleDefinition;
  values: Values;
}

/** One article. */
export interface ArticleDefinition {
  manufacturer: string;
  program: string;
  /** Base article number. */
  number: string;
  short: Text;
  /** Further lines of the long text. */
  long: readonly Text[];
  /** Euro; 0 is an article without a price. */
  price: number;
  properties: readonly PropertyDefinition[];
  /** The nodes that it is built of. */
  parts: (values: Values) => Part[];
  /** Meta planning: its children and its internal type name. */
  meta?: { typename: string; children: (values: Values) => ChildDefinition[] };
  /** Values that differ from the default, one record for each extra configuration of the demo. */
  variants?: readonly Values[];
}

/** One series with its articles. */
export interface SeriesDefinition {
  manufacturer: string;
  /** Series id. */
  program: string;
  text: Text;
  articles: readonly ArticleDefinition[];
}

/** Display texts of the property classes. */
export const PROPERTY_CLASSES: Readonly<Record<string, Text>> = {
  MASS: { de: 'Maße', en: 'Dimensions' },
  OBERFLÄCHE: { de: 'Oberflächen', en: 'Finishes' },
  BEZUG: { de: 'Bezug', en: 'Upholstery' },
  AUSSTATTUNG: { de: 'Ausstattung', en: 'Equipment' },
};

/** The default values of an article, the given ones laid over them. */
export function valuesOf(article: ArticleDefinition, changes: Values = {}): Values {
  const initial = article.properties.map((property) => [property.name, property.initial]);
  return { ...Object.fromEntries(initial), ...changes };
}

/** Whether a value may stand for a property beside the other values. */
export function isAllowed(property: PropertyDefinition, value: string, values: Values): boolean {
  if (value === '') return property.mustChoose === true;
  if (property.range === undefined) {
    const choice = property.choices?.find((candidate) => candidate.value === value);
    return choice !== undefined && (choice.allowed?.(values) ?? true);
  }
  const { from, to, raster } = property.range;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < from || number > to) return false;
  return (number - from) % raster === 0;
}

/** Price of a configuration in euro, and what it is made of. */
export function priceOf(
  article: ArticleDefinition,
  values: Values,
): { price: number; components: { name: string; price: number }[] } {
  if (article.price === 0) return { price: 0, components: [] };
  const components = [{ name: article.number, price: article.price }];
  for (const property of article.properties) {
    const value = values[property.name]!;
    const choice = property.choices?.find((candidate) => candidate.value === value);
    const extra =
      property.range !== undefined && value !== ''
        ? (Number(value) - property.range.from) * (property.surchargePerUnit ?? 0)
        : (choice?.surcharge ?? 0);
    if (extra !== 0) components.push({ name: property.name, price: extra });
  }
  const sum = components.reduce((total, component) => total + component.price, 0);
  return { price: Math.round(sum * 100) / 100, components };
}
