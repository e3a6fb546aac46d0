/**
 * Configurator: one changed property → all values of the article, the dependent ones put right.
 *
 * In: an article, its values, what is to change. Out: the new values, and what had to change with
 * them. It must not know how an article is spelled on the wire.
 */

import {
  type ArticleDefinition,
  allPropertiesOf,
  isAllowed,
  isVisible,
  type PropertyDefinition,
  type Values,
  WHOLE_NUMBER,
} from './definition.ts';
import { canonicalNumber, nearestNumber, rangesText } from './numbers.ts';
import { RangeRefusal } from './range.ts';

/** Which property is to have which value. */
export interface ValueChange {
  proptype: 'ocd' | 'meta';
  propclass: string;
  prop: string;
  newvalue: string;
}

/** An article after a change. */
export interface ChangedValues {
  values: Values;
  /** Properties that could not keep their value beside the new one. */
  adjusted: readonly PropertyDefinition[];
}

/**
 * Changes one property.
 *
 * The changed one keeps its new value; every other one that is not allowed beside it any more takes
 * its initial value, or the nearest number, or the first value that is allowed, in the order of the
 * article.
 *
 * @throws {@link RangeRefusal} naming the property, what it may be and what came.
 *
 * @example
 * ```ts
 * const change = { proptype: 'ocd', propclass: 'MASS', prop: 'BREITE', newvalue: '1000' } as const;
 * changeValue(desk, valuesOf(desk), change).values.BREITE; // → '1000'
 * ```
 *
 * @see Spec 2.2, 4.3 (POST articles); D-790.
 */
export function changeValue(
  article: ArticleDefinition,
  values: Values,
  change: ValueChange,
): ChangedValues {
  const property = propertyOf(article, change);
  const where = `property ${change.propclass}.${change.prop}`;
  if (!isVisible(property, values)) throw new RangeRefusal(`${where}: is not visible`);
  if (property.enabled?.(values) === false) throw new RangeRefusal(`${where}: is not enabled`);
  const value = spelled(property, change.newvalue);
  if (value === undefined || !isAllowed(property, value, values)) {
    const received = JSON.stringify(change.newvalue);
    throw new RangeRefusal(
      `${where}: expected ${allowedText(property, values)}; received ${received}`,
    );
  }
  return settle(article, { ...values, [property.name]: value }, property);
}

function propertyOf(article: ArticleDefinition, change: ValueChange): PropertyDefinition {
  const { proptype, propclass, prop } = change;
  const properties = proptype === 'ocd' ? article.properties : (article.meta?.properties ?? []);
  const inClass = properties.filter(({ group }) => group === propclass);
  if (inClass.length === 0) {
    throw new RangeRefusal(`propclass ${propclass}: no such class of ${proptype} properties`);
  }
  const property = inClass.find(({ name }) => name === prop);
  if (property === undefined) {
    const known = inClass.map(({ name }) => name).join(', ');
    throw new RangeRefusal(`property ${propclass}.${prop}: expected one of ${known}`);
  }
  return property;
}

/** A value in its one spelling; undefined for what is no number where one is due. */
function spelled(property: PropertyDefinition, value: string): string | undefined {
  if (property.ranges === undefined || value === '') return value;
  return canonicalNumber(value, property.form ?? WHOLE_NUMBER);
}

/** What a property may be, as a person reads it. */
function allowedText(property: PropertyDefinition, values: Values): string {
  if (property.ranges !== undefined) {
    const { digits, decdigits } = property.form ?? WHOLE_NUMBER;
    return `${rangesText(property.ranges(values))} with ${digits} digits, ${decdigits} of them decimal`;
  }
  const allowed = (property.choices ?? [])
    .filter(({ value }) => isAllowed(property, value, values))
    .map(({ value }) => value);
  return `one of ${allowed.join(', ')}`;
}

/** Puts right what the change made impossible; a definition that never settles is a mistake here. */
function settle(
  article: ArticleDefinition,
  start: Values,
  changed: PropertyDefinition,
): ChangedValues {
  const adjusted = new Set<PropertyDefinition>();
  let values = start;
  const properties = allPropertiesOf(article).filter((property) => property !== changed);
  for (let round = 0; round <= properties.length; round++) {
    const wrong = properties.find((one) => !isAllowed(one, values[one.name]!, values));
    if (wrong === undefined) break;
    values = { ...values, [wrong.name]: instead(wrong, values) };
    adjusted.add(wrong);
  }
  const broken = allPropertiesOf(article).find((p) => !isAllowed(p, values[p.name]!, values));
  if (broken !== undefined) throw new Error(`sample range: ${broken.name} has no value`);
  return { values, adjusted: [...adjusted] };
}

function instead(property: PropertyDefinition, values: Values): string {
  if (property.ranges !== undefined) {
    const form = property.form ?? WHOLE_NUMBER;
    const nearest = nearestNumber(values[property.name]!, property.ranges(values), form);
    return nearest ?? property.initial;
  }
  if (isAllowed(property, property.initial, values)) return property.initial;
  const first = property.choices?.find(({ value }) => isAllowed(property, value, values));
  return first?.value ?? property.initial;
}
