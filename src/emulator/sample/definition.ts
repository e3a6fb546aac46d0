/**
 * The definition of an article, from which every answer of the service about it follows: texts,
 * price, properties, numbers and the parts list.
 */
import { canonicalNumber, isInRange, type NumberForm, type NumberRange } from './numbers.ts';
import type { Point } from './shapes/surface.ts';

/** One node of a parts list. */
export interface Part {
  type: string;
  btgname?: string;
  offs?: Point;
  rot?: Point;
  scale?: Point;
  mat?: string;
  lay?: string;
  params?: unknown;
  children?: Part[];
  /** Whether `childs` is written beside `prop` instead of inside it. */
  childsBesideProp?: boolean;
}

/** A text in the languages of the range. */
export interface Text {
  de: string;
  en: string;
}

/** Value of each property by name; empty if an optional property has no value yet. */
export type Values = Readonly<Record<string, string>>;

/** One value of a property. */
export interface Choice {
  value: string;
  /** Code of the value in the final article number. */
  code: string;
  text: Text;
  /** Surcharge on the price, in euro. */
  surcharge?: number;
  /** File name of a preview image. */
  preview?: string;
  /** Material of the parts that the property is about. */
  mat?: string;
  /** Whether this choice is allowed together with the other values. @defaultValue always */
  allowed?: (values: Values) => boolean;
}

/** One property: a choice of values or a number. */
export interface PropertyDefinition {
  name: string;
  /** Name of its class: a key of {@link PROPERTY_CLASSES}. */
  group: string;
  text: Text;
  choices?: readonly Choice[];
  /** Accepts other values than the choices: at most this many letters, digits and hyphens. */
  others?: number;
  /** For numbers: the ranges that the other values allow; the number must be in one of the ranges. */
  ranges?: (values: Values) => readonly NumberRange[];
  /** For numbers. @defaultValue {@link WHOLE_NUMBER} */
  form?: NumberForm;
  /** For numbers: surcharge on the price for each unit above a number, in euro. */
  surcharge?: { perUnit: number; above: number };
  /** Value of the default configuration; empty only with `mustChoose`. */
  initial: string;
  /** Whether the article is invalid without a value, although the property is optional. */
  mustChoose?: boolean;
  visible?: (values: Values) => boolean;
  enabled?: (values: Values) => boolean;
}

/** Four digits without decimals. */
export const WHOLE_NUMBER: Readonly<NumberForm> = { digits: 4, decdigits: 0 };

/** A configuration, such as a child of a meta planning. */
export interface Configuration {
  article: ArticleDefinition;
  values: Values;
}

/** One article. A planning has its own values and those of {@link withChildValues}. */
export interface ArticleDefinition {
  manufacturer: string;
  program: string;
  number: string;
  short: Text;
  /** Further lines of the long text. */
  long: readonly Text[];
  /** Price in euro; 0 means an article without a price. */
  price: number;
  properties: readonly PropertyDefinition[];
  /** The nodes of its parts list. */
  parts: (values: Values) => Part[];
  /** Meta planning: its children, its internal type name and the properties of the planning itself. */
  meta?: {
    typename: string;
    children: (values: Values) => Configuration[];
    properties: readonly PropertyDefinition[];
    /** Messages of the planning about a configuration. */
    messages?: (values: Values) => readonly Text[];
  };
  /** Changed values, one record for each extra configuration of the demo. */
  variants?: readonly Values[];
  /** Errors that the service reports about the article, for a person. */
  dump?: string;
  /** Text of the folder of its kind, in the folder of its series. @defaultValue the series itself */
  kind?: Text;
  /** Whether its folder contains it; otherwise search alone finds it. @defaultValue true */
  isListed?: boolean;
}

/** One series with its articles. */
export interface SeriesDefinition {
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
  PLANUNG: { de: 'Planung', en: 'Planning' },
};

/** All properties of an article: commercial ones, then those of its planning. */
export function allPropertiesOf(article: ArticleDefinition): readonly PropertyDefinition[] {
  return [...article.properties, ...(article.meta?.properties ?? [])];
}

/** The default values of an article with the given changes. */
export function valuesOf(article: ArticleDefinition, changes: Values = {}): Values {
  const initial = allPropertiesOf(article).map((property) => [property.name, property.initial]);
  return { ...Object.fromEntries(initial), ...changes };
}

/** The values of a child that were changed in its planning; they replace values that follow the planning's. */
export function childValuesOf(planning: Values, number: string): Values {
  const changed = Object.entries(planning).filter(([name]) => name.startsWith(`${number}/`));
  return Object.fromEntries(changed.map(([name, value]) => [name.slice(number.length + 1), value]));
}

/** The values of a planning after those of one child were changed; undefined if it has no such child. */
export function withChildValues(
  { meta }: ArticleDefinition,
  planning: Values,
  child: ArticleDefinition,
  values: Values,
): Values | undefined {
  const own = `${child.number}/`;
  const others = Object.entries(planning).filter(([name]) => !name.startsWith(own));
  const without = Object.fromEntries(others);
  const planned = meta?.children(without).find(({ article }) => article === child)?.values;
  if (planned === undefined) return undefined;
  const changed = Object.entries(values).filter(([name, value]) => planned[name] !== value);
  return { ...without, ...Object.fromEntries(changed.map(([name, value]) => [own + name, value])) };
}

/** Whether a canonical value is allowed for a property, given the other values. */
export function isAllowed(property: PropertyDefinition, value: string, values: Values): boolean {
  if (value === '') return property.mustChoose === true;
  if (property.ranges === undefined) {
    const choice = property.choices?.find((candidate) => candidate.value === value);
    return choice === undefined ? isOther(property, value) : (choice.allowed?.(values) ?? true);
  }
  const form = property.form ?? WHOLE_NUMBER;
  if (canonicalNumber(value, form) !== value) return false;
  return property.ranges(values).some((range) => isInRange(value, range, form.decdigits));
}

/** Whether another value than the choices is allowed; the code of a choice would be ambiguous in the final number. */
function isOther({ others = 0, choices = [] }: PropertyDefinition, value: string): boolean {
  const isCode = choices.some(({ code }) => code === value);
  return value.length <= others && /^[\p{L}\p{N}-]+$/u.test(value) && !isCode;
}

/** Whether a property is shown, given the other values. */
export function isVisible(property: PropertyDefinition, values: Values): boolean {
  return property.visible?.(values) ?? true;
}

/** Names of the visible properties that still need a value; with any, the article is invalid. */
export function missingProperties(article: ArticleDefinition, values: Values): string[] {
  return allPropertiesOf(article)
    .filter((property) => property.mustChoose === true && values[property.name] === '')
    .filter((property) => isVisible(property, values))
    .map((property) => `${property.group}.${property.name}`);
}

/**
 * Price of a configuration and its components.
 *
 * @param rate - Units of the currency for one euro; each component is rounded to hundredths.
 */
export function priceOf(
  article: ArticleDefinition,
  values: Values,
  rate = 1,
): { price: number; components: { name: string; price: number }[] } {
  if (article.price === 0) return { price: 0, components: [] };
  const rounded = (euro: number): number => Math.round(euro * rate * 100) / 100;
  const components = [{ name: article.number, price: rounded(article.price) }];
  for (const property of allPropertiesOf(article)) {
    const extra = surchargeOf(property, values);
    if (extra !== 0) components.push({ name: property.name, price: rounded(extra) });
  }
  const sum = components.reduce((total, component) => total + component.price, 0);
  return { price: Math.round(sum * 100) / 100, components };
}

/** Surcharge of a property, in euro; 0 while it is invisible. */
function surchargeOf(property: PropertyDefinition, values: Values): number {
  const value = values[property.name]!;
  if (value === '' || !isVisible(property, values)) return 0;
  if (property.ranges !== undefined) {
    const { perUnit, above } = property.surcharge ?? { perUnit: 0, above: 0 };
    return (Number(value) - above) * perUnit;
  }
  return property.choices?.find((candidate) => candidate.value === value)?.surcharge ?? 0;
}
