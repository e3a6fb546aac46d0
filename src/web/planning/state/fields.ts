/** The fields of properties: their names, and the fields that a person still has to fill in. */

import type { Article, ArticleProperty, PropertyClass } from '../../../model/article.ts';
import { withChildren } from '../../../source/fetch/resolve-article.ts';
import type { PropertySetting } from './planned-article.ts';

/** A field, with its name for a person and its identifier in the page. */
export interface NamedField {
  /** Unique among all fields of a planning; see `placeOf`. */
  place: string;
  name: string;
}

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

/** The visible properties for which a person must still choose a value, also those of children. @see Spec 3 (rule 2) */
export function openFields(root: Article): NamedField[] {
  return withChildren(root).flatMap((article) => {
    const { propclasses: meta, ocd } = article;
    const ofType = (type: PropertySetting['proptype'], classes: readonly PropertyClass[]) =>
      classes.flatMap((group) =>
        group.properties.filter(isOpen).map((property) => ({
          place: placeOf(settingOf(article, type, group, property)),
          name: property.text || property.name,
        })),
      );
    return [...ofType('meta', meta), ...ofType('ocd', ocd?.propclasses ?? [])];
  });
}

function isOpen({ obligatory, obligatory2c, currentvalue, visible }: ArticleProperty): boolean {
  return (obligatory || obligatory2c) && currentvalue.trim() === '' && visible;
}
