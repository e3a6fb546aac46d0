/**
 * Properties: short ways to write the properties that several series share.
 */
import type { Choice, PropertyDefinition, Text, Values } from '../definition.ts';

/** A text in both languages. */
export function text(de: string, en: string): Text {
  return { de, en };
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

/** A property with a choice of values; the first is the initial one unless `more` says otherwise. */
export function choices(
  name: string,
  group: string,
  label: Text,
  values: readonly Choice[],
  more: Partial<PropertyDefinition> = {},
): PropertyDefinition {
  return { name, group, text: label, choices: values, initial: values[0]!.value, ...more };
}

/** A numeric property in millimetres. */
export function millimetres(
  name: string,
  label: Text,
  range: { from: number; to: number; raster: number },
  initial: number,
  more: Partial<PropertyDefinition> = {},
): PropertyDefinition {
  return { name, group: 'MASS', text: label, range, initial: String(initial), ...more };
}

/** Looks a value up in a table of materials. */
export function pick(
  table: Readonly<Record<string, string>>,
  values: Values,
  name: string,
): string {
  return table[values[name] ?? ''] ?? Object.values(table)[0]!;
}
