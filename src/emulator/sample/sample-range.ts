/** Plausible furniture of three invented manufacturers, made by code: the same bytes every time. */
import { articleJson } from './article-json.ts';
import { blockBody } from './blocks/blocks.ts';
import { createCatalogues } from './catalogue.ts';
import { changeValue } from './configurator.ts';
import {
  type ArticleDefinition,
  type Configuration,
  type PropertyDefinition,
  type Values,
  valuesOf,
  withChildValues,
} from './definition.ts';
import { createImages } from './images.ts';
import { materialsFor } from './materials/materials.ts';
import { finalNumberOf, valuesOfFinalNumber, valuesOfReinit, withMetaValues } from './numbering.ts';
import { drawArticle } from './pictures/pictures.ts';
import {
  type EmulatedRange,
  type Json,
  type PropertyChange,
  type Query,
  RangeRefusal,
} from './range.ts';
import { findArticle } from './series/range.ts';
import { articleRoot, partsListJson } from './tree.ts';
import { currencyOf, isShown, type Translate, translationFor } from './views.ts';

/** Width in pixels. */
const PICTURE_WIDTH = 640;

/** Requested blocks by name. All ranges share them. */
const blocks = new Map<string, Uint8Array>();

/**
 * Creates the range; blocks are made at their first request in the process, images are files.
 *
 * @example
 * ```ts
 * createSampleRange().nodes('')?.map((node) => node.manufacturer);
 * // → ['FJEL', 'BRNK', 'AULI']
 * ```
 *
 * @see Spec 2.1 to 2.4; D-726, D-790 to D-795.
 */
export function createSampleRange(): EmulatedRange {
  return {
    name: 'sample',
    ...createCatalogues(),
    ...createImages(),
    article: answerArticle,
    configure,
    // The body of POST reinit needs no meta reinit string (Spec 4.3).
    checkPlanning: (article) => void readPlanning({ reinit: '', ...article }),
    partsList: answerPartsList,
    block: async (name) => block(name),
    picture: async (query) => {
      const found = requested(query);
      // The service has no pictures of plannings: Spec 4.4.
      if (found === undefined || found.article.meta !== undefined) return undefined;
      return drawArticle(found.article, found.values, block, PICTURE_WIDTH);
    },
  };
}

function block(name: string): Uint8Array | undefined {
  const body = blocks.get(name) ?? blockBody(name);
  if (body !== undefined) blocks.set(name, body);
  return body;
}

/** GET articles: the default, or the configuration of a reinit string, else of a variant code. */
function answerArticle(query: Query): Json | undefined {
  const article = shownArticle(query);
  if (article === undefined) return undefined;
  const values = query.ocdreinitstring
    ? valuesOfReinit(article, query.ocdreinitstring)
    : valuesOfVariant(article, query.varcode ?? '');
  if (values === undefined) return undefined;
  const allProperties = !['', 'false', '0'].includes(query.getallproperties ?? '');
  const view = { translate: translationFor(query), ...currencyOf(query.currency), allProperties };
  return articleJson(article, values, view);
}

/**
 * POST articles: parameters that the query lacks are taken from the article. The query names the root or
 * the child that is changed (D-791).
 */
function configure(
  query: Query,
  { article: json, id, ...change }: PropertyChange,
): Json | undefined {
  const named = findArticle(query.manufacturer, query.program, query.basearticlenumber);
  if (named === undefined) return undefined;
  const { article, values: before } = readPlanning(json);
  const root = { article, values: before, json };
  const part = id === String(json.id) ? root : childOf(root, id);
  const target = [root, part].find((one) => one.article === named);
  if (target === undefined)
    throw new RangeRefusal('jsondata: is another article than the query names');
  const reinit = query.ocdreinitstring ?? '';
  if (reinit !== '' && reinit !== ocdOf(target.json).reinitstring) {
    throw new RangeRefusal('ocdreinitstring: differs from ocd.reinitstring of jsondata');
  }
  const { values: changed, adjusted } = changeValue(part.article, part.values, change);
  const values = part === root ? changed : withChildValues(article, before, part.article, changed)!;
  const ocd = ocdOf(json);
  const translate = translationFor(query);
  return articleJson(article, values, {
    translate,
    ...currencyOf(typeof ocd.currency === 'string' ? ocd.currency : undefined),
    allProperties: hasInvisible(json.propclasses) || hasInvisible(ocd.propclasses),
    id: String(json.id),
    usermessages: adjusted.map((property) => adjustedText(property, translate)),
  });
}

interface PlanningPart extends Configuration {
  json: Json;
}

function childOf({ article, values, json }: PlanningPart, id: string): PlanningPart {
  const child = list(json.children).find((one) => String(one.id) === id) ?? {};
  const found = article.meta?.children(values).find(({ article: { number, program } }) => {
    return number === child.basearticlenumber && program === child.program;
  });
  if (found === undefined) throw new RangeRefusal(`id: ${id} is no child of this planning`);
  return { ...found, json: child };
}

function hasInvisible(propclasses: unknown): boolean {
  return list(propclasses).some(({ properties }) =>
    list(properties).some(({ visible }) => visible === false),
  );
}

function list(value: unknown): Json[] {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return entries.filter((entry): entry is Json => typeof entry === 'object' && entry !== null);
}

function adjustedText({ text }: PropertyDefinition, translate: Translate): string {
  return translate({ de: `${text.de} wurde angepasst.`, en: `${text.en} was adjusted.` });
}

/** GET btg: the final number and the reinit strings must belong together. */
function answerPartsList(query: Query): Json | undefined {
  const found = requested(query);
  if (found === undefined) return undefined;
  const { article, values } = found;
  return partsListJson([articleRoot(article, article.parts(values))], materialsFor);
}

function requested(query: Query): Configuration | undefined {
  const article = shownArticle(query);
  if (article === undefined) return undefined;
  const commercial = query.reinitstring
    ? valuesOfReinit(article, query.reinitstring)
    : valuesOf(article);
  if (commercial === undefined) return undefined;
  if (finalNumberOf(article, commercial) !== query.finalarticlenumber) return undefined;
  const values = withMetaValues(article, commercial, query.metareinitstring ?? '');
  return values && { article, values };
}

function shownArticle(query: Query): ArticleDefinition | undefined {
  const article = findArticle(query.manufacturer, query.program, query.basearticlenumber);
  return article && isShown(article.manufacturer, query.profile) ? article : undefined;
}

/** The values of a variant code, which is a final number. */
function valuesOfVariant(article: ArticleDefinition, varcode: string): Values | undefined {
  return varcode === '' ? valuesOf(article) : valuesOfFinalNumber(article, varcode);
}

/**
 * Reads the configuration of a top-level article that a client sent, of which only the numbers and the two reinit
 * strings count.
 *
 * @throws {@link RangeRefusal} with the field.
 */
function readPlanning(json: Json): Configuration {
  const [manufacturer, program, number] = ['manufacturer', 'program', 'basearticlenumber'].map(
    (field) => textOf(json, field),
  );
  const article = findArticle(manufacturer, program, number);
  if (article === undefined) {
    throw new RangeRefusal(`article ${manufacturer} ${program} ${number}: no such article`);
  }
  const commercial = valuesOfReinit(article, textOf(ocdOf(json), 'reinitstring', 'ocd.'));
  if (commercial === undefined) {
    throw new RangeRefusal('ocd.reinitstring: is none of this article');
  }
  const values = withMetaValues(article, commercial, textOf(json, 'reinit'));
  if (values === undefined) throw new RangeRefusal('reinit: is none of this planning');
  return { article, values };
}

/** The commercial part of an article. @throws {@link RangeRefusal} if there is none. */
function ocdOf(json: Json): Json {
  const { ocd } = json;
  if (typeof ocd === 'object' && ocd !== null) return ocd as Json;
  throw new RangeRefusal('ocd: expected an object');
}

function textOf(json: Json, field: string, path = ''): string {
  const value = json[field];
  if (typeof value === 'string') return value;
  throw new RangeRefusal(`${path}${field}: expected a text`);
}
