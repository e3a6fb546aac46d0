/** The chosen values of an article, where nothing can be changed. */
import { readNumber } from '../../../convert/wire/value.ts';
import type { Article, ArticleProperty } from '../../../model/article.ts';
import { namedClasses } from '../state/fields.ts';
import { isNumeric, numberText } from '../state/property-range.ts';
import type { Texts } from '../state/texts.ts';
import { useSession } from './use-session.ts';

/** Shows the values of an article; those of its children are shown with them. */
export function ChosenProperties({ article }: { article: Article }) {
  const { texts } = useSession();
  const classes = namedClasses(article).map(({ proptype, name, text, fields }) => ({
    key: `${proptype} ${name}`,
    heading: text || name,
    chosen: fields
      .map(({ property }) => property)
      .filter(({ visible, currentvalue }) => visible && currentvalue.trim() !== ''),
  }));
  return (
    <>
      {classes
        .filter(({ chosen }) => chosen.length > 0)
        .map(({ key, heading, chosen }) => (
          <section class="class" key={key}>
            <h2>{heading}</h2>
            <dl class="components">
              {chosen.map((property) => (
                <div key={property.name}>
                  <dt>{property.text || property.name}</dt>
                  <dd>{valueText(texts, property)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
    </>
  );
}

/** The value of a property in words: its text, or the number in the notation of the language. */
function valueText(texts: Texts, property: ArticleProperty): string {
  const { propertyvalues, currentvalue } = property;
  const listed = propertyvalues.find(({ valuefrom }) => valuefrom === currentvalue);
  if (listed !== undefined && listed.text !== '') return listed.text;
  const number = isNumeric(property) ? readNumber(currentvalue) : undefined;
  return number === undefined ? currentvalue : numberText(texts, number);
}
