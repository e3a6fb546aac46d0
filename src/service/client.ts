/**
 * Client: the service as the rest of the converter sees it.
 *
 * In: addresses and credentials. Out: catalogue nodes, articles, parts lists and checked bodies.
 * It must not know where bodies are kept or what becomes of them. All else in this room is behind it.
 */

import type { Article, ArticleKey, PropertyChange } from '../model/article.ts';
import type { Breadcrumb, CatalogueNode } from '../model/catalogue.ts';
import type { Block, PartsList } from '../model/graphics.ts';
import type { Answered } from './attempt.ts';
import { type CallOptions, createCaller } from './caller.ts';
import { type IfGiven, unlessNotModified, type Validators } from './conditional.ts';
import type { Values } from './operation.ts';
import type { AnswerOf, OperationName } from './operations.ts';
import { type ServiceConfig, serviceId } from './service-config.ts';
import { expectTopLevel } from './top-level.ts';
import { parsePreview, parseResource } from './wire-resource.ts';

export type { Answered } from './attempt.ts';
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
  /**
   * Calls any operation: what the named methods below do.
   *
   * @param values - By our names; the row of `OPERATIONS` says which of them are sent and which identify
   * the request (`requestKey`).
   * @param options - Validators make it conditional; `body` is sent as JSON.
   * @returns The body with its decoded answer, or {@link NotModified}.
   */
  call<Name extends OperationName, Given extends Validators | undefined = undefined>(
    name: Name,
    values: Values,
    options?: CallOptions<Given>,
  ): Promise<Answered<AnswerOf<Name>> | IfGiven<Given>>;
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
  ): Promise<(Body & { block: Block }) | IfGiven<Given>>;
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
    call,
    close,
    isHeld,
    async getNodes(parentnode, validators) {
      const answered = await call('getNodes', { parentnode }, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), nodes: it.answer }));
    },
    async getBreadcrumbs(parentnode) {
      return (await call('getBreadcrumbs', { parentnode })).answer;
    },
    async search(manufacturer, query) {
      return (await call('search', { manufacturer, query })).answer;
    },
    async getArticle({ getallproperties, ...query }, validators) {
      const values = { ...query, getallproperties: getallproperties ? 'true' : '' };
      const answered = await call('getArticle', values, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), article: it.answer }));
    },
    async getPartsList(key, validators) {
      const answered = await call('getPartsList', { ...key }, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), partsList: it.answer }));
    },
    async getBlock(name, validators) {
      const answered = await call('getBlock', { name }, { validators });
      return unlessNotModified(answered, (it) => ({ ...bodyOf(it), block: it.answer }));
    },
    async getMaterial(manufacturer, name, validators) {
      const answered = await call('getMaterial', { manufacturer, name }, { validators });
      return unlessNotModified(answered, bodyOf);
    },
    async getManufacturerResource(manufacturer, language, name) {
      return bodyOf(await call('getManufacturerResource', { manufacturer, language, name }));
    },
    async getSeriesResource(manufacturer, program, language, name) {
      return bodyOf(await call('getSeriesResource', { manufacturer, program, language, name }));
    },
    async getResource(rescontent) {
      const { spelling, path } = parseResource(rescontent);
      const first = spelling === 'ressource' ? 'own' : 'other';
      return bodyOf(await call('getResource', { path }, { first }));
    },
    async changeProperty(configuration, change) {
      const { id, rootid, proptype, propclass, prop, newvalue, jsondata } = change;
      expectTopLevel(jsondata, 'changeProperty', rootid);
      const body = { id, rootid, proptype, propclass, prop, newvalue, jsondata };
      const answered = await call('changeProperty', { ...configuration }, { body });
      return { ...bodyOf(answered), article: answered.answer };
    },
    async getPreview(previewimage) {
      return bodyOf(await call('getPreview', { ...parsePreview(previewimage, config.baseUrl) }));
    },
    async storePlanning(topLevelArticle) {
      expectTopLevel(topLevelArticle, 'storePlanning');
      const { manufacturer, program, basearticlenumber = '' } = topLevelArticle as Values;
      // Not sent: they name the article in an error.
      const values = { manufacturer, program, basearticlenumber };
      const body = { json: topLevelArticle };
      const permanentId = (await call('storePlanning', values, { body })).answer;
      config.onPermanentId?.(permanentId, topLevelArticle);
      return permanentId;
    },
    async restoreConfiguration(configuration) {
      const answered = await call('restoreConfiguration', { ...configuration });
      return { ...bodyOf(answered), article: answered.answer };
    },
    async getArticleImage(key) {
      return bodyOf(await call('getArticleImage', { ...key }));
    },
  };
}

function bodyOf({ bytes, etag, lastModified }: Answered<unknown>): Body {
  return { bytes, etag, lastModified };
}
