/**
 * Client: the service as the rest of the converter sees it.
 *
 * In: addresses and credentials. Out: catalogue nodes, articles, parts lists and checked bodies.
 * It must not know where bodies are kept or what becomes of them. All else in this room is behind it.
 */

import type { Article, ArticleKey, PropertyChange } from '../model/article.ts';
import type { Breadcrumb, CatalogueNode } from '../model/catalogue.ts';
import { articleLabel } from '../model/configuration-id.ts';
import type { PartsList } from '../model/graphics.ts';
import type { Answered } from './attempt.ts';
import { createCaller } from './caller.ts';
import { type IfGiven, unlessNotModified, type Validators } from './conditional.ts';
import type { Subject } from './error-context.ts';
import { type ServiceConfig, serviceId } from './service-config.ts';
import { expectTopLevel } from './top-level.ts';
import { parsePreview, parseResource } from './wire-resource.ts';

export type { IfGiven, NotModified, Validators } from './conditional.ts';
export type { RequestEvent } from './exchange.ts';
export {
  type Credentials,
  SERVICE_DEFAULTS,
  type ServiceConfig,
  type ServiceDrift,
} from './service-config.ts';

/** A body as received, checked to be complete. */
export interface Body {
  bytes: Uint8Array;
  /** Empty where the server sends none. */
  etag: string;
  /** As the server spells it; empty where it sends none. */
  lastModified: string;
}

/** One configuration of an article. */
export interface Configuration {
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Sent as `ocdreinitstring`; opaque, empty for the default configuration. */
  reinitstring: string;
}

/** Which article is loaded, and how configured. */
export interface ArticleQuery extends Omit<Configuration, 'reinitstring'> {
  /** Sent as `ocdreinitstring`. */
  reinitstring?: string;
  /** Variant code. */
  varcode?: string;
  /** Also answers properties that are not visible. */
  getallproperties?: boolean;
}

/**
 * A client of one service. Every method rejects with a {@link ConverterError} that carries code,
 * operation, article and redacted URL; a 404 is never sent again. Where an earlier answer's
 * validators are given, the answer may be that this one still holds (D-840).
 */
export interface ServiceClient {
  /** Address, profile, languages and currency, without secrets: what answers depend on. */
  readonly id: string;
  /** Children of a catalogue folder, `''` is the root. @see Spec 4.2 */
  getNodes<Given extends Validators | undefined = undefined>(
    parentnode: string,
    validators?: Given,
  ): Promise<(Body & { nodes: CatalogueNode[] }) | IfGiven<Given>>;
  /** Path from the root to a folder. @see Spec 4.2 */
  getBreadcrumbs(parentnode: string): Promise<Breadcrumb[]>;
  /** Article nodes whose number or short text holds the query; ids `<manufacturer>;SEARCHRESULT<index>`. @see Spec 4.2 */
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
  /** Loads one article; `ARTICLE_NOT_FOUND`. @see Spec 4.3 */
  getArticle<Given extends Validators | undefined = undefined>(
    query: ArticleQuery,
    validators?: Given,
  ): Promise<(Body & { article: Article }) | IfGiven<Given>>;
  /** Loads the parts list of one configuration; `ARTICLE_NOT_FOUND`. @see Spec 4.4 */
  getPartsList<Given extends Validators | undefined = undefined>(
    key: ArticleKey,
    validators?: Given,
  ): Promise<(Body & { partsList: PartsList }) | IfGiven<Given>>;
  /** Loads a block by its name as `blocks[]` spells it; `BLOCK_MISSING`, `BLOCK_INVALID`. @see Spec 4.4 */
  getBlock<Given extends Validators | undefined = undefined>(
    requestName: string,
    validators?: Given,
  ): Promise<Body | IfGiven<Given>>;
  /** Loads an image by its name without `.JPG`; `IMAGE_MISSING`. @see Spec 4.4 */
  getMaterial<Given extends Validators | undefined = undefined>(
    manufacturer: string,
    name: string,
    validators?: Given,
  ): Promise<Body | IfGiven<Given>>;
  /** Loads a resource of a manufacturer, such as its logo; `RESOURCE_MISSING`. @see Spec 4.2 */
  getManufacturerResource(manufacturer: string, language: string, name: string): Promise<Body>;
  /** Loads a resource of a series, such as a catalogue image; `RESOURCE_MISSING`. @see Spec 4.2 */
  getSeriesResource(
    manufacturer: string,
    program: string,
    language: string,
    name: string,
  ): Promise<Body>;
  /** Loads what a `rescontent` refers to; `RESOURCE_MISSING`, `RESOURCE_REFUSED`. @see Spec 2.1, 4.2 */
  getResource(rescontent: string): Promise<Body>;
  /**
   * Changes one property of an article; answers the whole article, calculated anew. A child is
   * changed through its topmost article. `PROPERTY_VALUE_REFUSED`, `CHILD_WITHOUT_ROOT`.
   *
   * @see Spec 4.3 (POST articles), 3 (rule 3)
   */
  changeProperty(
    configuration: Configuration,
    change: PropertyChange,
  ): Promise<Body & { article: Article }>;
  /** Loads what a `previewimage` refers to; `IMAGE_MISSING`, `IMAGE_REFUSED`. @see Spec 2.2, 4.3; D-604 */
  getPreview(previewimage: string): Promise<Body>;
  /**
   * Stores a whole planning: the JSON of its topmost article, as the service answered it.
   *
   * @returns Its permanent identifier, which only the planning page of the same system resolves.
   * @see Spec 4.3 (reinit), 2.5, 9 (rule 7); `CART_INVALID`, `CHILD_WITHOUT_ROOT`
   */
  storePlanning(topLevelArticle: unknown): Promise<string>;
  /**
   * Restores one configuration of a single article by `ocd/reinit`.
   *
   * Not verified against a live service: the specification names this operation and does not show
   * its call (D-782). {@link getArticle} with a `reinitstring` does the same, as it is shown.
   *
   * @see Spec 4.3
   */
  restoreConfiguration(configuration: Configuration): Promise<Body & { article: Article }>;
  /**
   * Loads a rendered image of an article; none of a meta planning.
   *
   * @deprecated The service may remove it in a later version: make pictures from the GLB.
   * @see Spec 4.4, 9 (rule 6)
   */
  getArticleImage(key: ArticleKey): Promise<Body>;
  /** Whether the service has everybody wait: it said "not so fast". */
  isHeld(): boolean;
  /** Drops what is in flight, logs out of both groups (own tokens only), closes; never rejects. */
  close(): Promise<void>;
}

/**
 * Creates a client; nothing is sent before the first question.
 *
 * @param config - `now` and `random` are handed in; see {@link SERVICE_DEFAULTS} for the rest.
 * @throws {@link ConverterError} `USAGE` if an address cannot be read.
 *
 * @example
 * ```ts
 * const client = createClient({ authUrl, baseUrl, credentials: { username, password }, now, random });
 * const { nodes } = await client.getNodes('');
 * await client.close();
 * ```
 *
 * @see Spec 4, 5; D-609.
 */
export function createClient(config: ServiceConfig): ServiceClient {
  const { call, close, isHeld } = createCaller(config);
  return {
    id: serviceId(config),
    close,
    isHeld,
    async getNodes(parentnode, validators) {
      const more = { validators };
      const answered = await call('getNodes', { parentnode }, folder(parentnode), more);
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), nodes: it.answer }));
    },
    async getBreadcrumbs(parentnode) {
      return (await call('getBreadcrumbs', { parentnode }, folder(parentnode))).answer;
    },
    async search(manufacturer, query) {
      return (await call('search', { manufacturer, query }, { name: manufacturer })).answer;
    },
    async getArticle({ getallproperties, ...query }, validators) {
      const values = { ...query, getallproperties: getallproperties ? 'true' : '' };
      const answered = await call('getArticle', values, article(query), { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), article: it.answer }));
    },
    async getPartsList(key, validators) {
      const answered = await call('getPartsList', { ...key }, article(key), { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), partsList: it.answer }));
    },
    async getBlock(requestName, validators) {
      const block = { name: requestName };
      return unlessNotModified(await call('getBlock', block, block, { validators }), bodyOf);
    },
    async getMaterial(manufacturer, name, validators) {
      const values = { manufacturer, name };
      const answered = await call('getMaterial', values, resource(values), { validators });
      return unlessNotModified(answered, bodyOf);
    },
    async getManufacturerResource(manufacturer, language, name) {
      const values = { manufacturer, language, name };
      return bodyOf(await call('getManufacturerResource', values, resource(values)));
    },
    async getSeriesResource(manufacturer, program, language, name) {
      const values = { manufacturer, program, language, name };
      return bodyOf(await call('getSeriesResource', values, resource(values)));
    },
    async getResource(rescontent) {
      const { spelling, path } = parseResource(rescontent);
      const first = spelling === 'ressource' ? 'own' : 'other';
      return bodyOf(await call('getResource', { path }, { name: path }, { first }));
    },
    async changeProperty(configuration, change) {
      const { id, rootid, proptype, propclass, prop, newvalue, jsondata } = change;
      expectTopLevel(jsondata, 'changeProperty', rootid);
      const body = { id, rootid, proptype, propclass, prop, newvalue, jsondata };
      const subject = article(configuration);
      const answered = await call('changeProperty', { ...configuration }, subject, { body });
      return { ...bodyOf(answered), article: answered.answer };
    },
    async getPreview(previewimage) {
      const path = { ...parsePreview(previewimage, config.baseUrl) };
      return bodyOf(await call('getPreview', path, resource(path)));
    },
    async storePlanning(topLevelArticle) {
      expectTopLevel(topLevelArticle, 'storePlanning');
      const subject = article(topLevelArticle as Partial<Configuration>);
      const body = { json: topLevelArticle };
      const permanentId = (await call('storePlanning', {}, subject, { body })).answer;
      config.onPermanentId?.(permanentId, topLevelArticle);
      return permanentId;
    },
    async restoreConfiguration(configuration) {
      const subject = article(configuration);
      const answered = await call('restoreConfiguration', { ...configuration }, subject);
      return { ...bodyOf(answered), article: answered.answer };
    },
    async getArticleImage(key) {
      return bodyOf(await call('getArticleImage', { ...key }, article(key)));
    },
  };
}

function bodyOf({ bytes, etag, lastModified }: Answered<unknown>): Body {
  return { bytes, etag, lastModified };
}

function folder(parentnode: string): Subject {
  return { name: parentnode === '' ? 'the root' : parentnode };
}

function resource(path: Record<string, string>): Subject {
  return { name: Object.values(path).join('/') };
}

function article(query: Partial<Configuration>): Subject {
  const { manufacturer = '', program = '', basearticlenumber = '' } = query;
  return { article: articleLabel({ manufacturer, program, basearticlenumber }) };
}
