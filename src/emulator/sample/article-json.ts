/** The article object of GET and POST articles, from a definition and its values (Spec 2.2). */
import {
  type ArticleDefinition,
  allPropertiesOf,
  isAllowed,
  isVisible,
  missingProperties,
  PROPERTY_CLASSES,
  type PropertyDefinition,
  priceOf,
  type Values,
  WHOLE_NUMBER,
} from './definition.ts';
import { finalNumberOf, metaReinitOf, reinitOf } from './numbering.ts';
import { identifier } from './random.ts';
import type { Json } from './range.ts';
import { convertdateOf } from './series/range.ts';
import type { Translate } from './views.ts';

interface ArticleOptions {
  /** Selects the language of the request. */
  translate: Translate;
  currency: string;
  /** Units of that currency for one euro. */
  rate: number;
  allProperties: boolean;
  /** Existing identifier of the article. @defaultValue derived from its configuration */
  id?: string;
  /** Messages to the buyer about the change that led to this article. */
  usermessages?: readonly string[];
}

/**
 * The article object of a configuration; children of a planning are inside it.
 *
 * @param rootid - Identifier of the planning that a child belongs to.
 */
export function articleJson(
  article: ArticleDefinition,
  values: Values,
  { id: known, usermessages = [], ...options }: ArticleOptions,
  rootid?: string,
): Json {
  const { manufacturer, program, number, meta } = article;
  const reinit = reinitOf(article, values);
  // A child keeps its identifier when it is changed, while the same article may be part of many plannings.
  const owner = rootid === undefined ? ['', reinit] : [rootid, ''];
  const id = known ?? identifier([owner[0], manufacturer, program, number, owner[1]].join('\n'));
  const children = meta?.children(values) ?? [];
  return {
    id,
    rootid: rootid ?? id,
    manufacturer,
    program,
    basearticlenumber: number,
    typename: meta?.typename ?? '',
    reinit: metaReinitOf(article, values),
    children: children.map((child) => articleJson(child.article, child.values, options, id)),
    propclasses: classesJson(article, meta?.properties ?? [], values, options),
    metamessages: (meta?.messages?.(values) ?? []).map(options.translate),
    ...(article.dump !== undefined && { dump: article.dump }),
    ocd: { ...commercialJson(article, values, options, id), usermessages },
  };
}

function commercialJson(
  article: ArticleDefinition,
  values: Values,
  options: ArticleOptions,
  id: string,
): Json {
  const { translate, currency, rate } = options;
  const { price, components } = priceOf(article, values, rate);
  const short = translate(article.short);
  return {
    id: id.slice(0, 8),
    finalarticlenumber: finalNumberOf(article, values),
    price,
    currency,
    pricecomponents: components.map((component) => ({ ...component, currency })),
    shorttext: short,
    longtext: [short, ...article.long.map(translate)].join('\n'),
    varianttext: allPropertiesOf(article)
      .filter((property) => isVisible(property, values) && values[property.name] !== '')
      .map((property) => {
        const value = values[property.name]!;
        const choice = property.choices?.find((one) => one.value === value);
        return `${translate(property.text)}: ${choice === undefined ? value : translate(choice.text)}`;
      })
      .join('\n'),
    reinitstring: reinitOf(article, values),
    convertdate: convertdateOf(article),
    articlewithprice: article.price > 0,
    propclasses: classesJson(article, article.properties, values, options),
    obligatory2c: missingProperties(article, values).length > 0,
  };
}

/** Property classes with their properties. Empty classes are omitted. */
function classesJson(
  article: ArticleDefinition,
  properties: readonly PropertyDefinition[],
  values: Values,
  { translate, allProperties }: ArticleOptions,
): Json[] {
  const shown = properties.filter((property) => allProperties || isVisible(property, values));
  const groups = [...new Set(shown.map((property) => property.group))];
  return groups.map((group) => ({
    name: group,
    text: translate(PROPERTY_CLASSES[group]!),
    properties: shown
      .filter((property) => property.group === group)
      .map((property) => propertyJson(article, property, values, translate)),
  }));
}

function propertyJson(
  { manufacturer, program }: ArticleDefinition,
  property: PropertyDefinition,
  values: Values,
  translate: Translate,
): Json {
  const { name, group, choices = [], mustChoose = false } = property;
  const allowed = choices.filter(({ value }) => isAllowed(property, value, values));
  const folder = `ocd/preview/${manufacturer}/${program}`;
  return {
    name,
    text: translate(property.text),
    currentvalue: values[name],
    enabled: property.enabled?.(values) ?? true,
    visible: isVisible(property, values),
    obligatory: !mustChoose,
    obligatory2c: mustChoose,
    addvalues: property.others !== undefined,
    propclassname: group,
    ...formJson(property),
    propertyvalues: allowed.map(({ value, text, preview }) => ({
      valuefrom: value,
      text: translate(text),
      previewimage: preview === undefined ? '' : `${folder}/${preview}`,
      previewimagelarge: preview === undefined ? '' : `${folder}/L_${preview}`,
    })),
    // An open bound is absent, and so is its operator.
    ranges: (property.ranges?.(values) ?? []).map(
      ({ from, opfrom = 'GE', to, opto = 'LE', raster }) => ({
        ...(from !== undefined && { valuefrom: from, opfrom }),
        ...(to !== undefined && { valueto: to, opto }),
        ...(raster !== undefined && { raster }),
      }),
    ),
  };
}

/** Form of a number: `L` (a length) with decimals, else `N`; both are numeric. */
function formJson({
  ranges,
  form = WHOLE_NUMBER,
  choices = [],
  others = 0,
}: PropertyDefinition): Json {
  if (ranges !== undefined) return { proptype: form.decdigits > 0 ? 'L' : 'N', ...form };
  const digits = Math.max(others, ...choices.map(({ value }) => value.length));
  return { proptype: 'C', digits, decdigits: 0 };
}
