/** The fields of properties: how they are named, and which of them a person has to go to. */

import type { Article, ArticleProperty, PropertyClass } from '../../../model/article.ts';
import { withChildren } from '../../../source/fetch/resolve-article.ts';
import type { PropertySetting } from './planned-article.ts';

/** A field, as a person knows it and as the page finds it. */
export interface NamedField {
  /** Of all fields of a planning; see `placeOf`. */
  place: string;
  name: string;
}

/** Everything of a change but its value. */
type SettingNames = Omit<PropertySetting, 'newvalue'>;

/** How a change names a property. */
export function settingOf(
  { id }: Article,
  proptype: PropertySetting['proptype'],
  { name }: PropertyClass,
  property: ArticleProperty,
): SettingNames {
  return { id, proptype, propclass: name || property.propclassname, prop: property.name };
}

/** What identifies the field of a property; the page has it as `data-place`. */
export function placeOf({ id, proptype, propclass, prop }: SettingNames): string {
  return [id, proptype, propclass, prop].join('\n');
}

/** The properties that a person sees and must still choose, children's too. @see Spec 3 (rule 2) */
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
