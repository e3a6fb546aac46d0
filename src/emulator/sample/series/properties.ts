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

/** A value whose preview shows its material: the texture of the same name. */
export function pictured(
  value: string,
  code: string,
  de: string,
  en: string,
  mat: string,
  surcharge = 0,
): Choice {
  const preview = `${mat.slice(mat.lastIndexOf(':') + 1)}.JPG`;
  return choice(value, code, de, en, { surcharge, preview, mat });
}

/** Material of the chosen value, or of the first one if the article lacks the property. */
export function materialOf({ name, choices }: PropertyDefinition, values: Values): string {
  return (choices!.find(({ value }) => value === values[name]) ?? choices![0]!).mat!;
}
