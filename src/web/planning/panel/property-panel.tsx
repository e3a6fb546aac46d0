/** The properties of an article, by class: those of the whole planning first. */
import type { Article, ArticleProperty, PropertyClass } from '../../../model/article.ts';
import { placeOf, settingOf } from '../state/fields.ts';
import type { Session } from '../state/opened-page.ts';
import { isOpening } from '../state/planning.ts';
import { PropertyField } from './property-field.tsx';

/** Shows the visible properties of an article; the properties of a child are changed as a part of the whole. */
export function PropertyPanel({ session, article }: { session: Session; article: Article }) {
  const { texts } = session;
  const meta = shownClasses(article.propclasses);
  const commercial = shownClasses(article.ocd?.propclasses ?? []);
  if (meta.length + commercial.length === 0) return <p class="quiet">{texts.noProperties}</p>;
  const isRoot = article.id === article.rootid;
  const isMarked = [...meta, ...commercial].some(({ properties }) => properties.some(isAnswered));
  return (
    <>
      {isMarked && (
        // Each mark is read aloud at its field.
        <p class="quiet legend" aria-hidden="true">
          * {texts.required}
        </p>
      )}
      {meta.map((group) => (
        <ClassFields
          {...{ session, article, group }}
          proptype="meta"
          title={group.text || (isRoot ? texts.ofPlanning : group.name)}
          key={`meta ${group.name}`}
        />
      ))}
      {commercial.map((group) => (
        <ClassFields
          {...{ session, article, group }}
          proptype="ocd"
          title={group.text || group.name}
          key={`ocd ${group.name}`}
        />
      ))}
    </>
  );
}

/** Whether a property shows the mark of obligatory ones: a property without a value shows a request to choose. */
function isAnswered({ obligatory, obligatory2c, currentvalue }: ArticleProperty): boolean {
  return (obligatory || obligatory2c) && currentvalue.trim() !== '';
}

/** Classes with their visible properties; invisible properties have no meaning for people. */
function shownClasses(classes: readonly PropertyClass[]): PropertyClass[] {
  return classes
    .map((group) => ({ ...group, properties: group.properties.filter(({ visible }) => visible) }))
    .filter(({ properties }) => properties.length > 0);
}

function ClassFields({
  session,
  article,
  group,
  proptype,
  title,
}: {
  session: Session;
  article: Article;
  group: PropertyClass;
  proptype: 'ocd' | 'meta';
  title: string;
}) {
  const { pending, failure } = session.state.planning;
  const isFixed = isOpening(session.state.planning);
  const namesOf = (property: ArticleProperty) => settingOf(article, proptype, group, property);
  const shownValue = (property: ArticleProperty) => {
    const place = placeOf(namesOf(property));
    // A value whose change failed is not shown as chosen.
    const waiting = failure === undefined ? pending : [];
    const change = waiting.findLast((other) => placeOf(other) === place);
    return change?.newvalue ?? property.currentvalue;
  };
  // The heading of an article in a planning is below the heading of the whole.
  const Heading = article.id === article.rootid ? 'h2' : 'h3';
  return (
    <section class="class">
      <Heading>{title}</Heading>
      {group.properties.map((property) => (
        <PropertyField
          key={property.name}
          session={session}
          place={placeOf(namesOf(property))}
          // A choice would be lost together with the article that is being replaced.
          property={isFixed ? { ...property, enabled: false } : property}
          value={shownValue(property)}
          onChange={(newvalue) => session.planning.change({ ...namesOf(property), newvalue })}
        />
      ))}
    </section>
  );
}
