/** The fields of properties: their names, and the fields that a person still has to fill in. */

import type {
  Article,
  ArticleProperty,
  PropertyChange,
  PropertyClass,
} from '../../../model/article.ts';
import { withChildren } from '../../../source/fetch/resolve-article.ts';

/** A field, with its name for a person and its identifier in the page. */
export interface NamedField {
  /** Unique among all fields of a planning; see `placeOf`. */
  place: string;
  name: string;
}

/** A property and the value that it is to take. */
export type PropertySetting = Omit<PropertyChange, 'rootid' | 'jsondata'>;

type SettingNames = Omit<PropertySetting, 'newvalue'>;

/** The names by which a change identifies a property. */
export function settingOf(
  { id }: Article,
  proptype: PropertySetting['proptype'],
  { name }: PropertyClass,
  property: ArticleProperty,
): SettingNames {
  return { id, proptype, propclass: name || property.propclassname, prop: property.name };
}

/** Identifies the field of a property; the page has this text as `data-place`. */
export function placeOf({ id, proptype, propclass, prop }: SettingNames): string {
  return [id, proptype, propclass, prop].join('\n');
}

/** All properties of an article without its children, with the names by which a change identifies them. */
export function namedProperties(article: Article) {
  const ofType = (type: PropertySetting['proptype'], classes: readonly PropertyClass[]) =>
    classes.flatMap((group) =>
      group.properties.map((property) => {
        return { property, names: settingOf(article, type, group, property) };
      }),
    );
  return [...ofType('meta', article.propclasses), ...ofType('ocd', article.ocd?.propclasses ?? [])];
}

/** The visible properties for which a person must still choose a value, also those of children. @see Spec 3 (rule 2) */
export function openFields(root: Article): NamedField[] {
  const open = withChildren(root)
    .flatMap(namedProperties)
    .filter(({ property }) => isOpen(property));
  return open.map(({ property, names }) => {
    return { place: placeOf(names), name: property.text || property.name };
  });
}

function isOpen({ obligatory, obligatory2c, currentvalue, visible }: ArticleProperty): boolean {
  return (obligatory || obligatory2c) && currentvalue.trim() === '' && visible;
}
