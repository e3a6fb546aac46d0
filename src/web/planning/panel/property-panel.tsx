/** The properties of an article, by class: those of the whole planning first. */
import type { Article } from '../../../model/article.ts';
import { type NamedClass, namedClasses, placeOf } from '../state/fields.ts';
import { isOpening } from '../state/planning.ts';
import { PropertyField } from './property-field.tsx';
import { useSession } from './use-session.ts';

/** Shows the visible properties of an article; the properties of a child are changed as a part of the whole. */
export function PropertyPanel({ article }: { article: Article }) {
  const { texts } = useSession();
  // Invisible properties have no meaning for people.
  const classes = namedClasses(article).flatMap((group) => {
    const fields = group.fields.filter(({ property }) => property.visible);
    return fields.length === 0 ? [] : [{ ...group, fields }];
  });
  if (classes.length === 0) return <p class="quiet">{texts.noProperties}</p>;
  const isMarked = classes.some(({ fields }) => fields.some(isAnswered));
  return (
    <>
      {isMarked && (
        // Each mark is read aloud at its field.
        <p class="quiet legend" aria-hidden="true">
          * {texts.required}
        </p>
      )}
      {classes.map((group) => (
        <ClassFields {...{ article, group }} key={`${group.proptype} ${group.name}`} />
      ))}
    </>
  );
}

/** Whether a property shows the mark of obligatory ones: a property without a value shows a request to choose. */
function isAnswered({ property }: NamedClass['fields'][number]): boolean {
  const { obligatory, obligatory2c, currentvalue } = property;
  return (obligatory || obligatory2c) && currentvalue.trim() !== '';
}

function ClassFields({ article, group }: { article: Article; group: NamedClass }) {
  const { texts, state, planning } = useSession();
  const { pending, failure } = state.planning;
  const isFixed = isOpening(state.planning);
  // A value whose change failed is not shown as chosen.
  const waiting = failure === undefined ? pending : [];
  const changeAt = (place: string) => waiting.findLast((other) => placeOf(other) === place);
  const isRoot = article.id === article.rootid;
  // The heading of an article in a planning is below the heading of the whole.
  const Heading = isRoot ? 'h2' : 'h3';
  const name = isRoot && group.proptype === 'meta' ? texts.ofPlanning : group.name;
  return (
    <section class="class">
      <Heading>{group.text || name}</Heading>
      {group.fields.map(({ property, names }) => (
        <PropertyField
          key={property.name}
          place={placeOf(names)}
          // A choice would be lost together with the article that is being replaced.
          property={isFixed ? { ...property, enabled: false } : property}
          value={changeAt(placeOf(names))?.newvalue ?? property.currentvalue}
          onChange={(newvalue) => planning.change({ ...names, newvalue })}
        />
      ))}
    </section>
  );
}
