/** A planned article with all its children as the service sent it, and the calls that replace it by another. */

import { decodeArticle } from '../../../convert/wire/article.ts';
import { type JsonRecord, parseJson } from '../../../convert/wire/value.ts';
import type { Article, ArticleKey } from '../../../model/article.ts';
import {
  planningChildren,
  resolveKey,
  withChildren,
} from '../../../source/fetch/resolve-article.ts';
import { isConverterError } from '../../../support/errors.ts';
import { redact } from '../../../support/redact.ts';
import { namedProperties, type PropertySetting } from './fields.ts';
import type { PlanningTarget } from './parameters.ts';
import type { PlanningService } from './planning-service.ts';

/** A topmost article. */
export interface PlannedArticle {
  /** The article as the service sent it: changes, carts and permanent identifiers are made of it. */
  json: JsonRecord;
  article: Article;
  key: ArticleKey;
  /** Whether texts and prices are those of the day and language in which the planning was stored. */
  isAsStored?: boolean | undefined;
}

/**
 * The article of a catalogue node, whose `varcode` is empty for the default configuration; or an earlier answer of the
 * service, which needs no request, with the changes that the service has not answered yet.
 */
export type OpenTarget =
  | (PlanningTarget & { varcode?: string })
  | {
      json: JsonRecord;
      pending: readonly PropertySetting[];
      isAsStored?: boolean | undefined;
      /** Whether it is requested again all the same, because the language of the page is another one now. */
      isToRenew?: boolean | undefined;
    };

/** What a person calls a target: the numbers of an article, or the identifier of a stored planning. */
export function nameOfTarget(target: OpenTarget): string {
  if ('permanentid' in target) return target.permanentid;
  const { manufacturer, program, basearticlenumber } = 'json' in target ? target.json : target;
  return [manufacturer, program, basearticlenumber].filter(Boolean).join(' ');
}

/**
 * Loads an article, or restores a planning with all its children.
 *
 * @throws {@link ConverterError} `ARTICLE_NOT_FOUND`, `PERMANENT_ID_NOT_RESOLVABLE`, `ARTICLE_REPORTED`, what the
 *   service throws.
 */
export async function loadTarget(
  service: PlanningService,
  target: OpenTarget,
  signal: AbortSignal,
): Promise<PlannedArticle> {
  if ('json' in target) {
    const { json, isAsStored, isToRenew } = target;
    const known = { ...answered(new TextEncoder().encode(JSON.stringify(json))), isAsStored };
    return isToRenew && !service.isPublic ? renewed(service, known, signal) : known;
  }
  if ('permanentid' in target) {
    const stored = answered(await service.storedPlanning(target.permanentid, signal));
    return service.isPublic ? { ...stored, isAsStored: true } : renewed(service, stored, signal);
  }
  const { manufacturer, program, basearticlenumber, ocdreinit, varcode = '' } = target;
  const id = { manufacturer, program, basearticlenumber };
  const read = (more: object) => service.call('getArticle', { ...id, ...more }, { signal });
  let loaded = await read(ocdreinit === '' ? {} : { reinitstring: ocdreinit });
  const number = loaded.answer.ocd?.finalarticlenumber;
  if (varcode !== '' && varcode !== number) {
    try {
      loaded = await read({ varcode });
    } catch (thrown) {
      // The article exists, and opens in the configuration of the service.
      if (!isConverterError(thrown, 'ARTICLE_NOT_FOUND')) throw thrown;
    }
  }
  const request = { ...id, finalarticlenumber: '', reinitstring: ocdreinit, metareinitstring: '' };
  return planned(loaded.bytes, loaded.answer, request);
}

/**
 * Changes a property. Only the topmost article is configured: a change of a child is a change of the whole.
 *
 * @throws {@link ConverterError} `PROPERTY_VALUE_REFUSED`, what the service throws.
 * @see Spec 3 (rule 3), 4.3
 */
export async function changeProperty(
  service: PlanningService,
  { json, article, key }: PlannedArticle,
  setting: PropertySetting,
  signal: AbortSignal,
): Promise<PlannedArticle> {
  const { id, proptype, propclass, prop, newvalue } = setting;
  const names = { id, rootid: article.rootid, proptype, propclass, prop, newvalue };
  const body = { ...names, jsondata: json };
  const { bytes, answer } = await service.call('changeProperty', { ...key }, { signal, body });
  const request = { ...key, finalarticlenumber: '', reinitstring: '', metareinitstring: '' };
  return planned(bytes, answer, request);
}

/** Stores a planning at the service and returns its permanent identifier. @see Spec 4.3 (reinit) */
export async function storePlanning(
  service: PlanningService,
  { json, key }: PlannedArticle,
  signal: AbortSignal,
): Promise<string> {
  const { manufacturer, program, basearticlenumber } = key;
  const values = { manufacturer, program, basearticlenumber };
  return (await service.call('storePlanning', values, { signal, body: { json } })).answer;
}

/**
 * A stored planning with current texts and prices, in the languages of the page; or as it was stored if the service
 * does not answer exactly this configuration again.
 */
async function renewed(
  service: PlanningService,
  stored: PlannedArticle,
  signal: AbortSignal,
): Promise<PlannedArticle> {
  try {
    const asked = await askAgain(service, stored, signal);
    if (asked !== undefined && configurationOf(asked) === configurationOf(stored)) return asked;
  } catch (thrown) {
    if (
      !isConverterError(thrown, 'ARTICLE_NOT_FOUND', 'ARTICLE_REPORTED', 'PROPERTY_VALUE_REFUSED')
    )
      throw thrown;
  }
  return { ...stored, isAsStored: true };
}

/** Requests a planning again. GET articles takes no configuration of it, so a property is set to its current value. */
async function askAgain(
  service: PlanningService,
  stored: PlannedArticle,
  signal: AbortSignal,
): Promise<PlannedArticle | undefined> {
  const { article, key } = stored;
  if (article.children.length > 0 || article.reinit !== '') {
    // The property of the innermost article is used: nothing else depends on it.
    const settable = withChildren(article)
      .flatMap(namedProperties)
      .filter(
        ({ property }) => property.enabled && property.visible && property.currentvalue !== '',
      );
    const last = settable.at(-1);
    if (last === undefined) return undefined;
    const setting = { ...last.names, newvalue: last.property.currentvalue };
    return changeProperty(service, stored, setting, signal);
  }
  const { manufacturer, program, basearticlenumber, reinitstring } = key;
  const values = { manufacturer, program, basearticlenumber, reinitstring };
  const { bytes, answer } = await service.call('getArticle', values, { signal });
  return planned(bytes, answer, key);
}

function configurationOf({ article }: PlannedArticle): string {
  return JSON.stringify(requestsOf(article));
}

/** An article and its children as requests for exactly their configurations, the article first. */
function requestsOf(article: Article) {
  return planningChildren({ children: [article] });
}

function answered(bytes: Uint8Array): PlannedArticle {
  const article = decodeArticle(bytes, undefined, true);
  return planned(bytes, article, requestsOf(article)[0]!);
}

function planned(bytes: Uint8Array, article: Article, request: ArticleKey): PlannedArticle {
  const json = parseJson(bytes) as JsonRecord;
  // The service may repeat the token in a text; the page shows the article.
  return { json, article: redact(article), key: resolveKey(request, article).key };
}
