/**
 * Article: a definition with its values → the article object of GET articles.
 *
 * @see Spec 2.2.
 */
import {
  type ArticleDefinition,
  isAllowed,
  PROPERTY_CLASSES,
  type PropertyDefinition,
  priceOf,
  type Text,
  type Values,
} from './definition.ts';
import { finalNumberOf, metaReinitOf, reinitOf } from './numbering.ts';
import { identifier } from './random.ts';
import { convertdateOf } from './series/range.ts';

type Json = Record<string, unknown>;

/** How an article is asked for. */
export interface ArticleOptions {
  /** Display language; English for `en…`, else German. */
  lang: string;
  /** Invisible properties are answered too. */
  allProperties: boolean;
}

/**
 * The article object of a configuration; children of a planning are inside it.
 *
 * @param rootid - Identifier of the planning that a child belongs to.
 */
export function articleJson(
  article: ArticleDefinition,
  values: Values,
  options: ArticleOptions,
  rootid?: string,
): Json {
  const { manufacturer, program, number } = article;
  const reinit = reinitOf(article, values);
  // Children carry their root in their identifier: the same article may stand in many plannings.
  const id = identifier([rootid ?? '', manufacturer, program, number, reinit].join('\n'));
  const children = article.meta?.children(values) ?? [];
  return {
    id,
    rootid: rootid ?? id,
    manufacturer,
    program,
    basearticlenumber: number,
    typename: article.meta?.typename ?? '',
    reinit: metaReinitOf(article, values),
    children: children.map((child) => articleJson(child.article, child.values, options, id)),
    propclasses: [],
    metamessages: [],
    ocd: commercialJson(article, values, options, id),
  };
}

function commercialJson(
  article: ArticleDefinition,
  values: Values,
  options: ArticleOptions,
  id: string,
): Json {
  const say = teller(options.lang);
  const { price, components } = priceOf(article, values);
  const short = say(article.short);
  const shown = article.properties.filter(
    (property) => options.allProperties || isVisible(property, values),
  );
  const open = article.properties.some((p) => isOpen(p) && values[p.name] === '');
  return {
    id: id.slice(0, 8),
    finalarticlenumber: finalNumberOf(article, values),
    price,
    currency: 'EUR',
    pricecomponents: components.map((component) => ({ ...component, currency: 'EUR' })),
    shorttext: short,
    longtext: [short, ...article.long.map(say)].join('\n'),
    varianttext: article.properties
      .filter((property) => isVisible(property, values) && values[property.name] !== '')
      .map((property) => `${say(property.text)}: ${valueText(property, values, say)}`)
      .join('\n'),
    reinitstring: reinitOf(article, values),
    convertdate: convertdateOf(article),
    articlewithprice: article.price > 0,
    propclasses: classesJson(article, shown, values, say),
    usermessages: [],
    obligatory2c: open,
  };
}

function classesJson(
  article: ArticleDefinition,
  shown: readonly PropertyDefinition[],
  values: Values,
  say: (text: Text) => string,
): Json[] {
  const groups = [...new Set(shown.map((property) => property.group))];
  return groups.map((group) => ({
    name: group,
    text: say(PROPERTY_CLASSES[group]!),
    properties: shown
      .filter((property) => property.group === group)
      .map((property) => propertyJson(article, property, values, say)),
  }));
}

function propertyJson(
  article: ArticleDefinition,
  property: PropertyDefinition,
  values: Values,
  say: (text: Text) => string,
): Json {
  const { name, group, range, choices = [] } = property;
  const allowed = choices.filter((choice) => isAllowed(property, choice.value, values));
  const folder = `ocd/preview/${article.manufacturer}/${article.program}`;
  return {
    name,
    text: say(property.text),
    proptype: range === undefined ? 'C' : 'N',
    currentvalue: values[name],
    enabled: property.enabled?.(values) ?? true,
    visible: isVisible(property, values),
    obligatory: !isOpen(property),
    obligatory2c: isOpen(property),
    addvalues: false,
    propclassname: group,
    digits: range === undefined ? Math.max(...choices.map(({ value }) => value.length)) : 4,
    decdigits: 0,
    propertyvalues: allowed.map(({ value, text, preview }) => ({
      valuefrom: value,
      text: say(text),
      previewimage: preview === undefined ? '' : `${folder}/${preview}`,
      previewimagelarge: preview === undefined ? '' : `${folder}/L_${preview}`,
    })),
    ranges:
      range === undefined
        ? []
        : [
            {
              valuefrom: range.from,
              opfrom: 'GE',
              valueto: range.to,
              opto: 'LE',
              raster: range.raster,
            },
          ],
  };
}

function valueText(
  property: PropertyDefinition,
  values: Values,
  say: (text: Text) => string,
): string {
  const value = values[property.name]!;
  const choice = property.choices?.find((candidate) => candidate.value === value);
  return choice === undefined ? value : say(choice.text);
}

const isOpen = (property: PropertyDefinition): boolean => property.mustChoose === true;

const isVisible = (property: PropertyDefinition, values: Values): boolean =>
  property.visible?.(values) ?? true;

/** Reads texts in a language. */
function teller(lang: string): (text: Text) => string {
  const key = lang.toLowerCase().startsWith('en') ? 'en' : 'de';
  return (text) => text[key];
}
