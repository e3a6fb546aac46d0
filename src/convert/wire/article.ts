/** Answers of GET and POST articles: an article with its children, which may be nested at any depth. */
import type {
  Article,
  ArticleProperty,
  CommercialData,
  PropertyClass,
  PropertyRange,
} from '../../model/article.ts';
import { type DriftReporter, decodeFields, type Field, fields } from './fields.ts';
import {
  isMissing,
  isRecord,
  type JsonRecord,
  mismatch,
  parseJson,
  withoutUndefined,
} from './value.ts';

const { anything, text, identifier, textOrNumber, truth, optional, records, object } = fields;

const value: Field<ArticleProperty['propertyvalues'][number]> = object({
  valuefrom: textOrNumber,
  text,
  previewimage: optional(text),
  previewimagelarge: optional(text),
});

const LOWER = { GT: 'GT', GE: 'GE' } as const;
const UPPER = { LT: 'LT', LE: 'LE' } as const;

const wireRange = object({
  valuefrom: fields.bound,
  opfrom: optional(fields.oneOf(['GT', 'GE'])),
  valueto: fields.bound,
  opto: optional(fields.oneOf(['LT', 'LE'])),
  raster: optional(fields.number(undefined)),
});
const range: Field<PropertyRange> = (value, at) => {
  const wire = wireRange(value, at);
  const opfrom = LOWER[wire.opfrom.trim().toUpperCase() as keyof typeof LOWER];
  const opto = UPPER[wire.opto.trim().toUpperCase() as keyof typeof UPPER];
  return withoutUndefined({ ...wire, opfrom, opto });
};

const property: Field<ArticleProperty> = object({
  name: text,
  text,
  proptype: fields.oneOf(['C', 'N', 'L'], 'C'),
  currentvalue: textOrNumber,
  enabled: truth(true),
  visible: truth(true),
  obligatory: truth(),
  obligatory2c: truth(),
  addvalues: truth(),
  propclassname: text,
  digits: fields.number(0),
  decdigits: fields.number(0),
  propertyvalues: records(value),
  ranges: records(range),
});

const propertyClass: Field<PropertyClass> = object({
  name: text,
  text,
  properties: records(property),
});

const wireCommercial = object({
  id: text,
  finalarticlenumber: identifier,
  price: fields.number(null),
  currency: text,
  pricecomponents: anything,
  shorttext: text,
  longtext: text,
  varianttext: text,
  reinitstring: identifier,
  convertdate: text,
  articlewithprice: truth(true),
  propclasses: records(propertyClass),
  usermessages: anything,
  obligatory2c: truth(),
});
/** Commercial data of an article. One without a price often comes with a price of 0. */
const commercial: Field<CommercialData> = (value, at) => {
  const wire = wireCommercial(value, at);
  const price = wire.articlewithprice ? wire.price : null;
  return { ...wire, price, articlewithprice: price !== null };
};

/** Debug fields that the service does not fill in, and so usually does not send. */
const DEBUG_FIELDS = {
  debugreinitstring: anything,
  debugiscommercialvalid: anything,
  debugisvisiblepropertieswithvalue: anything,
};
const DEBUG_NAMES = Object.keys(DEBUG_FIELDS) as (keyof typeof DEBUG_FIELDS)[];

const article = object({
  id: text,
  rootid: text,
  manufacturer: identifier,
  program: identifier,
  basearticlenumber: identifier,
  typename: text,
  reinit: identifier,
  // Children are decoded one level at a time: a schema that calls itself overflows the stack at 1,000 levels.
  children: records(anything),
  propclasses: records(propertyClass),
  metamessages: anything,
  ocd: fields.objectOrNone(commercial),
  dump: dumpText,
  ...DEBUG_FIELDS,
});

const wholeChildren = fields.list(object({}));

/**
 * Decodes an article with all its children. Fields that are missing, or unreadable and no identifiers,
 * take their defaults: texts empty, the price null, other numbers 0, `visible` and `enabled` true, other truth
 * values false.
 *
 * @param body - Bytes of the body, or the object that it was parsed to.
 * @param onDrift - Receives tolerated mismatches; children count as `article.children[]`.
 * @param isPlanning - Whether each child must be readable; else only if `reinit` or another child is there.
 * @throws `RESPONSE_INVALID` with the path of the first field that cannot be read.
 * @see Spec 2.2; D-608 (price), D-613 (names of the reinit strings), D-784 (drift).
 */
export function decodeArticle(
  body: Uint8Array | JsonRecord,
  onDrift?: DriftReporter,
  isPlanning = false,
): Article {
  return decodeTree(body instanceof Uint8Array ? parseJson(body) : body, onDrift, isPlanning);
}

/**
 * Decodes an answer of GET or POST articles.
 *
 * @throws `RESPONSE_INVALID` also if there is neither a `dump` nor an `ocd` with a final article number,
 * such as in `{"result":[…]}`: the article would have no number and no texts. @see D-614
 */
export function decodeArticleAnswer(body: Uint8Array, onDrift?: DriftReporter): Article {
  const wire = parseJson(body);
  const { ocd, dump }: JsonRecord = isRecord(wire) ? wire : {};
  const number = isRecord(ocd) ? ocd.finalarticlenumber : undefined;
  if (isRecord(wire) && number === undefined && dumpText(dump) === '') {
    throw isRecord(ocd)
      ? mismatch('RESPONSE_INVALID', 'article.ocd.finalarticlenumber', 'a text', number)
      : mismatch('RESPONSE_INVALID', 'article.ocd', 'an object', ocd);
  }
  return decodeTree(wire, onDrift);
}

function decodeTree(root: unknown, onDrift?: DriftReporter, isPlanning = false): Article {
  const roots: Article[] = [];
  const open: { wire: unknown; where: string; into: Article[] }[] = [
    { wire: root, where: 'article', into: roots },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { wire, where, into } = next;
    const driftWhere = where === 'article' ? where : 'article.children[]';
    const { children, ...fields } = decodeFields(article, wire, where, onDrift, driftWhere);
    // Without one of its children, the geometry of a planning would lack a part.
    const { children: sent } = wire as JsonRecord;
    const isWhole = isPlanning || fields.reinit !== '' || children.length > 0;
    if (isWhole && !isMissing(sent)) decodeFields(wholeChildren, sent, `${where}.children`);
    for (const name of DEBUG_NAMES) if (fields[name] === undefined) delete fields[name];
    const decoded: Article = { ...fields, children: [] };
    into.push(decoded);
    // The stack is last in, first out: children are pushed from the end, so that they come off in their order.
    for (let index = children.length - 1; index >= 0; index--) {
      const place = `${where}.children[${index}]`;
      open.push({ wire: children[index], where: place, into: decoded.children });
    }
  }
  return roots[0]!;
}

/** The text of a dump, which a person reads; a dump that is no text has no content. */
function dumpText(dump: unknown): string {
  if (isMissing(dump)) return '';
  return typeof dump === 'object' ? 'the service sent a dump that is no text' : String(dump);
}
