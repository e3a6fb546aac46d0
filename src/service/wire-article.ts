/** Answers of GET and POST articles: an article with its children, which may be nested at any depth. */
import type {
  Article,
  ArticleProperty,
  CommercialData,
  PropertyClass,
  PropertyRange,
  PropertyValue,
} from '../model/article.ts';
import {
  type DriftReporter,
  decodeFields,
  type Field,
  list,
  number,
  object,
  oneOf,
  optional,
  optionalNumber,
  optionalObject,
  text,
  textOrNumber,
  truth,
} from './wire-fields.ts';
import { isMissing, parseJson, withoutUndefined } from './wire-value.ts';

const value: Field<PropertyValue> = object({
  valuefrom: textOrNumber(),
  text: text(),
  previewimage: optional(text()),
  previewimagelarge: optional(text()),
});

/** Its shape is not specified: it passes through untouched. */
const anything: Field<unknown> = (value) => value;

const LOWER = { GT: 'GT', GE: 'GE' } as const;
const UPPER = { LT: 'LT', LE: 'LE' } as const;

const wireRange = object({
  valuefrom: optionalNumber(true),
  opfrom: optional(oneOf(['GT', 'GE'])),
  valueto: optionalNumber(true),
  opto: optional(oneOf(['LT', 'LE'])),
  raster: optionalNumber(),
});
const range: Field<PropertyRange> = (value, at) => {
  const wire = wireRange(value, at);
  const opfrom = LOWER[wire.opfrom.trim().toUpperCase() as keyof typeof LOWER];
  const opto = UPPER[wire.opto.trim().toUpperCase() as keyof typeof UPPER];
  return withoutUndefined({ ...wire, opfrom, opto });
};

const property: Field<ArticleProperty> = object({
  name: text(),
  text: text(),
  proptype: oneOf(['C', 'N', 'L'], 'C'),
  currentvalue: textOrNumber(),
  enabled: truth(true),
  visible: truth(true),
  obligatory: truth(),
  obligatory2c: truth(),
  addvalues: truth(),
  propclassname: text(),
  digits: number(),
  decdigits: number(),
  propertyvalues: list(value),
  ranges: list(range),
});

const propertyClass: Field<PropertyClass> = object({
  name: text(),
  text: text(),
  properties: list(property),
});

const commercial: Field<CommercialData> = object({
  id: text(),
  finalarticlenumber: text(),
  price: number(),
  currency: text(),
  pricecomponents: anything,
  shorttext: text(),
  longtext: text(),
  varianttext: text(),
  reinitstring: text(),
  convertdate: text(),
  articlewithprice: truth(),
  propclasses: list(propertyClass),
  usermessages: anything,
  obligatory2c: truth(),
});

/** Debug fields that the service does not fill in, and so usually does not send. */
const DEBUG_FIELDS = {
  debugreinitstring: anything,
  debugiscommercialvalid: anything,
  debugisvisiblepropertieswithvalue: anything,
};
const DEBUG_NAMES = Object.keys(DEBUG_FIELDS) as (keyof typeof DEBUG_FIELDS)[];

const article = object({
  id: text(),
  rootid: text(),
  manufacturer: text(),
  program: text(),
  basearticlenumber: text(),
  typename: text(),
  reinit: text(),
  // One level at a time: a schema that calls itself overflows the stack by 1,000 levels.
  children: list(anything),
  propclasses: list(propertyClass),
  metamessages: anything,
  ocd: optionalObject(commercial),
  dump: dumpText,
  ...DEBUG_FIELDS,
});

/**
 * Decodes an article with all its children. Missing fields take their defaults: texts empty, numbers 0,
 * `visible` and `enabled` true, other truth values false.
 *
 * @param onDrift - Receives tolerated mismatches; children count as `article.children[]`.
 * @throws `RESPONSE_INVALID` with the path of the first field that cannot be read.
 * @see Spec 2.2; D-608 (a price of 0 is normal), D-613 (names of the reinit strings).
 */
export function decodeArticle(body: Uint8Array, onDrift?: DriftReporter): Article {
  const roots: Article[] = [];
  const open: { wire: unknown; where: string; into: Article[] }[] = [
    { wire: parseJson(body), where: 'article', into: roots },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { wire, where, into } = next;
    const driftWhere = where === 'article' ? where : 'article.children[]';
    const { children, ...fields } = decodeFields(article, wire, where, onDrift, driftWhere);
    for (const name of DEBUG_NAMES) if (fields[name] === undefined) delete fields[name];
    const decoded: Article = { ...fields, children: [] };
    into.push(decoded);
    // Last in, first out: pushed from the end, children come off in their own order.
    for (let index = children.length - 1; index >= 0; index--) {
      const place = `${where}.children[${index}]`;
      open.push({ wire: children[index], where: place, into: decoded.children });
    }
  }
  return roots[0]!;
}

/** A dump is read by a person; the content of one that is no text is left out. */
function dumpText(dump: unknown): string {
  if (isMissing(dump)) return '';
  return typeof dump === 'object' ? 'the service sent a dump that is no text' : String(dump);
}
