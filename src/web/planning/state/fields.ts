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

export type PropertySetting = Omit<PropertyChange, 'rootid' | 'jsondata'>;

type SettingNames = Omit<PropertySetting, 'newvalue'>;

/** A class of properties, each with the names by which a change identifies it. */
export interface NamedClass extends Pick<PropertyClass, 'name' | 'text'> {
  proptype: PropertySetting['proptype'];
  fields: readonly { property: ArticleProperty; names: SettingNames }[];
}

/** Identifies the field of a property; the page has this text as `data-place`. */
export function placeOf({ id, proptype, propclass, prop }: SettingNames): string {
  return [id, proptype, propclass, prop].join('\n');
}

/** The name of the property that a setting is for, in an article or one of its children. */
export function nameOfSetting(root: Article, setting: PropertySetting): string {
  const place = placeOf(setting);
  const fields = withChildren(root).flatMap(namedProperties);
  const found = fields.find(({ names }) => placeOf(names) === place);
  return found?.property.text || setting.prop;
}

/** The classes of an article, without those of its children; first those of the whole planning. */
export function namedClasses({ id, propclasses, ocd }: Article): NamedClass[] {
  const ofType = (proptype: NamedClass['proptype'], classes: readonly PropertyClass[]) =>
    classes.map(({ name, text, properties }) => {
      const fields = properties.map((property) => {
        const propclass = name || property.propclassname;
        return { property, names: { id, proptype, propclass, prop: property.name } };
      });
      return { proptype, name, text, fields };
    });
  return [...ofType('meta', propclasses), ...ofType('ocd', ocd?.propclasses ?? [])];
}

/** All properties of an article, without those of its children. */
export function namedProperties(article: Article): NamedClass['fields'] {
  return namedClasses(article).flatMap(({ fields }) => fields);
}

/** The visible properties for which a person must still choose a value, also those of children. @see Spec 3 (rule 2) */
export function openFields(root: Article): NamedField[] {
  const fields = withChildren(root).flatMap(namedProperties);
  return fields.flatMap(({ property, names }) => {
    const { obligatory, obligatory2c, currentvalue, visible, text, name } = property;
    const isOpen = (obligatory || obligatory2c) && currentvalue.trim() === '' && visible;
    return isOpen ? [{ place: placeOf(names), name: text || name }] : [];
  });
}
