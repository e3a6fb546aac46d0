/**
 * Client: the service as the rest of the converter sees it.
 *
 * In: addresses and credentials. Out: catalogue nodes, articles, parts lists and checked bodies.
 * It must not know where bodies are kept or what becomes of them. All else in this room is behind it.
 */
import type { Article, ArticleKey } from '../model/article.ts';
import type { Breadcrumb, CatalogueNode } from '../model/catalogue.ts';
import type { PartsList } from '../model/graphics.ts';
import { type Answered, createCaller, type Subject } from './caller.ts';
import { type ServiceConfig, serviceId } from './service-config.ts';

export type { RequestEvent } from './exchange.ts';
export { type Credentials, SERVICE_DEFAULTS, type ServiceConfig } from './service-config.ts';

/** A body as received, checked to be complete. */
export interface Body {
  bytes: Uint8Array;
  /** Empty where the server sends none. */
  etag: string;
  /** As the server spells it; empty where it sends none. */
  lastModified: string;
}

/** Which article is loaded, and how configured. */
export interface ArticleQuery {
  manufacturer: string;
  program: string;
  basearticlenumber: string;
  /** Sent as `ocdreinitstring`. */
  reinitstring?: string;
  /** Variant code. */
  varcode?: string;
  /** Also answers properties that are not visible. */
  getallproperties?: boolean;
}

/**
 * A client of one service. Every method rejects with a {@link ConverterError} that carries code,
 * operation, article and redacted URL; a 404 is never sent again.
 */
export interface ServiceClient {
  /** Address, profile, languages and currency, without secrets: what answers depend on. */
  readonly id: string;
  /** Children of a catalogue folder, `''` is the root. @see Spec 4.2 */
  getNodes(parentnode: string): Promise<Body & { nodes: CatalogueNode[] }>;
  /** Path from the root to a folder. @see Spec 4.2 */
  getBreadcrumbs(parentnode: string): Promise<Breadcrumb[]>;
  /** Article nodes whose number or short text holds the query. @see Spec 4.2 */
  search(manufacturer: string, query: string): Promise<CatalogueNode[]>;
  /** Loads one article; `ARTICLE_NOT_FOUND`. @see Spec 4.3 */
  getArticle(query: ArticleQuery): Promise<Body & { article: Article }>;
  /** Loads the parts list of one configuration; `ARTICLE_NOT_FOUND`. @see Spec 4.4 */
  getPartsList(key: ArticleKey): Promise<Body & { partsList: PartsList }>;
  /** Loads a block by its name as `blocks[]` spells it; `BLOCK_MISSING`, `BLOCK_INVALID`. @see Spec 4.4 */
  getBlock(requestName: string): Promise<Body>;
  /** Loads an image by its name without `.JPG`; `IMAGE_MISSING`. @see Spec 4.4 */
  getMaterial(manufacturer: string, name: string): Promise<Body>;
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
  const { call, close } = createCaller(config);
  return {
    id: serviceId(config),
    close,
    async getNodes(parentnode) {
      const answered = await call('getNodes', { parentnode }, folder(parentnode));
      return { ...bodyOf(answered), nodes: answered.answer };
    },
    async getBreadcrumbs(parentnode) {
      return (await call('getBreadcrumbs', { parentnode }, folder(parentnode))).answer;
    },
    async search(manufacturer, query) {
      return (await call('search', { manufacturer, query }, { name: manufacturer })).answer;
    },
    async getArticle({ getallproperties, ...query }) {
      const values = { ...query, getallproperties: getallproperties ? 'true' : '' };
      const answered = await call('getArticle', values, article(query));
      return { ...bodyOf(answered), article: answered.answer };
    },
    async getPartsList(key) {
      const answered = await call('getPartsList', { ...key }, article(key));
      return { ...bodyOf(answered), partsList: answered.answer };
    },
    async getBlock(requestName) {
      return bodyOf(await call('getBlock', { name: requestName }, { name: requestName }));
    },
    async getMaterial(manufacturer, name) {
      const subject = { name: `${manufacturer}/${name}` };
      return bodyOf(await call('getMaterial', { manufacturer, name }, subject));
    },
  };
}

function bodyOf({ bytes, etag, lastModified }: Answered<unknown>): Body {
  return { bytes, etag, lastModified };
}

function folder(parentnode: string): Subject {
  return { name: parentnode === '' ? 'the root' : parentnode };
}

function article(query: ArticleQuery): Subject {
  return { article: `${query.manufacturer}/${query.program}/${query.basearticlenumber}` };
}
