/**
 * Article answers: GET articles as the model's article, with its children.
 *
 * In: a raw body. Out: an article, every field filled in, unspecified parts untouched.
 * It must not know who asked. Children may be nested at any depth: they are walked with a stack.
 */
import { z } from 'zod';
import type {
  Article,
  ArticleProperty,
  CommercialData,
  PropertyClass,
  PropertyRange,
  PropertyValue,
} from '../model/article.ts';
import { as, type DriftReporter, findDrift, mayLack, oneOf } from './wire-drift.ts';
import {
  anything,
  bound,
  checkShape,
  list,
  number,
  object,
  optionalNumber,
  optionalObject,
  parseJson,
  text,
  textOrNumber,
  truth,
} from './wire-fields.ts';

const value: z.ZodType<PropertyValue> = object({
  valuefrom: textOrNumber(),
  text: text(),
  previewimage: mayLack(text()),
  previewimagelarge: mayLack(text()),
});

const LOWER = { GT: 'GT', GE: 'GE' } as const;
const UPPER = { LT: 'LT', LE: 'LE' } as const;

const wireRange = object({
  valuefrom: bound(),
  opfrom: mayLack(oneOf(text(), 'GT', 'GE')),
  valueto: bound(),
  opto: mayLack(oneOf(text(), 'LT', 'LE')),
  raster: optionalNumber(),
});
const range: z.ZodType<PropertyRange> = as(
  wireRange.transform((wire) => withoutMissing(wire)),
  wireRange,
);

const property: z.ZodType<ArticleProperty> = object({
  name: text(),
  text: text(),
  proptype: oneOf(text('C'), 'C', 'N', 'L'),
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

const propertyClass: z.ZodType<PropertyClass> = object({
  name: text(),
  text: text(),
  properties: list(property),
});

const commercial: z.ZodType<CommercialData> = object({
  id: text(),
  finalarticlenumber: text(),
  price: number(),
  currency: text(),
  pricecomponents: anything(),
  shorttext: text(),
  longtext: text(),
  varianttext: text(),
  reinitstring: text(),
  convertdate: text(),
  articlewithprice: truth(),
  propclasses: list(propertyClass),
  usermessages: anything(),
  obligatory2c: truth(),
});

const article = object({
  id: text(),
  rootid: text(),
  manufacturer: text(),
  program: text(),
  basearticlenumber: text(),
  typename: text(),
  reinit: text(),
  // One level at a time: a schema that calls itself overflows the stack by 1,000 levels.
  children: list(z.unknown()),
  propclasses: list(propertyClass),
  metamessages: anything(),
  ocd: optionalObject(commercial),
  dump: z.unknown().optional().transform(dumpText),
  debugreinitstring: anything(),
  debugiscommercialvalid: anything(),
  debugisvisiblepropertieswithvalue: anything(),
});

/**
 * Decodes an article with all its children.
 *
 * Missing fields take their defaults: texts empty, numbers 0, `visible` and `enabled` true, other
 * truth values false. `pricecomponents`, `metamessages` and `usermessages` pass through untouched.
 *
 * @param body - Raw body of GET articles or POST articles.
 * @param onDrift - Told of what had to be tolerated; children count as `article.children[]`.
 * @throws {@link ConverterError} `RESPONSE_INVALID` with the path of the first field that cannot be read.
 *
 * @example
 * ```ts
 * decodeArticle(utf8('{"id":"1","rootid":"1","ocd":{"price":"12,50"}}')).ocd?.price; // → 12.5
 * ```
 *
 * @see Spec 2.2; D-608 (a price of 0 is normal), D-613 (names of the reinit strings).
 */
export function decodeArticle(body: Uint8Array, onDrift?: DriftReporter): Article {
  const roots: Article[] = [];
  const open: { wire: unknown; where: string; into: Article[] }[] = [
    { wire: parseJson(body), where: 'article', into: roots },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { where } = next;
    const { children, ...fields } = checkShape(article, next.wire, where);
    const decoded: Article = { ...withoutUnsent(fields), children: [] };
    if (onDrift !== undefined) {
      findDrift(article, next.wire, where === 'article' ? where : 'article.children[]', onDrift);
    }
    next.into.push(decoded);
    // Last in, first out: pushed from the end, children come off in their own order.
    for (let index = children.length - 1; index >= 0; index--) {
      const wire = children[index];
      open.push({ wire, where: `${where}.children[${index}]`, into: decoded.children });
    }
  }
  return roots[0]!;
}

/** Debug fields that the service does not fill in, and so usually does not send. */
const DEBUG_FIELDS = [
  'debugreinitstring',
  'debugiscommercialvalid',
  'debugisvisiblepropertieswithvalue',
] as const;

/** Without the debug fields that were not sent. */
function withoutUnsent<T extends Partial<Record<(typeof DEBUG_FIELDS)[number], unknown>>>(
  fields: T,
): T {
  for (const name of DEBUG_FIELDS) if (fields[name] === undefined) delete fields[name];
  return fields;
}

interface WireRange {
  valuefrom: number | undefined;
  opfrom: string;
  valueto: number | undefined;
  opto: string;
  raster: number | undefined;
}

function withoutMissing(wire: WireRange): PropertyRange {
  const lower = LOWER[wire.opfrom.trim().toUpperCase() as keyof typeof LOWER];
  const upper = UPPER[wire.opto.trim().toUpperCase() as keyof typeof UPPER];
  return {
    ...(wire.valuefrom === undefined ? {} : { valuefrom: wire.valuefrom }),
    ...(lower === undefined ? {} : { opfrom: lower }),
    ...(wire.valueto === undefined ? {} : { valueto: wire.valueto }),
    ...(upper === undefined ? {} : { opto: upper }),
    ...(wire.raster === undefined ? {} : { raster: wire.raster }),
  };
}

/** A dump is there to be read by a person; one that is no text is named by its kind only. */
function dumpText(dump: unknown): string {
  if (dump === undefined || dump === null) return '';
  return typeof dump === 'object' ? 'the service sent a dump that is no text' : String(dump);
}
