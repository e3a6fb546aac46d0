/** The properties of an article, by class: those of the whole planning first. */
import type { Article, ArticleProperty, PropertyClass } from '../../../model/article.ts';
import { placeOf, settingOf } from '../state/fields.ts';
import { isOpening } from '../state/planning.ts';
import { PropertyField } from './property-field.tsx';
import { useSession } from './use-session.ts';

/** Shows the visible properties of an article; the properties of a child are changed as a part of the whole. */
export function PropertyPanel({ article }: { article: Article }) {
  const { texts } = useSession();
  const classes = [
    ...shownClasses('meta', article.propclasses),
    ...shownClasses('ocd', article.ocd?.propclasses ?? []),
  ];
  if (classes.length === 0) return <p class="quiet">{texts.noProperties}</p>;
  const isMarked = classes.some(({ group }) => group.properties.some(isAnswered));
  return (
    <>
      {isMarked && (
        // Each mark is read aloud at its field.
        <p class="quiet legend" aria-hidden="true">
          * {texts.required}
        </p>
      )}
      {classes.map((shown) => (
        <ClassFields {...{ article, ...shown }} key={`${shown.proptype} ${shown.group.name}`} />
      ))}
    </>
  );
}

/** Whether a property shows the mark of obligatory ones: a property without a value shows a request to choose. */
function isAnswered({ obligatory, obligatory2c, currentvalue }: ArticleProperty): boolean {
  return (obligatory || obligatory2c) && currentvalue.trim() !== '';
}

/** Classes with their visible properties; invisible properties have no meaning for people. */
function shownClasses(proptype: 'ocd' | 'meta', classes: readonly PropertyClass[]) {
  return classes.flatMap((group) => {
    const properties = group.properties.filter(({ visible }) => visible);
    return properties.length === 0 ? [] : [{ proptype, group: { ...group, properties } }];
  });
}

function ClassFields({
  article,
  group,
  proptype,
}: {
  article: Article;
  group: PropertyClass;
  proptype: 'ocd' | 'meta';
}) {
  const { texts, state, planning } = useSession();
  const { pending, failure } = state.planning;
  const isFixed = isOpening(state.planning);
  const namesOf = (property: ArticleProperty) => settingOf(article, proptype, group, property);
  const shownValue = (property: ArticleProperty) => {
    const place = placeOf(namesOf(property));
    // A value whose change failed is not shown as chosen.
    const waiting = failure === undefined ? pending : [];
    const change = waiting.findLast((other) => placeOf(other) === place);
    return change?.newvalue ?? property.currentvalue;
  };
  const isRoot = article.id === article.rootid;
  // The heading of an article in a planning is below the heading of the whole.
  const Heading = isRoot ? 'h2' : 'h3';
  const name = isRoot && proptype === 'meta' ? texts.ofPlanning : group.name;
  return (
    <section class="class">
      <Heading>{group.text || name}</Heading>
      {group.properties.map((property) => (
        <PropertyField
          key={property.name}
          place={placeOf(namesOf(property))}
          // A choice would be lost together with the article that is being replaced.
          property={isFixed ? { ...property, enabled: false } : property}
          value={shownValue(property)}
          onChange={(newvalue) => planning.change({ ...namesOf(property), newvalue })}
        />
      ))}
    </section>
  );
}
