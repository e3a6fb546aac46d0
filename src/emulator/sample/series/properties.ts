/** Short forms for the definition of articles and properties. */
import type { ArticleDefinition, Choice, PropertyDefinition, Text, Values } from '../definition.ts';
import type { NumberRange } from '../numbers.ts';

/** A text in both languages. */
export function text(de: string, en: string): Text {
  return { de, en };
}

/** Returns a function that defines the articles of a series; an article may replace what they have in common. */
export function articlesOf(
  manufacturer: string,
  program: string,
  common: Pick<ArticleDefinition, 'long' | 'properties'>,
) {
  return (
    number: string,
    de: string,
    en: string,
    price: number,
    own: Pick<ArticleDefinition, 'parts'> & Partial<ArticleDefinition>,
  ): ArticleDefinition => {
    return { manufacturer, program, number, short: { de, en }, price, ...common, ...own };
  };
}

/** A value with its code in the final number. */
export function choice(
  value: string,
  code: string,
  de: string,
  en: string,
  more: Partial<Choice> = {},
): Choice {
  return { value, code, text: { de, en }, ...more };
}

/** A property with a choice of values; the first is the initial one unless `more` overrides it. */
export function choices(
  name: string,
  group: string,
  label: Text,
  values: readonly Choice[],
  more: Partial<PropertyDefinition> = {},
): PropertyDefinition {
  return { name, group, text: label, choices: values, initial: values[0]!.value, ...more };
}

/** A numeric property in whole millimetres. */
export function millimetres(
  name: string,
  label: Text,
  range: NumberRange & { from: number },
  initial: number,
  more: { surchargePerUnit?: number } & Partial<PropertyDefinition> = {},
): PropertyDefinition {
  const { surchargePerUnit: perUnit = 0, ...rest } = more;
  const surcharge = { perUnit, above: range.from };
  const own = { group: 'MASS', ranges: () => [range], surcharge, initial: String(initial) };
  return { name, text: label, ...own, ...rest };
}

/** Looks a value up in a table of materials. */
export function pick(
  table: Readonly<Record<string, string>>,
  values: Values,
  name: string,
): string {
  return table[values[name] ?? ''] ?? Object.values(table)[0]!;
}
