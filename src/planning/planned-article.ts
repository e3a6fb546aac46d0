/** What is planned: an article with all its children as the service sent it, and the calls that replace it by another. */
import { requestOfArticle, resolveKey } from '../fetch/resolve-article.ts';
import type { Article, ArticleKey, PropertyChange } from '../model/article.ts';
import { decodeArticle } from '../service/wire-article.ts';
import { isRecord, type JsonRecord, mismatch, parseJson } from '../service/wire-value.ts';
import { isConverterError } from '../support/errors.ts';
import type { PlanningTarget } from './parameters.ts';
import type { PlanningService } from './service.ts';

/** A topmost article. */
export interface PlannedArticle {
  /** As the service sent it: changes, carts and permanent identifiers are made of it. */
  json: JsonRecord;
  article: Article;
  key: ArticleKey;
}

/** The article of a catalogue node; `varcode` is empty for the default configuration. */
export type OpenTarget = PlanningTarget & { varcode?: string };

/** A property that is to take another value. */
export type PropertySetting = Omit<PropertyChange, 'rootid' | 'jsondata'>;

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
  if ('permanentid' in target) {
    const bytes = await service.storedPlanning(target.permanentid, signal);
    const article = decodeArticle(bytes, undefined, true);
    return planned(bytes, article, requestOfArticle(article));
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
      // The article is there; it opens as the service configures it.
      if (!isConverterError(thrown, 'ARTICLE_NOT_FOUND')) throw thrown;
    }
  }
  const request = { ...id, finalarticlenumber: '', reinitstring: ocdreinit, metareinitstring: '' };
  return planned(loaded.bytes, loaded.answer, request);
}

/**
 * Changes a property. Only the topmost article is configured: a change of a child is one of the whole.
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

function planned(
  bytes: Uint8Array,
  article: Article,
  request: Parameters<typeof resolveKey>[0],
): PlannedArticle {
  const json = parseJson(bytes);
  if (!isRecord(json)) throw mismatch('RESPONSE_INVALID', 'article', 'an object', json);
  return { json, article, key: resolveKey(request, article).key };
}
