/** The fields of properties: which of them a person has to go to, and links that lead there. */
import { withChildren } from '../fetch/resolve-article.ts';
import type { Article, ArticleProperty, PropertyClass } from '../model/article.ts';
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

/** Says which fields wait for a person; each name leads there. */
export function FieldLinks({
  id,
  intro,
  fields,
}: {
  id: string;
  intro: string;
  fields: readonly NamedField[];
}) {
  return (
    <p class="quiet" id={id}>
      {intro}{' '}
      {fields.map(({ place, name }, index) => (
        <span key={place}>
          {index > 0 && ', '}
          <button type="button" class="plain" onClick={() => focusField(place)}>
            {name}
          </button>
        </span>
      ))}
    </p>
  );
}

/** After a press of a pointer a browser shows no ring, but this focus has moved to another field. */
const WITH_RING = { focusVisible: true };

function focusField(place: string): void {
  const field = document.querySelector(`[data-place="${CSS.escape(place)}"]`);
  // Those of a part of a planning may be folded away.
  for (let at = field?.closest('details'); at; at = at.parentElement?.closest('details'))
    at.open = true;
  const wrong = field?.querySelector<HTMLElement>('[aria-invalid="true"]');
  (wrong ?? field?.querySelector<HTMLElement>('input, select'))?.focus(WITH_RING);
}
