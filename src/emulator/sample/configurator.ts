/** Changes one property of an article and adjusts the properties that depend on it. */
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
import { type PropertyChange, RangeRefusal } from './range.ts';

type ValueChange = Omit<PropertyChange, 'id' | 'article'>;

interface ChangedValues {
  values: Values;
  /** Properties whose value is not allowed together with the new one. */
  adjusted: readonly PropertyDefinition[];
}

/**
 * Changes one property.
 *
 * The changed property keeps its new value. Every other property whose value is no longer allowed
 * gets its initial value, the nearest number or the first allowed value, in the order of the article.
 *
 * @throws {@link RangeRefusal} with the property, the allowed values and the received one.
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
  const value = canonical(property, change.newvalue);
  if (value === undefined || !isAllowed(property, value, values)) {
    const received = JSON.stringify(change.newvalue);
    throw new RangeRefusal(
      `${where}: expected ${allowedText(property, values)}; received ${received}`,
    );
  }
  return adjustOthers(article, { ...values, [property.name]: value }, property);
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

/** The canonical form of a value; undefined if a number is expected and the value is no number. */
function canonical(property: PropertyDefinition, value: string): string | undefined {
  if (property.ranges === undefined || value === '') return value;
  return canonicalNumber(value, property.form ?? WHOLE_NUMBER);
}

function allowedText(property: PropertyDefinition, values: Values): string {
  if (property.ranges !== undefined) {
    const { digits, decdigits } = property.form ?? WHOLE_NUMBER;
    return `${rangesText(property.ranges(values))} with ${digits} digits, ${decdigits} of them decimal`;
  }
  const allowed = (property.choices ?? [])
    .filter(({ value }) => isAllowed(property, value, values))
    .map(({ value }) => value);
  const others = property.others && `, or up to ${property.others} letters, digits and hyphens`;
  return `one of ${allowed.join(', ')}${others ?? ''}`;
}

/** Adjusts properties until all are allowed; a definition that never ends is an error of this range. */
function adjustOthers(
  article: ArticleDefinition,
  start: Values,
  changed: PropertyDefinition,
): ChangedValues {
  const adjusted = new Set<PropertyDefinition>();
  let values = start;
  const properties = allPropertiesOf(article).filter((property) => property !== changed);
  for (let round = 0; round <= properties.length; round++) {
    const invalid = properties.find((one) => !isAllowed(one, values[one.name]!, values));
    if (invalid === undefined) break;
    values = { ...values, [invalid.name]: replacementFor(invalid, values) };
    adjusted.add(invalid);
  }
  const broken = allPropertiesOf(article).find((p) => !isAllowed(p, values[p.name]!, values));
  if (broken !== undefined) throw new Error(`sample range: ${broken.name} has no value`);
  return { values, adjusted: [...adjusted] };
}

function replacementFor(property: PropertyDefinition, values: Values): string {
  if (property.ranges !== undefined) {
    const form = property.form ?? WHOLE_NUMBER;
    const nearest = nearestNumber(values[property.name]!, property.ranges(values), form);
    return nearest ?? property.initial;
  }
  if (isAllowed(property, property.initial, values)) return property.initial;
  const first = property.choices?.find(({ value }) => isAllowed(property, value, values));
  return first?.value ?? property.initial;
}
