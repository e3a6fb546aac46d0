/**
 * Property: a property with its value → the entries of `propclasses`.
 *
 * @see Spec 2.2.
 */

import {
  type ArticleDefinition,
  type Choice,
  isAllowed,
  isVisible,
  PROPERTY_CLASSES,
  type PropertyDefinition,
  type Values,
  WHOLE_NUMBER,
} from './definition.ts';
import type { NumberRange } from './numbers.ts';
import type { Json } from './range.ts';
import type { Teller } from './views.ts';

/**
 * Property classes with their properties; a class without any is left out.
 *
 * @param all - Whether properties that are not visible are answered too.
 */
export function classesJson(
  article: ArticleDefinition,
  properties: readonly PropertyDefinition[],
  values: Values,
  say: Teller,
  all: boolean,
): Json[] {
  const shown = properties.filter((property) => all || isVisible(property, values));
  const groups = [...new Set(shown.map((property) => property.group))];
  return groups.map((group) => ({
    name: group,
    text: say(PROPERTY_CLASSES[group]!),
    properties: shown
      .filter((property) => property.group === group)
      .map((property) => propertyJson(article, property, values, say)),
  }));
}

function propertyJson(
  article: ArticleDefinition,
  property: PropertyDefinition,
  values: Values,
  say: Teller,
): Json {
  const { name, group, choices = [], mustChoose = false } = property;
  const allowed = choices.filter((choice) => isAllowed(property, choice.value, values));
  return {
    name,
    text: say(property.text),
    currentvalue: values[name],
    enabled: property.enabled?.(values) ?? true,
    visible: isVisible(property, values),
    obligatory: !mustChoose,
    obligatory2c: mustChoose,
    addvalues: false,
    propclassname: group,
    ...formJson(property),
    propertyvalues: allowed.map((choice) => valueJson(article, choice, say)),
    ranges: (property.ranges?.(values) ?? []).map(rangeJson),
  };
}

/** `L` (a length) where there are decimals, else `N`; both are numeric. */
function formJson({ ranges, form = WHOLE_NUMBER, choices = [] }: PropertyDefinition): Json {
  if (ranges !== undefined) return { proptype: form.decdigits > 0 ? 'L' : 'N', ...form };
  const digits = Math.max(...choices.map(({ value }) => value.length));
  return { proptype: 'C', digits, decdigits: 0 };
}

function valueJson(
  { manufacturer, program }: ArticleDefinition,
  { value, text, preview }: Choice,
  say: Teller,
): Json {
  const folder = `ocd/preview/${manufacturer}/${program}`;
  return {
    valuefrom: value,
    text: say(text),
    previewimage: preview === undefined ? '' : `${folder}/${preview}`,
    previewimagelarge: preview === undefined ? '' : `${folder}/L_${preview}`,
  };
}

/** A bound that is open is absent, and so is its operator. */
function rangeJson({ from, opfrom = 'GE', to, opto = 'LE', raster }: NumberRange): Json {
  return {
    ...(from !== undefined && { valuefrom: from, opfrom }),
    ...(to !== undefined && { valueto: to, opto }),
    ...(raster !== undefined && { raster }),
  };
}
